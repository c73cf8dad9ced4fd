//! The entries of a JSON document that is one list, read one at a time.

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::InputFile;
use crate::DatasetError;
use crate::fields::{position, reason};

/// Takes the number (from 1) and the text of an entry, and says whether more are wanted.
pub(crate) type Each<'a> = dyn FnMut(u64, &str) -> Result<bool, DatasetError> + 'a;

/// Gives every entry of a file: those of the list that the document is, or of the list under `key` of the object that
/// it is. The inner error says why the document is none of that.
pub(crate) fn each_entry(
    file: &InputFile,
    key: Option<&str>,
    each: &mut Each<'_>,
) -> Result<Result<(), String>, DatasetError> {
    let mut ended = None;
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(file.text()?));
    let document = Document { key, number: 0, each, ended: &mut ended };
    let read = document.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    match (ended, read) {
        (Some(Err(error)), _) => Err(error),
        (Some(Ok(())), _) => Ok(Ok(())),
        (None, Ok(())) => Ok(Ok(())),
        (None, Err(error)) if error.is_io() => Err(DatasetError::io(file.path(), error.into())),
        (None, Err(error)) if error.is_data() => Ok(Err(reason(&error))),
        (None, Err(error)) => Ok(Err(format!("is not JSON ({})", position(&error)))),
    }
}

/// The first character of a file that is not white space.
pub(crate) fn first_character(file: &InputFile) -> Result<Option<u8>, DatasetError> {
    for byte in BufReader::new(file.text()?).bytes() {
        let byte = byte.map_err(|error| DatasetError::io(file.path(), error))?;
        if !byte.is_ascii_whitespace() {
            return Ok(Some(byte));
        }
    }
    Ok(None)
}

/// The whole of a file, which is to be short enough for the memory.
pub(crate) fn whole(file: &InputFile) -> Result<Result<String, String>, DatasetError> {
    let mut bytes = Vec::new();
    file.text()?.read_to_end(&mut bytes).map_err(|error| DatasetError::io(file.path(), error))?;
    Ok(String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned()))
}

struct Document<'a, 'b> {
    key: Option<&'a str>,
    number: u64,
    each: &'a mut Each<'b>,
    /// Why there was no need to read to the end.
    ended: &'a mut Option<Result<(), DatasetError>>,
}

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            Some(key) => write!(f, "a list of entries or an object with one in `{key}`"),
            None => f.write_str("a list of entries"),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element::<Box<RawValue>>()? {
            self.number += 1;
            *self.ended = match (self.each)(self.number, entry.get()) {
                Ok(true) => continue,
                Ok(false) => Some(Ok(())),
                Err(error) => Some(Err(error)),
            };
            return Err(A::Error::custom("stopped"));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Some(wanted) = self.key else {
            return Err(A::Error::custom("is an object, not a list of entries"));
        };
        let mut list = Some(self);
        while let Some(key) = fields.next_key::<String>()? {
            match list.take_if(|_| key == wanted) {
                Some(list) => fields.next_value_seed(list)?,
                None => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        if list.is_some() {
            return Err(A::Error::custom(format!("has no list in `{wanted}`")));
        }
        Ok(())
    }
}
