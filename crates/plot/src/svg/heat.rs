//! Counts of pairs, the darker the more.

use super::Paper;
use super::paper::title;
use crate::figure::Figure;
use crate::heat::HeatMap;
use crate::numbers::show;
use crate::scale::Scale;

const HEIGHT: f64 = 340.0;
/// Room for the colours' scale.
const SCALE: f64 = 92.0;
const STEPS: u32 = 40;

#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
pub(super) fn draw(figure: &Figure, map: &HeatMap) -> String {
    let border = |start: u64, width: u64, bins: u64| {
        // A whole number is in the middle of its cell.
        let half = 0.5;
        (start as f64 - half, start.saturating_add(width.saturating_mul(bins)) as f64 - half)
    };
    let (x_low, x_high) = border(map.x_start, map.x_width, map.x_bins);
    let (y_low, y_high) = border(map.y_start, map.y_width, map.y_bins);
    let scales = (Scale::exactly(x_low, x_high, 10, true), Scale::exactly(y_low, y_high, 7, true));
    let mut paper = Paper::new(figure, scales, HEIGHT, SCALE, 0.0);
    let most = map.most().max(1);
    for ((column, row), count) in &map.counts {
        let x = map.x_start + column * map.x_width;
        let y = map.y_start + row * map.y_width;
        let (left, right) = (paper.at_x(x as f64 - 0.5), paper.at_x((x + map.x_width) as f64 - 0.5));
        let (bottom, top) = (paper.at_y(y as f64 - 0.5), paper.at_y((y + map.y_width) as f64 - 0.5));
        let tip = format!(
            "{} {}, {} {}: {count}",
            figure.x.title,
            range(x, map.x_width),
            figure.y.title,
            range(y, map.y_width)
        );
        paper.put(format_args!(
            r#"<rect class="cell" x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{}">{}</rect>"#,
            right - left,
            bottom - top,
            colour(*count as f64 / most as f64),
            title(&tip)
        ));
    }
    colours(&mut paper, most);
    paper.finish()
}

#[expect(clippy::cast_precision_loss, reason = "as above")]
fn colours(paper: &mut Paper, most: u64) {
    let plane = paper.plane;
    let (left, step) = (plane.left + plane.width + 24.0, plane.height / f64::from(STEPS));
    for number in 0..STEPS {
        let share = (f64::from(number) + 0.5) / f64::from(STEPS);
        let y = plane.top + plane.height - f64::from(number + 1) * step;
        paper.put(format_args!(
            r#"<rect x="{left:.1}" y="{y:.2}" width="16" height="{:.2}" fill="{}"/>"#,
            step + 0.3,
            colour(share)
        ));
    }
    let ends = [(plane.top + 11.0, show(most as f64)), (plane.top + plane.height, "0".to_owned())];
    for (y, label) in ends {
        paper.put(format_args!(r#"<text x="{:.1}" y="{y:.1}">{label}</text>"#, left + 22.0));
    }
    paper.put(format_args!(r#"<text x="{left:.1}" y="{:.1}">requests</text>"#, plane.top - 8.0));
}

/// From a pale to a dark blue; few stand out already.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colours are between 0 and 255")]
fn colour(share: f64) -> String {
    let share = share.clamp(0.0, 1.0).sqrt();
    let mix = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(230.0, 12.0), mix(239.0, 52.0), mix(248.0, 105.0))
}

fn range(start: u64, width: u64) -> String {
    if width <= 1 { start.to_string() } else { format!("{start} to {}", start.saturating_add(width - 1)) }
}
