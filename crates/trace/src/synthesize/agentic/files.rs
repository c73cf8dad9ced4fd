//! The files of a made trace.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::page::page;
use super::{AgenticCode, Quality};
use crate::synthesize::SynthesizeError;

/// The generator's name in manifests.
const GENERATOR: &str = "agentic-code";

/// How a trace was made: enough to make it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `agentic-code`.
    pub generator: String,
    /// Tokamark's version.
    pub version: String,
    /// All options.
    pub options: AgenticCode,
    /// Rows of `dataset.jsonl`.
    pub rows: u64,
    /// SHA-256 of `dataset.jsonl`, hexadecimal.
    pub sha256: String,
}

impl AgenticCode {
    /// The options in a JSON text, which is the options alone or a manifest; what it does not say keeps its default.
    ///
    /// # Errors
    /// If the text is no such JSON.
    pub fn from_json(text: &str) -> Result<Self, SynthesizeError> {
        #[derive(Deserialize)]
        struct WithOptions {
            options: serde_json::Value,
        }
        let options = match serde_json::from_str::<WithOptions>(text) {
            Ok(manifest) => serde_json::from_value(manifest.options),
            Err(_) => serde_json::from_str(text),
        };
        options.map_err(SynthesizeError::Config)
    }

    /// Writes `dataset.jsonl`, `manifest.json`, `quality.json` and `report.html` into a folder, which is made if it is
    /// not there.
    /// Files that are there stay as they are.
    ///
    /// # Errors
    /// As [`Self::write`], and if a file is there or cannot be written.
    pub fn write_files(&self, folder: &Path) -> Result<(Manifest, Quality), SynthesizeError> {
        std::fs::create_dir_all(folder).map_err(SynthesizeError::file(folder))?;
        let path = folder.join("dataset.jsonl");
        let file = File::create_new(&path).map_err(SynthesizeError::file(&path))?;
        let mut out = Hashing { out: BufWriter::new(file), hash: Sha256::new() };
        let quality = self.write(&mut out)?;
        out.flush().map_err(SynthesizeError::file(&path))?;
        let manifest = Manifest {
            generator: GENERATOR.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.clone(),
            rows: quality.analysis.rows,
            sha256: out.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        write_json(&folder.join("manifest.json"), &manifest)?;
        write_json(&folder.join("quality.json"), &quality)?;
        let path = folder.join("report.html");
        let write = || File::create_new(&path)?.write_all(page(&manifest, &quality).as_bytes());
        write().map_err(SynthesizeError::file(&path))?;
        Ok((manifest, quality))
    }
}

fn write_json(path: &Path, content: &impl Serialize) -> Result<(), SynthesizeError> {
    let write = || {
        let mut out = BufWriter::new(File::create_new(path)?);
        serde_json::to_writer_pretty(&mut out, content)?;
        out.write_all(b"\n")?;
        out.flush()
    };
    write().map_err(SynthesizeError::file(path))
}

/// Hashes what it hands on.
struct Hashing<W> {
    out: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
