//! Prompts from a file.

mod fault;
mod single_turn;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Map, Value};

pub use fault::{DatasetError, Fault, Faults};
use single_turn::RowReader;
use tokamark_tokenizer::Tokenizer;

/// The rows of a file. It has at least one.
#[derive(Debug)]
pub(crate) struct Dataset {
    pub(crate) rows: Vec<Row>,
    /// Fields of the file that change nothing.
    pub(crate) ignored: BTreeSet<String>,
}

/// One row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) texts: Vec<String>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) model: Option<String>,
    pub(crate) extra: Map<String, Value>,
    tokens: OnceLock<u64>,
}

impl Row {
    /// Tokens of the texts, counted when first asked for.
    pub(crate) fn tokens(&self, tokenizer: &Tokenizer) -> u64 {
        *self.tokens.get_or_init(|| self.texts.iter().map(|text| tokenizer.count(text) as u64).sum())
    }
}

impl Dataset {
    /// Reads a file of single turns. Every line is looked at before anything is decided, so that all faults are told.
    pub(crate) fn single_turn(path: &Path) -> Result<Self, DatasetError> {
        let unreadable = |source| DatasetError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        let mut reader = RowReader::default();
        let mut rows = Vec::new();
        for_each_line(BufReader::new(file), |number, line| rows.extend(reader.row(number, line)))
            .map_err(unreadable)?;
        if reader.faults.count() > 0 {
            return Err(DatasetError::Faults { path: path.to_owned(), faults: reader.faults });
        }
        if rows.is_empty() {
            return Err(DatasetError::Empty { path: path.to_owned() });
        }
        Ok(Self { rows, ignored: reader.ignored })
    }
}

/// Calls a function with the number (from 1) and the text of each line that is not blank. A byte order mark and line
/// ends of any kind are no part of a line.
fn for_each_line(mut input: impl BufRead, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    while input.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        let text = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        let text = text.trim_ascii();
        if !text.is_empty() {
            each(number, text);
        }
        line.clear();
    }
    Ok(())
}
