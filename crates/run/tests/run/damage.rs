//! Records that were cut off or damaged: what is sound is reported.

use std::fs;
use std::path::Path;

use tokamark_metrics::Summary;
use tokamark_record::RecordReader;
use tokamark_run::{Finished, RunError, report};

use crate::support::{plan, rows, run, serve_fast, without_usage};

const RECORD: &str = "profile_export_record.tkm";

/// A run of 25 requests whose answers' tokens the client counted.
fn made(folder: &Path) -> (Summary, Vec<u8>) {
    let (_server, url) = serve_fast();
    let mut plan = without_usage(plan(&url, 25, folder));
    plan.load.warmup_requests = 2;
    let summary = run(&plan).summary;
    (summary, fs::read(folder.join(RECORD)).unwrap())
}

/// The report of a record with these bytes, beside the run's token counts, and the rows it has.
fn reported(run: &Path, bytes: &[u8]) -> (Result<Finished, RunError>, usize) {
    let (copy, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(copy.path().join(RECORD), bytes).unwrap();
    fs::copy(run.join("profile_export_counts.tkm"), copy.path().join("profile_export_counts.tkm")).unwrap();
    let finished = report(copy.path(), Some(out.path()));
    let rows = finished.as_ref().map_or(0, |_| rows(out.path()).len());
    (finished, rows)
}

/// Ends of frames: the head's, then each frame's.
fn frames(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![8];
    while let Some(length) = bytes.get(*ends.last().unwrap()..).and_then(|rest| rest.first_chunk::<4>()) {
        ends.push(ends.last().unwrap() + 8 + u32::from_le_bytes(*length) as usize);
    }
    ends
}

#[test]
fn a_record_that_is_cut_off_is_reported_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let (summary, bytes) = made(folder.path());
    let ends = frames(&bytes);
    // The facts at the start, 2 + 25 requests, the facts at the end.
    assert_eq!(ends.len(), 1 + 1 + 27 + 1);
    assert_eq!(*ends.last().unwrap(), bytes.len());
    for whole in [1, 2, 3, 4, 10, 27, 28] {
        let next = ends.get(whole + 1).copied().unwrap_or(bytes.len());
        for cut in [ends[whole], ends[whole] + 3, ends[whole] + 9, (ends[whole] + next) / 2, next - 1] {
            let (finished, rows) = reported(folder.path(), &bytes[..cut]);
            let finished = finished.unwrap();
            let measured = (whole - 1).saturating_sub(2).min(25) as u64;
            let counts = finished.summary.counts;
            assert_eq!((counts.attempted, counts.ok), (measured, measured), "cut at {cut}");
            assert_eq!(rows as u64, measured);
            assert!(finished.summary.was_cancelled, "the run's end is not in the record");
            if measured == 25 {
                assert!(finished.summary.metrics == summary.metrics);
            }
        }
    }
}

#[test]
fn a_record_without_its_beginning_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = made(folder.path());
    let first_facts = frames(&bytes)[1];
    for cut in [0, 5, 8, 11, 16, first_facts / 2, first_facts - 1] {
        let (finished, _) = reported(folder.path(), &bytes[..cut]);
        assert!(matches!(finished, Err(RunError::Record(_))), "cut at {cut}");
    }
}

#[test]
fn a_flipped_bit_ends_the_record_there() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = made(folder.path());
    let ends = frames(&bytes);
    for frame in [3, 12, 26] {
        for at in [ends[frame], ends[frame] + 5, ends[frame] + 8, (ends[frame] + ends[frame + 1]) / 2] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let (finished, rows) = reported(folder.path(), &damaged);
            let counts = finished.unwrap().summary.counts;
            assert_eq!(counts.attempted, (frame - 3) as u64, "byte {at}");
            assert_eq!(rows, frame - 3);
        }
    }
}

#[test]
fn any_byte_may_be_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = made(folder.path());
    let copy = folder.path().join("copy.tkm");
    for at in (0..bytes.len()).step_by(61) {
        let mut damaged = bytes.clone();
        damaged[at] = !damaged[at];
        fs::write(&copy, &damaged).unwrap();
        if let Ok(mut reader) = RecordReader::open(&copy) {
            let mut count = 0;
            while reader.next_request().unwrap().is_some() {
                count += 1;
            }
            assert!(count <= 27, "byte {at}");
        }
    }
}
