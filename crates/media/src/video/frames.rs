//! The frames of a clip: rows of RGB pixels, a function of the random stream and the frame's number.

use std::f64::consts::TAU;

use super::Pattern;
use crate::random::Stream;

/// Draws the frames of one clip.
pub(super) enum Painter {
    /// Shapes on a plain ground.
    Shapes {
        /// The colour of the ground.
        ground: [u8; 3],
        /// The shapes, those behind first.
        shapes: [Shape; 3],
    },
    /// A grid and a clock, which stands at some time (in turns) at the start.
    Clock {
        /// Where the hand points at first.
        start: f64,
        /// The colour of the hand.
        hand: [u8; 3],
    },
    /// Noise.
    Noise(Stream),
}

/// A shape that moves between the borders.
pub(super) struct Shape {
    outline: Outline,
    colour: [u8; 3],
    /// Half its size, in parts of the shorter side.
    radius: f64,
    /// Where it is at first, in crossings of the frame.
    start: [f64; 2],
    /// How it moves, in crossings a second.
    speed: [f64; 2],
}

/// The outline of a shape.
#[derive(Clone, Copy)]
enum Outline {
    Circle,
    Square,
    Triangle,
}

/// A frame that is being drawn.
struct Canvas<'a> {
    pixels: &'a mut [u8],
    width: u32,
    height: u32,
}

impl Painter {
    /// The painter of a clip.
    pub(super) fn new(pattern: Pattern, mut stream: Stream) -> Self {
        match pattern {
            Pattern::MovingShapes => {
                let ground = colour(&mut stream, 0, 80);
                let shapes = [Outline::Circle, Outline::Square, Outline::Triangle].map(|outline| Shape {
                    outline,
                    colour: colour(&mut stream, 110, 146),
                    radius: 0.08 + 0.1 * stream.unit(),
                    start: [2.0 * stream.unit(), 2.0 * stream.unit()],
                    speed: [0.2 + 0.5 * stream.unit(), 0.2 + 0.5 * stream.unit()],
                });
                Self::Shapes { ground, shapes }
            }
            Pattern::GridClock => Self::Clock { start: stream.unit(), hand: colour(&mut stream, 0, 200) },
            Pattern::Noise => Self::Noise(stream),
        }
    }

    /// Draws the next frame, of some number and at some second; `pixels` has 3 × width × height bytes.
    pub(super) fn draw(&mut self, pixels: &mut [u8], [width, height]: [u32; 2], number: u32, second: f64) {
        let mut canvas = Canvas { pixels, width, height };
        match self {
            Self::Shapes { ground, shapes } => {
                canvas.fill([0, 0, width, height], *ground);
                shapes.iter().for_each(|shape| shape.draw(&mut canvas, second));
            }
            Self::Clock { start, hand } => draw_clock(&mut canvas, *start + second / 4.0, *hand, number),
            Self::Noise(stream) => stream.fill(canvas.pixels),
        }
    }
}

/// A colour whose parts are drawn from a range of `range` values.
fn colour(stream: &mut Stream, least: u8, range: usize) -> [u8; 3] {
    [(); 3].map(|()| least.saturating_add(stream.below(range) as u8))
}

impl Canvas<'_> {
    /// Colours one pixel, if it is within the frame.
    fn dot(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        if x < self.width && y < self.height {
            let at = (y as usize * self.width as usize + x as usize) * 3;
            self.pixels[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// Colours a rectangle, given as left, top, width and height.
    fn fill(&mut self, [left, top, width, height]: [u32; 4], colour: [u8; 3]) {
        for y in top..top.saturating_add(height).min(self.height) {
            for x in left..left.saturating_add(width).min(self.width) {
                self.dot(x, y, colour);
            }
        }
    }

    /// The shorter side.
    fn side(&self) -> f64 {
        f64::from(self.width.min(self.height))
    }
}

impl Shape {
    /// Draws it where it is at some second.
    fn draw(&self, canvas: &mut Canvas<'_>, second: f64) {
        let radius = self.radius * canvas.side();
        let place = |axis: usize, size: u32| {
            // There and back: 0 to 1 and to 0 again while the way goes from 0 to 2.
            let way = self.start[axis] + self.speed[axis] * second;
            let crossing = 1.0 - (way - 2.0 * (way / 2.0).floor() - 1.0).abs();
            radius + (f64::from(size) - 2.0 * radius) * crossing
        };
        let (x, y) = (place(0, canvas.width), place(1, canvas.height));
        for row in (y - radius).max(0.0) as u32..=(y + radius) as u32 {
            for column in (x - radius).max(0.0) as u32..=(x + radius) as u32 {
                let right = (f64::from(column) + 0.5 - x) / radius;
                let down = (f64::from(row) + 0.5 - y) / radius;
                let inside = match self.outline {
                    Outline::Circle => right * right + down * down <= 1.0,
                    Outline::Square => right.abs() <= 1.0 && down.abs() <= 1.0,
                    Outline::Triangle => down <= 1.0 && right.abs() <= (down + 1.0) / 2.0,
                };
                if inside {
                    canvas.dot(column, row, self.colour);
                }
            }
        }
    }
}

/// A grid of 8 fields on the shorter side, a dial with a hand, the frame's number in the corner.
fn draw_clock(canvas: &mut Canvas<'_>, turns: f64, hand: [u8; 3], number: u32) {
    let (width, height, side) = (canvas.width, canvas.height, canvas.side());
    canvas.fill([0, 0, width, height], [236, 238, 242]);
    let field = ((side / 8.0) as u32).max(1);
    for x in (0..width).step_by(field as usize) {
        canvas.fill([x, 0, 1, height], [150, 156, 166]);
    }
    for y in (0..height).step_by(field as usize) {
        canvas.fill([0, y, width, 1], [150, 156, 166]);
    }
    let (centre_x, centre_y) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    // The function comes with the program, as the platform's may differ in the last bit.
    let (sine, cosine) = libm::sincos(turns * TAU);
    let thickness = (side / 60.0).max(0.5);
    for y in 0..height {
        for x in 0..width {
            let (right, down) = (f64::from(x) + 0.5 - centre_x, f64::from(y) + 0.5 - centre_y);
            let rim = (right * right + down * down).sqrt() - 0.4 * side;
            let (along, across) = (right * sine - down * cosine, right * cosine + down * sine);
            if rim.abs() <= thickness {
                canvas.dot(x, y, [40, 44, 52]);
            } else if rim < 0.0 && along >= 0.0 && along <= 0.34 * side && across.abs() <= thickness {
                canvas.dot(x, y, hand);
            }
        }
    }
    let dot = ((side / 48.0) as u32).max(1);
    for (place, digit) in number.to_string().bytes().enumerate() {
        let rows = DIGITS[usize::from(digit - b'0')];
        for (y, row) in (0u32..).zip(rows) {
            for x in (0..3).filter(|x| row & (4 >> x) != 0) {
                let left = (place as u32 * 4 + x + 1) * dot;
                canvas.fill([left, (y + 1) * dot, dot, dot], [0, 0, 0]);
            }
        }
    }
}

/// The digits in dots, 3 wide and 5 high: each row is three bits.
const DIGITS: [[u8; 5]; 10] = [
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 7, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 1, 1, 1],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;

    fn frame(pattern: Pattern, clip: u64, size: [u32; 2], number: u32) -> Vec<u8> {
        let mut painter = Painter::new(pattern, Streams::new(5, "test").number(clip));
        let mut pixels = vec![0; size[0] as usize * size[1] as usize * 3];
        painter.draw(&mut pixels, size, number, f64::from(number) / 4.0);
        pixels
    }

    #[test]
    fn frames_change_with_time_and_clip() {
        for pattern in [Pattern::MovingShapes, Pattern::GridClock] {
            let first = frame(pattern, 0, [64, 48], 0);
            assert_eq!(first, frame(pattern, 0, [64, 48], 0));
            assert_ne!(first, frame(pattern, 0, [64, 48], 1));
            assert_ne!(first, frame(pattern, 1, [64, 48], 0));
        }
        assert_ne!(frame(Pattern::Noise, 0, [64, 48], 0), frame(Pattern::Noise, 1, [64, 48], 0));
    }

    #[test]
    fn shapes_stay_whole_within_the_frame() {
        let mut painter = Painter::new(Pattern::MovingShapes, Streams::new(5, "test").number(0));
        let Painter::Shapes { shapes, .. } = &mut painter else { panic!("not shapes") };
        let (square, size) = (&shapes[1], [80, 60]);
        for step in 0..100 {
            let mut pixels = vec![0; 80 * 60 * 3];
            square.draw(&mut Canvas { pixels: &mut pixels, width: 80, height: 60 }, f64::from(step) * 0.13);
            let seen = pixels.chunks(3).filter(|pixel| *pixel != [0; 3]).count() as f64;
            let side = 2.0 * square.radius * f64::from(size[1]);
            // A border of pixels more or less on two sides, as it falls between them.
            assert!((seen.sqrt() - side).abs() <= 1.0, "{step}: {seen} pixels, side {side}");
        }
    }

    #[test]
    fn the_clock_shows_its_number() {
        let pixels = frame(Pattern::GridClock, 0, [96, 96], 17);
        let black = |x: usize, y: usize| pixels[(y * 96 + x) * 3..][..3] == [0; 3];
        let rows: Vec<String> =
            (1..6).map(|y| (1..8).map(|x| if black(2 * x, 2 * y) { '#' } else { '.' }).collect()).collect();
        assert_eq!(rows, [".#..###", "##....#", ".#....#", ".#....#", "###...#"]);
    }

    #[test]
    fn the_smallest_frames_can_be_drawn() {
        for pattern in [Pattern::MovingShapes, Pattern::GridClock, Pattern::Noise] {
            for size in [[1, 1], [1, 50], [50, 1], [3, 2]] {
                assert_eq!(frame(pattern, 2, size, 123).len(), size[0] as usize * size[1] as usize * 3);
            }
        }
    }
}
