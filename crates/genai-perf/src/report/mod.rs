//! The files and tables of a run.

mod analyze;
mod boxes;
mod console;
mod csv;
mod gpu_console;
mod json;
mod sweep_console;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub use analyze::{AnalyzePoint, write_analyze_csv};
pub use sweep_console::sweep_table;

use crate::{GenAiPerfError, InputConfig, Summary, Telemetry};

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The figures.
    pub summary: &'a Summary,
    /// How the run was asked for; also says whether rows of streams and of goodput are shown.
    pub config: &'a InputConfig,
    /// What was known of the GPUs.
    pub telemetry: &'a Telemetry,
    /// Figures that GenAI-Perf does not know, such as cost; none leaves its files as they were.
    pub extras: &'a [Extra],
}

/// A figure of the run that GenAI-Perf does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// Name in files, such as `cost_per_million_output_tokens`.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its value.
    pub value: f64,
}

impl Extra {
    /// The name and unit in tables.
    fn label(&self) -> String {
        format!("{} ({})", crate::metric::capitalized(&self.name), self.unit)
    }
}

impl Report<'_> {
    /// Writes `<stem>_genai_perf.json` and `<stem>_genai_perf.csv` into a folder; gives back their paths.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn write_files(&self, folder: &Path) -> Result<[PathBuf; 2], GenAiPerfError> {
        let export = Path::new(&self.config.output.profile_export_file);
        let stem = export.file_stem().unwrap_or_default().to_string_lossy();
        let json = folder.join(format!("{stem}_genai_perf.json"));
        let csv = folder.join(format!("{stem}_genai_perf.csv"));
        write_file(&json, |out| self.write_json(out))?;
        write_file(&csv, |out| self.write_csv(out))?;
        Ok([json, csv])
    }

    /// Writes the JSON report.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write_json(&self, out: impl Write) -> io::Result<()> {
        crate::python_json::write(out, &json::Json(self), true)
    }

    /// Writes the CSV report.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        csv::write(self, out)
    }

    /// The tables for the console; those of the GPUs only if the run was verbose.
    #[must_use]
    pub fn console(&self) -> String {
        let mut text = console::table(self);
        if self.config.verbose {
            text.push_str(&gpu_console::tables(self.telemetry));
        }
        text
    }

    /// The rows of the tables that have all statistics.
    fn request_rows(&self) -> impl Iterator<Item = crate::Metric> {
        let is_streamed = self.config.endpoint.streaming;
        let rows = crate::Metric::request_rows(self.summary.figures).iter().copied();
        rows.filter(move |metric| is_streamed || !metric.needs_streaming())
    }

    /// The rows of the tables that have one value.
    fn run_rows(&self) -> impl Iterator<Item = crate::Metric> {
        let has_goals = self.config.input.goodput.0.as_ref().is_some_and(|goals| !goals.is_empty());
        let rows = crate::Metric::run_rows(self.summary.figures).iter().copied();
        rows.filter(move |metric| has_goals || *metric != crate::Metric::RequestGoodput)
    }

    /// A statistic as tables show it.
    fn cell(&self, metric: crate::Metric, stat: &str) -> String {
        let value = self.summary.values.get(metric).and_then(|value| value.stat(stat));
        value.map_or_else(|| "N/A".to_owned(), crate::number_text::two_decimals)
    }
}

pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), GenAiPerfError> {
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        fill(&mut out)?;
        out.flush()
    };
    write().map_err(|source| GenAiPerfError::write(path, source))
}
