//! Opening traces that tests make up.

use std::fs;

use tokamark_conversation::{Conversation, Prompt, Turn};
use tokamark_dataset::{Batch, Dataset, DatasetError, Faults, Options, open};
use tokamark_plan::{DatasetFormat, DatasetPlan, TracePlan};

/// What comes of one file and a plan.
pub(crate) fn try_open(
    content: impl AsRef<[u8]>,
    format: DatasetFormat,
    trace: TracePlan,
) -> Result<Dataset, DatasetError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    fs::write(&path, content).unwrap();
    let options = Options { seed: 1, entries: None, batch: Batch::default(), count: &|_| 0, missing: &|_| None };
    open(&DatasetPlan { trace, ..DatasetPlan::of(path, Some(format)) }, &options)
}

/// The conversations of one file.
#[track_caller]
pub(crate) fn conversations(content: impl AsRef<[u8]>, format: DatasetFormat, trace: TracePlan) -> Vec<Conversation> {
    let dataset = try_open(content, format, trace).unwrap();
    (0..dataset.len()).map(|number| dataset.conversation(number).unwrap()).collect()
}

/// The faults of one file.
#[track_caller]
pub(crate) fn faults(content: impl AsRef<[u8]>, format: DatasetFormat) -> Faults {
    match try_open(content, format, TracePlan::default()) {
        Err(DatasetError::Faults { faults, .. }) => faults,
        other => panic!("{other:?}"),
    }
}

/// The faults of one file, each as a line.
#[track_caller]
pub(crate) fn fault_lines(content: impl AsRef<[u8]>, format: DatasetFormat) -> Vec<String> {
    faults(content, format).first().iter().map(ToString::to_string).collect()
}

/// A prompt that is yet to be made.
pub(crate) fn prompt(tokens: u64, blocks: &[u64], block_size: u32) -> Prompt {
    Prompt::Made { tokens, blocks: blocks.to_vec(), block_size }
}

/// Tokens of the prompt that is yet to be made.
#[track_caller]
pub(crate) fn tokens(turn: &Turn) -> u64 {
    match &turn.prompt {
        Prompt::Made { tokens, .. } => *tokens,
        other => panic!("{other:?}"),
    }
}

/// Tokens of the prompts of all turns.
#[track_caller]
pub(crate) fn lengths(conversations: &[Conversation]) -> Vec<Vec<u64>> {
    conversations.iter().map(|conversation| conversation.turns.iter().map(tokens).collect()).collect()
}

/// Times of all turns.
pub(crate) fn times(conversations: &[Conversation]) -> Vec<Vec<Option<f64>>> {
    let of = |conversation: &Conversation| conversation.turns.iter().map(|turn| turn.timestamp_ms).collect();
    conversations.iter().map(of).collect()
}
