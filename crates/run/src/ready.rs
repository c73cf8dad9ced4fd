//! Waiting for the model before the run.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tokamark_client::{Engine, StopHandle};
use tokamark_clock::{from_seconds, now_ns};
use tokamark_record::Outcome;

use crate::RunError;
use crate::supply::WorkloadSupply;

/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// Asks the model for one token until it answers, or the time is up.
pub(crate) fn wait(engine: &Engine, stop: &StopHandle, supply: &WorkloadSupply, seconds: f64) -> Result<(), RunError> {
    let deadline = now_ns().saturating_add(from_seconds(seconds));
    let left = move || Duration::from_nanos(deadline.saturating_sub(now_ns()));
    let mut last = "there was none".to_owned();
    let (over, is_over) = channel::<()>();
    std::thread::scope(|scope| {
        // An attempt may hang for longer than there is time. No run comes of it then, so all may be stopped.
        let alarm = move || {
            let is_late = is_over.recv_timeout(left()) == Err(RecvTimeoutError::Timeout);
            if is_late {
                stop.stop();
            }
            is_late
        };
        let alarm = std::thread::Builder::new()
            .name("tokamark-ready".to_owned())
            .spawn_scoped(scope, alarm)
            .map_err(RunError::Thread)?;
        let is_ready = loop {
            match engine.probe(supply.probe()).map(|record| record.outcome) {
                Ok(Outcome::Ok) => break Ok(true),
                Ok(Outcome::Cancelled) => break Ok(false),
                Ok(Outcome::Failed(failure)) => last = failure.message,
                Err(error) => break Err(error),
            }
            if left().is_zero() || stop.is_stopped() {
                break Ok(false);
            }
            std::thread::sleep(PAUSE.min(left()));
        };
        drop(over);
        let is_late = alarm.join().map_err(|_| RunError::ThreadGone)?;
        match is_ready? {
            true if !is_late => Ok(()),
            false if !is_late && !left().is_zero() => Err(RunError::InterruptedEarly),
            _ => Err(RunError::NotReady { seconds, last }),
        }
    })
}
