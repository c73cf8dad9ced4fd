//! Figures as PNG.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::figure::Figure;
use crate::{PlotError, svg};

/// Pixels for each unit of the drawing, so that it is sharp on today's screens.
pub const ZOOM: f32 = 2.0;

/// The font that texts are drawn with, so that pictures are the same on every machine.
static FONT: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../font/DejaVuSans.ttf").to_vec());
    Arc::new(fonts)
});

/// Draws a figure as a PNG.
///
/// # Errors
/// The picture would be too large, or could not be encoded.
pub fn png(figure: &Figure) -> Result<Vec<u8>, PlotError> {
    let failed = |reason: String| PlotError::Picture { title: figure.title.clone(), reason };
    let options = Options { fontdb: Arc::clone(&FONT), ..Options::default() };
    let tree = Tree::from_str(&svg(figure), &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(ZOOM);
    let mut pixels = size
        .and_then(|size| Pixmap::new(size.width(), size.height()))
        .ok_or_else(|| failed("it would be too large".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Content, Point};

    #[test]
    fn a_picture_has_twice_the_size_and_something_in_it() {
        let points = (0..20).map(|number| Point { x: number.into(), y: 3.0, tip: String::new() }).collect();
        let figure = Figure {
            title: "Title".to_owned(),
            note: String::new(),
            x: Axis::new("X", ""),
            y: Axis::new("Y", "ms"),
            content: Content::Points(points),
        };
        let picture = image::load_from_memory(&png(&figure).unwrap()).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (1720, 924));
        let dark_above = picture.enumerate_pixels().filter(|(_, y, pixel)| *y < 80 && pixel.0.iter().all(|c| *c < 100));
        assert!(dark_above.count() > 100, "the title is written");
        let blue = picture.pixels().filter(|pixel| pixel.0[2] > pixel.0[0].saturating_add(40)).count();
        assert!(blue > 20 * 60, "the dots are there: {blue}");
    }
}
