//! The sheet that a figure is drawn on: title, axes, grid, and the shapes that all kinds of figures use.

use std::fmt::Write;

use crate::figure::{Axis, Figure};
use crate::scale::Scale;

/// Colours of series, in their order.
pub(super) const COLOURS: [&str; 4] = ["#2563a8", "#d1702a", "#3a8f5c", "#8a4fa3"];
/// Colours of marks, in their order.
pub(super) const MARKS: [&str; 3] = ["#c2293a", "#8a4fa3", "#3a8f5c"];
pub(super) const INK: &str = "#1f2933";
const FAINT: &str = "#5b6770";
const GRID: &str = "#e3e7ea";

const WIDTH: f64 = 860.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 58.0;
/// The height of a line of a legend.
pub(super) const LEGEND_LINE: f64 = 20.0;

/// The plane between the axes, in the units of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A drawing in progress.
pub(super) struct Paper {
    out: String,
    pub(super) plane: Plane,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Paper {
    /// A sheet with the figure's title and axes; its plane has the given height, and room at its right and above.
    pub(super) fn new(figure: &Figure, (x, y): (Scale, Scale), height: f64, room_right: f64, room_above: f64) -> Self {
        let plane = Plane { left: LEFT, top: TOP + room_above, width: WIDTH - LEFT - RIGHT - room_right, height };
        let total = plane.top + height + BOTTOM;
        let mut paper = Self { out: String::new(), plane, x, y };
        paper.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" width="{WIDTH}" height="{total}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="13" fill="{INK}">"#
        ));
        paper.put(format_args!(r##"<rect width="{WIDTH}" height="{total}" fill="#ffffff"/>"##));
        paper.put(format_args!(r#"<text x="{LEFT}" y="28" font-size="17">{}</text>"#, escaped(&figure.title)));
        if !figure.note.is_empty() {
            paper.put(format_args!(r#"<text x="{LEFT}" y="48" fill="{FAINT}">{}</text>"#, escaped(&figure.note)));
        }
        paper.x_axis(&figure.x);
        paper.y_axis(&figure.y);
        paper
    }

    fn x_axis(&mut self, axis: &Axis) {
        let Plane { left, top, width, height } = self.plane;
        let bottom = top + height;
        for (value, label) in self.x.ticks.clone() {
            let at = self.at_x(value);
            self.put(format_args!(
                r#"<line x1="{at:.1}" y1="{top:.1}" x2="{at:.1}" y2="{bottom:.1}" stroke="{GRID}"/>"#
            ));
            self.put(format_args!(
                r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle" fill="{FAINT}">{label}</text>"#,
                bottom + 20.0
            ));
        }
        self.put(format_args!(
            r#"<line x1="{left:.1}" y1="{bottom:.1}" x2="{:.1}" y2="{bottom:.1}" stroke="{FAINT}"/>"#,
            left + width
        ));
        if axis.text().is_empty() {
            return;
        }
        self.put(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            left + width / 2.0,
            bottom + 44.0,
            escaped(&axis.text())
        ));
    }

    fn y_axis(&mut self, axis: &Axis) {
        let Plane { left, top, width, height } = self.plane;
        for (value, label) in self.y.ticks.clone() {
            let at = self.at_y(value);
            self.put(format_args!(
                r#"<line x1="{left:.1}" y1="{at:.1}" x2="{:.1}" y2="{at:.1}" stroke="{GRID}"/>"#,
                left + width
            ));
            self.put(format_args!(
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end" fill="{FAINT}">{label}</text>"#,
                left - 8.0,
                at + 4.5
            ));
        }
        if axis.text().is_empty() {
            return;
        }
        let middle = top + height / 2.0;
        self.put(format_args!(
            r#"<text x="18" y="{middle:.1}" text-anchor="middle" transform="rotate(-90 18 {middle:.1})">{}</text>"#,
            escaped(&axis.text())
        ));
    }

    /// Where a value is along the x axis.
    pub(super) fn at_x(&self, value: f64) -> f64 {
        self.plane.left + self.x.share(value) * self.plane.width
    }

    /// Where a value is along the y axis; up is more.
    pub(super) fn at_y(&self, value: f64) -> f64 {
        self.plane.top + (1.0 - self.y.share(value)) * self.plane.height
    }

    /// Appends an element.
    pub(super) fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = self.out.write_fmt(element);
        self.out.push('\n');
    }

    /// A dot, with what is said under the pointer.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, opacity: f64, tip: &str) {
        self.put(format_args!(
            r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}" fill-opacity="{opacity}">{}</circle>"#,
            title(tip)
        ));
    }

    /// A line of the legend above the plane: a sample of the given shape, and its name.
    pub(super) fn legend(&mut self, line: usize, sample: &str, name: &str) {
        #[expect(clippy::cast_precision_loss, reason = "a legend has a few lines")]
        let y = TOP + 2.0 + line as f64 * LEGEND_LINE;
        let x = self.plane.left;
        self.put(format_args!(r#"<g transform="translate({x:.1} {y:.1})">{sample}</g>"#));
        self.put(format_args!(r#"<text x="{:.1}" y="{:.1}">{}</text>"#, x + 32.0, y + 4.5, escaped(name)));
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// What is said under the pointer, as an element within another.
pub(super) fn title(tip: &str) -> String {
    if tip.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(tip)) }
}

/// Text with the characters that XML keeps for itself written otherwise; what XML does not allow at all is left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
