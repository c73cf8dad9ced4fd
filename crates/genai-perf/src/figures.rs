//! The figures of one request, however it was recorded.

use crate::Metric;
use crate::endpoint_type::Figures;

/// What one answered request measured. Times are nanoseconds of the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFigures {
    /// When it was sent.
    pub sent_ns: u64,
    /// When the first response that counts came; absent where an answer comes at once and that is no figure.
    pub first_ns: Option<u64>,
    /// When the second one came, if there was one.
    pub second_ns: Option<u64>,
    /// When the last one came.
    pub last_ns: u64,
    /// When each came; only for plots.
    pub arrivals: Vec<u64>,
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
    /// Images in the request.
    pub images: Option<u64>,
    /// The conversation that it belongs to.
    pub session: Option<String>,
}

impl RequestFigures {
    /// The values that the request has, times in nanoseconds.
    pub(crate) fn values(&self, figures: Figures) -> Vec<(Metric, f64)> {
        let latency = gap(self.sent_ns, self.last_ns);
        let mut values = vec![(Metric::RequestLatency, latency)];
        match figures {
            Figures::Base => {}
            Figures::Images => {
                if let Some(images) = self.images.filter(|images| *images > 0) {
                    if latency > 0.0 {
                        values.push((Metric::ImageThroughput, images as f64 / (latency / 1e9)));
                    }
                    values.push((Metric::ImageLatency, latency / images as f64));
                }
            }
            Figures::Llm => self.token_values(latency, &mut values),
        }
        values
    }

    fn token_values(&self, latency: f64, values: &mut Vec<(Metric, f64)>) {
        let first = self.first_ns.map(|first_ns| gap(self.sent_ns, first_ns));
        values.extend(first.map(|first| (Metric::TimeToFirstToken, first)));
        if let (Some(first_ns), Some(second_ns)) = (self.first_ns, self.second_ns) {
            values.push((Metric::TimeToSecondToken, gap(first_ns, second_ns)));
        }
        if let Some(tokens) = self.input_tokens {
            values.push((Metric::InputSequenceLength, tokens as f64));
        }
        let Some(tokens) = self.output_tokens else { return };
        values.push((Metric::OutputSequenceLength, tokens as f64));
        if let Some(first) = first.filter(|_| self.second_ns.is_some() && tokens > 1) {
            let between = ((latency - first) / (tokens - 1) as f64).round_ties_even();
            values.push((Metric::InterTokenLatency, between));
            if between != 0.0 {
                values.push((Metric::OutputTokenThroughputPerUser, 1.0 / (between / 1e9)));
            }
        }
    }
}

/// Nanoseconds from one instant to another; negative if the wall clock was set back between them.
pub(crate) fn gap(from: u64, to: u64) -> f64 {
    (i128::from(to) - i128::from(from)) as f64
}
