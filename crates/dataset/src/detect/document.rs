//! The format of a JSON document that is no row of a file of rows.

use std::fmt;
use std::io::BufReader;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tokamark_plan::DatasetFormat;

use super::{Found, not_clear, rows};
use crate::DatasetError;
use crate::fields::position;
use crate::input::InputFile;

/// The format of a file that is one document. It is read no further than needed.
pub(super) fn of_document(file: &InputFile) -> Result<Result<Found, String>, DatasetError> {
    let mut found = None;
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(file.text()?));
    let read = deserializer.deserialize_any(Top { found: &mut found });
    match (found, read) {
        (Some(found), _) => Ok(found),
        (None, Ok(())) => Ok(Err(not_clear(&[], "it"))),
        (None, Err(error)) if error.is_io() => Err(DatasetError::io(file.path(), error.into())),
        (None, Err(error)) => {
            let reason = position(&error);
            Ok(Err(format!("is not JSON ({reason}); if it is to be, name the format with --custom-dataset-type")))
        }
    }
}

struct Top<'a> {
    found: &'a mut Option<Result<Found, String>>,
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some(first) = entries.next_element::<Value>()? else { return Ok(()) };
        let found = first.as_object().map(rows::of_row);
        // Files of rows are no lists, so that only formats of documents remain.
        let is_list =
            |format| matches!(format, DatasetFormat::Sharegpt | DatasetFormat::WekaTrace | DatasetFormat::OtelSpans);
        *self.found = Some(match found {
            Some(Ok(found)) if is_list(found.format) => Ok(found),
            _ => Err(not_clear(&[], "the first entry of its list")),
        });
        Err(A::Error::custom("known"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            let format = match key.as_str() {
                "data" => DatasetFormat::InputsJson,
                "resourceSpans" => DatasetFormat::OtelSpans,
                "requests" | "hash_id_scope" => DatasetFormat::WekaTrace,
                "messages" => DatasetFormat::RawPayload,
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *self.found = Some(Ok(Found::new(format, format!("it has `{key}`"))));
            return Err(A::Error::custom("known"));
        }
        Ok(())
    }
}
