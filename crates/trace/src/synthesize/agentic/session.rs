//! The turns of one session.

use super::options::{AgenticCode, Skewed, TurnCounts};
use crate::random::Random;
use crate::synthesize::SynthesizeError;
use crate::synthesize::lengths::whole;

/// A turn before it has names for its blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// Milliseconds since the answer before it; 0 for the first.
    pub(super) delay_ms: f64,
    /// Tokens that it adds.
    pub(super) new_tokens: u64,
    /// Tokens of its whole request.
    pub(super) input_tokens: u64,
    /// Tokens of its answer.
    pub(super) output_tokens: u64,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The next request would be too long.
    Full,
    /// It was given up.
    Reset,
    /// It has the turns that were asked for.
    Done,
}

impl AgenticCode {
    /// The turns of a session, at least one.
    pub(super) fn session(&self, number: u64, random: &mut Random) -> Result<(Vec<Turn>, End), SynthesizeError> {
        let Some(counts) = self.turns else {
            return Ok(self.attempt(None, random));
        };
        let mut wanted = 0;
        for _ in 0..counts.max_session_attempts {
            wanted = draw_count(counts, random);
            let (turns, end) = self.attempt(Some(wanted), random);
            if end == End::Done || counts.allow_truncation {
                return Ok((turns, end));
            }
        }
        let attempts = counts.max_session_attempts;
        Err(SynthesizeError::Attempts { session: number, turns: wanted, max_isl: self.max_isl, attempts })
    }

    fn attempt(&self, wanted: Option<u32>, random: &mut Random) -> (Vec<Turn>, End) {
        let shared = self.shared_tokens();
        let own = draw_tokens(self.own_tokens, random).clamp(1, self.max_isl - 1 - shared);
        let mut turns = Vec::new();
        let mut last = Turn {
            delay_ms: 0.0,
            new_tokens: shared + own,
            input_tokens: shared + own,
            output_tokens: self.draw_output(random),
        };
        loop {
            turns.push(last);
            let end = match wanted {
                Some(wanted) => (turns.len() >= wanted as usize).then_some(End::Done),
                None => random.happens(self.reset_probability(last.input_tokens)).then_some(End::Reset),
            };
            if let Some(end) = end {
                return (turns, end);
            }
            let delay_ms = self.draw_delay(last.input_tokens + last.output_tokens, random);
            let new_tokens = draw_tokens(self.new_tokens, random).max(1);
            let input_tokens = last.input_tokens + last.output_tokens + new_tokens;
            if input_tokens >= self.max_isl {
                return (turns, End::Full);
            }
            last = Turn { delay_ms, new_tokens, input_tokens, output_tokens: self.draw_output(random) };
        }
    }

    /// How full the context is, 0 to 1.
    fn fullness(&self, tokens: u64) -> f64 {
        (tokens as f64 / self.max_isl as f64).min(1.0)
    }

    fn reset_probability(&self, input_tokens: u64) -> f64 {
        self.resets.base * (1.0 + (self.resets.context_scaling - 1.0) * self.fullness(input_tokens))
    }

    fn draw_delay(&self, context_tokens: u64, random: &mut Random) -> f64 {
        let is_agentic = random.happens(self.delays.agentic_share);
        let Skewed { mean, median } = if is_agentic { self.delays.agentic_ms } else { self.delays.human_ms };
        let shrunk = (1.0 - 0.8 * self.fullness(context_tokens)).max(0.2);
        random.lognormal(mean, median) * shrunk
    }

    fn draw_output(&self, random: &mut Random) -> u64 {
        let drawn = draw_tokens(self.output_tokens, random).max(self.min_output_tokens).max(1);
        drawn.min(self.max_osl.unwrap_or(u64::MAX))
    }

    /// The turn with which a session begins again, if it does.
    pub(super) fn restart(&self, number: u64, turns: usize, random: &mut Random) -> Option<usize> {
        let restarts = self.restarts?;
        let passed = number as f64 / (self.sessions as f64 * restarts.until_share);
        // An `until_share` of 0 gives no number for the first session, and no restarts.
        let probability = restarts.probability * (1.0 - passed).max(0.0);
        let later = u32::try_from(turns).ok()?.checked_sub(1).filter(|later| *later > 0)?;
        let at = 1 + (random.unit() * f64::from(later)).floor() as usize;
        random.happens(probability).then_some(at)
    }
}

fn draw_tokens(of: Skewed, random: &mut Random) -> u64 {
    whole(random.lognormal(of.mean, of.median).min(1e9))
}

#[expect(clippy::cast_possible_truncation, reason = "it is bounded by a u32")]
fn draw_count(counts: TurnCounts, random: &mut Random) -> u32 {
    let drawn = whole(random.lognormal(counts.mean, counts.median));
    drawn.clamp(counts.min.into(), counts.max.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(options: &AgenticCode) -> (Vec<Turn>, End) {
        options.session(0, &mut Random::new(options.seed, "test", 0)).unwrap()
    }

    /// Every drawn number is its mean.
    fn constant() -> AgenticCode {
        let fixed = |value| Skewed { mean: value, median: value };
        AgenticCode {
            block_size: 100,
            max_isl: 1_000,
            global_tokens: 200,
            group_tokens: 149,
            own_tokens: fixed(50.0),
            new_tokens: fixed(100.0),
            output_tokens: fixed(40.0),
            resets: super::super::Resets { base: 0.0, context_scaling: 2.0 },
            ..AgenticCode::default()
        }
    }

    #[test]
    fn each_request_repeats_all_before_it_until_the_context_is_full() {
        let (turns, end) = turns(&constant());
        // 200 + 100 shared, 50 of its own, then 40 + 100 more each time while below 1,000.
        let inputs: Vec<u64> = turns.iter().map(|turn| turn.input_tokens).collect();
        assert_eq!((inputs, end), (vec![350, 490, 630, 770, 910], End::Full));
        assert!(turns[1..].iter().all(|turn| turn.new_tokens == 100 && turn.output_tokens == 40));
        assert_eq!(turns[0].new_tokens, 350);
    }

    #[test]
    fn delays_shrink_as_the_context_fills() {
        let fixed = |value| Skewed { mean: value, median: value };
        let delays = super::super::Delays { agentic_share: 1.0, agentic_ms: fixed(1_000.0), human_ms: fixed(1.0) };
        let (turns, _) = turns(&AgenticCode { delays, ..constant() });
        // 1,000 · (1 − 0.8 · 390/1,000).
        assert!((turns[1].delay_ms - 688.0).abs() < 1e-9, "{}", turns[1].delay_ms);
        assert_eq!(turns[0].delay_ms, 0.0);
    }

    #[test]
    fn a_reset_ends_a_session() {
        let resets = super::super::Resets { base: 1.0, context_scaling: 1.0 };
        let (turns, end) = turns(&AgenticCode { resets, ..constant() });
        assert_eq!((turns.len(), end), (1, End::Reset));
        let options = AgenticCode { resets: super::super::Resets { base: 0.02, context_scaling: 2.0 }, ..constant() };
        assert!((options.reset_probability(500) - 0.03).abs() < 1e-12);
    }

    #[test]
    fn turn_counts_are_met_or_refused_or_cut() {
        let counts = |turns: f64, allow_truncation| {
            Some(TurnCounts { mean: turns, median: turns, min: 1, max: 99, allow_truncation, max_session_attempts: 3 })
        };
        let (three, end) = turns(&AgenticCode { turns: counts(3.0, false), ..constant() });
        assert_eq!((three.len(), end), (3, End::Done));
        let (cut, end) = turns(&AgenticCode { turns: counts(9.0, true), ..constant() });
        assert_eq!((cut.len(), end), (5, End::Full));
        let refused = AgenticCode { turns: counts(9.0, false), ..constant() };
        let error = refused.session(7, &mut Random::new(1, "test", 0)).unwrap_err();
        assert!(matches!(error, SynthesizeError::Attempts { session: 7, turns: 9, attempts: 3, .. }), "{error}");
    }
}
