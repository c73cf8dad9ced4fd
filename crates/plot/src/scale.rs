//! From values to places on paper.

use crate::figure::Axis;
use crate::numbers::tick_label;

/// Beyond this, differences of two values would overflow.
const LARGEST: f64 = 1e300;

/// A range of values on an axis, with ticks at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// The value at the beginning of the axis.
    pub(crate) low: f64,
    /// The value at its end.
    pub(crate) high: f64,
    /// The values and texts of its ticks.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// Whether a value can be drawn.
pub(crate) fn is_drawable(value: f64) -> bool {
    value.is_finite() && value.abs() <= LARGEST
}

impl Scale {
    /// A scale that holds all the values, with about so many ticks. It begins at zero unless the values are far from there.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>, axis: &Axis, ticks: u32) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| is_drawable(*value)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low >= 0.0 && low <= 0.5 * high {
            low = 0.0;
        }
        // Equal values get room around them, and so do those that differ by their last digits only.
        let least = (low.abs().max(high.abs()) * 1e-6).max(if axis.whole { 4.0 } else { 1e-12 });
        if high - low < least {
            let room = if low == high && !axis.whole { low.abs().mul_add(0.25, 0.0).max(0.5) } else { least };
            (low, high) = (low - room, high + room);
            if low < 0.0 && low + room >= 0.0 {
                low = 0.0;
            }
        }
        let step = step(low, high, ticks, axis.whole);
        // Not on the very edge, and to the next tick where that is near.
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let (low, high) = (first * step, last * step);
        Self { low, high, ticks: ticks_of(low, high, step) }
    }

    /// A scale from border to border, with ticks within.
    pub(crate) fn exactly(low: f64, high: f64, ticks: u32, is_whole: bool) -> Self {
        let step = step(low, high, ticks, is_whole);
        Self { low, high, ticks: ticks_of(low, high, step) }
    }

    /// Where a value is, from 0 at the beginning to 1 at the end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let span = self.high - self.low;
        if span > 0.0 { (value - self.low) / span } else { 0.5 }
    }
}

/// The least of 1, 2, 2.5 and 5 times a power of ten with no more than about so many steps.
fn step(low: f64, high: f64, ticks: u32, is_whole: bool) -> f64 {
    let rough = ((high - low) / f64::from(ticks.max(1))).max(f64::MIN_POSITIVE * 1e6);
    let power = 10_f64.powf(rough.log10().floor());
    let factors: &[f64] = if is_whole && power < 10.0 { &[1.0, 2.0, 5.0, 10.0] } else { &[1.0, 2.0, 2.5, 5.0, 10.0] };
    let step = factors.iter().map(|factor| factor * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power);
    if is_whole { step.max(1.0) } else { step }
}

#[expect(clippy::cast_possible_truncation, reason = "steps are chosen so that there are about ten")]
fn ticks_of(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    /// More than anybody could read.
    const MOST: i64 = 50;
    let largest = low.abs().max(high.abs());
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    let last = last.min(first.saturating_add(MOST));
    (first..=last)
        .map(|number| {
            #[expect(clippy::cast_precision_loss, reason = "the numbers of ticks are small beside 2^53")]
            let value = number as f64 * step;
            (value, tick_label(value, step, largest))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    fn of(values: &[f64]) -> Scale {
        Scale::of(values.iter().copied(), &Axis::default(), 6)
    }

    #[test]
    fn ticks_are_at_round_numbers() {
        assert_eq!(texts(&of(&[3.0, 97.0])), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(&of(&[0.0, 1.1])), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(texts(&of(&[990.0, 1_012.0])), ["990", "995", "1,000", "1,005", "1,010", "1,015"]);
        assert_eq!(texts(&of(&[0.0, 12_000.0])), ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]);
    }

    #[test]
    fn whole_numbers_have_no_parts() {
        let scale = Scale::of([6.0, 6.0], &Axis::new("Tokens", "").whole(), 6);
        assert_eq!(texts(&scale), ["2", "4", "6", "8", "10"]);
        let scale = Scale::of([0.0, 3.0], &Axis::new("Tokens", "").whole(), 6);
        assert!(scale.ticks.iter().all(|(value, _)| value.fract() == 0.0), "{scale:?}");
    }

    #[test]
    fn nothing_one_value_and_equal_values_have_a_scale() {
        for values in [&[][..], &[0.0], &[5.0, 5.0], &[-3.0], &[1e300], &[f64::NAN], &[1e-300], &[1e17, 1e17 + 20.0]] {
            let scale = of(values);
            assert!(scale.low < scale.high && scale.high.is_finite(), "{values:?}: {scale:?}");
            assert!((2..=20).contains(&scale.ticks.len()), "{values:?}: {scale:?}");
        }
        assert_eq!(of(&[0.0]).low, 0.0);
    }

    proptest! {
        #[test]
        fn every_value_is_on_its_scale(values in prop::collection::vec(any::<f64>(), 1..20), whole in any::<bool>()) {
            let scale = Scale::of(values.iter().copied(), &Axis { whole, ..Axis::default() }, 6);
            prop_assert!(scale.low < scale.high && scale.low.is_finite() && scale.high.is_finite());
            prop_assert!((2..=20).contains(&scale.ticks.len()), "{:?}", scale);
            for value in values.into_iter().filter(|value| is_drawable(*value)) {
                let share = scale.share(value);
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{} at {}", value, share);
            }
        }
    }
}
