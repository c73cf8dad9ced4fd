//! Finding out the format of a dataset by its content.

mod document;
mod rows;

use std::io::Read;

use serde_json::Value;
use tokamark_plan::DatasetFormat;

use crate::DatasetError;
use crate::input::{Input, InputFile};

/// A format and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) format: DatasetFormat,
    /// What of the content tells it, as a part of a sentence.
    pub(crate) by: String,
}

impl Found {
    fn new(format: DatasetFormat, by: impl Into<String>) -> Self {
        Self { format, by: by.into() }
    }
}

/// Finds the format out; an error names what it may be and the flag that decides.
pub(crate) fn detect(input: &Input) -> Result<Found, DatasetError> {
    let Some(file) = input.files().first() else {
        return Err(DatasetError::Empty { path: input.path().to_owned(), hint: ": there is no file in it".to_owned() });
    };
    let mut found = of_file(file)?.map_err(|reason| DatasetError::unusable(input.path(), reason))?;
    if input.is_folder() && found.format == DatasetFormat::SingleTurn {
        // Files of single requests in one folder are pools, each with its file's name.
        found = Found::new(DatasetFormat::RandomPool, format!("it is a folder of files in which {}", found.by));
    }
    Ok(found)
}

/// The format of a file; the inner error says why it is not clear.
fn of_file(file: &InputFile) -> Result<Result<Found, String>, DatasetError> {
    if let Some(found) = of_magic(file)? {
        return Ok(Ok(found));
    }
    let mut lines = file.lines()?;
    let Some(line) = lines.next()? else {
        return Err(DatasetError::Empty { path: file.path().to_owned(), hint: String::new() });
    };
    let text = match line.text {
        Ok(text) => text.trim(),
        // A document on one long line is read in pieces.
        Err(_) => "{",
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(row)) => Ok(rows::of_row(&row).map_err(|candidates| not_clear(&candidates, "its first row"))),
        Ok(_) => document::of_document(file),
        Err(_) if text.starts_with(['{', '[']) => document::of_document(file),
        Err(_) => Ok(of_header(text)),
    }
}

/// Formats that are told by their first bytes.
fn of_magic(file: &InputFile) -> Result<Option<Found>, DatasetError> {
    let mut head = Vec::new();
    file.text()?.take(6).read_to_end(&mut head).map_err(|error| DatasetError::io(file.path(), error))?;
    let by = match &head[..] {
        [b'P', b'A', b'R', b'1', ..] => "it is a Parquet file",
        b"ARROW1" => "it is an Arrow file",
        _ => return Ok(None),
    };
    Ok(Some(Found::new(DatasetFormat::BasetenTrace, by)))
}

/// The format of a CSV file by the names of its columns.
fn of_header(line: &str) -> Result<Found, String> {
    let names: Vec<&str> = line.split(',').map(|name| name.trim().trim_matches('"').trim()).collect();
    let has = |wanted: &[&str]| wanted.iter().all(|name| names.iter().any(|one| one.eq_ignore_ascii_case(name)));
    for (format, columns) in [
        (DatasetFormat::BurstGptTrace, ["Timestamp", "Request tokens", "Response tokens"]),
        (DatasetFormat::AzureTrace, ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]),
    ] {
        if has(&columns) {
            return Ok(Found::new(format, format!("it is a CSV file with the columns {}", columns.join(", "))));
        }
    }
    Err("is in no format that is known: its first line is neither JSON nor a known table's; \
         name the format with --custom-dataset-type"
        .to_owned())
}

/// Says what it may be.
fn not_clear(candidates: &[DatasetFormat], what: &str) -> String {
    let names: Vec<&str> = candidates.iter().map(|format| format.name()).collect();
    match names.split_last() {
        None => format!(
            "is in no format that is known: {what} has no field that tells it; name the format with --custom-dataset-type"
        ),
        Some((last, others)) => {
            let others = others.join(", ");
            format!("may be {others} or {last} by {what}; name the format with --custom-dataset-type")
        }
    }
}
