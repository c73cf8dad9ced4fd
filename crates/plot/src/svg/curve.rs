//! Lines with limits and marks.

use super::Paper;
use super::paper::{COLOURS, LEGEND_LINE, MARKS, escaped, title};
use crate::figure::{Curve, Figure, Limit, Series, Style};
use crate::scale::{Scale, is_drawable};

const HEIGHT: f64 = 340.0;
/// A limit above so many times the highest point is not drawn.
const FAR: f64 = 4.0;

pub(super) fn draw(figure: &Figure, curve: &Curve) -> String {
    let points = || curve.series.iter().flat_map(|series| &series.points);
    let highest = points().map(|point| point.y).filter(|y| is_drawable(*y)).fold(0.0, f64::max);
    // A limit far above would leave the points no room; its name in the legend says where it is.
    let is_near = |limit: &&Limit| is_drawable(limit.y) && (limit.y <= FAR * highest || highest <= 0.0);
    let limits = curve.limits.iter().filter(is_near).map(|limit| limit.y);
    let x = Scale::of(points().map(|point| point.x), &figure.x, 10);
    let y = Scale::of(points().map(|point| point.y).chain(limits), &figure.y, 7);
    let named = curve.series.iter().filter(|series| !series.name.is_empty()).count();
    #[expect(clippy::cast_precision_loss, reason = "a legend has a few lines")]
    let legend = (named + curve.limits.len() + curve.marks.len()) as f64 * LEGEND_LINE;
    let mut paper = Paper::new(figure, (x, y), HEIGHT, 0.0, legend);
    let mut line = 0;
    for (number, series) in curve.series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        draw_series(&mut paper, series, colour);
        if !series.name.is_empty() {
            let sample = match series.style {
                Style::Line => format!(r#"<line x1="0" x2="24" stroke="{colour}" stroke-width="2"/>"#),
                Style::Dots => format!(r#"<circle cx="12" r="4" fill="{colour}"/>"#),
            };
            paper.legend(line, &sample, &series.name);
            line += 1;
        }
    }
    for limit in curve.limits.iter().filter(|limit| is_drawable(limit.y) && !is_near(limit)) {
        paper.legend(line, "", &format!("{} (far above)", limit.name));
        line += 1;
    }
    for limit in curve.limits.iter().filter(is_near) {
        let (left, right) = (paper.plane.left, paper.plane.left + paper.plane.width);
        let at = paper.at_y(limit.y);
        let dash = r##"stroke="#c2293a" stroke-dasharray="7 5""##;
        paper.put(format_args!(
            r#"<line class="limit" x1="{left:.1}" y1="{at:.1}" x2="{right:.1}" y2="{at:.1}" {dash}>{}</line>"#,
            title(&limit.name)
        ));
        paper.legend(line, &format!(r#"<line x1="0" x2="24" {dash}/>"#), &limit.name);
        line += 1;
    }
    let marks = curve.marks.iter().filter(|mark| is_drawable(mark.x) && is_drawable(mark.y));
    for (number, mark) in marks.enumerate() {
        let colour = MARKS[number % MARKS.len()];
        // Marks of one point lie within each other.
        let radius = 9 + 4 * number;
        let (x, y) = (paper.at_x(mark.x), paper.at_y(mark.y));
        let ring = format!(r#"fill="none" stroke="{colour}" stroke-width="2""#);
        paper.put(format_args!(
            r#"<circle class="mark" cx="{x:.1}" cy="{y:.1}" r="{radius}" {ring}>{}</circle>"#,
            title(&mark.name)
        ));
        paper.legend(line, &format!(r#"<circle cx="12" r="7" {ring}/>"#), &mark.name);
        line += 1;
    }
    paper.finish()
}

fn draw_series(paper: &mut Paper, series: &Series, colour: &str) {
    let drawable = |at: &usize| is_drawable(series.points[*at].x) && is_drawable(series.points[*at].y);
    let places: Vec<usize> = (0..series.points.len()).filter(drawable).collect();
    if series.style == Style::Line && places.len() > 1 {
        let path: Vec<String> = places
            .iter()
            .map(|&at| format!("{:.1},{:.1}", paper.at_x(series.points[at].x), paper.at_y(series.points[at].y)))
            .collect();
        paper.put(format_args!(
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            path.join(" ")
        ));
    }
    // Many dots on a line would hide it.
    let radius = if places.len() > 60 { 2.0 } else { 4.0 };
    let left = paper.plane.left;
    for at in places {
        let point = &series.points[at];
        let (x, y) = (paper.at_x(point.x), paper.at_y(point.y));
        paper.dot((x, y), radius, colour, 1.0, &point.tip);
        if let Some(label) = series.labels.get(at) {
            // Curves rise, so there is room at the left of a point.
            let (dx, anchor) = if x < left + 40.0 { (8.0, "start") } else { (-8.0, "end") };
            paper.put(format_args!(
                r#"<text x="{:.1}" y="{:.1}" text-anchor="{anchor}" fill="{colour}">{}</text>"#,
                x + dx,
                y - 8.0,
                escaped(label)
            ));
        }
    }
}
