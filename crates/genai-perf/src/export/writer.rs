//! Writes a profile export request by request.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CharEscape, Formatter, Serializer};

use super::request::ExportRequest;
use crate::number_text::repr;
use crate::{GenAiPerfError, python_json};

/// What an export says of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportHead {
    /// `concurrency` or `request_rate`.
    pub mode: String,
    /// The level: whole for concurrency, a fraction for a rate.
    pub value: Value,
    /// perf_analyzer calls itself `0.0.0`.
    pub version: String,
    /// `openai`, `triton`, `triton_c_api` or `dynamic_grpc`.
    pub service_kind: String,
    /// The path that requests were sent to.
    pub endpoint: String,
}

/// Who wrote the file, which shows in its spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    PerfAnalyzer,
    Python,
}

/// An export that is being written; it is whole after [`finish`](Self::finish).
#[derive(Debug)]
pub struct ProfileExportWriter {
    out: BufWriter<File>,
    path: PathBuf,
    head: ExportHead,
    layout: Layout,
    is_empty: bool,
}

impl ProfileExportWriter {
    /// Starts the file anew, in perf_analyzer's layout: one line without spaces.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path, head: ExportHead) -> Result<Self, GenAiPerfError> {
        Self::begin(path, head, Layout::PerfAnalyzer)
    }

    /// Starts the file anew, in the layout of a merged export: one line with spaces.
    pub(crate) fn create_merged(path: &Path, head: ExportHead) -> Result<Self, GenAiPerfError> {
        Self::begin(path, head, Layout::Python)
    }

    fn begin(path: &Path, head: ExportHead, layout: Layout) -> Result<Self, GenAiPerfError> {
        let file = File::create(path).map_err(|source| GenAiPerfError::write(path, source))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        let mut writer = Self { out, path: path.to_owned(), head, layout, is_empty: true };
        writer.write_start().map_err(|source| GenAiPerfError::write(path, source))?;
        Ok(writer)
    }

    /// Appends a request.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, request: &ExportRequest) -> Result<(), GenAiPerfError> {
        let mut write = || {
            if !std::mem::replace(&mut self.is_empty, false) {
                self.out.write_all(comma(self.layout))?;
            }
            value(&mut self.out, self.layout, request)
        };
        write().map_err(|source| GenAiPerfError::write(&self.path, source))
    }

    /// Ends the file. The bounds are the start of the first measurement window and the end of each, wall-clock nanoseconds.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self, window_boundaries: &[u64]) -> Result<(), GenAiPerfError> {
        self.write_end(window_boundaries).map_err(|source| GenAiPerfError::write(&self.path, source))
    }

    fn write_start(&mut self) -> io::Result<()> {
        self.out.write_all(b"{")?;
        self.key("experiments")?;
        self.out.write_all(b"[{")?;
        self.key("experiment")?;
        self.out.write_all(b"{")?;
        self.member("mode", &self.head.mode.clone())?;
        self.out.write_all(comma(self.layout))?;
        self.member("value", &self.head.value.clone())?;
        self.out.write_all(b"}")?;
        self.out.write_all(comma(self.layout))?;
        self.key("requests")?;
        self.out.write_all(b"[")
    }

    fn write_end(&mut self, window_boundaries: &[u64]) -> io::Result<()> {
        self.out.write_all(b"]")?;
        self.out.write_all(comma(self.layout))?;
        self.member("window_boundaries", &window_boundaries)?;
        self.out.write_all(b"}]")?;
        let ExportHead { version, service_kind, endpoint, .. } = self.head.clone();
        for (name, text) in [("version", version), ("service_kind", service_kind), ("endpoint", endpoint)] {
            self.out.write_all(comma(self.layout))?;
            self.member(name, &text)?;
        }
        self.out.write_all(b"}")?;
        self.out.flush()
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        write!(self.out, "\"{name}\":{}", if self.layout == Layout::Python { " " } else { "" })
    }

    fn member(&mut self, name: &str, member: &impl Serialize) -> io::Result<()> {
        self.key(name)?;
        value(&mut self.out, self.layout, member)
    }
}

fn comma(layout: Layout) -> &'static [u8] {
    match layout {
        Layout::PerfAnalyzer => b",",
        Layout::Python => b", ",
    }
}

fn value(out: &mut impl Write, layout: Layout, value: &impl Serialize) -> io::Result<()> {
    match layout {
        Layout::PerfAnalyzer => value.serialize(&mut Serializer::with_formatter(out, RapidJson)).map_err(Into::into),
        Layout::Python => python_json::write(out, value, false),
    }
}

/// No spaces; control characters in capitals.
struct RapidJson;

impl Formatter for RapidJson {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(repr(value).as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::AsciiControl(byte) => write!(writer, "\\u{byte:04X}"),
            other => serde_json::ser::CompactFormatter.write_char_escape(writer, other),
        }
    }
}
