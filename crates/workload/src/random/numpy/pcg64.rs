//! NumPy's `default_rng`: the generator PCG64 (XSL RR 128/64) and the draws of whole numbers of `Generator.integers`.

use super::{Integers, seed_sequence};

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// The generator.
#[derive(Clone, Debug)]
pub(crate) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of the last number of which only the lower was used.
    half: Option<u32>,
}

impl Pcg64 {
    /// `default_rng(seed)`.
    pub(crate) fn new(seed: u64) -> Self {
        let [state_high, state_low, stream_high, stream_low] = seed_sequence::state(seed).map(u128::from);
        let increment = (stream_high << 64 | stream_low) << 1 | 1;
        let mut generator = Self { state: 0, increment, half: None };
        generator.step();
        generator.state = generator.state.wrapping_add(state_high << 64 | state_low);
        generator.step();
        generator
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let (high, low) = ((self.state >> 64) as u64, self.state as u64);
        (high ^ low).rotate_right((high >> 58) as u32)
    }

    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let number = self.next_u64();
            self.half = Some((number >> 32) as u32);
            number as u32
        })
    }

    /// One number in `0..=range` by Lemire's method.
    fn below(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        let Ok(range) = u32::try_from(range) else { return self.below_long(range) };
        let Some(limit) = range.checked_add(1) else { return u64::from(self.next_u32()) };
        let mut product = u64::from(self.next_u32()) * u64::from(limit);
        if (product as u32) < limit {
            let threshold = (u32::MAX - range) % limit;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(limit);
            }
        }
        product >> 32
    }

    fn below_long(&mut self, range: u64) -> u64 {
        let Some(limit) = range.checked_add(1) else { return self.next_u64() };
        let mut product = u128::from(self.next_u64()) * u128::from(limit);
        if (product as u64) < limit {
            let threshold = (u64::MAX - range) % limit;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(limit);
            }
        }
        (product >> 64) as u64
    }
}

impl Integers for Pcg64 {
    fn integers(&mut self, low: u64, high: u64, count: usize) -> Vec<u64> {
        (0..count).map(|_| low + self.below(high.saturating_sub(low))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of NumPy 2.4.6: `default_rng(seed)` and calls of `integers` one after the other.
    #[track_caller]
    fn assert_draws(seed: u64, draws: [&[u64]; 7]) {
        let mut generator = Pcg64::new(seed);
        let ranges =
            [(512, 1_536), (5, 5), (0, 200_018), (0, (1 << 40) - 1), (0, 2), (0, 200_018), (0, u64::from(u32::MAX))];
        for ((low, high), expected) in ranges.into_iter().zip(draws) {
            assert_eq!(generator.integers(low, high, expected.len()), expected);
        }
    }

    #[test]
    fn raw_numbers_are_those_of_numpy() {
        let mut generator = Pcg64::new(0);
        assert_eq!(
            [generator.next_u64(), generator.next_u64(), generator.next_u64()],
            [0xa30f_ebcf_d9c2_825f, 0x4510_bdf8_82d9_d721, 0x0a7d_3da9_4ecd_e8b8]
        );
    }

    #[test]
    fn whole_numbers_are_those_of_numpy() {
        assert_draws(
            0,
            [
                &[1_383, 1_164, 1_035, 788, 827, 553, 589],
                &[5, 5],
                &[3_305, 35_056, 162_669, 129_895, 182_568],
                &[667_003_089_280, 802_089_951_224, 597_721_999_265],
                &[1, 2, 0, 2, 2, 0, 1, 2, 1],
                &[6_717],
                &[3_285_177_209, 3_133_846_279],
            ],
        );
        assert_draws(
            42,
            [
                &[603, 1_305, 1_182, 961, 955, 1_392, 600],
                &[5, 5],
                &[139_486, 40_297, 18_837, 105_305, 195_143],
                &[836_881_952_700, 864_286_843_831, 140_862_428_803],
                &[2, 1, 1, 1, 0, 2, 2, 1, 1],
                &[164_567],
                &[2_342_600_227, 1_904_449_482],
            ],
        );
        assert_draws(
            (1 << 40) + 7,
            [
                &[723, 1_362, 1_136, 773, 529, 669, 1_029],
                &[5, 5],
                &[134_913, 177_054, 147_782, 18_900, 98_008],
                &[16_931_238_572, 40_981_004_709, 146_989_544_114],
                &[0, 2, 1, 1, 2, 0, 1, 0, 1],
                &[28_362],
                &[1_631_230_224, 357_525_788],
            ],
        );
    }
}
