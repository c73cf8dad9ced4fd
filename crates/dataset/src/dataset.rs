//! An open dataset.

use std::collections::BTreeSet;

use tokamark_conversation::Conversation;
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::detect::{Found, detect};
use crate::input::Input;
use crate::schedule::Schedule;
use crate::sink::Sink;
use crate::store::{Store, hexadecimal};
use crate::{DatasetError, Faults, Options, formats, traces};

/// The conversations of a file or folder. It has at least one.
#[derive(Debug)]
pub struct Dataset {
    format: DatasetFormat,
    how_found: String,
    store: Store,
    /// The conversations that lie in the part that is replayed; all if absent.
    chosen: Option<Vec<u32>>,
    schedule: Schedule,
    starts_ms: Option<Vec<f64>>,
    ignored: BTreeSet<String>,
    skipped: u64,
    faults: Faults,
    rows: u64,
    turns: u64,
}

/// Reads a dataset. Every row is looked at before anything is decided, so that all faults are told at once.
///
/// # Errors
/// It cannot be read, its format is not clear, or rows of it cannot be used.
pub fn open(plan: &DatasetPlan, options: &Options<'_>) -> Result<Dataset, DatasetError> {
    let input = Input::open(&plan.path)?;
    let (format, how_found) = match plan.format {
        Some(format) => (format, format!("read as {}, as asked for", format.name())),
        None => {
            let Found { format, by } = detect(&input)?;
            (format, format!("read as {}, because {by}", format.name()))
        }
    };
    let mut sink = Sink::new(plan, options);
    let mut reader = formats::reader(format)
        .or_else(|| traces::reader(format))
        .ok_or_else(|| DatasetError::unusable(input.path(), format!("cannot be read as {} yet", format.name())))?;
    reader.read(&input, &mut sink)?;
    finish(&input, format, how_found, sink)
}

/// The dataset of what a reader gave.
pub(crate) fn finish(
    input: &Input,
    format: DatasetFormat,
    how_found: String,
    sink: Sink<'_>,
) -> Result<Dataset, DatasetError> {
    let Sink { plan, faults, skipped, ignored, rows, turns, starts_at_zero, store, .. } = sink;
    if faults.count() > 0 && !plan.skip_bad_lines {
        return Err(DatasetError::Faults { path: input.path().to_owned(), faults });
    }
    let store = store.finish();
    if store.len() == 0 {
        let hint = match skipped {
            0 => formats::hint(format).to_owned(),
            1 => " that can be used; one was skipped".to_owned(),
            _ => format!(" that can be used; {skipped} were skipped"),
        };
        return Err(DatasetError::Empty { path: input.path().to_owned(), hint });
    }
    let (mut schedule, mut chosen, mut starts_ms) = (Schedule::default(), None, store.starts_ms().map(<[f64]>::to_vec));
    // Readers of traces have done this row by row.
    if let Some(starts) = starts_ms.as_mut().filter(|_| traces::reader(format).is_none()) {
        schedule = Schedule::of(&plan.trace, format.is_trace())
            .map_err(|error| DatasetError::unusable(input.path(), format!("cannot be replayed as asked: {error}")))?;
        if starts_at_zero {
            schedule = schedule.starting_at_first(starts);
        }
        chosen = schedule.chosen(starts);
        if let Some(chosen) = &chosen {
            *starts = chosen.iter().map(|&number| starts[number as usize]).collect();
            if chosen.is_empty() {
                let hint = " between the start offset and the end offset".to_owned();
                return Err(DatasetError::Empty { path: input.path().to_owned(), hint });
            }
        }
        starts.iter_mut().for_each(|start| *start = schedule.moment(*start));
    }
    Ok(Dataset { format, how_found, store, chosen, schedule, starts_ms, ignored, skipped, faults, rows, turns })
}

impl Dataset {
    /// The format it was read in.
    #[must_use]
    pub fn format(&self) -> DatasetFormat {
        self.format
    }

    /// How the format was found, as a part of a sentence.
    #[must_use]
    pub fn how_found(&self) -> &str {
        &self.how_found
    }

    /// Conversations that are played by themselves; at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> u64 {
        self.chosen.as_ref().map_or(self.store.len(), |chosen| chosen.len() as u64)
    }

    /// Rows that were read and could be used.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Turns of all conversations, those of children too.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// A conversation, from 0, read from where it is kept. Any thread may ask.
    ///
    /// # Errors
    /// It cannot be read again, or there is none with this number.
    pub fn conversation(&self, number: u64) -> Result<Conversation, DatasetError> {
        let mut conversation =
            self.store.conversation(self.stored(number)).map_err(|reason| DatasetError::Stored { number, reason })?;
        if conversation.id.is_empty() {
            conversation.id = unnamed(number);
        }
        self.shift(&mut conversation);
        Ok(conversation)
    }

    /// The name of a conversation.
    #[must_use]
    pub fn name(&self, number: u64) -> String {
        self.store.name(self.stored(number)).filter(|name| !name.is_empty()).unwrap_or_else(|| unnamed(number))
    }

    /// Where a conversation is kept.
    fn stored(&self, number: u64) -> u64 {
        match &self.chosen {
            None => number,
            Some(chosen) => {
                usize::try_from(number).ok().and_then(|number| chosen.get(number).copied()).map_or(u64::MAX, u64::from)
            }
        }
    }

    /// A conversation that only others begin, by its name.
    ///
    /// # Errors
    /// It cannot be read again.
    pub fn child(&self, name: &str) -> Result<Option<Conversation>, DatasetError> {
        let Some(child) = self.store.child(name) else { return Ok(None) };
        let mut child = child.map_err(|reason| DatasetError::Stored { number: 0, reason })?;
        self.shift(&mut child);
        Ok(Some(child))
    }

    /// When the first turn of each conversation is due, milliseconds in the dataset's own time and in the order of
    /// conversations; only if that is known of all.
    #[must_use]
    pub fn starts_ms(&self) -> Option<&[f64]> {
        self.starts_ms.as_deref()
    }

    /// Fields that some row has and that change nothing.
    pub fn ignored_fields(&self) -> impl Iterator<Item = &str> {
        self.ignored.iter().map(String::as_str)
    }

    /// Rows that were left out for their faults.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.skipped
    }

    /// What is wrong with the rows that were left out.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// SHA-256 of the conversations, in hexadecimal digits.
    #[must_use]
    pub fn content_digest(&self) -> String {
        hexadecimal(self.store.digest())
    }

    fn shift(&self, conversation: &mut Conversation) {
        let times = conversation.turns.iter_mut().filter_map(|turn| turn.timestamp_ms.as_mut());
        for time in times.chain(conversation.start_ms.as_mut()) {
            *time = self.schedule.moment(*time);
        }
    }
}

/// The name of a conversation that has none.
fn unnamed(number: u64) -> String {
    format!("session_{number:06}")
}
