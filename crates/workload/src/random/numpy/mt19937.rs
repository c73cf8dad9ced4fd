//! NumPy's legacy generator: the Mersenne Twister and the draws of `RandomState.randint`.

use super::Integers;

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// The generator.
#[derive(Clone, Debug)]
pub(crate) struct Mt19937 {
    state: [u32; SIZE],
    at: usize,
}

impl Mt19937 {
    /// `RandomState(seed)`. That takes 32 bits only, so both halves of the seed are laid over one another.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = [0; SIZE];
        let mut word = (seed ^ (seed >> 32)) as u32;
        for (at, slot) in state.iter_mut().enumerate() {
            *slot = word;
            word = 1_812_433_253u32.wrapping_mul(word ^ (word >> 30)).wrapping_add(at as u32 + 1);
        }
        Self { state, at: SIZE }
    }

    fn refill(&mut self) {
        for at in 0..SIZE {
            let joined = (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % SIZE] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[at] = self.state[(at + MIDDLE) % SIZE] ^ (joined >> 1) ^ twist;
        }
        self.at = 0;
    }

    fn next_u32(&mut self) -> u32 {
        if self.at == SIZE {
            self.refill();
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// One number in `0..=range`: bits are drawn until they are not beyond it.
    fn below(&mut self, range: u64) -> u64 {
        let mask = u64::MAX.checked_shr(range.leading_zeros()).unwrap_or(0);
        loop {
            let bits = if range <= u64::from(u32::MAX) {
                u64::from(if range == 0 { 0 } else { self.next_u32() })
            } else {
                u64::from(self.next_u32()) << 32 | u64::from(self.next_u32())
            };
            if bits & mask <= range {
                return bits & mask;
            }
        }
    }
}

impl Integers for Mt19937 {
    fn integers(&mut self, low: u64, high: u64, count: usize) -> Vec<u64> {
        (0..count).map(|_| low + self.below(high.saturating_sub(low))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of NumPy 2.4.6: `RandomState(seed)` and calls of `randint` one after the other.
    #[track_caller]
    fn assert_draws(seed: u64, draws: [&[u64]; 5]) {
        let mut generator = Mt19937::new(seed);
        for ((low, high), expected) in [(1, 1_024), (64, 64), (0, 200_018), (0, 2), (0, 200_018)].into_iter().zip(draws)
        {
            assert_eq!(generator.integers(low, high, expected.len()), expected);
        }
    }

    #[test]
    fn whole_numbers_are_those_of_numpy() {
        assert_draws(
            0,
            [
                &[685, 560, 630, 193, 836, 764],
                &[64, 64],
                &[95_939, 97_639, 41_993, 122_579, 86_293],
                &[2, 0, 2, 0, 0, 0, 2, 1, 2],
                &[150_055],
            ],
        );
        assert_draws(
            42,
            [
                &[103, 436, 861, 271, 107, 72],
                &[64, 64],
                &[110_268, 54_886, 137_337, 168_266, 87_498],
                &[0, 2, 1, 0, 1, 1, 1, 1, 0],
                &[184_779],
            ],
        );
    }

    #[test]
    fn long_seeds_are_folded() {
        // 2^40 + 7 folds to 263.
        assert_draws(
            (1 << 40) + 7,
            [
                &[486, 124, 804, 911, 656, 154],
                &[64, 64],
                &[61_763, 171_701, 98_238, 136_697, 184_716],
                &[0, 2, 2, 0, 1, 2, 0, 2, 0],
                &[136_497],
            ],
        );
    }
}
