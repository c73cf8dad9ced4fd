//! How far counters rose.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::samples::{Scrape, Series};
use crate::window::{Window, seconds};

/// A counter's rise between the two scrapes that enclose the window.
///
/// Whole scrapes are used, so that counts stay whole; ask for a scrape at the borders of a phase to keep the span close to
/// the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Increase {
    /// The rise, in the counter's unit.
    pub amount: f64,
    /// The seconds between the two scrapes.
    pub span_s: f64,
    /// How often the counter started again from 0 between them.
    pub resets: u64,
}

/// What a counter is before the page first shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// Nothing was counted yet: servers show many series only once there is something to count.
    Zero,
    /// Not known.
    Unknown,
}

impl Increase {
    /// The rises of counters that start again together, such as the buckets of one histogram. One without a value within
    /// the span has none.
    pub(crate) fn of(series: &[&Series], scrapes: &[Scrape], window: Window, absent: Absent) -> Vec<Option<Self>> {
        let Some((first, last)) = window.enclosing(scrapes) else { return vec![None; series.len()] };
        let span_s =
            scrapes.get(first).zip(scrapes.get(last)).map_or(0.0, |(from, to)| seconds(from.at_ns(), to.at_ns()));
        if span_s <= 0.0 {
            return vec![None; series.len()];
        }
        let resets: BTreeSet<usize> =
            series.iter().flat_map(|series| resets(series.values().take(last + 1), first)).collect();
        let rise = |series: &&Series| {
            let amount = rise(series.values().take(last + 1), first, &resets, absent)?;
            Some(Self { amount, span_s, resets: resets.len() as u64 })
        };
        series.iter().map(rise).collect()
    }

    /// The mean rate over the span, a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.amount / self.span_s
    }
}

/// Where, after a scrape, a counter fell.
fn resets(values: impl Iterator<Item = Option<f64>>, first: usize) -> Vec<usize> {
    let mut last = f64::NEG_INFINITY;
    let mut found = Vec::new();
    for (index, value) in values.enumerate() {
        let Some(value) = value.filter(|value| value.is_finite()) else { continue };
        if value < last && index > first {
            found.push(index);
        }
        last = value;
    }
    found
}

fn rise(
    values: impl Iterator<Item = Option<f64>>,
    first: usize,
    resets: &BTreeSet<usize>,
    absent: Absent,
) -> Option<f64> {
    let mut last: Option<(usize, f64)> = None;
    let mut amount = None;
    for (index, value) in values.enumerate() {
        let Some(value) = value.filter(|value| value.is_finite()) else { continue };
        if index <= first {
            amount = Some(0.0);
        } else {
            let reset = last.is_none_or(|(at, _)| resets.range(at + 1..=index).next().is_some());
            let before = match last {
                // The first value of all, after the span began.
                None if absent == Absent::Unknown => value,
                Some((_, before)) if !reset => before,
                _ => 0.0,
            };
            amount = Some(amount.unwrap_or(0.0) + value - before);
        }
        last = Some((index, value));
    }
    amount
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise_of(values: &[Option<f64>], first: usize, absent: Absent) -> Option<f64> {
        let resets = resets(values.iter().copied(), first).into_iter().collect();
        rise(values.iter().copied(), first, &resets, absent)
    }

    #[test]
    fn the_rise_is_counted_from_the_border() {
        let values = [Some(5.0), Some(7.0), None, Some(11.0)];
        assert_eq!(rise_of(&values, 0, Absent::Zero), Some(6.0));
        assert_eq!(rise_of(&values, 1, Absent::Zero), Some(4.0));
        // No value at the border: the last one before it.
        assert_eq!(rise_of(&values, 2, Absent::Zero), Some(4.0));
        assert_eq!(rise_of(&values, 3, Absent::Zero), Some(0.0));
    }

    #[test]
    fn a_counter_that_falls_has_started_again() {
        let values = [Some(90.0), Some(100.0), Some(3.0), Some(8.0)];
        assert_eq!(rise_of(&values, 0, Absent::Zero), Some(18.0));
        assert_eq!(rise_of(&values, 2, Absent::Zero), Some(5.0));
    }

    #[test]
    fn what_appears_late_counts_from_zero_or_from_where_it_appears() {
        let values = [None, None, Some(4.0), Some(6.0)];
        assert_eq!(rise_of(&values, 0, Absent::Zero), Some(6.0));
        assert_eq!(rise_of(&values, 0, Absent::Unknown), Some(2.0));
        assert_eq!(rise_of(&[None, None], 0, Absent::Zero), None);
    }

    #[test]
    fn a_reset_of_a_neighbour_is_a_reset() {
        // After the reset the bucket has grown beyond what it was: only its neighbour shows that there was one.
        let resets = BTreeSet::from([1]);
        assert_eq!(rise([Some(5.0), Some(6.0)].into_iter(), 0, &resets, Absent::Zero), Some(6.0));
    }

    proptest::proptest! {
        #[test]
        fn parts_make_the_whole(values in proptest::collection::vec(proptest::option::of(0u32..50), 3..30), at in 1usize..28) {
            let values: Vec<_> = values.into_iter().map(|value| value.map(f64::from)).collect();
            let at = at.min(values.len() - 1);
            let whole = rise_of(&values, 0, Absent::Zero).unwrap_or(0.0);
            let first = rise_of(&values[..=at], 0, Absent::Zero).unwrap_or(0.0);
            let second = rise_of(&values, at, Absent::Zero).unwrap_or(0.0);
            proptest::prop_assert_eq!(first + second, whole);
            // Counted step by step: up is a rise, down is a start from 0, and before the first there is nothing.
            let mut last = values[0].unwrap_or(0.0);
            let mut slow = 0.0;
            for value in values[1..].iter().flatten() {
                slow += if *value < last { *value } else { value - last };
                last = *value;
            }
            proptest::prop_assert_eq!(slow, whole);
        }
    }
}
