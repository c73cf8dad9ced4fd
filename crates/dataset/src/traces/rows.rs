//! Traces of which every line is a row by itself.

use serde_json::{Map, Value};
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_plan::TracePlan;
use tokamark_trace::{Row, SharedIds, Transform};

use super::replay::{Replay, turn};
use super::table::Table;
use crate::DatasetError;
use crate::fields::Fields;
use crate::input::{Input, InputFile};
use crate::reader::Reader;
use crate::sink::Sink;

/// A row with what its format adds to it.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// Its lengths, blocks and times. Of a prompt that is given there is no length.
    pub(super) row: Row,
    /// A prompt that is given and not to be made.
    pub(super) given: Option<Prompt>,
    /// What it repeats of the rows before it in its session.
    pub(super) history: History,
    /// Tools of its own.
    pub(super) tools: Option<Value>,
    /// Fields for the body.
    pub(super) extra: Map<String, Value>,
    /// Its place in its session; equal ones keep the order of the file.
    pub(super) order: i64,
}

/// One format of such traces.
pub(super) trait RowFormat {
    /// The columns that a CSV file needs; none if the files are JSONL.
    const COLUMNS: Option<&'static [&'static str]> = None;
    /// Whether rows depend on others that may come after them.
    const LOOKS_AHEAD: bool = false;

    /// The row of a line; `text` is all of it if the file is JSONL.
    fn entry(&mut self, fields: &mut Fields, text: &str, plan: &TracePlan) -> Entry;

    /// Takes note of a row before any is used.
    fn look(&mut self, _entry: &Entry) {}

    /// Forgets what reading a row left for the next one; all rows are read again.
    fn rewind(&mut self) {}

    /// Completes a row when all have been looked at.
    fn settle(&mut self, _entry: &mut Entry, _fields: &mut Fields) {}
}

/// Reads such traces: once to see what rows have in common, if anything depends on it, and once to give them on.
#[derive(Debug, Default)]
pub(super) struct RowTrace<F>(pub(super) F);

impl<F: RowFormat> Reader for RowTrace<F> {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let plan = &sink.plan.trace;
        let mut shared = SharedIds::default();
        let needs_blocks = Transform::needs_blocks(&plan.synthesis);
        if needs_blocks || F::LOOKS_AHEAD {
            let most = plan.synthesis.max_isl.unwrap_or(u64::MAX);
            each::<F>(input, |_, mut fields, text| {
                let entry = self.0.entry(&mut fields, text, plan);
                if fields.faults() == 0 {
                    self.0.look(&entry);
                    if needs_blocks && entry.row.input_tokens <= most {
                        shared.add(&entry.row.hash_ids);
                    }
                }
                Ok(true)
            })?;
        }
        self.0.rewind();
        let mut replay = Replay::new(input, plan, shared)?;
        each::<F>(input, |file, mut fields, text| {
            let mut entry = self.0.entry(&mut fields, text, plan);
            if fields.faults() == 0 {
                self.0.settle(&mut entry, &mut fields);
            }
            if entry.given.is_none()
                && fields.faults() == 0
                && let Err(error) = entry.row.check()
            {
                fields.fault(error.field(), error.to_string());
            }
            if sink.close(file, fields) {
                let number = sink.row();
                push(entry, number, &mut replay, sink)?;
            }
            Ok(!sink.is_full())
        })
    }
}

fn push(entry: Entry, number: u64, replay: &mut Replay, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    let Entry { row, given, history, tools, extra, order } = entry;
    let id = row.session.clone().unwrap_or_default();
    let turn = match given {
        None => replay.row(row).map(turn),
        Some(prompt) => replay.holds(row.session.as_deref(), row.timestamp_ms).then(|| Turn {
            prompt,
            output_tokens: row.output_tokens.map(|tokens| replay.output_tokens(tokens)),
            timestamp_ms: row.timestamp_ms.map(|ms| replay.moment(ms)),
            delay_ms: row.delay_ms.map(|ms| replay.delay(ms)),
            ..Turn::default()
        }),
    };
    match turn {
        None => Ok(()),
        Some(turn) => {
            let turn = Turn { row: number, tools, extra, ..turn };
            sink.push_at(Conversation { history, ..Conversation::single(id, turn) }, order)
        }
    }
}

/// Gives each row of all files, with its line if they are JSONL, until it is told to stop.
fn each<F: RowFormat>(
    input: &Input,
    mut take: impl FnMut(&InputFile, Fields, &str) -> Result<bool, DatasetError>,
) -> Result<(), DatasetError> {
    for file in input.files() {
        if let Some(columns) = F::COLUMNS {
            let mut table = Table::open(file, columns)?;
            while let Some(fields) = table.next()? {
                if !take(file, fields, "")? {
                    return Ok(());
                }
            }
        } else {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                let fields = Fields::of_line(&line);
                if !take(file, fields, line.text.unwrap_or_default())? {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// The value of a field that has to be there.
pub(super) fn needed<T>(fields: &mut Fields, field: &str, take: impl Fn(&mut Fields, &str) -> Option<T>) -> Option<T> {
    if !fields.has(field) && !fields.is_no_object() {
        fields.fault(field, "is missing");
    }
    take(fields, field)
}

/// A time in seconds, as milliseconds to the microsecond.
pub(super) fn seconds(fields: &mut Fields, field: &str) -> Option<f64> {
    let number = fields.take(field)?;
    match number.as_f64() {
        Some(seconds) if seconds.is_finite() && seconds >= 0.0 => return Some((seconds * 1e6).round() / 1e3),
        Some(_) => fields.fault(field, "is negative"),
        None => fields.fault(field, "is not a number of seconds"),
    }
    None
}

/// Names of blocks: whole numbers. Negative ones are hashes that were written as signed numbers.
pub(super) fn block_names(fields: &mut Fields, field: &str) -> Vec<u64> {
    let mut names = Vec::new();
    for (at, value) in fields.list(field).unwrap_or_default().into_iter().enumerate() {
        match value.as_u64().or_else(|| value.as_i64().map(i64::cast_unsigned)) {
            Some(name) => names.push(name),
            None => {
                fields.fault(&format!("{field}[{at}]"), "is not a whole number");
                break;
            }
        }
    }
    names
}
