//! What plots need of a run, in bounded memory however long it is.

use std::collections::BTreeMap;

use tokamark_plot::MOST_POINTS;

use super::sample::Sample;
use crate::figures::RequestFigures;

/// The most cells of the lengths' counts, and the most positions with a mean.
const MOST_CELLS: usize = 4_096;
const NS_PER_MS: f64 = 1e6;

/// A request, as far as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dot {
    pub(super) ttft_ms: Option<f64>,
    pub(super) latency_ms: f64,
    pub(super) input_tokens: Option<u64>,
}

/// A gap before a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap {
    /// The response's place in its answer, from 2.
    pub(super) position: u64,
    pub(super) gap_ms: f64,
}

/// Count and sum of the gaps at some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Gaps {
    pub(super) count: u64,
    pub(super) sum_ms: f64,
}

/// Gathers the requests of a run for its plots.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotData {
    pub(super) dots: Sample<Dot>,
    /// Requests by input and output length, in cells of `cell` tokens each way.
    pub(super) lengths: BTreeMap<(u64, u64), u64>,
    pub(super) cell: u64,
    pub(super) gaps: Sample<Gap>,
    /// Gaps by position, `step` positions together.
    pub(super) positions: BTreeMap<u64, Gaps>,
    pub(super) step: u64,
}

impl Default for PlotData {
    fn default() -> Self {
        Self {
            dots: Sample::new(MOST_POINTS),
            lengths: BTreeMap::new(),
            cell: 1,
            gaps: Sample::new(MOST_POINTS),
            positions: BTreeMap::new(),
            step: 1,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "durations in nanoseconds are far below 2^53")]
fn ms(from_ns: u64, to_ns: u64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / NS_PER_MS
}

impl PlotData {
    /// Adds an answered request.
    pub(crate) fn add(&mut self, request: &RequestFigures) {
        self.dots.add(Dot {
            ttft_ms: request.first_ns.map(|first_ns| ms(request.sent_ns, first_ns)),
            latency_ms: ms(request.sent_ns, request.last_ns),
            input_tokens: request.input_tokens,
        });
        if let (Some(input), Some(output)) = (request.input_tokens, request.output_tokens) {
            *self.lengths.entry((input / self.cell, output / self.cell)).or_default() += 1;
            while self.lengths.len() > MOST_CELLS {
                self.join_cells();
            }
        }
        for (number, pair) in request.arrivals.windows(2).enumerate() {
            let (position, gap_ms) = (number as u64 + 2, ms(pair[0], pair[1]));
            self.gaps.add(Gap { position, gap_ms });
            let gaps = self.positions.entry(position / self.step).or_default();
            gaps.count += 1;
            gaps.sum_ms += gap_ms;
            while self.positions.len() > MOST_CELLS {
                self.join_positions();
            }
        }
    }

    fn join_cells(&mut self) {
        self.cell *= 2;
        for ((input, output), count) in std::mem::take(&mut self.lengths) {
            *self.lengths.entry((input / 2, output / 2)).or_default() += count;
        }
    }

    fn join_positions(&mut self) {
        self.step *= 2;
        for (place, gaps) in std::mem::take(&mut self.positions) {
            let joined = self.positions.entry(place / 2).or_default();
            joined.count += gaps.count;
            joined.sum_ms += gaps.sum_ms;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::plots) fn request(input: u64, output: u64, arrivals_ms: &[u64]) -> RequestFigures {
        let arrivals: Vec<u64> = arrivals_ms.iter().map(|at| at * 1_000_000).collect();
        RequestFigures {
            sent_ns: 0,
            first_ns: arrivals.first().copied(),
            last_ns: arrivals.last().copied().unwrap_or(0),
            input_tokens: Some(input),
            output_tokens: Some(output),
            arrivals,
            ..RequestFigures::default()
        }
    }

    #[test]
    fn a_request_is_a_dot_a_count_and_its_gaps() {
        let mut data = PlotData::default();
        data.add(&request(100, 3, &[10, 14, 20]));
        data.add(&request(100, 3, &[20, 22]));
        let dots: Vec<_> = data.dots.kept().iter().map(|dot| (dot.ttft_ms, dot.latency_ms)).collect();
        assert_eq!(dots, [(Some(10.0), 20.0), (Some(20.0), 22.0)]);
        assert_eq!(data.lengths, BTreeMap::from([((100, 3), 2)]));
        let gaps: Vec<_> = data.gaps.kept().iter().map(|gap| (gap.position, gap.gap_ms)).collect();
        assert_eq!(gaps, [(2, 4.0), (3, 6.0), (2, 2.0)]);
        assert_eq!(data.positions[&2], Gaps { count: 2, sum_ms: 6.0 });
        assert_eq!(data.positions[&3], Gaps { count: 1, sum_ms: 6.0 });
    }

    #[test]
    fn any_number_of_lengths_and_positions_is_kept_in_bounds_and_none_is_lost() {
        let mut data = PlotData::default();
        for number in 0..10_000 {
            data.add(&request(number, number / 2, &[]));
        }
        assert!(data.lengths.len() <= MOST_CELLS && data.cell > 1);
        assert_eq!(data.lengths.values().sum::<u64>(), 10_000);
        let long: Vec<u64> = (0..20_000).collect();
        data.add(&request(1, 20_000, &long));
        assert!(data.positions.len() <= MOST_CELLS);
        let (count, sum) = data.positions.values().fold((0, 0.0), |(count, sum), g| (count + g.count, sum + g.sum_ms));
        assert_eq!((count, sum), (19_999, 19_999.0));
    }
}
