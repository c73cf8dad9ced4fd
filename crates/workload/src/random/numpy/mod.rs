//! NumPy's random numbers, bit for bit, for workloads that are to be those of tools that use it.

mod mt19937;
mod pcg64;
mod seed_sequence;

pub(crate) use mt19937::Mt19937;
pub(crate) use pcg64::Pcg64;

/// Draws of whole numbers as NumPy makes them.
pub(crate) trait Integers {
    /// So many whole numbers in `low..=high`, as one call with a size gives them.
    fn integers(&mut self, low: u64, high: u64, count: usize) -> Vec<u64>;
}
