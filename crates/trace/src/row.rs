//! A row of a trace.

use crate::layout::{Layout, LayoutError};

/// More tokens than any server takes; lengths beyond are mistakes.
pub(crate) const MOST_TOKENS: u64 = 1_000_000_000;

/// One request as a trace tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Line or number in the file, from 1.
    pub line: u64,
    /// The session it belongs to.
    pub session: Option<String>,
    /// It says the whole prompt though others of its session came before; else only what it adds to theirs.
    pub is_complete: bool,
    /// When it was sent, milliseconds in the trace's own time.
    pub timestamp_ms: Option<f64>,
    /// Milliseconds between the answer before it and it.
    pub delay_ms: Option<f64>,
    /// Tokens of the prompt; of what the row adds to it in a session.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
    /// Names of the prompt's first blocks, in order.
    pub hash_ids: Vec<u64>,
    /// Tokens of a block.
    pub block_size: u32,
}

/// Why a row cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RowError {
    /// A time is not a number of milliseconds.
    #[error("must be a finite number from 0")]
    Time {
        /// `timestamp` or `delay`.
        field: &'static str,
    },
    /// The prompt or the answer has an impossible length.
    #[error("must be a whole number from {least} to {MOST_TOKENS}")]
    Length {
        /// `input_length` or `output_length`.
        field: &'static str,
        /// The shortest possible.
        least: u64,
    },
    /// Blocks and length do not belong together.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl RowError {
    /// The field that is wrong, as Mooncake's format names it.
    #[must_use]
    pub fn field(&self) -> &'static str {
        match self {
            Self::Time { field } | Self::Length { field, .. } => field,
            Self::Layout(LayoutError::BlockSize) => "block_size",
            Self::Layout(LayoutError::TooManyBlocks { .. }) => "hash_ids",
        }
    }
}

impl Row {
    /// How its blocks cover its prompt.
    ///
    /// # Errors
    /// What is wrong with the row, the first thing only.
    pub fn check(&self) -> Result<Layout, RowError> {
        for (field, time) in [("timestamp", self.timestamp_ms), ("delay", self.delay_ms)] {
            if time.is_some_and(|ms| !(ms.is_finite() && ms >= 0.0)) {
                return Err(RowError::Time { field });
            }
        }
        if !(1..=MOST_TOKENS).contains(&self.input_tokens) {
            return Err(RowError::Length { field: "input_length", least: 1 });
        }
        if self.output_tokens.is_some_and(|tokens| tokens > MOST_TOKENS) {
            return Err(RowError::Length { field: "output_length", least: 0 });
        }
        Ok(Layout::of(self.input_tokens, self.hash_ids.len(), self.block_size)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row { input_tokens: 10, hash_ids: vec![1, 2, 3], block_size: 4, ..Row::default() }
    }

    #[test]
    fn a_good_row_tells_its_layout() {
        assert_eq!(row().check(), Ok(Layout::PartialLast));
    }

    #[test]
    fn faults_name_their_field() {
        let faults = [
            (Row { timestamp_ms: Some(f64::NAN), ..row() }, "timestamp"),
            (Row { timestamp_ms: Some(f64::INFINITY), ..row() }, "timestamp"),
            (Row { delay_ms: Some(-1.0), ..row() }, "delay"),
            (Row { input_tokens: 0, ..row() }, "input_length"),
            (Row { input_tokens: MOST_TOKENS + 1, ..row() }, "input_length"),
            (Row { output_tokens: Some(MOST_TOKENS + 1), ..row() }, "output_length"),
            (Row { input_tokens: 8, ..row() }, "hash_ids"),
            (Row { block_size: 0, ..row() }, "block_size"),
        ];
        for (row, field) in faults {
            assert_eq!(row.check().unwrap_err().field(), field);
        }
    }
}
