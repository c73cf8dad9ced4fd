//! The steady state of a run: the time in which nearly as many requests were in flight as ever.

/// Requests whose spans are kept; beyond them a run has no steady state figures (24 bytes each).
const MOST_SPANS: usize = 2_000_000;
/// The share of the peak that counts as steady.
const SHARE: f64 = 0.95;

/// The life of a request on the wire.
#[derive(Clone, Copy, Debug)]
struct Span {
    sent: u64,
    /// Microseconds from `sent`.
    first: u32,
    last: u32,
    end: u32,
    tokens: u32,
}

/// What was measured in the steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steady {
    /// Its length in nanoseconds.
    pub(crate) length_ns: f64,
    /// Output tokens within it.
    pub(crate) tokens: f64,
    /// Requests that ended well within it.
    pub(crate) requests: u64,
}

/// Collects the spans of all requests that were sent.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    spans: Vec<Span>,
    too_many: bool,
}

impl Spans {
    /// Adds a request. `answer` holds first arrival, last arrival and output tokens of one that was ok.
    pub(crate) fn add(&mut self, sent: u64, end: u64, answer: Option<(u64, u64, u64)>) {
        if self.spans.len() >= MOST_SPANS {
            self.too_many = true;
            self.spans = Vec::new();
        }
        if self.too_many {
            return;
        }
        let micros = |at: u64| u32::try_from(at.saturating_sub(sent) / 1000).unwrap_or(u32::MAX);
        let (first, last, tokens) = answer.map_or((u32::MAX, u32::MAX, 0), |(first, last, tokens)| {
            (micros(first), micros(last), u32::try_from(tokens).unwrap_or(u32::MAX))
        });
        self.spans.push(Span { sent, first, last, end: micros(end), tokens });
    }

    /// From the first moment with at least 95 % of the peak in flight to the last moment before it is left for good.
    pub(crate) fn steady(&self) -> Option<Steady> {
        let (from, to) = self.bounds()?;
        let length_ns = to.saturating_sub(from) as f64;
        if length_ns <= 0.0 {
            return None;
        }
        let mut steady = Steady { length_ns, tokens: 0.0, requests: 0 };
        for span in self.spans.iter().filter(|span| span.first != u32::MAX) {
            let at = |micros: u32| span.sent + u64::from(micros) * 1000;
            let (first, last) = (at(span.first), at(span.last));
            steady.requests += u64::from((from..=to).contains(&last));
            let share = if last > first {
                let inside = last.min(to).saturating_sub(first.max(from)) as f64;
                inside / (last - first) as f64
            } else {
                f64::from(u8::from((from..=to).contains(&last)))
            };
            steady.tokens += f64::from(span.tokens) * share;
        }
        Some(steady)
    }

    fn bounds(&self) -> Option<(u64, u64)> {
        let mut starts: Vec<u64> = self.spans.iter().map(|span| span.sent).collect();
        let mut ends: Vec<u64> = self.spans.iter().map(|span| span.sent + u64::from(span.end) * 1000).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        let peak = sweep(&starts, &ends, |_, _| {});
        let threshold = (SHARE * peak as f64).ceil() as usize;
        let (mut from, mut to) = (None, None);
        let mut steady = false;
        sweep(&starts, &ends, |at, in_flight| {
            let now = in_flight >= threshold.max(1);
            if now && from.is_none() {
                from = Some(at);
            }
            if steady && !now {
                to = Some(at);
            }
            steady = now;
        });
        Some((from?, to?))
    }
}

/// Walks through starts and ends in time, ends first where they coincide; returns the most that were in flight.
fn sweep(starts: &[u64], ends: &[u64], mut see: impl FnMut(u64, usize)) -> usize {
    let (mut started, mut ended, mut peak) = (0, 0, 0);
    while let Some(end) = ends.get(ended).copied() {
        let at = match starts.get(started).copied() {
            Some(start) if start < end || started == ended => {
                started += 1;
                start
            }
            _ => {
                ended += 1;
                end
            }
        };
        let in_flight = started - ended;
        peak = peak.max(in_flight);
        see(at, in_flight);
    }
    peak
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn ramp_and_drain_are_left_out() {
        let mut spans = Spans::default();
        // Two at once from 100 to 200 ms; tokens are spread over the second half of each request.
        spans.add(0, 200 * MS, Some((100 * MS, 200 * MS, 10)));
        spans.add(100 * MS, 300 * MS, Some((200 * MS, 300 * MS, 10)));
        let steady = spans.steady().unwrap();
        assert_eq!(steady, Steady { length_ns: 100e6, tokens: 10.0, requests: 1 });
    }

    #[test]
    fn one_after_the_other_is_steady_all_the_time() {
        let mut spans = Spans::default();
        for i in 0..10 {
            spans.add(i * 100 * MS, (i * 100 + 90) * MS, Some(((i * 100 + 50) * MS, (i * 100 + 90) * MS, 4)));
        }
        let steady = spans.steady().unwrap();
        assert_eq!(steady, Steady { length_ns: 990e6, tokens: 40.0, requests: 10 });
    }

    #[test]
    fn nothing_sent_has_no_steady_state() {
        assert_eq!(Spans::default().steady(), None);
    }
}
