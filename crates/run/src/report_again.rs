//! The reports of a finished run, made again from its record.

use std::path::{Path, PathBuf};

use tokamark_plan::ExportLevel;
use tokamark_record::{CountsReader, RecordReader};
use tokamark_report::RunContext;

use crate::RunError;
use crate::folder::{Folder, RECORD_ENDING};
use crate::follower::{Counting, Derivation};
use crate::profile::{Finished, write_reports};

/// Makes the reports of the run in a folder (or of a record file) again, in `out` or in the run's own folder.
///
/// # Errors
/// When there is no usable record, or the reports cannot be written.
pub fn report(run: &Path, out: Option<&Path>) -> Result<Finished, RunError> {
    let record = find_record(run)?;
    let mut reader = RecordReader::open(&record)?;
    // The facts that count are the last ones, so the record is read twice; the first time only to its end.
    while reader.next_request()?.is_some() {}
    let facts = reader.facts()?;
    let source_dir = record.parent().unwrap_or(Path::new(".")).to_owned();
    let out_dir = out.map_or_else(|| source_dir.clone(), Path::to_owned);
    std::fs::create_dir_all(&out_dir)
        .map_err(|error| RunError::Folder { path: out_dir.clone(), reason: error.to_string() })?;
    let source = Folder::at(&source_dir, &facts.plan.report.prefix, false);
    let target = Folder::at(&out_dir, &facts.plan.report.prefix, false);
    let mut plan = facts.plan.clone();
    if out_dir == source_dir {
        // Rows and texts are there already, and made of the same record.
        plan.report.outputs_json = false;
        plan.report.export_level = ExportLevel::Summary;
    }
    let context =
        RunContext { run_id: facts.run_id.clone(), anchor: facts.anchor_start, models: plan.target.models.clone() };
    let counting = CountsReader::open(&source.counts()).map_or(Counting::Never, Counting::Before);
    let mut derivation = Derivation::new(&plan, &target, &context, counting)?;
    let mut reader = RecordReader::open(&record)?;
    while let Some(record) = reader.next_request()? {
        derivation.add(record);
    }
    derivation.finish();
    let summary = derivation.accumulator.finish(&facts)?;
    let files = write_reports(&target, &summary)?;
    Ok(Finished { summary, files, error: derivation.write_error.take() })
}

fn find_record(run: &Path) -> Result<PathBuf, RunError> {
    if run.is_file() {
        return Ok(run.to_owned());
    }
    let entries = std::fs::read_dir(run).map_err(|_| RunError::NoRun(run.to_owned()))?;
    let mut records: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(RECORD_ENDING))
        .collect();
    records.sort();
    records.into_iter().next().ok_or_else(|| RunError::NoRun(run.to_owned()))
}
