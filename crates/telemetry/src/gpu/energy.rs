//! The energy of a window.

use serde::{Deserialize, Serialize};

use crate::window::{Window, seconds};

/// A value at an instant of the monotonic clock, in nanoseconds.
pub(super) type Point = (u64, f64);

/// What an energy was worked out from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnergyBasis {
    /// The GPU's energy counter.
    Counter,
    /// The power it drew, integrated by trapezoids.
    PowerIntegral,
}

/// Energy used within a window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Joules.
    pub joules: f64,
    /// Mean power over the window in watts: joules by seconds.
    pub average_power_w: f64,
    /// What it was worked out from.
    pub basis: EnergyBasis,
    /// The part of the window, 0 to 1, that the samples cover. The rest is taken to be like the covered part.
    pub measured_share: f64,
    /// How often the source changed within the window: an exporter shows the same number until it reads the GPU again.
    pub updates: u64,
}

/// A counter covering less of the window than this is used only where there is no power.
const ENOUGH: f64 = 0.5;

/// The energy of a window from the counter (J), else from the power (W).
pub(super) fn energy(counter: &[Point], power: &[Point], window: Window) -> Option<Energy> {
    let counted = from_counter(counter, window);
    if let Some(counted) = counted.filter(|counted| counted.measured_share >= ENOUGH) {
        return Some(counted);
    }
    from_power(power, window).or(counted)
}

/// The counter's rise between the borders, each interpolated between the scrapes around it that saw the counter move.
///
/// A counter that stands still was not read again, since no GPU draws nothing: only its changes say when it was where.
fn from_counter(counter: &[Point], window: Window) -> Option<Energy> {
    let (&(first_ns, first), rest) = counter.split_first()?;
    let mut curve = vec![(first_ns, 0.0)];
    let (mut last, mut risen) = (first, 0.0);
    for &(at_ns, value) in rest {
        if value.to_bits() == last.to_bits() {
            continue;
        }
        // A counter that falls has started again from 0.
        risen += if value >= last { value - last } else { value };
        last = value;
        curve.push((at_ns, risen));
    }
    let (from_ns, to_ns) = covered(&curve, window)?;
    let joules = value_at(&curve, to_ns)? - value_at(&curve, from_ns)?;
    let changes = curve.get(1..).unwrap_or_default().iter().map(|(at_ns, _)| *at_ns);
    extended(joules, (from_ns, to_ns), window, EnergyBasis::Counter, changes)
}

fn from_power(power: &[Point], window: Window) -> Option<Energy> {
    let (from_ns, to_ns) = covered(power, window)?;
    let inside = power.iter().copied().filter(|(at_ns, _)| (from_ns + 1..to_ns).contains(at_ns));
    let (start, end) = ((from_ns, value_at(power, from_ns)?), (to_ns, value_at(power, to_ns)?));
    let mut joules = 0.0;
    let mut last = start;
    for point in inside.chain([end]) {
        joules += (last.1 + point.1) / 2.0 * seconds(last.0, point.0);
        last = point;
    }
    let changes = power.windows(2).filter(|pair| pair[0].1.to_bits() != pair[1].1.to_bits()).map(|pair| pair[1].0);
    extended(joules, (from_ns, to_ns), window, EnergyBasis::PowerIntegral, changes)
}

/// The part of the window between the first and the last point.
fn covered(points: &[Point], window: Window) -> Option<(u64, u64)> {
    let from_ns = points.first()?.0.max(window.start_ns);
    let to_ns = points.last()?.0.min(window.end_ns);
    (from_ns < to_ns).then_some((from_ns, to_ns))
}

fn extended(
    joules: f64,
    (from_ns, to_ns): (u64, u64),
    window: Window,
    basis: EnergyBasis,
    changes: impl Iterator<Item = u64>,
) -> Option<Energy> {
    let (length, measured) = (window.seconds(), seconds(from_ns, to_ns));
    if length <= 0.0 || measured <= 0.0 || !joules.is_finite() {
        return None;
    }
    let average_power_w = joules / measured;
    let updates = changes.filter(|at_ns| window.contains(*at_ns)).count() as u64;
    Some(Energy {
        joules: average_power_w * length,
        average_power_w,
        basis,
        measured_share: measured / length,
        updates,
    })
}

/// The line through the points at an instant among them.
fn value_at(points: &[Point], at_ns: u64) -> Option<f64> {
    let after = points.partition_point(|(point_ns, _)| *point_ns < at_ns);
    let &(after_ns, above) = points.get(after)?;
    if after_ns == at_ns || after == 0 {
        return Some(above);
    }
    let &(before_ns, below) = points.get(after - 1)?;
    Some(below + (above - below) * seconds(before_ns, at_ns) / seconds(before_ns, after_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn points(values: &[f64]) -> Vec<Point> {
        values.iter().zip(0u64..).map(|(value, second)| (second * SECOND, *value)).collect()
    }

    fn window(start_s: f64, end_s: f64) -> Window {
        Window { start_ns: (start_s * 1e9) as u64, end_ns: (end_s * 1e9) as u64 }
    }

    #[test]
    fn the_counter_is_interpolated_to_the_borders() {
        // 100 W, then 300 W, then 200 W.
        let counter = points(&[5_000.0, 5_100.0, 5_400.0, 5_600.0]);
        let found = energy(&counter, &[], window(0.5, 2.25)).unwrap();
        assert_eq!(found.joules, 50.0 + 300.0 + 50.0);
        assert_eq!(found.average_power_w, 400.0 / 1.75);
        assert_eq!((found.basis, found.measured_share, found.updates), (EnergyBasis::Counter, 1.0, 2));
    }

    #[test]
    fn a_counter_that_starts_again_goes_on_from_zero() {
        let counter = points(&[900.0, 1_000.0, 150.0, 250.0]);
        assert_eq!(energy(&counter, &[], window(0.0, 3.0)).unwrap().joules, 100.0 + 150.0 + 100.0);
    }

    #[test]
    fn a_counter_that_is_seldom_read_is_spread_over_the_time_between() {
        // Read every four seconds: 400 J by second 4, 800 J by second 8.
        let counter = points(&[0.0, 0.0, 0.0, 0.0, 400.0, 400.0, 400.0, 400.0, 800.0]);
        let found = energy(&counter, &[], window(1.0, 3.0)).unwrap();
        assert_eq!((found.joules, found.updates), (200.0, 0));
        // Nothing is known after the last change, so the last two seconds are taken to be like the others.
        let late = energy(&counter, &[], window(6.0, 10.0)).unwrap();
        assert_eq!((late.joules, late.measured_share, late.updates), (400.0, 0.5, 1));
    }

    #[test]
    fn without_a_counter_the_power_is_integrated() {
        let power = points(&[100.0, 200.0, 400.0, 400.0]);
        let found = energy(&[], &power, window(0.5, 2.5)).unwrap();
        // From 150 to 200 W in half a second, from 200 to 400 W in one, and 400 W for half a second.
        assert_eq!(found.joules, 87.5 + 300.0 + 200.0);
        assert_eq!((found.basis, found.measured_share, found.updates), (EnergyBasis::PowerIntegral, 1.0, 2));
    }

    #[test]
    fn a_counter_that_never_moves_is_none() {
        let counter = points(&[0.0; 5]);
        let found = energy(&counter, &points(&[50.0; 5]), window(0.0, 4.0)).unwrap();
        assert_eq!((found.joules, found.basis), (200.0, EnergyBasis::PowerIntegral));
        assert_eq!(energy(&counter, &[], window(0.0, 4.0)), None);
    }

    #[test]
    fn a_counter_of_half_the_window_is_enough_and_less_only_if_it_is_all_there_is() {
        let counter = points(&[0.0, 100.0, 200.0]);
        let power = points(&[70.0; 6]);
        assert_eq!(energy(&counter, &power, window(0.0, 4.0)).unwrap().joules, 400.0);
        assert_eq!(energy(&counter, &power, window(0.0, 5.0)).unwrap().joules, 350.0);
        assert_eq!(energy(&counter, &[], window(0.0, 5.0)).unwrap().joules, 500.0);
    }

    #[test]
    fn samples_beside_the_window_and_windows_without_length_give_nothing() {
        let counter = points(&[0.0, 100.0]);
        assert_eq!(energy(&counter, &counter, window(1.0, 2.0)), None);
        assert_eq!(energy(&counter, &counter, window(0.5, 0.5)), None);
        assert_eq!(energy(&[], &points(&[100.0]), window(0.0, 1.0)), None);
    }

    type Find = fn(&[Point], Window) -> Option<Energy>;

    proptest::proptest! {
        #[test]
        fn the_energies_of_the_parts_make_that_of_the_whole(
            watts in proptest::collection::vec(1u32..900, 4..20),
            borders in proptest::collection::vec(0u64..1_000, 3),
        ) {
            let power = points(&watts.iter().copied().map(f64::from).collect::<Vec<_>>());
            let mut borders = borders;
            borders.sort_unstable();
            let at = |border: u64| border * (watts.len() as u64 - 1) * SECOND / 1_000;
            let [start, middle, end] = [0, 1, 2].map(|border| at(borders[border]));
            let counter = counter_of(&power);
            let sources: [(Find, &[Point]); 2] =
                [(from_counter, &counter), (from_power, &power)];
            for (find, points) in sources {
                let of = |start_ns, end_ns| find(points, Window { start_ns, end_ns }).map_or(0.0, |all| all.joules);
                let (whole, parts) = (of(start, end), of(start, middle) + of(middle, end));
                proptest::prop_assert!((whole - parts).abs() <= 1e-9 * (1.0 + whole), "{} {}", whole, parts);
            }
        }

        #[test]
        fn the_counter_and_the_power_agree_where_both_were_read(
            watts in proptest::collection::vec(1u32..900, 4..20),
            start in 0usize..8,
            length in 1usize..8,
        ) {
            let power = points(&watts.iter().copied().map(f64::from).collect::<Vec<_>>());
            let last = power.len() - 1;
            let (start, end) = (start.min(last - 1), (start + length).min(last).max(1));
            let window = Window { start_ns: power[start].0, end_ns: power[end.max(start + 1)].0 };
            let [counted, integrated] =
                [from_counter(&counter_of(&power), window), from_power(&power, window)].map(|all| all.unwrap().joules);
            proptest::prop_assert!((counted - integrated).abs() <= 1e-9 * counted, "{} {}", counted, integrated);
        }
    }

    /// The counter of a GPU that drew these powers.
    fn counter_of(power: &[Point]) -> Vec<Point> {
        let mut joules = 0.0;
        let mut counter = vec![(power[0].0, 0.0)];
        for pair in power.windows(2) {
            joules += (pair[0].1 + pair[1].1) / 2.0 * seconds(pair[0].0, pair[1].0);
            counter.push((pair[1].0, joules));
        }
        counter
    }
}
