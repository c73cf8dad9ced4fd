//! One dot each.

use super::Paper;
use super::paper::COLOURS;
use crate::figure::{Figure, Point};
use crate::scale::{Scale, is_drawable};

const HEIGHT: f64 = 340.0;

pub(super) fn draw(figure: &Figure, points: &[Point]) -> String {
    let x = Scale::of(points.iter().map(|point| point.x), &figure.x, 10);
    let y = Scale::of(points.iter().map(|point| point.y), &figure.y, 7);
    let mut paper = Paper::new(figure, (x, y), HEIGHT, 0.0, 0.0);
    // Where there are many, each covers less.
    let opacity = if points.len() > 500 { 0.35 } else { 0.65 };
    for point in points.iter().filter(|point| is_drawable(point.x) && is_drawable(point.y)) {
        let at = (paper.at_x(point.x), paper.at_y(point.y));
        paper.dot(at, 3.0, COLOURS[0], opacity, &point.tip);
    }
    paper.finish()
}
