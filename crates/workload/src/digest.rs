//! A digest of what is sent.

use std::fmt;
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

/// SHA-256 over turns, each as one line of JSON with its fields in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// A digest of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next turn in.
    pub fn push(&mut self, turn: &impl serde::Serialize) {
        // Neither the hash nor a turn can fail to be written.
        let _ = serde_json::to_writer(HashWriter(&mut self.0), turn);
        self.0.update(b"\n");
    }

    /// The digest in hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            let _ = fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}"));
        }
        text
    }
}

struct HashWriter<'a>(&'a mut Sha256);

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
