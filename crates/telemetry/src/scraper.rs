//! Reading the pages while a run lasts.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokamark_clock::{SECOND, now_ns};

use crate::config::{Source, TelemetryConfig};
use crate::fetch::Fetcher;
use crate::samples::PageSamples;
use crate::summary::{TelemetrySummary, summarise};
use crate::warning::{TelemetryWarning, WarningCode};
use crate::window::Window;

/// The longest pause before a page that could not be had is tried again.
const LONGEST_PAUSE_NS: u64 = 10 * SECOND;

/// Reading pages on threads of their own.
#[derive(Debug)]
pub struct Telemetry;

impl Telemetry {
    /// Starts to read the pages: a thread for each, and the first scrape at once. A page that cannot be had is no error: it
    /// is tried again ever more seldom, and the summary says so once.
    #[must_use]
    pub fn start(config: TelemetryConfig) -> Handle {
        let TelemetryConfig { sources, interval_ns, timeout_ns, last_scrape_ns, max_bytes, trust } = config;
        let watch = |source: Source| {
            let samples = PageSamples::new(source.url(), source.kind.clone(), max_bytes);
            let watched = Arc::new(Watched::new(samples, source.expected));
            let (of_thread, trust) = (Arc::clone(&watched), trust.clone());
            let read = move || of_thread.read(&Fetcher::new(&source, timeout_ns, &trust), interval_ns);
            let thread = std::thread::Builder::new().name("telemetry".to_owned()).spawn(read);
            if let Err(error) = thread {
                let mut state = watched.lock();
                state.attempts = 1;
                state.failed(format!("no thread could be started: {error}"));
            }
            watched
        };
        Handle { pages: sources.into_iter().map(watch).collect(), last_scrape_ns }
    }
}

/// Pages being read. Dropping it stops the reading.
#[derive(Debug)]
pub struct Handle {
    pages: Vec<Arc<Watched>>,
    last_scrape_ns: u64,
}

impl Handle {
    /// Waits until every page was tried once, so that there is a sample from before the load; at most so long. Returns
    /// whether all were.
    pub fn wait_ready(&self, limit_ns: u64) -> bool {
        let deadline_ns = now_ns().saturating_add(limit_ns);
        self.pages.iter().all(|page| page.wait(deadline_ns, |state| state.attempts > 0))
    }

    /// Pages that somebody asked for and that could not be had so far: a warning for each.
    #[must_use]
    pub fn unreachable(&self) -> Vec<TelemetryWarning> {
        let warning = |page: &Arc<Watched>| {
            let state = page.lock();
            let samples = state.samples.as_ref()?;
            let never = state.attempts > 0 && samples.scrapes().next().is_none();
            if never && page.expected { state.warning(samples.url(), false) } else { None }
        };
        self.pages.iter().filter_map(warning).collect()
    }

    /// Asks for a scrape of every page now and does not wait for it: at the start of a measured phase.
    pub fn scrape_now(&self) {
        for page in &self.pages {
            page.lock().borders_wanted += 1;
            page.changed.notify_all();
        }
    }

    /// Scrapes once more, stops, and says what the pages came to within the window.
    #[must_use]
    pub fn finish(self, window: Window) -> TelemetrySummary {
        self.last_scrape();
        self.finish_at_once(window)
    }

    /// Scrapes every page once more and waits for it, as long as the configuration allows; pages that cannot be had at the
    /// moment are not waited for.
    pub fn last_scrape(&self) {
        self.scrape_now();
        let deadline_ns = now_ns().saturating_add(self.last_scrape_ns);
        for page in &self.pages {
            page.wait(deadline_ns, |state| state.borders_done >= state.borders_wanted || state.failures_in_a_row > 0);
        }
    }

    /// Stops without a last scrape.
    #[must_use]
    pub fn finish_at_once(self, window: Window) -> TelemetrySummary {
        self.stop(window).0
    }

    /// Stops without a last scrape and hands out the samples too, those before and after the window included.
    #[must_use]
    pub fn stop(self, window: Window) -> (TelemetrySummary, Vec<PageSamples>) {
        let mut samples = Vec::new();
        let mut unreachable = Vec::new();
        for page in &self.pages {
            let mut state = page.lock();
            let Some(taken) = state.samples.take() else { continue };
            let any = taken.scrapes().next().is_some();
            if any || page.expected {
                unreachable.extend(state.warning(taken.url(), any));
                samples.push(taken);
            }
        }
        drop(self);
        let mut summary = summarise(&samples, window);
        summary.warnings.splice(0..0, unreachable);
        (summary, samples)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // A thread may be within a request: it ends by itself when that does, and what it read is not looked at any more.
        for page in &self.pages {
            page.lock().stopped = true;
            page.changed.notify_all();
        }
    }
}

/// A page and the thread that reads it.
#[derive(Debug)]
struct Watched {
    state: Mutex<State>,
    changed: Condvar,
    expected: bool,
}

#[derive(Debug)]
struct State {
    /// Taken away at the end.
    samples: Option<PageSamples>,
    stopped: bool,
    attempts: u64,
    failures: u64,
    failures_in_a_row: u32,
    first_failure: Option<String>,
    /// Scrapes asked for by [`Handle::scrape_now`], and those of them that are over.
    borders_wanted: u64,
    borders_done: u64,
}

impl Watched {
    fn new(samples: PageSamples, expected: bool) -> Self {
        let state = State {
            samples: Some(samples),
            stopped: false,
            attempts: 0,
            failures: 0,
            failures_in_a_row: 0,
            first_failure: None,
            borders_wanted: 0,
            borders_done: 0,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), expected }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a condition until a deadline; says whether it came true.
    fn wait(&self, deadline_ns: u64, done: impl Fn(&State) -> bool) -> bool {
        let mut state = self.lock();
        loop {
            if done(&state) {
                return true;
            }
            let left_ns = deadline_ns.saturating_sub(now_ns());
            if left_ns == 0 {
                return false;
            }
            let waited = self.changed.wait_timeout(state, Duration::from_nanos(left_ns));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The thread: scrapes at fixed instants, more often when asked, and more seldom while the page cannot be had.
    fn read(&self, fetcher: &Fetcher, interval_ns: u64) {
        let mut due_ns = now_ns();
        loop {
            let border = {
                let state = self.lock();
                if state.stopped {
                    return;
                }
                state.borders_wanted
            };
            let before_ns = now_ns();
            let result = fetcher.get();
            let after_ns = now_ns();
            {
                let mut state = self.lock();
                state.attempts += 1;
                let is_border = border > state.borders_done;
                state.borders_done = border;
                match result {
                    Ok(page) => {
                        state.succeeded();
                        if let Some(samples) = &mut state.samples {
                            if is_border {
                                samples.push_border(before_ns, after_ns, &page);
                            } else {
                                samples.push(before_ns, after_ns, &page);
                            }
                        }
                    }
                    Err(error) => state.failed(error.to_string()),
                }
                due_ns = due_after(due_ns, after_ns, interval_ns, state.failures_in_a_row);
                self.changed.notify_all();
            }
            self.wait(due_ns, State::is_wanted);
        }
    }
}

/// When a page is to be read next: at the next instant of the grid, or after a pause that doubles with every failure.
fn due_after(due_ns: u64, now_ns: u64, interval_ns: u64, failures_in_a_row: u32) -> u64 {
    let interval_ns = interval_ns.max(1);
    if failures_in_a_row == 0 {
        if now_ns < due_ns {
            // It was asked for early, so the next instant is still to come.
            return due_ns;
        }
        let missed = now_ns.saturating_sub(due_ns) / interval_ns;
        return due_ns.saturating_add(interval_ns.saturating_mul(missed + 1));
    }
    let doubled = interval_ns.saturating_mul(1 << failures_in_a_row.min(20));
    now_ns.saturating_add(doubled.min(LONGEST_PAUSE_NS.max(interval_ns)))
}

impl State {
    /// Whether the thread has something to do before the next scrape is due. A page that cannot be had is not tried sooner
    /// for being asked for.
    fn is_wanted(&self) -> bool {
        self.stopped || (self.borders_wanted > self.borders_done && self.failures_in_a_row == 0)
    }

    fn succeeded(&mut self) {
        self.failures_in_a_row = 0;
    }

    fn failed(&mut self, reason: String) {
        self.failures += 1;
        self.failures_in_a_row += 1;
        self.first_failure.get_or_insert(reason);
    }

    fn warning(&self, url: &str, ever_read: bool) -> Option<TelemetryWarning> {
        let (message, hint) = match &self.first_failure {
            None if ever_read => return None,
            None => {
                (format!("{url} did not answer before the run was over"), "check that the server is not overloaded")
            }
            Some(reason) if ever_read => (
                format!("{} of {} readings of {url} failed; the first: {reason}", self.failures, self.attempts),
                "the figures of the page leave those times out",
            ),
            Some(reason) => (
                format!("{url} could not be read: {reason}"),
                "check the address, or leave the page out if there is none",
            ),
        };
        Some(TelemetryWarning { code: WarningCode::Unreachable, url: url.to_owned(), message, hint: hint.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::PageKind;

    #[test]
    fn scrapes_keep_to_their_grid() {
        assert_eq!(due_after(1_000, 1_010, 100, 0), 1_100);
        // One that took too long lets instants go by, and the next keeps to the grid.
        assert_eq!(due_after(1_000, 1_250, 100, 0), 1_300);
        assert_eq!(due_after(1_000, 1_100, 100, 0), 1_200);
        // Asked for before it was due.
        assert_eq!(due_after(1_000, 950, 100, 0), 1_000);
    }

    #[test]
    fn a_page_that_cannot_be_had_is_tried_ever_more_seldom() {
        let pause = |failures| due_after(0, SECOND, SECOND / 4, failures) - SECOND;
        assert_eq!([1, 2, 3].map(pause), [SECOND / 2, SECOND, 2 * SECOND]);
        assert_eq!([6, 40, u32::MAX].map(pause), [LONGEST_PAUSE_NS; 3]);
    }

    fn watched() -> Watched {
        Watched::new(PageSamples::new("u", PageKind::Server, 0), true)
    }

    #[test]
    fn a_page_is_wanted_early_for_a_border_unless_it_fails() {
        let page = watched();
        let mut state = page.lock();
        assert!(!state.is_wanted());
        state.borders_wanted = 1;
        assert!(state.is_wanted());
        state.failed("first".to_owned());
        state.failed("second".to_owned());
        assert!(!state.is_wanted());
        state.succeeded();
        assert!(state.is_wanted());
        assert_eq!((state.failures, state.first_failure.as_deref()), (2, Some("first")));
        state.borders_done = 1;
        state.stopped = true;
        assert!(state.is_wanted());
    }

    #[test]
    fn dropping_the_handle_ends_its_threads() {
        // Nobody listens there, and the next try is far away.
        let sources = vec![Source::new("127.0.0.1:1", PageKind::Server).unwrap()];
        let handle = Telemetry::start(TelemetryConfig { sources, interval_ns: u64::MAX, ..TelemetryConfig::default() });
        assert!(handle.wait_ready(u64::MAX));
        let page = Arc::downgrade(&handle.pages[0]);
        assert_eq!(page.strong_count(), 2);
        drop(handle);
        while page.strong_count() > 0 {
            std::thread::yield_now();
        }
    }
}
