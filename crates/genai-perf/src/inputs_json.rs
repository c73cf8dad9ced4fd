//! `inputs.json` in the layout that perf_analyzer takes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{GenAiPerfError, python_json};

/// One request to be sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// The body for HTTP; each becomes a list of one, as tensors are.
    pub payload: Option<Value>,
    /// Tensors instead of a body, written as they are.
    pub tensors: Map<String, Value>,
    /// The conversation that it belongs to.
    pub session_id: Option<String>,
    /// Milliseconds to wait before the next turn.
    pub delay: Option<u64>,
    /// Milliseconds from the start of the run at which it is sent.
    pub timestamp: Option<u64>,
}

impl Input {
    fn into_entry(self) -> Value {
        let mut entry = Map::new();
        let list = |value: Value| Value::Array(vec![value]);
        if let Some(payload) = self.payload {
            entry.insert("payload".to_owned(), list(payload));
        }
        entry.extend(self.tensors);
        let facts = [
            ("session_id", self.session_id.map(Value::from)),
            ("delay", self.delay.map(Value::from)),
            ("timestamp", self.timestamp.map(Value::from)),
        ];
        entry.extend(facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), list(value?)))));
        Value::Object(entry)
    }
}

/// The file that is being written; it is whole after [`finish`](Self::finish).
#[derive(Debug)]
pub struct InputsWriter {
    out: BufWriter<File>,
    path: PathBuf,
    is_empty: bool,
}

impl InputsWriter {
    /// Starts the file anew.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path) -> Result<Self, GenAiPerfError> {
        let file = File::create(path).map_err(|source| GenAiPerfError::write(path, source))?;
        let mut writer = Self { out: BufWriter::new(file), path: path.to_owned(), is_empty: true };
        writer.put(b"{\n  \"data\": [")?;
        Ok(writer)
    }

    /// Appends a request.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, input: Input) -> Result<(), GenAiPerfError> {
        let mut entry = Vec::new();
        python_json::write(&mut entry, &input.into_entry(), true)
            .map_err(|source| GenAiPerfError::write(&self.path, source))?;
        let comma: &[u8] = if std::mem::replace(&mut self.is_empty, false) { b"" } else { b"," };
        self.put(comma)?;
        // Line ends within texts are escaped, so all others are those of the layout.
        for line in entry.split(|byte| *byte == b'\n') {
            self.put(b"\n    ")?;
            self.put(line)?;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self) -> Result<(), GenAiPerfError> {
        let end: &[u8] = if self.is_empty { b"]\n}" } else { b"\n  ]\n}" };
        self.put(end)?;
        self.out.flush().map_err(|source| GenAiPerfError::write(&self.path, source))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), GenAiPerfError> {
        self.out.write_all(bytes).map_err(|source| GenAiPerfError::write(&self.path, source))
    }
}
