//! What `--synthesis-*` changes in rows that were once sent. Their times are divided later, when all of them are known.

use std::path::Path;

use tokamark_conversation::{Prompt, Turn};
use tokamark_plan::DatasetPlan;
use tokamark_trace::{Row, SharedIds, Transform};

use crate::DatasetError;

/// Changes recorded rows.
#[derive(Debug)]
pub(super) struct Recorded(Transform);

impl Recorded {
    /// The changes of a plan to a dataset whose blocks are given.
    pub(super) fn new(path: &Path, plan: &DatasetPlan, shared: SharedIds) -> Result<Self, DatasetError> {
        match Transform::new(plan.trace.synthesis, shared) {
            Ok(transform) => Ok(Self(transform)),
            Err(error) => Err(DatasetError::unusable(path, format!("cannot be replayed as asked: {error}"))),
        }
    }

    /// Whether what is changed depends on the blocks of all rows.
    pub(super) fn needs_blocks(plan: &DatasetPlan) -> bool {
        Transform::needs_blocks(&plan.trace.synthesis)
    }

    /// Changes a turn whose recorded prompt had so many tokens; whether it is kept. A prompt that is given stays as it
    /// is.
    pub(super) fn change(&mut self, turn: &mut Turn, session: &str, input_tokens: Option<u64>) -> bool {
        let (hash_ids, block_size) = match &mut turn.prompt {
            Prompt::Made { blocks, block_size, .. } if !blocks.is_empty() => (std::mem::take(blocks), *block_size),
            _ => (Vec::new(), 0),
        };
        let row = Row {
            session: Some(session.to_owned()).filter(|session| !session.is_empty()),
            delay_ms: turn.delay_ms,
            // Without a length no limit applies.
            input_tokens: input_tokens.unwrap_or(1),
            output_tokens: turn.output_tokens,
            hash_ids,
            block_size,
            ..Row::default()
        };
        let Some(row) = self.0.row(row) else { return false };
        turn.delay_ms = row.delay_ms;
        turn.output_tokens = row.output_tokens;
        if let Prompt::Made { tokens, blocks, .. } = &mut turn.prompt {
            (*tokens, *blocks) = (row.input_tokens, row.hash_ids);
        }
        true
    }
}
