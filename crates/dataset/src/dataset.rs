//! An open dataset.

use std::collections::BTreeSet;

use tokamark_conversation::Conversation;
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::detect::{Found, detect};
use crate::input::Input;
use crate::sink::Sink;
use crate::store::{Store, hexadecimal};
use crate::{DatasetError, Faults, Options, formats, traces};

/// The conversations of a file or folder. It has at least one.
#[derive(Debug)]
pub struct Dataset {
    format: DatasetFormat,
    how_found: String,
    store: Store,
    /// Subtracted from every time.
    zero_ms: f64,
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
    let mut starts_ms = store.starts_ms().map(<[f64]>::to_vec);
    let mut zero_ms = 0.0;
    if let Some(starts) = starts_ms.as_mut().filter(|_| starts_at_zero) {
        zero_ms = starts.iter().copied().fold(f64::INFINITY, f64::min);
        starts.iter_mut().for_each(|start| *start -= zero_ms);
    }
    Ok(Dataset { format, how_found, store, zero_ms, starts_ms, ignored, skipped, faults, rows, turns })
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
        self.store.len()
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
            self.store.conversation(number).map_err(|reason| DatasetError::Stored { number, reason })?;
        if conversation.id.is_empty() {
            conversation.id = format!("session_{number:06}");
        }
        self.shift(&mut conversation);
        Ok(conversation)
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
        if self.zero_ms != 0.0 {
            let times = conversation.turns.iter_mut().filter_map(|turn| turn.timestamp_ms.as_mut());
            for time in times.chain(conversation.start_ms.as_mut()) {
                *time -= self.zero_ms;
            }
        }
    }
}
