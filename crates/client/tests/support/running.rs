//! Running the engine.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use bytes::Bytes;
use tokamark_client::{ClientError, Engine, Opening, PhaseOutcome, Prepared, Supply};
use tokamark_plan::Plan;
use tokamark_record::{Failure, FailureKind, Outcome, Phase, RequestRecord};

/// The body of every request.
pub(crate) const BODY: &str = "{\"model\":\"m\",\"messages\":[]}";
/// Beyond this a test has hung. Nothing that works takes a tenth of it.
const HUNG: Duration = Duration::from_secs(60);

/// The same body for each request.
pub(crate) struct Fixed;

impl Supply for Fixed {
    fn open(&self, _phase: Phase, seq: u64) -> Opening {
        Prepared { body: Bytes::from_static(BODY.as_bytes()), dataset_row: seq, ..Prepared::default() }.into()
    }
}

/// Carries `work` out, and panics when it never ends.
pub(crate) fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = channel();
    let thread = std::thread::spawn(move || {
        let _ = done.send(work());
    });
    match ended.recv_timeout(HUNG) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => panic!("no value"),
        },
    }
}

/// An engine and where its records go.
pub(crate) struct Run {
    pub(crate) engine: Engine,
    pub(crate) records: Receiver<RequestRecord>,
    pub(crate) plan: Plan,
}

impl Run {
    pub(crate) fn start(plan: &Plan) -> Result<Self, ClientError> {
        Self::with(plan, Arc::new(Fixed))
    }

    pub(crate) fn with(plan: &Plan, supply: Arc<dyn Supply>) -> Result<Self, ClientError> {
        let (sender, records) = channel();
        let engine = Engine::start(plan, "run", supply, sender)?;
        engine.connect_ahead()?;
        Ok(Self { engine, records, plan: plan.clone() })
    }

    pub(crate) fn profile(&self) -> Result<PhaseOutcome, ClientError> {
        self.engine.run_phase(Phase::Profiling, &self.plan.load)
    }

    /// Ends the workers and gives the records in the order of their numbers.
    pub(crate) fn finish(self) -> Vec<RequestRecord> {
        drop(self.engine);
        let mut records: Vec<_> = self.records.iter().collect();
        records.sort_by_key(|record| record.seq);
        records
    }
}

/// All records of a run of one phase, in the order of their numbers.
pub(crate) fn run(plan: &Plan) -> Vec<RequestRecord> {
    run_with(plan, Arc::new(Fixed)).1
}

pub(crate) fn run_with(plan: &Plan, supply: Arc<dyn Supply>) -> (PhaseOutcome, Vec<RequestRecord>) {
    let plan = plan.clone();
    ends(move || {
        let run = Run::with(&plan, supply).unwrap();
        let outcome = run.profile().unwrap();
        (outcome, run.finish())
    })
}

/// The one record of a run of one request.
pub(crate) fn run_one(plan: &Plan) -> RequestRecord {
    let mut records = run(plan);
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// The failure of a record that must have failed.
#[track_caller]
pub(crate) fn failure(record: &RequestRecord) -> &Failure {
    match &record.outcome {
        Outcome::Failed(failure) => {
            assert!(!failure.message.is_empty());
            failure
        }
        other => panic!("not failed: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn assert_failed(record: &RequestRecord, kind: FailureKind) {
    let failure = failure(record);
    assert_eq!(failure.kind, kind, "{}", failure.message);
}

#[track_caller]
pub(crate) fn assert_all_ok(records: &[RequestRecord], count: usize) {
    assert_eq!(records.len(), count);
    for (at, record) in records.iter().enumerate() {
        assert_eq!(record.seq, at as u64);
        assert_eq!(record.outcome, Outcome::Ok);
    }
}
