//! The figures of a report: names, units and order.

use crate::endpoint_type::Figures;

/// A figure of GenAI-Perf's reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Requests over the benchmark's duration.
    RequestThroughput,
    /// Last response less the start.
    RequestLatency,
    /// Good requests over the benchmark's duration.
    RequestGoodput,
    /// Requests that have figures.
    RequestCount,
    /// First response with text less the start.
    TimeToFirstToken,
    /// Second response less the first.
    TimeToSecondToken,
    /// (latency − time to first token) / (output tokens − 1), whole nanoseconds.
    InterTokenLatency,
    /// Output tokens over the benchmark's duration.
    OutputTokenThroughput,
    /// One over the inter-token latency.
    OutputTokenThroughputPerUser,
    /// Tokens of the whole answer.
    OutputSequenceLength,
    /// Tokens of the prompt's text.
    InputSequenceLength,
    /// Images over the request's latency.
    ImageThroughput,
    /// The request's latency over its images.
    ImageLatency,
}

impl Metric {
    /// Every figure, in the order of the JSON report.
    pub const ALL: [Self; 13] = [
        Self::RequestThroughput,
        Self::RequestLatency,
        Self::RequestGoodput,
        Self::RequestCount,
        Self::TimeToFirstToken,
        Self::TimeToSecondToken,
        Self::InterTokenLatency,
        Self::OutputTokenThroughput,
        Self::OutputTokenThroughputPerUser,
        Self::OutputSequenceLength,
        Self::InputSequenceLength,
        Self::ImageThroughput,
        Self::ImageLatency,
    ];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RequestThroughput => "request_throughput",
            Self::RequestLatency => "request_latency",
            Self::RequestGoodput => "request_goodput",
            Self::RequestCount => "request_count",
            Self::TimeToFirstToken => "time_to_first_token",
            Self::TimeToSecondToken => "time_to_second_token",
            Self::InterTokenLatency => "inter_token_latency",
            Self::OutputTokenThroughput => "output_token_throughput",
            Self::OutputTokenThroughputPerUser => "output_token_throughput_per_user",
            Self::OutputSequenceLength => "output_sequence_length",
            Self::InputSequenceLength => "input_sequence_length",
            Self::ImageThroughput => "image_throughput",
            Self::ImageLatency => "image_latency",
        }
    }

    /// The figure of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The unit in the JSON report.
    #[must_use]
    pub const fn json_unit(self) -> &'static str {
        match self {
            Self::RequestThroughput | Self::RequestGoodput => "requests/sec",
            Self::RequestCount => "count",
            Self::OutputTokenThroughput => "tokens/sec",
            Self::OutputTokenThroughputPerUser => "tokens/sec/user",
            Self::OutputSequenceLength | Self::InputSequenceLength => "tokens",
            Self::ImageThroughput => "pages/sec",
            _ => "ms",
        }
    }

    /// The unit in tables, which is another one for some.
    #[must_use]
    pub const fn table_unit(self) -> &'static str {
        match self {
            Self::RequestThroughput | Self::RequestGoodput => "per sec",
            Self::ImageThroughput => "images/sec",
            Self::ImageLatency => "ms/image",
            _ => self.json_unit(),
        }
    }

    /// The name and unit in tables.
    #[must_use]
    pub fn label(self) -> String {
        format!("{} ({})", capitalized(self.name()), self.table_unit())
    }

    /// A time, kept in nanoseconds and shown in milliseconds.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(
            self,
            Self::RequestLatency
                | Self::TimeToFirstToken
                | Self::TimeToSecondToken
                | Self::InterTokenLatency
                | Self::ImageLatency
        )
    }

    /// One value for the run rather than one for each request.
    #[must_use]
    pub const fn is_of_run(self) -> bool {
        matches!(
            self,
            Self::RequestThroughput | Self::RequestGoodput | Self::RequestCount | Self::OutputTokenThroughput
        )
    }

    /// Left out of tables unless the run was streamed.
    #[must_use]
    pub const fn needs_streaming(self) -> bool {
        matches!(
            self,
            Self::TimeToFirstToken
                | Self::TimeToSecondToken
                | Self::InterTokenLatency
                | Self::OutputTokenThroughputPerUser
        )
    }

    /// The rows of tables with all statistics.
    #[must_use]
    pub const fn request_rows(figures: Figures) -> &'static [Self] {
        match figures {
            Figures::Base => &[Self::RequestLatency],
            Figures::Images => &[Self::RequestLatency, Self::ImageThroughput, Self::ImageLatency],
            Figures::Llm => &[
                Self::TimeToFirstToken,
                Self::TimeToSecondToken,
                Self::RequestLatency,
                Self::InterTokenLatency,
                Self::OutputTokenThroughputPerUser,
                Self::OutputSequenceLength,
                Self::InputSequenceLength,
            ],
        }
    }

    /// The rows of tables with one value.
    #[must_use]
    pub const fn run_rows(figures: Figures) -> &'static [Self] {
        const ROWS: [Metric; 4] =
            [Metric::OutputTokenThroughput, Metric::RequestThroughput, Metric::RequestGoodput, Metric::RequestCount];
        match figures {
            Figures::Llm => &ROWS,
            Figures::Base | Figures::Images => ROWS.split_at(1).1,
        }
    }

    /// The figures that an objective may name: times first, then rates.
    #[must_use]
    pub const fn objectives(figures: Figures) -> &'static [Self] {
        match figures {
            Figures::Base => &[Self::RequestLatency],
            Figures::Images => &[Self::ImageLatency, Self::RequestLatency, Self::ImageThroughput],
            Figures::Llm => &[
                Self::TimeToFirstToken,
                Self::TimeToSecondToken,
                Self::InterTokenLatency,
                Self::RequestLatency,
                Self::OutputTokenThroughputPerUser,
            ],
        }
    }
}

/// `time_to_first_token` as `Time To First Token`.
pub(crate) fn capitalized(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    });
    words.collect::<Vec<_>>().join(" ")
}
