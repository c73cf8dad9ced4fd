//! What the workers share in a phase.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokamark_record::Phase;
use tokio::sync::Semaphore;

use crate::book::Book;
use crate::lookahead::Lookahead;
use crate::thinkers::Thinkers;

/// One phase, from the workers' point of view.
pub(crate) struct Course {
    pub(crate) phase: Phase,
    pub(crate) start_ns: u64,
    /// Nothing is sent from then on.
    pub(crate) deadline_ns: Option<u64>,
    pub(crate) book: Book,
    /// Room for conversations, where the schedule begins them.
    pub(crate) cap: Option<Arc<Semaphore>>,
    pub(crate) lookahead: Arc<Lookahead>,
    pub(crate) thinkers: Arc<Thinkers>,
    /// A conversation has panicked.
    pub(crate) has_failed: AtomicBool,
}

impl Course {
    /// Nothing more is sent, since a conversation has panicked.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::SeqCst);
        self.book.close();
    }

    /// Whether requests are missing because the supply panicked.
    pub(crate) fn supply_is_gone(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst) || self.lookahead.is_broken()
    }
}

/// A conversation that is going on; its end is noted when this is dropped.
pub(crate) struct Alive(Arc<Course>);

impl Alive {
    /// One that has been counted.
    pub(crate) fn counted(course: &Arc<Course>) -> Self {
        Self(Arc::clone(course))
    }

    /// One more, beside another.
    pub(crate) fn branched(course: &Arc<Course>) -> Self {
        course.book.branched();
        Self(Arc::clone(course))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.book.ended();
    }
}
