//! What is made of the measurements.

use std::path::{Path, PathBuf};

use tokamark_plan::{ExportLevel, FailureTolerance, ReportPlan, TargetPlan, Ui};

use super::goodput;
use super::values::{Range, choice, decimal};
use crate::args::OutputArgs;
use crate::problems::Problems;

/// Names of files end at 255 bytes, and endings are added to the stem.
const LONGEST_PREFIX: usize = 200;
const DEFAULT_PREFIX: &str = "profile_export";
/// Endings of the files that the stem is for; scripts give it with one of them.
const SUFFIXES: [&str; 4] = [".jsonl", ".json", ".csv", ".parquet"];

/// The report that the flags describe.
pub(crate) fn resolve(args: &OutputArgs, target: &TargetPlan, problems: &mut Problems) -> ReportPlan {
    ReportPlan {
        goodput: goodput::resolve(&args.goodput, target, problems),
        slice_s: decimal("--slice-duration", args.slice_duration.as_ref(), Range::Positive, problems),
        artifact_dir: artifact_dir(args, problems),
        prefix: prefix(args, problems),
        export_level: choice(
            "--export-level",
            args.export_level.as_ref(),
            &[("summary", ExportLevel::Summary), ("records", ExportLevel::Records), ("raw", ExportLevel::Raw)],
            &[],
            problems,
        )
        .unwrap_or_default(),
        outputs_json: args.export_outputs_json,
        events_parquet: args.export_events,
        ui: choice(
            "--ui",
            args.ui.as_ref(),
            &[("none", Ui::None), ("simple", Ui::Simple)],
            &[("dashboard", ": use simple")],
            problems,
        )
        .unwrap_or_default(),
        verbosity: args.verbose,
        allow_failed: allow_failed(args, problems),
        strict: args.strict,
    }
}

fn artifact_dir(args: &OutputArgs, problems: &mut Problems) -> Option<PathBuf> {
    let path = PathBuf::from(args.artifact_dir.as_ref()?);
    if path.as_os_str().is_empty() {
        problems.add("--artifact-dir", "is empty");
    } else if path.exists() && !path.is_dir() {
        problems.add("--artifact-dir", format!("`{}` is a file, not a folder", path.display()));
    }
    Some(path)
}

fn prefix(args: &OutputArgs, problems: &mut Problems) -> String {
    let Some(given) = &args.profile_export_prefix else { return DEFAULT_PREFIX.to_owned() };
    let stem = SUFFIXES.iter().find_map(|suffix| given.strip_suffix(suffix)).unwrap_or(given);
    let plain = Path::new(stem).file_name().is_some_and(|name| name == stem);
    if stem.len() > LONGEST_PREFIX {
        problems.add("--profile-export-prefix", format!("is longer than {LONGEST_PREFIX} bytes"));
    } else if !plain {
        problems.add(
            "--profile-export-prefix",
            format!("`{given}` is not the plain name of a file: the folder is given with --artifact-dir"),
        );
    }
    stem.to_owned()
}

fn allow_failed(args: &OutputArgs, problems: &mut Problems) -> FailureTolerance {
    let Some(text) = args.allow_failed_requests.as_deref().map(str::trim) else { return FailureTolerance::default() };
    if let Some(percent) = text.strip_suffix('%') {
        match percent.trim().parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => return FailureTolerance::Percent(percent),
            _ => problems.add("--allow-failed-requests", format!("`{text}` is not a share from 0% to 100%")),
        }
        return FailureTolerance::default();
    }
    text.parse().map_or_else(
        |_| {
            problems.add("--allow-failed-requests", format!("`{text}` is neither a number nor a share such as 5%"));
            FailureTolerance::default()
        },
        FailureTolerance::Count,
    )
}
