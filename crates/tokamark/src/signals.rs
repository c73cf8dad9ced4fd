//! Ctrl-C and SIGTERM: the first stops the load, so that what was measured is reported; the second quits at once.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokamark_run::Control;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit_code;

/// Watches for signals until the process ends.
pub(crate) struct Signals {
    /// The run that a signal stops; none before the load starts.
    run: Arc<Mutex<Option<Control>>>,
}

impl Signals {
    /// Starts to watch. From here on no signal ends the process by itself.
    ///
    /// # Errors
    /// The system refused.
    pub(crate) fn watch() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (interrupt, terminate) = {
            let _within = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        let run = Arc::new(Mutex::new(None));
        let shared = Arc::clone(&run);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || follow(&runtime, interrupt, terminate, &shared))?;
        Ok(Self { run })
    }

    /// Says which run a signal stops.
    pub(crate) fn stop_first(&self, control: &Control) {
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = Some(control.clone());
    }
}

fn follow(runtime: &Runtime, mut interrupt: Signal, mut terminate: Signal, run: &Mutex<Option<Control>>) {
    runtime.block_on(async {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            let control = run.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(control) = control else { std::process::exit(i32::from(exit_code::INTERRUPTED)) };
            eprintln!("stopping; the report of what was measured follows (once more to quit at once)");
            control.stop.stop();
        }
    });
}
