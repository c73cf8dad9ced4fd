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

const START: &str = "timestamp_start_unix_ms";
const DURATION: &str = "duration_e2e_ms";
const INPUT_TOKENS: &str = "input_tokens";

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
    output_tokens: u64,
    hashes: Vec<u64>,
    block_size: u64,
}

impl Reader for Baseten {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let plan = &sink.plan.trace;
        let replay = &mut Replay::new(input, plan, SharedIds::default())?;
        let mut recorded = Vec::new();
        // Without the prompts, which are nearly all of the file.
        let columns = [START, DURATION, INPUT_TOKENS, &self.session_column];
        each(input, Some(&columns), |_, mut fields| {
            recorded.push(self.recorded(&mut fields, recorded.len()));
            Ok(true)
        })?;
        let placed = place(&recorded, plan, sink.options.seed, replay);
        drop(recorded);
        let mut placed = placed.into_iter();
        each(input, None, |file, mut fields| {
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
    fn recorded(&self, fields: &mut Fields, row: usize) -> Option<Recorded> {
        let start_ms = fields.ms(START)?;
        Some(Recorded {
            session: session_key(fields.name(&self.session_column).as_deref(), row),
            start_ms,
            end_ms: start_ms + fields.ms(DURATION).unwrap_or(0.0),
            input_tokens: fields.whole(INPUT_TOKENS)?,
        })
    }

    fn entry(&self, fields: &mut Fields, plan: &TracePlan) -> Option<Entry> {
        // When it is sent is known from the first reading.
        needed(fields, START, Fields::ms);
        needed(fields, INPUT_TOKENS, Fields::whole);
        let prompt = needed(fields, "prompt", Fields::filled);
        let output_tokens = needed(fields, "output_tokens", Fields::whole);
        let session = fields.name(&self.session_column);
        fields.ms(DURATION);
        let hashes = block_names(fields, "total_hashes");
        let block_size = fields.above_zero("block_size");
        // A table of a log has many other columns.
        fields.take_rest();
        Some(Entry {
            prompt: prompt?,
            session,
            output_tokens: output_tokens?,
            hashes,
            block_size: plan.block_size.map(u64::from).or(block_size).unwrap_or(BLOCK_SIZE.into()),
        })
    }
}

/// Gives every row of all files, with these columns only if any are named.
fn each(
    input: &Input,
    columns: Option<&[&str]>,
    mut take: impl FnMut(&InputFile, Fields) -> Result<bool, DatasetError>,
) -> Result<(), DatasetError> {
    for file in input.files() {
        let mut head = Vec::new();
        file.text()?.take(6).read_to_end(&mut head).map_err(|error| DatasetError::io(file.path(), error))?;
        if head == b"ARROW1" {
            return Err(DatasetError::unusable(file.path(), "is an Arrow file; write the table as Parquet"));
        }
        if let Err(reason) = parquet_rows(file.path(), columns, &mut |fields| take(file, fields))? {
            return Err(DatasetError::unusable(file.path(), reason));
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fault::Place;

    fn session(column: &str, row: Value, number: usize) -> u64 {
        let reader = Baseten { session_column: column.to_owned() };
        reader.recorded(&mut Fields::of_value(Place::Row(1), row), number).unwrap().session
    }

    #[test]
    fn sessions_are_those_of_the_named_column() {
        let row = |provided: Option<&str>, other: &str| json!({START: 5, INPUT_TOKENS: 1, "provided_session_id": provided, "poor_man_session_id": other});
        let (one, two) = (row(Some("a"), "x"), row(Some("b"), "x"));
        assert_ne!(session("provided_session_id", one.clone(), 0), session("provided_session_id", two.clone(), 1));
        assert_eq!(session("poor_man_session_id", one, 0), session("poor_man_session_id", two, 1));
        // Rows without a session are each by themselves.
        let none = row(None, "x");
        assert_ne!(session("provided_session_id", none.clone(), 0), session("provided_session_id", none, 1));
    }
}
