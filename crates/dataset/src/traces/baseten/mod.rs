//! `baseten_trace`: prompts as they were, with the times of a clock.

mod placing;

use std::io::Read;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_plan::{OpenLoop, TracePlan};
use tokamark_trace::SharedIds;

use super::replay::Replay;
use super::rows::{block_names, needed};
use crate::DatasetError;
use crate::fields::Fields;
use crate::input::{Input, InputFile};
use crate::public::rows::parquet_rows;
use crate::reader::Reader;
use crate::sink::Sink;
use placing::{Placed, Recorded, place};

/// Tokens of a block unless the row or the plan says otherwise.
const BLOCK_SIZE: u32 = 64;

/// The variable that names the column with sessions.
const SESSION_COLUMN: &str = "AIPERF_DATASET_BASETEN_SESSION_COLUMN";

/// Reads the format: once for the times of all rows, once for the rows.
#[derive(Debug)]
pub(super) struct Baseten {
    /// The column with sessions.
    session_column: String,
}

impl Default for Baseten {
    fn default() -> Self {
        let named = std::env::var(SESSION_COLUMN).ok().filter(|name| !name.is_empty());
        Self { session_column: named.unwrap_or_else(|| "provided_session_id".to_owned()) }
    }
}

/// What a row says.
struct Entry {
    prompt: String,
    session: Option<String>,
    start_ms: f64,
    duration_ms: f64,
    input_tokens: u64,
    output_tokens: u64,
    hashes: Vec<u64>,
    block_size: u64,
}

impl Reader for Baseten {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let plan = &sink.plan.trace;
        let replay = &mut Replay::new(input, plan, SharedIds::default())?;
        let mut recorded = Vec::new();
        self.each(input, |_, mut fields| {
            let entry = self.entry(&mut fields, plan);
            recorded.push(entry.filter(|_| fields.faults() == 0).map(|entry| Recorded {
                session: session_key(entry.session.as_deref(), recorded.len()),
                start_ms: entry.start_ms,
                end_ms: entry.start_ms + entry.duration_ms,
                input_tokens: entry.input_tokens,
            }));
            Ok(true)
        })?;
        let placed = place(&recorded, plan, sink.options.seed, replay);
        drop(recorded);
        let mut placed = placed.into_iter();
        self.each(input, |file, mut fields| {
            let entry = self.entry(&mut fields, plan);
            let place = placed.next().flatten();
            if sink.close(file, fields) {
                let row = sink.row();
                if let (Some(entry), Some(place)) = (entry, place) {
                    let (conversation, order) = conversation(entry, place, row, plan, replay);
                    sink.push_at(conversation, order)?;
                }
            }
            Ok(true)
        })
    }
}

impl Baseten {
    fn each(
        &self,
        input: &Input,
        mut take: impl FnMut(&InputFile, Fields) -> Result<bool, DatasetError>,
    ) -> Result<(), DatasetError> {
        for file in input.files() {
            let mut head = Vec::new();
            file.text()?.take(6).read_to_end(&mut head).map_err(|error| DatasetError::io(file.path(), error))?;
            if head == b"ARROW1" {
                return Err(DatasetError::unusable(file.path(), "is an Arrow file; write the table as Parquet"));
            }
            if let Err(reason) = parquet_rows(file.path(), &mut |fields| take(file, fields))? {
                return Err(DatasetError::unusable(file.path(), reason));
            }
        }
        Ok(())
    }

    fn entry(&self, fields: &mut Fields, plan: &TracePlan) -> Option<Entry> {
        let start_ms = needed(fields, "timestamp_start_unix_ms", Fields::ms);
        let prompt = needed(fields, "prompt", Fields::filled);
        let input_tokens = needed(fields, "input_tokens", Fields::whole);
        let output_tokens = needed(fields, "output_tokens", Fields::whole);
        let session = fields.name(&self.session_column);
        let duration_ms = fields.ms("duration_e2e_ms").unwrap_or(0.0);
        let hashes = block_names(fields, "total_hashes");
        let block_size = fields.above_zero("block_size");
        // A table of a log has many other columns.
        fields.take_rest();
        Some(Entry {
            prompt: prompt?,
            session,
            start_ms: start_ms?,
            duration_ms,
            input_tokens: input_tokens?,
            output_tokens: output_tokens?,
            hashes,
            block_size: plan.block_size.map(u64::from).or(block_size).unwrap_or(BLOCK_SIZE.into()),
        })
    }
}

fn conversation(entry: Entry, place: Placed, row: u64, plan: &TracePlan, replay: &Replay) -> (Conversation, i64) {
    let output_tokens = replay.output_tokens(entry.output_tokens).max(1);
    let mut extra = Map::new();
    if plan.force_min_tokens {
        extra.insert("min_tokens".to_owned(), output_tokens.into());
    }
    if !plan.omit_kv_hints && !entry.hashes.is_empty() {
        extra.insert("hash_ids".to_owned(), Value::from(entry.hashes));
        extra.insert("block_size".to_owned(), entry.block_size.into());
    }
    let turn = Turn {
        row,
        prompt: Prompt::Texts(vec![entry.prompt]),
        output_tokens: Some(output_tokens),
        extra,
        timestamp_ms: place.timestamp_ms,
        delay_ms: place.delay_ms,
        ..Turn::default()
    };
    let id = entry.session.filter(|_| plan.open_loop != OpenLoop::Strict).unwrap_or_default();
    (Conversation { history: History::None, ..Conversation::single(id, turn) }, place.order)
}

/// A session's name, shortened. A row without one is a session by itself.
fn session_key(session: Option<&str>, row: usize) -> u64 {
    let digest = match session {
        Some(name) => Sha256::new().chain_update([1]).chain_update(name),
        None => Sha256::new().chain_update([0]).chain_update(row.to_le_bytes()),
    };
    shortened(digest)
}

/// The first eight bytes of a digest.
fn shortened(digest: Sha256) -> u64 {
    digest.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
