//! A column of numbers that may be longer than memory: it goes to an unlinked temporary file when it has grown.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is known of all values of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnStats {
    /// How many values.
    pub count: u64,
    /// Their sum, with compensated rounding.
    pub sum: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
    /// Their population standard deviation.
    pub std: f64,
    /// The percentiles that were asked for, in the same order, interpolated linearly between order statistics.
    pub percentiles: Vec<f64>,
}

/// An append-only column of finite numbers.
#[derive(Debug)]
pub struct Column {
    tail: Vec<f64>,
    limit: usize,
    dir: Option<Arc<Path>>,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    Unused,
    File {
        file: File,
        values: u64,
    },
    /// The disk would take no more: the rest stays in memory.
    Refused {
        file: Option<File>,
        values: u64,
    },
}

/// At most this many values are gathered for sorting once radix selection has narrowed the ranges down.
const GATHER: u64 = 1 << 18;
/// Values that are read from the file at a time.
const READ_VALUES: usize = 1 << 13;
const DIGIT_BITS: u32 = 11;
const BUCKETS: usize = 1 << DIGIT_BITS;

impl Column {
    /// A column that keeps `limit` values in memory and the others in `dir` (the system's temporary folder if absent).
    #[must_use]
    pub fn new(limit: usize, dir: Option<&Path>) -> Self {
        Self { tail: Vec::new(), limit: limit.max(1), dir: dir.map(Arc::from), spill: Spill::Unused }
    }

    /// Adds a value. What is not finite is no measurement and is left out.
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.tail.push(value);
        if self.tail.len() >= self.limit {
            self.write_tail();
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.spilled() + self.tail.len() as u64
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Count, sum, extremes, mean, deviation and the given percentiles (0 to 100) of all values; `None` if there is none.
    ///
    /// Memory stays at a few megabytes however long the column is.
    ///
    /// # Errors
    /// The temporary file could not be read.
    pub fn stats(&self, percentiles: &[f64]) -> io::Result<Option<ColumnStats>> {
        let count = self.len();
        if count == 0 {
            return Ok(None);
        }
        let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        self.for_each(|value| {
            let next = sum + value;
            lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
            sum = next;
            min = min.min(value);
            max = max.max(value);
        })?;
        let sum = sum + lost;
        let mean = (sum / count as f64).clamp(min, max);
        let mut squares = 0.0;
        self.for_each(|value| squares += (value - mean) * (value - mean))?;
        let std = (squares / count as f64).sqrt();

        let spots: Vec<Spot> = percentiles.iter().map(|percent| Spot::of(*percent, count)).collect();
        let mut ranks: Vec<u64> = spots.iter().flat_map(|spot| [spot.below, spot.above]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let found = self.order_statistics(&ranks)?;
        let at = |rank: u64| ranks.binary_search(&rank).ok().and_then(|i| found.get(i).copied()).unwrap_or(min);
        let percentiles = spots
            .iter()
            .map(|spot| {
                let (low, high) = (at(spot.below), at(spot.above));
                (low + (high - low) * spot.fraction).clamp(low, high)
            })
            .collect();
        Ok(Some(ColumnStats { count, sum, min, max, mean, std, percentiles }))
    }

    /// How many values lie above `threshold`.
    ///
    /// # Errors
    /// The temporary file could not be read.
    pub fn count_above(&self, threshold: f64) -> io::Result<u64> {
        let mut above = 0;
        self.for_each(|value| above += u64::from(value > threshold))?;
        Ok(above)
    }

    /// Shows each value to `see`, in the order in which they were added.
    ///
    /// # Errors
    /// The temporary file could not be read.
    pub fn for_each(&self, mut see: impl FnMut(f64)) -> io::Result<()> {
        if let Some(file) = self.file() {
            let mut file = file;
            file.seek(SeekFrom::Start(0))?;
            let mut left = self.spilled();
            let mut bytes = vec![0_u8; READ_VALUES * 8];
            while left > 0 {
                let values = usize::try_from(left).unwrap_or(READ_VALUES).min(READ_VALUES);
                let block = bytes.get_mut(..values * 8).unwrap_or_default();
                file.read_exact(block)?;
                for value in block.as_chunks::<8>().0 {
                    see(f64::from_le_bytes(*value));
                }
                left -= values as u64;
            }
        }
        self.tail.iter().copied().for_each(see);
        Ok(())
    }

    fn file(&self) -> Option<&File> {
        match &self.spill {
            Spill::Unused => None,
            Spill::File { file, .. } => Some(file),
            Spill::Refused { file, .. } => file.as_ref(),
        }
    }

    fn spilled(&self) -> u64 {
        match self.spill {
            Spill::Unused => 0,
            Spill::File { values, .. } | Spill::Refused { values, .. } => values,
        }
    }

    fn write_tail(&mut self) {
        let (mut file, values) = match std::mem::replace(&mut self.spill, Spill::Unused) {
            Spill::Unused => {
                let dir = self.dir.as_deref().map_or_else(std::env::temp_dir, PathBuf::from);
                match tempfile::tempfile_in(dir) {
                    Ok(file) => (file, 0),
                    Err(_) => {
                        self.spill = Spill::Refused { file: None, values: 0 };
                        return;
                    }
                }
            }
            Spill::File { file, values } => (file, values),
            refused @ Spill::Refused { .. } => {
                self.spill = refused;
                return;
            }
        };
        let mut bytes = Vec::with_capacity(self.tail.len() * 8);
        for value in &self.tail {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let written = file.seek(SeekFrom::Start(values * 8)).and_then(|_| file.write_all(&bytes));
        self.spill = if written.is_ok() {
            let values = values + self.tail.len() as u64;
            self.tail.clear();
            Spill::File { file, values }
        } else {
            // Only what was counted before is read back.
            Spill::Refused { file: Some(file), values }
        };
    }

    /// The values of the given ranks (sorted, distinct, from 0), exactly.
    fn order_statistics(&self, ranks: &[u64]) -> io::Result<Vec<f64>> {
        if self.spilled() == 0 {
            let mut sorted = self.tail.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            return Ok(ranks.iter().filter_map(|rank| sorted.get(usize::try_from(*rank).ok()?).copied()).collect());
        }
        let mut ranges = vec![Range { prefix: 0, bits: 0, size: self.len(), ranks: ranks.to_vec() }];
        let mut answers: Vec<(u64, u64, f64)> = Vec::new();
        let mut bits = 0;
        while bits < 64 && ranges.iter().map(|range| range.size).sum::<u64>() > GATHER {
            ranges = self.narrow(ranges, bits)?;
            bits = (bits + DIGIT_BITS).min(64);
        }
        if bits >= 64 {
            // Every range is one repeated value.
            for range in &ranges {
                for rank in &range.ranks {
                    answers.push((range.prefix, *rank, from_ordered(range.prefix)));
                }
            }
        } else {
            let mut gathered: Vec<Vec<u64>> = vec![Vec::new(); ranges.len()];
            self.for_each(|value| {
                let key = to_ordered(value);
                if let Ok(i) = ranges.binary_search_by_key(&prefix_of(key, bits), |range| range.prefix)
                    && let Some(into) = gathered.get_mut(i)
                {
                    into.push(key);
                }
            })?;
            for (range, mut keys) in ranges.iter().zip(gathered) {
                keys.sort_unstable();
                for rank in &range.ranks {
                    if let Some(key) = usize::try_from(*rank).ok().and_then(|rank| keys.get(rank)) {
                        answers.push((range.prefix, *rank, from_ordered(*key)));
                    }
                }
            }
        }
        answers.sort_unstable_by_key(|(prefix, rank, _)| (*prefix, *rank));
        Ok(answers.into_iter().map(|(_, _, value)| value).collect())
    }

    /// One pass: replaces each range by those of its parts that hold a wanted rank.
    fn narrow(&self, ranges: Vec<Range>, bits: u32) -> io::Result<Vec<Range>> {
        let width = DIGIT_BITS.min(64 - bits);
        let mut counts = vec![0_u64; BUCKETS * ranges.len()];
        self.for_each(|value| {
            let key = to_ordered(value);
            if let Ok(i) = ranges.binary_search_by_key(&prefix_of(key, bits), |range| range.prefix) {
                let digit = (prefix_of(key, bits + width) & ((1 << width) - 1)) as usize;
                if let Some(count) = counts.get_mut(i * BUCKETS + digit) {
                    *count += 1;
                }
            }
        })?;
        let mut parts = Vec::new();
        for (range, counts) in ranges.iter().zip(counts.chunks(BUCKETS)) {
            let mut below = 0;
            for (digit, size) in counts.iter().copied().enumerate().filter(|(_, size)| *size > 0) {
                let inside: Vec<u64> = range
                    .ranks
                    .iter()
                    .filter(|rank| (below..below + size).contains(*rank))
                    .map(|rank| rank - below)
                    .collect();
                if !inside.is_empty() {
                    let prefix = (range.prefix << width) | digit as u64;
                    parts.push(Range { prefix, bits: range.bits + width, size, ranks: inside });
                }
                below += size;
            }
        }
        Ok(parts)
    }
}

/// All keys that begin with the same bits, and the ranks within them that are wanted.
struct Range {
    prefix: u64,
    bits: u32,
    size: u64,
    ranks: Vec<u64>,
}

/// Where a percentile lies between two order statistics: h = q/100·(n−1).
struct Spot {
    below: u64,
    above: u64,
    fraction: f64,
}

impl Spot {
    fn of(percent: f64, count: u64) -> Self {
        let last = count.saturating_sub(1);
        let h = (percent.clamp(0.0, 100.0) / 100.0 * last as f64).clamp(0.0, last as f64);
        let below = (h.floor() as u64).min(last);
        Self { below, above: (below + 1).min(last), fraction: h - h.floor() }
    }
}

/// Bits whose unsigned order is the order of the numbers.
fn to_ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

fn from_ordered(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

fn prefix_of(key: u64, bits: u32) -> u64 {
    key.checked_shr(64 - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PERCENTS: [f64; 10] = [1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9];

    fn by_sorting(values: &[f64], percent: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let h = percent / 100.0 * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[h.floor() as usize], sorted[h.ceil() as usize]);
        (low + (high - low) * (h - h.floor())).clamp(low, high)
    }

    fn column_of(values: &[f64], limit: usize) -> Column {
        let mut column = Column::new(limit, None);
        values.iter().for_each(|value| column.push(*value));
        column
    }

    #[test]
    fn ten_known_values() {
        let values: Vec<f64> = (1..=10).map(|i| f64::from(i) * 10.0).collect();
        let stats = column_of(&values, 100).stats(&[50.0, 90.0, 95.0, 99.0]).unwrap().unwrap();
        assert_eq!((stats.count, stats.sum, stats.min, stats.max, stats.mean), (10, 550.0, 10.0, 100.0, 55.0));
        assert!((stats.std - 825.0_f64.sqrt()).abs() < 1e-12);
        for (got, want) in stats.percentiles.iter().zip([55.0, 91.0, 95.5, 99.1]) {
            assert!((got - want).abs() < 1e-9, "{got} is not {want}");
        }
    }

    #[test]
    fn one_value_and_none() {
        let stats = column_of(&[42.5], 8).stats(&PERCENTS).unwrap().unwrap();
        assert!(stats.percentiles.iter().all(|value| *value == 42.5));
        assert_eq!(stats.std, 0.0);
        assert_eq!(column_of(&[], 8).stats(&PERCENTS).unwrap(), None);
        assert_eq!(column_of(&[f64::NAN, f64::INFINITY], 8).len(), 0);
    }

    #[test]
    fn selects_by_radix_when_too_many_to_gather() {
        // Repeated values defeat gathering down to the last digit; distinct ones stop it early.
        let many: Vec<f64> = (0..600_000_u64)
            .map(|i| if i % 2 == 0 { 7.25 } else { (i.wrapping_mul(2_654_435_761) % 1_000_003) as f64 - 5e5 })
            .collect();
        let stats = column_of(&many, 1000).stats(&PERCENTS).unwrap().unwrap();
        for (got, percent) in stats.percentiles.iter().zip(PERCENTS) {
            assert_eq!(*got, by_sorting(&many, percent), "p{percent}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_loses_nothing() {
        let mut column = Column::new(2, Some(Path::new("/nonexistent-folder")));
        (0..5).for_each(|i| column.push(f64::from(i)));
        let stats = column.stats(&[50.0]).unwrap().unwrap();
        assert_eq!((stats.count, stats.percentiles[0]), (5, 2.0));
    }

    proptest! {
        #[test]
        fn equals_the_answer_by_sorting(
            values in prop::collection::vec(-1e12_f64..1e12, 1..400),
            limit in 1_usize..64,
        ) {
            let stats = column_of(&values, limit).stats(&PERCENTS).unwrap().unwrap();
            for (got, percent) in stats.percentiles.iter().zip(PERCENTS) {
                prop_assert_eq!(*got, by_sorting(&values, percent));
            }
            prop_assert_eq!(stats.count, values.len() as u64);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!((stats.mean - mean).abs() <= 1e-3);
            prop_assert!(stats.min <= stats.mean && stats.mean <= stats.max);
        }

        #[test]
        fn the_order_of_keys_is_the_order_of_numbers(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(to_ordered(a).cmp(&to_ordered(b)), a.total_cmp(&b));
            prop_assert_eq!(from_ordered(to_ordered(a)).to_bits(), a.to_bits());
        }
    }
}
