//! What a plan changes of the rows of a trace.

use std::collections::HashMap;

use tokamark_conversation::{Prompt, Turn};
use tokamark_plan::TracePlan;
use tokamark_trace::{Row, SharedIds, Transform, Window, divided};

use crate::DatasetError;
use crate::input::Input;

/// Leaves rows out, and changes lengths, blocks and times of the others.
#[derive(Debug)]
pub(super) struct Replay {
    transform: Transform,
    window: Window,
    /// The moment that stays in its place when times are divided: the pacer takes the start offset for it.
    anchor_ms: f64,
    /// Times and delays are divided by it as well.
    replay_speedup: f64,
    /// Whether the last row with a time was left out, by session.
    left_out: HashMap<String, bool>,
}

impl Replay {
    /// The changes of a plan to the trace whose blocks are given.
    pub(super) fn new(input: &Input, plan: &TracePlan, shared: SharedIds) -> Result<Self, DatasetError> {
        let wrong = |error: &dyn std::error::Error| {
            DatasetError::unusable(input.path(), format!("cannot be replayed as asked: {error}"))
        };
        let schedule = plan.schedule.as_ref();
        let start_ms = schedule.and_then(|schedule| schedule.start_offset_ms);
        let end_ms = schedule.and_then(|schedule| schedule.end_offset_ms);
        Ok(Self {
            transform: Transform::new(plan.synthesis, shared).map_err(|error| wrong(&error))?,
            window: Window::new(start_ms, end_ms).map_err(|error| wrong(&error))?,
            anchor_ms: start_ms.unwrap_or(0.0),
            replay_speedup: plan.replay_speedup,
            left_out: HashMap::new(),
        })
    }

    /// Whether a row lies in the part that is replayed. A row without a time follows the one before it in its session.
    pub(super) fn holds(&mut self, session: Option<&str>, timestamp_ms: Option<f64>) -> bool {
        let Some(ms) = timestamp_ms else {
            return !session.and_then(|session| self.left_out.get(session)).is_some_and(|is_left_out| *is_left_out);
        };
        let holds = self.window.holds(ms);
        if self.window != Window::default()
            && let Some(session) = session
        {
            self.left_out.insert(session.to_owned(), !holds);
        }
        holds
    }

    /// The row as it is to be sent; none if it is left out.
    pub(super) fn row(&mut self, row: Row) -> Option<Row> {
        if !self.holds(row.session.as_deref(), row.timestamp_ms) {
            return None;
        }
        let timestamp_ms = row.timestamp_ms.map(|ms| self.moment(ms));
        let delay_ms = row.delay_ms.map(|ms| self.delay(ms));
        let row = self.transform.row(row)?;
        Some(Row { timestamp_ms, delay_ms, ..row })
    }

    /// A time of the trace, sped up.
    pub(super) fn moment(&self, ms: f64) -> f64 {
        self.anchor_ms + self.delay(ms - self.anchor_ms)
    }

    /// A delay, sped up.
    pub(super) fn delay(&self, ms: f64) -> f64 {
        divided(self.transform.time(ms), self.replay_speedup)
    }

    /// Tokens to ask for.
    pub(super) fn output_tokens(&self, tokens: u64) -> u64 {
        self.transform.output_tokens(tokens)
    }
}

/// The turn of a row whose prompt is yet to be made.
pub(super) fn turn(row: Row) -> Turn {
    Turn {
        prompt: Prompt::Made { tokens: row.input_tokens, blocks: row.hash_ids, block_size: row.block_size },
        output_tokens: row.output_tokens,
        timestamp_ms: row.timestamp_ms,
        delay_ms: row.delay_ms,
        ..Turn::default()
    }
}
