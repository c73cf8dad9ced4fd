//! Distributions, each in a row of its own: a box over its values.

use super::Paper;
use super::paper::{COLOURS, INK, title};
use crate::figure::{Axis, BoxRow, Figure};
use crate::numbers::show;
use crate::scale::{Scale, is_drawable};

const ROW: f64 = 130.0;
const BOX: f64 = 40.0;
/// The strip below a box that its values are scattered over.
const STRIP: f64 = 36.0;

pub(super) fn draw(figure: &Figure, rows: &[BoxRow]) -> String {
    let values = rows.iter().flat_map(|row| row.stats.values().into_iter().chain(row.dots.iter().copied()));
    let x = Scale::of(values, &figure.x, 10);
    #[expect(clippy::cast_precision_loss, reason = "there are a few rows")]
    let height = ROW * rows.len().max(1) as f64;
    let none = Scale { low: 0.0, high: 1.0, ticks: Vec::new() };
    let mut paper = Paper::new(figure, (x, none), height, 0.0, 0.0);
    let mut top = paper.plane.top;
    for (number, row) in rows.iter().enumerate() {
        draw_row(&mut paper, row, top, COLOURS[number % COLOURS.len()], &figure.x);
        top += ROW;
    }
    paper.finish()
}

fn draw_row(paper: &mut Paper, row: &BoxRow, top: f64, colour: &str, axis: &Axis) {
    let stats = &row.stats;
    if !stats.values().into_iter().all(is_drawable) {
        return;
    }
    let (box_top, middle) = (top + 26.0, top + 26.0 + BOX / 2.0);
    let box_bottom = box_top + BOX;
    if !row.name.is_empty() {
        let left = paper.plane.left;
        paper.put(format_args!(
            r#"<text x="{:.1}" y="{:.1}">{}</text>"#,
            left + 4.0,
            top + 16.0,
            super::paper::escaped(&row.name)
        ));
    }
    let [p1, p25, p50, p75, p99] =
        [stats.p1, stats.p25, stats.p50, stats.p75, stats.p99].map(|value| paper.at_x(value));
    for (from, to) in [(p1, p25), (p75, p99)] {
        paper.put(format_args!(
            r#"<line x1="{from:.1}" y1="{middle:.1}" x2="{to:.1}" y2="{middle:.1}" stroke="{INK}"/>"#
        ));
    }
    for end in [p1, p99] {
        let (above, below) = (middle - 9.0, middle + 9.0);
        paper
            .put(format_args!(r#"<line x1="{end:.1}" y1="{above:.1}" x2="{end:.1}" y2="{below:.1}" stroke="{INK}"/>"#));
    }
    let unit = if axis.unit.is_empty() { String::new() } else { format!(" {}", axis.unit) };
    let tip = format!(
        "p1 {}, p25 {}, median {}, p75 {}, p99 {}, mean {}{unit}, of {}",
        show(stats.p1),
        show(stats.p25),
        show(stats.p50),
        show(stats.p75),
        show(stats.p99),
        show(stats.mean),
        stats.count
    );
    paper.put(format_args!(
        r#"<rect class="box" x="{p25:.2}" y="{box_top:.1}" width="{:.2}" height="{BOX}" fill="{colour}" fill-opacity="0.25" stroke="{colour}" stroke-width="1.5">{}</rect>"#,
        (p75 - p25).max(1.0),
        title(&tip)
    ));
    paper.put(format_args!(
        r#"<line x1="{p50:.1}" y1="{box_top:.1}" x2="{p50:.1}" y2="{box_bottom:.1}" stroke="{colour}" stroke-width="3"/>"#
    ));
    let mean = paper.at_x(stats.mean);
    paper.put(format_args!(
        r##"<path d="M{mean:.1} {:.1}l5 5l-5 5l-5 -5z" fill="#ffffff" stroke="{INK}"/>"##,
        middle - 5.0
    ));
    for (number, value) in row.dots.iter().copied().enumerate().filter(|(_, value)| is_drawable(*value)) {
        // Spread over the strip so that equal values stay apart, and always in the same way.
        #[expect(clippy::cast_precision_loss, reason = "dots are some thousands")]
        let spread = (number as f64 * 0.618_034).fract();
        let at = (paper.at_x(value), box_bottom + 10.0 + spread * STRIP);
        paper.dot(at, 2.0, colour, 0.45, &format!("{}{unit}", show(value)));
    }
}
