//! Waiting for the model before the run.

use std::time::Duration;

use tokamark_client::Engine;
use tokamark_clock::{from_seconds, now_ns};
use tokamark_record::Outcome;

use crate::RunError;
use crate::supply::WorkloadSupply;

/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// Asks the model for one token until it answers, or the time is up.
pub(crate) fn wait(engine: &Engine, supply: &WorkloadSupply, seconds: f64) -> Result<(), RunError> {
    let deadline = now_ns().saturating_add(from_seconds(seconds));
    loop {
        let last = match engine.probe(supply.probe())?.outcome {
            Outcome::Ok => return Ok(()),
            Outcome::Cancelled => return Err(RunError::InterruptedEarly),
            Outcome::Failed(failure) => failure.message,
        };
        if now_ns() >= deadline {
            return Err(RunError::NotReady { seconds, last });
        }
        std::thread::sleep(PAUSE);
    }
}
