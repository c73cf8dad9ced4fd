//! Fewer points where there are too many to see.

/// The most points of a figure that are drawn one by one.
pub const MOST_POINTS: usize = 5_000;

/// The places of at most `most` of the values, evenly spread over their order; the least and the greatest value stay.
/// The same values always give the same places, in ascending order.
#[must_use]
pub fn thin(values: &[f64], most: usize) -> Vec<usize> {
    let count = values.len();
    if count <= most {
        return (0..count).collect();
    }
    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let numbers = || (0..count).filter(|place| values[*place].is_finite());
    let extremes = [numbers().min_by(by_value), numbers().max_by(by_value)];
    let spread = most.saturating_sub(extremes.len());
    let mut places: Vec<usize> = (0..spread).map(|step| step * count / spread).collect();
    places.extend(extremes.into_iter().flatten().take(most));
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_points_stay_as_they_are() {
        assert_eq!(thin(&[3.0, 1.0, 2.0], 3), [0, 1, 2]);
        assert_eq!(thin(&[], 3), [] as [usize; 0]);
    }

    #[test]
    fn many_points_are_spread_and_keep_their_extremes() {
        let mut values: Vec<f64> = vec![1.0; 100];
        values[37] = 9.0;
        values[61] = -9.0;
        assert_eq!(thin(&values, 7), [0, 20, 37, 40, 60, 61, 80]);
        assert_eq!(thin(&values, 1), [61]);
        assert_eq!(thin(&values, 0), [] as [usize; 0]);
    }

    proptest! {
        #[test]
        fn never_more_than_asked_for(values in prop::collection::vec(any::<f64>(), 0..300), most in 0..50_usize) {
            let places = thin(&values, most);
            prop_assert!(places.len() <= most);
            prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(&places, &thin(&values, most));
        }
    }
}
