//! `genai_perf_payload`: GenAI-Perf's `payload:` files. What a row has besides the known fields goes into the body.

use tokamark_conversation::{Conversation, Prompt, Turn};
use tokamark_trace::SharedIds;

use super::recorded::Recorded;
use super::waits::Waits;
use crate::DatasetError;
use crate::fields::{Fields, whole};
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;

/// Tokens of each hash id, unless another number is asked for.
const BLOCK: u32 = 512;

/// Reads the format.
#[derive(Debug, Default)]
pub(super) struct GenaiPerfPayload {
    waits: Waits,
}

impl Reader for GenaiPerfPayload {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let shared = if Recorded::needs_blocks(sink.plan) { shared(input)? } else { SharedIds::default() };
        let mut recorded = Recorded::new(input.path(), sink.plan, shared)?;
        let block_size = sink.plan.trace.block_size.unwrap_or(BLOCK);
        for file in input.files() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                if sink.is_full() {
                    return Ok(());
                }
                let mut fields = Fields::of_line(&line);
                let id = fields.name("session_id").unwrap_or_default();
                let has_length = fields.has("input_length");
                let length = fields.above_zero("input_length");
                let mut turn = Turn {
                    output_tokens: fields.output_tokens(&["output_length"]),
                    timestamp_ms: fields.ms("timestamp"),
                    delay_ms: fields.ms("delay"),
                    prompt: prompt(&mut fields, has_length, length, block_size),
                    ..Turn::default()
                };
                turn.extra = fields.take_rest();
                if sink.close(file, fields) {
                    turn.row = sink.row();
                    self.waits.pass_on(&id, &mut turn);
                    if recorded.change(&mut turn, &id, length) {
                        sink.push(Conversation::single(id, turn))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The blocks of all rows.
fn shared(input: &Input) -> Result<SharedIds, DatasetError> {
    let mut shared = SharedIds::default();
    for file in input.files() {
        let mut lines = file.lines()?;
        while let Some(line) = lines.next()? {
            shared.add(&blocks(&mut Fields::of_line(&line)));
        }
    }
    Ok(shared)
}

fn prompt(fields: &mut Fields, has_length: bool, length: Option<u64>, block_size: u32) -> Prompt {
    let faults = fields.faults();
    if fields.has("text") && fields.has("text_input") {
        fields.fault("text_input", "stands beside `text`; only one of them may be given");
    }
    let text = match fields.filled("text") {
        Some(text) => Some(text),
        None => fields.filled("text_input"),
    };
    let blocks = blocks(fields);
    if let Some(text) = text {
        return Prompt::Texts(vec![text]);
    }
    let Some(tokens) = length else {
        if fields.faults() == faults && !has_length && !fields.is_no_object() {
            fields.fault("text", "is missing, and so is `input_length`");
        }
        return Prompt::default();
    };
    // The last block may be cut short, but is not empty.
    if !blocks.is_empty() && tokens.div_ceil(u64::from(block_size.max(1))) != blocks.len() as u64 {
        let count = blocks.len();
        fields.fault("hash_ids", format!("has {count} blocks of {block_size} tokens for {tokens} tokens"));
    }
    Prompt::Made { tokens, blocks, block_size }
}

fn blocks(fields: &mut Fields) -> Vec<u64> {
    let list = fields.list("hash_ids").unwrap_or_default();
    let blocks: Vec<u64> = list.iter().filter_map(whole).collect();
    if blocks.len() != list.len() {
        fields.fault("hash_ids", "has an entry that is not a whole number");
    }
    blocks
}
