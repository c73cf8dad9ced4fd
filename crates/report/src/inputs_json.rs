//! `inputs.json`: the bodies as they were sent; it can be sent again.

use std::path::Path;

use crate::error::WriteError;
use crate::files::Growing;
use crate::json::string;

/// Writes one conversation after the other; the file is whole after [`finish`](Self::finish).
#[derive(Debug)]
pub struct InputsWriter {
    file: Growing,
    entry: Vec<u8>,
    is_empty: bool,
}

impl InputsWriter {
    /// Starts the file anew.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let mut file = Growing::create(path)?;
        file.append(b"{\"data\":[")?;
        Ok(Self { file, entry: Vec::new(), is_empty: true })
    }

    /// Appends a conversation: its name and the JSON bodies of its turns, which are copied as they are.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append<'a>(
        &mut self,
        session_id: &str,
        bodies: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(), WriteError> {
        self.entry.clear();
        if !std::mem::replace(&mut self.is_empty, false) {
            self.entry.push(b',');
        }
        self.entry.extend_from_slice(b"\n{\"session_id\":");
        string(&mut self.entry, session_id);
        self.entry.extend_from_slice(b",\"payloads\":[");
        for (i, body) in bodies.into_iter().enumerate() {
            if i > 0 {
                self.entry.push(b',');
            }
            self.entry.extend_from_slice(body);
        }
        self.entry.extend_from_slice(b"]}");
        self.file.append(&self.entry)
    }

    /// Closes the list.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.file.append(b"\n]}\n")?;
        self.file.flush()
    }
}
