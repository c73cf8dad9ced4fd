//! Tasks that are waited for together, though they begin one another.

use std::cell::Cell;
use std::rc::Rc;

use tokio::sync::Notify;

/// Counts members, and notes whether one of them panicked.
#[derive(Default)]
pub(crate) struct Crew {
    members: Cell<usize>,
    has_panicked: Cell<bool>,
    none: Notify,
}

/// One that is waited for, until it is dropped.
pub(crate) struct Member(Rc<Crew>);

impl Crew {
    /// One more.
    pub(crate) fn join(self: &Rc<Self>) -> Member {
        self.members.set(self.members.get() + 1);
        Member(Rc::clone(self))
    }

    /// Whether there are no members.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.get() == 0
    }

    /// Waits until all members have gone.
    pub(crate) async fn gone(&self) {
        while !self.is_empty() {
            self.none.notified().await;
        }
    }

    /// Whether a member went by panicking.
    pub(crate) fn has_panicked(&self) -> bool {
        self.has_panicked.get()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let crew = &self.0;
        crew.members.set(crew.members.get() - 1);
        if std::thread::panicking() {
            crew.has_panicked.set(true);
        }
        if crew.is_empty() {
            crew.none.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_member_that_panics_is_noted() {
        let local = tokio::task::LocalSet::new();
        let crew = Rc::new(Crew::default());
        for panics in [false, true] {
            let member = crew.join();
            local.spawn_local(async move {
                let _member = member;
                assert!(!panics, "on purpose");
            });
            local.run_until(crew.gone()).await;
            assert_eq!(crew.has_panicked(), panics);
        }
    }

    #[tokio::test]
    async fn those_who_join_later_are_waited_for_too() {
        let local = tokio::task::LocalSet::new();
        let (crew, done) = (Rc::new(Crew::default()), Rc::new(Cell::new(false)));
        let (member, second, end) = (crew.join(), Rc::clone(&crew), Rc::clone(&done));
        local.spawn_local(async move {
            let other = second.join();
            drop(member);
            tokio::task::spawn_local(async move {
                tokio::task::yield_now().await;
                end.set(true);
                drop(other);
            });
        });
        local.run_until(crew.gone()).await;
        assert!(done.get());
    }
}
