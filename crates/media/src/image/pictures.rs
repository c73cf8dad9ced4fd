//! Pictures that are drawn by the program, in plain arithmetic so that each machine draws the same pixels.

use image::{Rgb, RgbImage};

/// The side of the drawn pictures, in pixels.
const SIDE: u32 = 512;

/// A colour.
type Colour = [f64; 3];

/// All pictures.
pub(super) fn all() -> Vec<RgbImage> {
    [landscape, shapes, writing, mandelbrot].into_iter().map(draw).collect()
}

/// Draws a picture, given as a colour (0 to 255) for each place in the unit square.
fn draw(colour: fn(f64, f64) -> Colour) -> RgbImage {
    let place = |pixel: u32| (f64::from(pixel) + 0.5) / f64::from(SIDE);
    RgbImage::from_fn(SIDE, SIDE, |x, y| Rgb(colour(place(x), place(y)).map(|part| part as u8)))
}

/// Between two colours.
fn mix(from: Colour, to: Colour, share: f64) -> Colour {
    [0, 1, 2].map(|part| from[part] + (to[part] - from[part]) * share)
}

/// Whether a place is within a circle.
fn in_circle(x: f64, y: f64, centre: [f64; 2], radius: f64) -> bool {
    (x - centre[0]) * (x - centre[0]) + (y - centre[1]) * (y - centre[1]) < radius * radius
}

/// A zigzag of period 1 between 0 and 1.
fn zigzag(x: f64) -> f64 {
    1.0 - 2.0 * (x - x.floor() - 0.5).abs()
}

/// A sky with a sun, two ranges of mountains, a meadow with stripes.
fn landscape(x: f64, y: f64) -> Colour {
    let ridge = |steepness: f64, shift: f64| zigzag(x * steepness + shift) * 0.7 + zigzag(x * 7.3 + shift) * 0.3;
    if y > 0.72 {
        let depth = (y - 0.72) / 0.28;
        return mix([70.0, 130.0, 50.0], [150.0, 190.0, 70.0], 0.7 * depth + 0.3 * zigzag(6.0 / (0.2 + depth) + x));
    }
    if y > 0.68 - 0.22 * ridge(1.7, 0.35) {
        return mix([62.0, 78.0, 92.0], [96.0, 120.0, 96.0], y);
    }
    if y > 0.6 - 0.35 * ridge(1.1, 0.1) {
        return mix([160.0, 170.0, 190.0], [110.0, 128.0, 150.0], y);
    }
    if in_circle(x, y, [0.74, 0.2], 0.08) {
        return [255.0, 232.0, 140.0];
    }
    mix([60.0, 120.0, 215.0], [245.0, 200.0, 165.0], y / 0.7)
}

/// Circles, a square, a triangle and a ring before a chequered ground.
fn shapes(x: f64, y: f64) -> Colour {
    if in_circle(x, y, [0.3, 0.3], 0.18) {
        return [220.0, 50.0, 47.0];
    }
    if (0.55..0.88).contains(&x) && (0.12..0.45).contains(&y) {
        return [38.0, 110.0, 210.0];
    }
    if y < 0.92 && (x - 0.3).abs() < (y - 0.56) * 0.6 {
        return [240.0, 190.0, 20.0];
    }
    if in_circle(x, y, [0.72, 0.72], 0.19) && !in_circle(x, y, [0.72, 0.72], 0.12) {
        return [45.0, 160.0, 90.0];
    }
    let dark = ((x * 16.0).floor() + (y * 16.0).floor()) % 2.0 == 0.0;
    if dark { [232.0, 228.0, 220.0] } else { [248.0, 246.0, 240.0] }
}

/// A page of lines of made-up letters: cells of dots, in words of uneven length.
fn writing(x: f64, y: f64) -> Colour {
    let (paper, ink) = ([252.0, 250.0, 245.0], [28.0, 28.0, 34.0]);
    if !(0.08..0.92).contains(&x) || !(0.08..0.92).contains(&y) {
        return paper;
    }
    // Each letter is 5 dots wide with 1 between letters, 6 high with 3 between lines.
    let (column, row) = (((x - 0.08) * 250.0) as u32, ((y - 0.08) * 250.0) as u32);
    let (letter, dot_x) = (column / 6, column % 6);
    let (line, dot_y) = (row / 9, row % 9);
    let blank = scramble(line * 64 + letter).is_multiple_of(6) || letter > 28 + scramble(line) % 8;
    if dot_x == 5 || dot_y > 5 || blank {
        return paper;
    }
    let glyph = scramble(line * 64 + letter) % 26;
    // A letter is the same shape wherever it stands.
    if scramble(glyph * 64 + dot_y * 8 + dot_x + 7_000) % 5 < 2 { ink } else { paper }
}

/// Mixes the bits of a number.
fn scramble(number: u32) -> u32 {
    let mixed = (number ^ (number >> 16)).wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
    mixed ^ (mixed >> 16)
}

/// The Mandelbrot set, coloured by the number of steps (at most 48) that a point needs to leave.
fn mandelbrot(x: f64, y: f64) -> Colour {
    let (real, imaginary) = (x * 3.0 - 2.2, y * 3.0 - 1.5);
    let (mut a, mut b) = (0.0, 0.0);
    for step in 0..48u32 {
        let (a2, b2) = (a * a, b * b);
        if a2 + b2 > 4.0 {
            let share = f64::from(step) / 48.0;
            return mix([10.0, 20.0, 90.0], [255.0, 220.0, 120.0], zigzag(share * 2.0 + 0.02));
        }
        b = 2.0 * a * b + imaginary;
        a = a2 - b2 + real;
    }
    [0.0; 3]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_picture_has_content_of_its_own() {
        let pictures = all();
        assert_eq!(pictures.len(), 4);
        let unlike = |a: &RgbImage, b: &RgbImage| a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
        for (at, picture) in pictures.iter().enumerate() {
            assert_eq!(picture.dimensions(), (SIDE, SIDE));
            assert!(pictures[..at].iter().all(|other| unlike(picture, other) > 200_000), "{at}");
        }
        let colours = |picture: &RgbImage| picture.pixels().map(|pixel| pixel.0).collect::<HashSet<_>>().len();
        assert_eq!((colours(&pictures[1]), colours(&pictures[2])), (6, 2));
        assert!(colours(&pictures[0]) > 300 && colours(&pictures[3]) > 20);
    }

    #[test]
    fn pictures_show_what_they_should() {
        let pictures = all();
        let at = |picture: usize, x, y| pictures[picture].get_pixel(x, y).0;
        assert_eq!(at(0, 379, 102), [255, 232, 140]);
        assert_eq!(at(1, 153, 153), [220, 50, 47]);
        assert_eq!(at(2, 5, 5), [252, 250, 245]);
        assert_eq!(at(3, 375, 256), [0, 0, 0]);
        let ink = pictures[2].pixels().filter(|pixel| pixel.0[0] == 28).count();
        assert!((15_000..60_000).contains(&ink), "{ink}");
    }
}
