//! Sessions of coding agents.

mod files;
mod options;
mod page;
mod quality;
mod session;

use std::io::Write;

pub use files::Manifest;
pub use options::{AgenticCode, Delays, Resets, Restarts, Skewed, TurnCounts};
pub use quality::{Ends, Quality, Target};

use super::SynthesizeError;
use super::line::{self, Labels};
use crate::random::{Random, zipf};
use crate::row::Row;
use quality::Observer;
use session::Turn;

/// What sessions that are written have in common.
struct Output<'a, W> {
    options: &'a AgenticCode,
    out: &'a mut W,
    observer: Observer,
    rows: u64,
    /// The next block that nobody has.
    fresh: u64,
}

impl AgenticCode {
    /// Writes the trace, one JSON object per line, session by session: the first turn of each has a timestamp, the
    /// others a delay. Gives what it came to.
    ///
    /// # Errors
    /// If an option has an impossible value, turns find no room, or a row cannot be written.
    pub fn write(&self, out: &mut impl Write) -> Result<Quality, SynthesizeError> {
        self.check()?;
        let popularity = zipf(self.groups, self.group_alpha);
        let global = self.rounded_blocks(self.global_tokens);
        let per_group = self.rounded_blocks(self.group_tokens);
        let fresh = global + u64::from(self.groups) * per_group;
        let mut output = Output { options: self, out, observer: Observer::default(), rows: 0, fresh };
        let mut start_ms = 0.0;
        for number in 0..self.sessions {
            let random = &mut Random::new(self.seed, "agentic code", number);
            if number > 0 {
                start_ms += 1e3 * random.exponential() / self.sessions_per_s;
            }
            // At most a million groups, as checked.
            let group = random.pick(&popularity) as u32;
            let first_of_group = global + u64::from(group) * per_group;
            let shared: Vec<u64> = (0..global).chain(first_of_group..first_of_group + per_group).collect();
            let (turns, end) = self.session(number, random)?;
            output.observer.session(self, &turns, end);
            let labels = Labels { group: Some(group), is_restart: false };
            let name = format!("session-{number:06}");
            match self.restart(number, turns.len(), random) {
                None => {
                    output.session(&name, start_ms, &shared, &turns, labels)?;
                }
                Some(at) => {
                    let (before, after) = turns.split_at(at);
                    let mut known = output.session(&name, start_ms, &shared, before, labels)?;
                    let restarted_ms = start_ms + turns[..=at].iter().map(|turn| turn.delay_ms).sum::<f64>();
                    // Only whole blocks go on under their name.
                    known.truncate(usize::try_from(before[0].input_tokens / u64::from(self.block_size)).unwrap_or(0));
                    let mut after = after.to_vec();
                    after[0].new_tokens = after[0].input_tokens;
                    let labels = Labels { is_restart: true, ..labels };
                    output.session(&format!("{name}-restart"), restarted_ms, &known, &after, labels)?;
                    output.observer.restarts += 1;
                }
            }
        }
        Ok(output.observer.finish(self))
    }
}

impl<W: Write> Output<'_, W> {
    /// Writes a session whose first prompt begins with known blocks, and gives all blocks of that prompt.
    fn session(
        &mut self,
        name: &str,
        start_ms: f64,
        known: &[u64],
        turns: &[Turn],
        labels: Labels,
    ) -> Result<Vec<u64>, SynthesizeError> {
        let size = u64::from(self.options.block_size);
        let mut first_blocks = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let known = if at == 0 { known } else { &[] };
            let own = turn.new_tokens.div_ceil(size) - known.len() as u64;
            let hash_ids: Vec<u64> = known.iter().copied().chain(self.fresh..self.fresh + own).collect();
            self.fresh += own;
            self.rows += 1;
            let row = Row {
                line: self.rows,
                session: Some(name.to_owned()),
                timestamp_ms: (at == 0).then(|| start_ms.round()),
                delay_ms: (at > 0).then(|| turn.delay_ms.round()),
                input_tokens: turn.new_tokens,
                output_tokens: Some(turn.output_tokens),
                hash_ids,
                block_size: self.options.block_size,
                ..Row::default()
            };
            line::write(&row, if at == 0 { labels } else { Labels::default() }, self.out)?;
            self.observer.analyzer.push(&row);
            if at == 0 {
                first_blocks = row.hash_ids;
            }
        }
        Ok(first_blocks)
    }
}
