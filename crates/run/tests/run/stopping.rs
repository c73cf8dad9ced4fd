//! A run that is interrupted.

use std::collections::HashSet;
use std::path::Path;
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use tokamark_metrics::Summary;
use tokamark_plan::Plan;
use tokamark_record::StopReason;
use tokamark_run::{Control, Observer, profile};

use crate::support::{inputs, plan, rows, serve};

/// Stops the run once so many requests are over.
struct Stopper {
    after: u64,
    thread: Option<JoinHandle<()>>,
    has_ended: bool,
}

impl Observer for Stopper {
    fn started(&mut self, control: &Control) {
        let (control, after) = (control.clone(), self.after);
        if after == 0 {
            control.stop.stop();
            return;
        }
        self.thread = Some(spawn(move || {
            while control.live.stats().over < after {
                sleep(Duration::from_millis(2));
            }
            control.stop.stop();
        }));
    }

    fn ended(&mut self) {
        self.has_ended = true;
    }

    fn note(&mut self, _text: &str) {}
    fn detail(&mut self, _text: &str) {}
}

fn stopped(plan: &Plan, after: u64) -> Summary {
    let mut stopper = Stopper { after, thread: None, has_ended: false };
    let finished = profile(plan, Vec::new(), &mut stopper).unwrap();
    if let Some(thread) = stopper.thread {
        thread.join().unwrap();
    }
    assert!(stopper.has_ended);
    assert!(finished.error.is_none(), "{:?}", finished.error);
    finished.summary
}

fn assert_is_whole(summary: &Summary, folder: &Path) {
    assert_eq!(summary.run.stop, StopReason::Interrupted);
    assert!(summary.was_cancelled);
    let counts = summary.counts;
    assert_eq!(counts.attempted, counts.ok + counts.failed + counts.cancelled);
    assert_eq!(counts.failed, 0);
    let rows = rows(folder);
    assert_eq!(rows.len() as u64, counts.attempted);
    let cancelled = rows.iter().filter(|row| row["metadata"]["was_cancelled"] == true).count();
    assert_eq!(cancelled as u64, counts.cancelled);
    let sent: HashSet<String> =
        rows.iter().map(|row| row["metadata"]["conversation_id"].as_str().unwrap().to_owned()).collect();
    let listed = inputs(folder);
    let distinct: HashSet<String> = listed.iter().cloned().collect();
    assert_eq!(distinct.len(), listed.len());
    assert_eq!(distinct, sent, "inputs.json has the rows that were sent and no others");
}

#[test]
fn a_closed_loop_that_is_stopped_is_reported() {
    let (_server, url) = serve("event-rate=1000&ttft=20");
    for (slots, workers) in [(1, 1), (6, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = plan(&url, 100_000, folder.path());
        (plan.load.concurrency, plan.load.workers) = (Some(slots), Some(workers));
        let summary = stopped(&plan, 10);
        assert_is_whole(&summary, folder.path());
        assert!(summary.counts.ok >= 10);
        assert!(summary.counts.cancelled <= u64::from(slots));
    }
}

#[test]
fn a_run_without_an_end_of_its_own_is_reported_when_it_is_stopped() {
    let (_server, url) = serve("event-rate=inf&ttft=0");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 1, folder.path());
    (plan.load.request_count, plan.load.duration_s) = (None, Some(600.0));
    let summary = stopped(&plan, 200);
    assert_is_whole(&summary, folder.path());
    assert!(summary.counts.ok >= 200);
}

#[test]
fn what_is_in_flight_when_an_open_loop_is_stopped_is_cancelled() {
    let (_server, url) = serve("event-rate=1000&ttft=20");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 100_000, folder.path());
    (plan.load.concurrency, plan.load.request_rate) = (None, Some(500.0));
    let summary = stopped(&plan, 10);
    assert_is_whole(&summary, folder.path());
}

#[test]
fn a_run_that_is_stopped_before_it_begins_has_sent_nothing() {
    let (_server, url) = serve("event-rate=inf&ttft=0");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 10, folder.path());
    plan.load.workers = Some(1);
    plan.target.connect = tokamark_plan::ConnectMode::Lazy;
    let summary = stopped(&plan, 0);
    assert_is_whole(&summary, folder.path());
    assert_eq!(summary.counts.attempted, 0);
}
