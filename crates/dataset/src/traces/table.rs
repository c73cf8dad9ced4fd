//! Rows of CSV files.

use std::io::Read;

use serde_json::{Map, Number, Value};

use crate::DatasetError;
use crate::fault::Place;
use crate::fields::Fields;
use crate::input::InputFile;

/// Reads a CSV file with a header row by row.
pub(super) struct Table<'a> {
    file: &'a InputFile,
    rows: csv::Reader<Box<dyn Read + Send>>,
    columns: Vec<String>,
    row: csv::ByteRecord,
}

impl<'a> Table<'a> {
    /// Opens a file that has these columns and maybe others.
    pub(super) fn open(file: &'a InputFile, needed: &[&str]) -> Result<Self, DatasetError> {
        let mut rows = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(file.text()?);
        let header = rows.byte_headers().map_err(|error| unreadable(file, error))?;
        let columns: Vec<String> = header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        if let Some(missing) = needed.iter().find(|needed| !columns.iter().any(|column| column == *needed)) {
            let reason = format!("has no column `{missing}`; its first line has to name the columns");
            return Err(DatasetError::unusable(file.path(), reason));
        }
        Ok(Self { file, rows, columns, row: csv::ByteRecord::new() })
    }

    /// The fields of the next row. Empty cells are absent, and what reads as a number is one.
    pub(super) fn next(&mut self) -> Result<Option<Fields>, DatasetError> {
        if !self.rows.read_byte_record(&mut self.row).map_err(|error| unreadable(self.file, error))? {
            return Ok(None);
        }
        let place = Place::Line(self.row.position().map_or(0, csv::Position::line));
        let mut object = Map::new();
        for (column, cell) in self.columns.iter().zip(&self.row) {
            if let Some(value) = value(cell) {
                object.insert(column.clone(), value);
            }
        }
        let mut fields = Fields::new(place, object);
        if self.row.len() != self.columns.len() {
            fields.fault_of_row(format!("has {} cells, but there are {} columns", self.row.len(), self.columns.len()));
        }
        Ok(Some(fields))
    }
}

fn value(cell: &[u8]) -> Option<Value> {
    if cell.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(cell);
    let whole = text.parse::<u64>().ok().map(Number::from);
    let number = whole.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
    Some(number.map_or_else(|| Value::String(text.into_owned()), Value::Number))
}

fn unreadable(file: &InputFile, error: csv::Error) -> DatasetError {
    let reason = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => DatasetError::io(file.path(), error),
        _ => DatasetError::unusable(file.path(), format!("is no CSV table: {reason}")),
    }
}
