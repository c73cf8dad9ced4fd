//! Waking many tasks of a worker at their instants, with one precise timer.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use tokamark_clock::{Sleeper, now_ns};
use tokio::sync::{Notify, oneshot};

/// The tasks that wait for an instant.
#[derive(Default)]
pub(crate) struct Alarms {
    /// By instant and order of asking.
    waiting: RefCell<BTreeMap<(u64, u64), oneshot::Sender<()>>>,
    asked: Cell<u64>,
    earlier: Notify,
    is_driven: Cell<bool>,
}

impl Alarms {
    /// Waits until the monotonic clock shows `due_ns`.
    pub(crate) async fn wait(self: &Rc<Self>, due_ns: u64) {
        if due_ns <= now_ns() {
            return;
        }
        if !self.is_driven.replace(true) {
            tokio::task::spawn_local(Rc::clone(self).drive());
        }
        let (ring, rung) = oneshot::channel();
        let key = (due_ns, self.asked.replace(self.asked.get() + 1));
        let is_first = {
            let mut waiting = self.waiting.borrow_mut();
            waiting.insert(key, ring);
            waiting.first_key_value().is_some_and(|(first, _)| *first == key)
        };
        if is_first {
            self.earlier.notify_one();
        }
        let _entry = Entry { alarms: self, key };
        let _ = rung.await;
    }

    async fn drive(self: Rc<Self>) {
        let mut sleeper = Sleeper::new().ok();
        loop {
            let first = self.waiting.borrow().first_key_value().map(|((due_ns, _), _)| *due_ns);
            let sleep = async {
                match (first, &mut sleeper) {
                    (None, _) => std::future::pending().await,
                    (Some(due_ns), Some(sleeper)) => sleeper.sleep_until(due_ns).await,
                    (Some(due_ns), None) => coarse_sleep(due_ns).await,
                }
            };
            tokio::select! {
                biased;
                () = self.earlier.notified() => {}
                () = sleep => {}
            }
            let now = now_ns();
            let mut waiting = self.waiting.borrow_mut();
            while let Some(entry) = waiting.first_entry().filter(|entry| entry.key().0 <= now) {
                // Whoever has gone away does not mind.
                let _ = entry.remove().send(());
            }
        }
    }
}

/// A place among those that wait, which is given up by whoever goes away early.
struct Entry<'a> {
    alarms: &'a Alarms,
    key: (u64, u64),
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.alarms.waiting.borrow_mut().remove(&self.key);
    }
}

/// Waits by the runtime's own timer, which is late by a millisecond or two.
pub(crate) async fn coarse_sleep(deadline_ns: u64) {
    tokio::time::sleep(std::time::Duration::from_nanos(deadline_ns.saturating_sub(now_ns()))).await;
}

#[cfg(test)]
mod tests {
    use tokamark_clock::MILLISECOND;

    use super::*;

    #[tokio::test]
    async fn nobody_is_woken_early_and_all_are_woken_in_order() {
        let local = tokio::task::LocalSet::new();
        let (alarms, order) = (Rc::new(Alarms::default()), Rc::new(RefCell::new(Vec::new())));
        let start = now_ns();
        for step in [30, 10, 20, 0, 10] {
            let (alarms, order) = (Rc::clone(&alarms), Rc::clone(&order));
            local.spawn_local(async move {
                let due = start + step * MILLISECOND;
                alarms.wait(due).await;
                assert!(now_ns() >= due);
                order.borrow_mut().push(step);
            });
        }
        let last = Rc::clone(&alarms);
        local.run_until(async move { last.wait(start + 40 * MILLISECOND).await }).await;
        assert_eq!(*order.borrow(), [0, 10, 10, 20, 30]);
        assert!(alarms.waiting.borrow().is_empty());
    }

    #[tokio::test]
    async fn who_goes_away_leaves_nothing_behind() {
        let local = tokio::task::LocalSet::new();
        let alarms = Rc::new(Alarms::default());
        let waiting = Rc::clone(&alarms);
        local
            .run_until(async move {
                tokio::select! {
                    biased;
                    () = waiting.wait(now_ns() + 3_600_000 * MILLISECOND) => {}
                    () = tokio::task::yield_now() => {}
                }
            })
            .await;
        assert!(alarms.waiting.borrow().is_empty());
    }
}
