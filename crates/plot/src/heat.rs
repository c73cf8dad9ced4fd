//! Counts of pairs of whole numbers, as a grid of cells.

use std::collections::BTreeMap;

/// The most cells along an axis of a heat map.
pub const MOST_BINS: u64 = 24;

/// A grid of counts. Cell (i, j) holds the pairs with x from `x_start + i * x_width` and y from `y_start + j * y_width` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatMap {
    /// The least x of the first column.
    pub x_start: u64,
    /// How many whole numbers a column has.
    pub x_width: u64,
    /// Columns.
    pub x_bins: u64,
    /// The least y of the lowest row.
    pub y_start: u64,
    /// How many whole numbers a row has.
    pub y_width: u64,
    /// Rows.
    pub y_bins: u64,
    /// Counts by column and row; cells without any are left out.
    pub counts: BTreeMap<(u64, u64), u64>,
}

impl HeatMap {
    /// Of pairs that were counted in cells already: x from `column * x_width`, y from `row * y_width` on. Cells are
    /// joined until at most [`MOST_BINS`] are left along each axis; none of none.
    #[must_use]
    pub fn of(cells: &BTreeMap<(u64, u64), u64>, x_width: u64, y_width: u64) -> Option<Self> {
        let along = |pick: fn(&(u64, u64)) -> u64, width: u64| {
            let first = cells.keys().map(pick).min()?;
            let last = cells.keys().map(pick).max()?;
            Some(Bins::of(first, last, width.max(1)))
        };
        let columns = along(|cell| cell.0, x_width)?;
        let rows = along(|cell| cell.1, y_width)?;
        let mut counts = BTreeMap::new();
        for ((x, y), count) in cells {
            let sum: &mut u64 = counts.entry((columns.bin(*x), rows.bin(*y))).or_default();
            *sum = sum.saturating_add(*count);
        }
        Some(Self {
            x_start: columns.start(),
            x_width: columns.width(),
            x_bins: columns.count,
            y_start: rows.start(),
            y_width: rows.width(),
            y_bins: rows.count,
            counts,
        })
    }

    /// The fullest cell.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.counts.values().copied().max().unwrap_or(0)
    }
}

/// The bins along an axis, in units of given cells.
struct Bins {
    first: u64,
    joined: u64,
    count: u64,
    cell: u64,
}

impl Bins {
    fn of(first: u64, last: u64, cell: u64) -> Self {
        let mut joined = 1_u64;
        while last / joined - first / joined >= MOST_BINS {
            joined = joined.saturating_mul(2);
        }
        let count = last / joined - first / joined + 1;
        Self { first: first / joined, joined, count, cell }
    }

    fn bin(&self, cell: u64) -> u64 {
        cell / self.joined - self.first
    }

    fn width(&self) -> u64 {
        self.joined.saturating_mul(self.cell)
    }

    fn start(&self) -> u64 {
        self.first.saturating_mul(self.width())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cells_are_joined_and_lose_no_count() {
        // x from 100 to 147 needs two numbers a column, y from 5 to 7 needs none joined.
        let cells = BTreeMap::from([((100, 5), 1), ((101, 5), 2), ((102, 5), 4), ((147, 7), 8)]);
        let map = HeatMap::of(&cells, 1, 1).unwrap();
        assert_eq!((map.x_start, map.x_width, map.x_bins), (100, 2, 24));
        assert_eq!((map.y_start, map.y_width, map.y_bins), (5, 1, 3));
        assert_eq!(map.counts, BTreeMap::from([((0, 0), 3), ((1, 0), 4), ((23, 2), 8)]));
        assert_eq!(map.most(), 8);
    }

    #[test]
    fn cells_given_wider_stay_wider() {
        let map = HeatMap::of(&BTreeMap::from([((3, 0), 5), ((4, 1), 6)]), 16, 4).unwrap();
        assert_eq!((map.x_start, map.x_width, map.x_bins), (48, 16, 2));
        assert_eq!((map.y_start, map.y_width, map.y_bins), (0, 4, 2));
    }

    #[test]
    fn one_cell_and_none() {
        let map = HeatMap::of(&BTreeMap::from([((40, 6), 9)]), 1, 1).unwrap();
        assert_eq!((map.x_start, map.x_bins, map.y_start, map.y_bins), (40, 1, 6, 1));
        assert_eq!(HeatMap::of(&BTreeMap::new(), 1, 1), None);
    }

    proptest! {
        #[test]
        fn every_pair_is_counted_once(
            cells in prop::collection::btree_map((any::<u64>(), 0..5_000_u64), 0..1_000_u64, 1..60)
        ) {
            let map = HeatMap::of(&cells, 1, 1).unwrap();
            prop_assert_eq!(map.counts.values().sum::<u64>(), cells.values().sum::<u64>());
            prop_assert!(map.x_bins <= MOST_BINS && map.y_bins <= MOST_BINS);
            prop_assert!(map.counts.keys().all(|(x, y)| *x < map.x_bins && *y < map.y_bins));
        }
    }
}
