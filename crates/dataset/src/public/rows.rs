//! Rows of tables and of JSON as objects. Bytes in them become data URIs.

use std::fs::File;
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type;
use serde_json::{Map, Number, Value};

use super::media::data_uri;
use crate::DatasetError;
use crate::fault::Place;
use crate::fields::Fields;
use crate::input::{InputFile, each_entry, first_character};

/// Takes a row and says whether more are wanted.
pub(crate) type Each<'a> = dyn FnMut(Fields) -> Result<bool, DatasetError> + 'a;

/// Gives every row of a file; the inner error says why it has none.
pub(crate) fn each_row(file: &InputFile, each: &mut Each<'_>) -> Result<Result<(), String>, DatasetError> {
    if file.path().extension().is_some_and(|ending| ending == "parquet") {
        return parquet_rows(file.path(), None, each);
    }
    if first_character(file)? == Some(b'[') {
        return each_entry(file, None, &mut |number, text| each(Fields::of_text(Place::Row(number), text)));
    }
    let mut lines = file.lines()?;
    while let Some(line) = lines.next()? {
        if !each(Fields::of_line(&line))? {
            break;
        }
    }
    Ok(Ok(()))
}

/// Gives every row of a Parquet file, with these columns only if any are named.
pub(crate) fn parquet_rows(
    path: &Path,
    columns: Option<&[&str]>,
    each: &mut Each<'_>,
) -> Result<Result<(), String>, DatasetError> {
    let file = File::open(path).map_err(|error| DatasetError::io(path, error))?;
    let unreadable = |error: ParquetError| format!("is no Parquet that can be read ({error})");
    let reader = match SerializedFileReader::new(file) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(unreadable(error))),
    };
    let chosen = columns.map(|columns| chosen(&reader, columns)).transpose();
    let rows = chosen.and_then(|chosen| RowIter::from_file_into(Box::new(reader)).project(chosen.flatten()));
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return Ok(Err(unreadable(error))),
    };
    for (number, row) in (1..).zip(rows) {
        let row = match row {
            Ok(row) => row,
            Err(error) => return Ok(Err(unreadable(error))),
        };
        let object = row.into_columns().into_iter().map(|(name, field)| (name, value(field))).collect();
        if !each(Fields::new(Place::Row(number), object))? {
            break;
        }
    }
    Ok(Ok(()))
}

/// The file's schema with these columns only; none if it has none of them.
fn chosen(reader: &impl FileReader, columns: &[&str]) -> Result<Option<Type>, ParquetError> {
    let schema = reader.metadata().file_metadata().schema();
    let fields: Vec<_> = schema.get_fields().iter().filter(|field| columns.contains(&field.name())).cloned().collect();
    if fields.is_empty() {
        return Ok(None);
    }
    Type::group_type_builder(schema.name()).with_fields(fields).build().map(Some)
}

fn value(field: Field) -> Value {
    let float = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    match field {
        Field::Null => Value::Null,
        Field::Bool(flag) => flag.into(),
        Field::Byte(number) => number.into(),
        Field::Short(number) => number.into(),
        Field::Int(number) | Field::Date(number) | Field::TimeMillis(number) => number.into(),
        Field::Long(number)
        | Field::TimeMicros(number)
        | Field::TimestampMillis(number)
        | Field::TimestampMicros(number) => number.into(),
        Field::UByte(number) => number.into(),
        Field::UShort(number) => number.into(),
        Field::UInt(number) => number.into(),
        Field::ULong(number) => number.into(),
        Field::Float16(number) => float(number.to_f64()),
        Field::Float(number) => float(number.into()),
        Field::Double(number) => float(number),
        Field::Str(text) => text.into(),
        Field::Bytes(bytes) => data_uri(bytes.data()).into(),
        Field::Group(row) => {
            Value::Object(row.into_columns().into_iter().map(|(name, field)| (name, value(field))).collect())
        }
        Field::ListInternal(list) => list.elements().iter().cloned().map(value).collect(),
        Field::MapInternal(map) => {
            let mut object = Map::new();
            for (key, inner) in map.entries() {
                object.insert(key.to_string().trim_matches('"').to_owned(), value(inner.clone()));
            }
            Value::Object(object)
        }
        // Decimals and whatever is added later are asked for nowhere.
        other => other.to_string().into(),
    }
}
