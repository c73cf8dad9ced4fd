//! The values of one series, one for each scrape, compressed without loss.
//!
//! Pages repeat themselves: most values stay, and the others are decimals of a few digits that move a little. A repeated
//! value costs nothing until it changes, a changed one its difference in units of its last decimal, and what is no short
//! decimal eight bytes.

use super::varint;

const REPEAT: u64 = 0;
const DELTA: u64 = 1;
const RESCALED: u64 = 2;
const OTHER: u64 = 3;
/// What an OTHER stands for.
const RAW: u64 = 0;
const MISSING: u64 = 1;

/// Powers of ten that decimals are counted in.
const POWERS: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// Whole numbers up to here are exact in an f64, with room for the difference of two.
const EXACT: f64 = 9e15;

/// A compressed column. A scrape without a value is a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    bytes: Vec<u8>,
    state: State,
    /// How often the current value was repeated and not written yet.
    repeats: u64,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    current: Option<f64>,
    mantissa: i64,
    exponent: usize,
}

impl Column {
    /// Appends the value of the next scrape.
    pub(super) fn push(&mut self, value: Option<f64>) {
        self.len += 1;
        if value.map(f64::to_bits) == self.state.current.map(f64::to_bits) {
            self.repeats += 1;
            return;
        }
        self.flush();
        self.state.current = value;
        let Some(value) = value else {
            varint::write(&mut self.bytes, MISSING << 2 | OTHER);
            return;
        };
        let exponents = std::iter::once(self.state.exponent).chain(0..POWERS.len());
        let Some((mantissa, exponent)) = exponents.filter_map(|at| Some((decimal(value, at)?, at))).next() else {
            varint::write(&mut self.bytes, RAW << 2 | OTHER);
            self.bytes.extend(value.to_bits().to_le_bytes());
            return;
        };
        if exponent == self.state.exponent {
            varint::write(&mut self.bytes, varint::zigzag(mantissa - self.state.mantissa) << 2 | DELTA);
        } else {
            varint::write(&mut self.bytes, (exponent as u64) << 2 | RESCALED);
            varint::write(&mut self.bytes, varint::zigzag(mantissa));
        }
        self.state.mantissa = mantissa;
        self.state.exponent = exponent;
    }

    /// Appends gaps until so many scrapes are in.
    pub(super) fn pad(&mut self, len: usize) {
        while self.len < len {
            if self.state.current.is_none() {
                self.repeats += (len - self.len) as u64;
                self.len = len;
            } else {
                self.push(None);
            }
        }
    }

    fn flush(&mut self) {
        if self.repeats > 0 {
            varint::write(&mut self.bytes, self.repeats << 2 | REPEAT);
            self.repeats = 0;
        }
    }

    /// Scrapes in it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Memory of the values.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity() + size_of::<Self>()
    }

    /// Every scrape's value, from the first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        Values { bytes: &self.bytes, state: State::default(), repeats: 0, tail: self.repeats }
    }

    /// The same column with only the scrapes that are asked for.
    pub(super) fn only(&self, keep: &[bool]) -> Self {
        let mut kept = Self::default();
        for (value, keep) in self.iter().zip(keep) {
            if *keep {
                kept.push(value);
            }
        }
        kept.bytes.shrink_to_fit();
        kept
    }
}

/// A value as a whole number of `10^-exponent`, if that gives the very same bits back.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "bounded by EXACT")]
fn decimal(value: f64, exponent: usize) -> Option<i64> {
    let power = POWERS.get(exponent)?;
    let scaled = (value * power).round();
    if scaled.is_nan() || scaled.abs() > EXACT {
        return None;
    }
    let mantissa = scaled as i64;
    ((mantissa as f64 / power).to_bits() == value.to_bits()).then_some(mantissa)
}

struct Values<'a> {
    bytes: &'a [u8],
    state: State,
    repeats: u64,
    /// Repeats that are not in the bytes.
    tail: u64,
}

impl Iterator for Values<'_> {
    type Item = Option<f64>;

    #[expect(clippy::cast_precision_loss, reason = "mantissas are exact")]
    fn next(&mut self) -> Option<Self::Item> {
        if self.repeats == 0 && self.bytes.is_empty() {
            self.repeats = std::mem::take(&mut self.tail);
            if self.repeats == 0 {
                return None;
            }
        }
        if self.repeats > 0 {
            self.repeats -= 1;
            return Some(self.state.current);
        }
        let code = varint::read(&mut self.bytes);
        let argument = code >> 2;
        match code & 3 {
            REPEAT => {
                self.repeats = argument;
                return self.next();
            }
            OTHER if argument == RAW => {
                let (bits, rest) = self.bytes.split_first_chunk::<8>()?;
                self.bytes = rest;
                self.state.current = Some(f64::from_bits(u64::from_le_bytes(*bits)));
                return Some(self.state.current);
            }
            OTHER => {
                self.state.current = None;
                return Some(None);
            }
            DELTA => self.state.mantissa += varint::unzigzag(argument),
            _ => {
                self.state.exponent = usize::try_from(argument).ok()?;
                self.state.mantissa = varint::unzigzag(varint::read(&mut self.bytes));
            }
        }
        self.state.current = Some(self.state.mantissa as f64 / POWERS.get(self.state.exponent)?);
        Some(self.state.current)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Option<f64>> {
        prop_oneof![
            3 => (-2_000_000i64..2_000_000, 0usize..7).prop_map(|(whole, at)| Some(whole as f64 / POWERS[at])),
            1 => any::<f64>().prop_map(Some),
            1 => Just(None),
            1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-0.0), Just(0.0), Just(9e15), Just(-9e15)]
                .prop_map(Some),
        ]
    }

    fn bits(values: impl IntoIterator<Item = Option<f64>>) -> Vec<Option<u64>> {
        values.into_iter().map(|value| value.map(f64::to_bits)).collect()
    }

    proptest! {
        #[test]
        fn gives_back_what_went_in(runs in prop::collection::vec((value(), 1usize..5), 0..40)) {
            let values: Vec<_> = runs.iter().flat_map(|(value, times)| vec![*value; *times]).collect();
            let mut column = Column::default();
            for value in &values {
                column.push(*value);
            }
            prop_assert_eq!(column.len(), values.len());
            prop_assert_eq!(bits(column.iter()), bits(values.iter().copied()));
            let keep: Vec<bool> = (0..values.len()).map(|at| at % 3 == 0).collect();
            prop_assert_eq!(bits(column.only(&keep).iter()), bits(values.iter().copied().step_by(3)));
        }
    }

    #[test]
    fn pads_with_gaps() {
        let mut column = Column::default();
        column.pad(2);
        column.push(Some(1.5));
        column.pad(5);
        column.push(Some(1.5));
        assert_eq!(column.iter().collect::<Vec<_>>(), [None, None, Some(1.5), None, None, Some(1.5)]);
    }

    #[test]
    fn a_day_of_a_gpu_is_small() {
        // Three scrapes a second for a day: a counter in mJ that always moves, a power of three decimals that moves every
        // second, and a temperature that hardly does.
        let scrapes = 3 * 86_400u64;
        let [mut energy, mut power, mut temperature] = [(); 3].map(|()| Column::default());
        for scrape in 0..scrapes {
            energy.push(Some(48_211_903_377.0 + (scrape * 137_000) as f64));
            power.push(Some(400.0 + ((scrape / 3) % 977) as f64 / 1000.0));
            temperature.push(Some(50.0 + ((scrape / 3_000) % 7) as f64));
        }
        // Four bytes, one byte every third scrape, and next to nothing.
        assert!(energy.bytes() < 2_100_000, "{}", energy.bytes());
        assert!(power.bytes() < 600_000, "{}", power.bytes());
        assert!(temperature.bytes() < 2_000, "{}", temperature.bytes());
    }
}
