//! An order of the numbers below a limit that is computed place by place, without a table.

/// Rounds of the Feistel network; more than enough for an order that shows no pattern.
pub(super) const ROUNDS: usize = 8;

/// The number at a place of the order of the keys: a permutation of `0..limit`. The network permutes the least even
/// power of two that holds the limit; what falls beyond the limit goes through it again, four times at most on average.
pub(crate) fn permuted(keys: &[u64; ROUNDS], place: u64, limit: u64) -> u64 {
    if limit < 2 {
        return 0;
    }
    let bits = u64::BITS - (limit - 1).leading_zeros();
    let half = bits.div_ceil(2);
    let mask = (1u64 << half) - 1;
    let mut number = place % limit;
    loop {
        let (mut left, mut right) = (number >> half, number & mask);
        for key in keys {
            (left, right) = (right, left ^ (mixed(right ^ key) & mask));
        }
        number = left << half | right;
        if number < limit {
            return number;
        }
    }
}

/// The finaliser of SplitMix64.
fn mixed(value: u64) -> u64 {
    let x = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::Streams;
    use super::*;

    #[test]
    fn each_number_comes_once() {
        let streams = Streams::new(1, "test");
        for limit in [1, 2, 3, 4, 5, 7, 16, 17, 100, 1_000, 4_097] {
            let keys = streams.keys(limit);
            let mut numbers: Vec<u64> = (0..limit).map(|place| permuted(&keys, place, limit)).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..limit).collect::<Vec<_>>());
        }
        let keys = streams.keys(0);
        assert!(permuted(&keys, u64::MAX - 1, u64::MAX) < u64::MAX);
    }

    #[test]
    fn each_of_the_orders_of_three_is_as_likely() {
        let streams = Streams::new(5, "test");
        let mut counts = std::collections::HashMap::new();
        for row in 0..6_000 {
            let keys = streams.keys(row);
            *counts.entry([0, 1, 2].map(|place| permuted(&keys, place, 3))).or_insert(0u32) += 1;
        }
        // Five standard deviations of a binomial with n = 6,000 and p = 1/6.
        assert!(counts.len() == 6 && counts.values().all(|count| count.abs_diff(1_000) < 145), "{counts:?}");
    }
}
