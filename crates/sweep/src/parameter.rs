//! What a sweep changes from point to point.

/// A parameter that can be swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// Requests in flight.
    Concurrency,
    /// Arrivals per second.
    RequestRate,
    /// Tokens of each prompt.
    InputSequenceLength,
    /// Distinct prompts.
    NumDatasetEntries,
    /// Texts of each request.
    BatchSize,
}

impl Parameter {
    /// Every parameter.
    pub const ALL: [Self; 5] =
        [Self::Concurrency, Self::RequestRate, Self::InputSequenceLength, Self::NumDatasetEntries, Self::BatchSize];

    /// The stable name, as in flags, folders and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Concurrency => "concurrency",
            Self::RequestRate => "request_rate",
            Self::InputSequenceLength => "input_sequence_length",
            Self::NumDatasetEntries => "num_dataset_entries",
            Self::BatchSize => "batch_size",
        }
    }

    /// Whether a range without a step goes up in powers of two.
    #[must_use]
    pub const fn doubles(self) -> bool {
        matches!(self, Self::Concurrency | Self::RequestRate | Self::InputSequenceLength | Self::BatchSize)
    }

    /// Whether more of it is more load, so that there is a knee to look for.
    #[must_use]
    pub const fn is_load(self) -> bool {
        matches!(self, Self::Concurrency | Self::RequestRate | Self::BatchSize)
    }
}
