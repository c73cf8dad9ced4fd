//! Units: what a value is kept in, what it is shown in, and the factor between the two.

/// A unit of measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// What values are computed in.
    pub internal: &'static str,
    /// What values are shown and exported in.
    pub display: &'static str,
    /// A shown value is a computed one divided by this.
    pub divisor: f64,
    /// Values are whole numbers for a single request.
    pub whole: bool,
}

impl Unit {
    /// Nanoseconds, shown as milliseconds.
    pub const MS: Self = Self::scaled("ns", "ms", 1e6);
    /// Nanoseconds, shown as seconds.
    pub const SEC: Self = Self::scaled("ns", "sec", 1e9);
    /// Bytes, shown as kibibytes under the name that they commonly go by.
    pub const KB: Self = Self::scaled("B", "KB", 1024.0);
    /// Tokens.
    pub const TOKENS: Self = Self::whole("tokens");
    /// Requests.
    pub const REQUESTS: Self = Self::whole("requests");
    /// A plain number of things.
    pub const COUNT: Self = Self::whole("count");
    /// Tokens per second, over all requests.
    pub const TOKENS_PER_S: Self = Self::scaled("tokens/sec", "tokens/sec", 1.0);
    /// Tokens per second of one request.
    pub const TOKENS_PER_S_PER_USER: Self = Self::scaled("tokens/sec/user", "tokens/sec/user", 1.0);
    /// Requests per second.
    pub const REQUESTS_PER_S: Self = Self::scaled("requests/sec", "requests/sec", 1.0);
    /// Tokens in one event.
    pub const TOKENS_PER_EVENT: Self = Self::scaled("tokens/event", "tokens/event", 1.0);
    /// Of a hundred.
    pub const PERCENT: Self = Self::scaled("%", "%", 1.0);
    /// One quantity over another of the same kind.
    pub const RATIO: Self = Self::scaled("ratio", "ratio", 1.0);
    /// Requests in flight, averaged over time.
    pub const IN_FLIGHT: Self = Self::scaled("requests", "requests", 1.0);

    const fn scaled(internal: &'static str, display: &'static str, divisor: f64) -> Self {
        Self { internal, display, divisor, whole: false }
    }

    const fn whole(name: &'static str) -> Self {
        Self { internal: name, display: name, divisor: 1.0, whole: true }
    }

    /// A computed value as it is shown.
    #[must_use]
    pub fn shown(&self, value: f64) -> f64 {
        value / self.divisor
    }
}
