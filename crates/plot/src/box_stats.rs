//! The statistics of a box.

/// Quartiles, whiskers and extremes of a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxStats {
    /// How many values there are.
    pub count: u64,
    /// The least.
    pub min: f64,
    /// The lower whisker: 1st percentile.
    pub p1: f64,
    /// The lower end of the box: 25th percentile.
    pub p25: f64,
    /// The line in the box: 50th percentile.
    pub p50: f64,
    /// The upper end of the box: 75th percentile.
    pub p75: f64,
    /// The upper whisker: 99th percentile.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl BoxStats {
    /// All of its places on the axis.
    #[must_use]
    pub fn values(&self) -> [f64; 8] {
        [self.min, self.p1, self.p25, self.p50, self.p75, self.p99, self.max, self.mean]
    }
}
