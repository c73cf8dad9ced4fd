//! A fair sample of bounded size.

/// At most so many values, each of those added with the same chance (Vitter's algorithm R); the same ones for the same order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample<T> {
    kept: Vec<T>,
    most: usize,
    seen: u64,
}

impl<T> Sample<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { kept: Vec::new(), most, seen: 0 }
    }

    pub(super) fn add(&mut self, value: T) {
        self.seen += 1;
        if self.kept.len() < self.most {
            self.kept.push(value);
            return;
        }
        let place = mix(self.seen) % self.seen;
        if let Some(kept) = usize::try_from(place).ok().and_then(|place| self.kept.get_mut(place)) {
            *kept = value;
        }
    }

    /// The values that were kept.
    pub(super) fn kept(&self) -> &[T] {
        &self.kept
    }

    /// How many were added.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }
}

/// The finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_all_kept_and_many_fairly() {
        let of = |count: u32, most: usize| {
            let mut sample = Sample::new(most);
            (0..count).for_each(|value| sample.add(value));
            sample
        };
        assert_eq!(of(5, 5).kept(), [0, 1, 2, 3, 4]);
        let many = of(100_000, 1_000);
        assert_eq!((many.kept().len(), many.seen()), (1_000, 100_000));
        let mean = many.kept().iter().copied().map(f64::from).sum::<f64>() / 1_000.0;
        // Its standard error is 913.
        assert!((mean - 50_000.0).abs() < 4_000.0, "{mean}");
        assert_eq!(many, of(100_000, 1_000));
    }
}
