//! The open loop: which request is due when, and which worker sends it.

use tokamark_clock::from_seconds;
use tokamark_plan::LoadPlan;

use crate::Arrivals;

/// A request that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number in the phase, from 0.
    pub seq: u64,
    /// When it is due, monotonic nanoseconds.
    pub due_ns: u64,
}

/// When to stop sending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRule {
    /// Send so many.
    pub count: Option<u64>,
    /// Send nothing from this instant on, monotonic nanoseconds.
    pub deadline_ns: Option<u64>,
}

impl StopRule {
    /// The rule of the measured phase that starts at `start_ns`.
    #[must_use]
    pub fn of(load: &LoadPlan, start_ns: u64) -> Self {
        Self {
            count: load.request_count,
            deadline_ns: load.duration_s.map(|seconds| start_ns.saturating_add(from_seconds(seconds))),
        }
    }

    /// Whether request `seq` may be sent at `now_ns`.
    #[must_use]
    pub fn admits(&self, seq: u64, now_ns: u64) -> bool {
        self.count.is_none_or(|count| seq < count) && self.deadline_ns.is_none_or(|deadline| now_ns < deadline)
    }
}

/// The tickets of one worker, in order. All workers together send each ticket once.
#[derive(Clone, Debug)]
pub struct Schedule {
    arrivals: Arrivals,
    start_ns: u64,
    stop: StopRule,
    next_seq: u64,
    worker: u64,
    workers: u64,
}

impl Schedule {
    /// The share of worker `worker` of `workers` in a phase that starts at `start_ns`.
    #[must_use]
    pub fn new(arrivals: Arrivals, start_ns: u64, stop: StopRule, worker: u16, workers: u16) -> Self {
        Self { arrivals, start_ns, stop, next_seq: 0, worker: worker.into(), workers: workers.max(1).into() }
    }
}

impl Iterator for Schedule {
    type Item = Ticket;

    fn next(&mut self) -> Option<Ticket> {
        loop {
            let seq = self.next_seq;
            let due_ns = self.start_ns.saturating_add(self.arrivals.next()?);
            self.next_seq += 1;
            if !self.stop.admits(seq, due_ns) {
                return None;
            }
            if seq % self.workers == self.worker {
                return Some(Ticket { seq, due_ns });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokamark_plan::Arrival;

    use super::*;

    fn schedule(stop: StopRule, worker: u16, workers: u16) -> Schedule {
        Schedule::new(Arrivals::new(10.0, Arrival::Poisson, 3).unwrap(), 5_000, stop, worker, workers)
    }

    #[test]
    fn the_workers_together_send_what_one_worker_would() {
        let stop = StopRule { count: Some(1_000), deadline_ns: None };
        let alone: Vec<Ticket> = schedule(stop, 0, 1).collect();
        for workers in [2u16, 3, 7] {
            let mut together: Vec<Ticket> = (0..workers).flat_map(|worker| schedule(stop, worker, workers)).collect();
            together.sort_by_key(|ticket| ticket.seq);
            assert_eq!(together, alone);
        }
        assert_eq!(alone.len(), 1_000);
    }

    #[test]
    fn nothing_is_due_from_the_deadline_on() {
        let deadline_ns = 5_000 + 2_000_000_000;
        let arrivals = Arrivals::new(10.0, Arrival::Constant, 0).unwrap();
        let stop = StopRule { count: None, deadline_ns: Some(deadline_ns) };
        let tickets: Vec<Ticket> = Schedule::new(arrivals, 5_000, stop, 0, 1).collect();
        // 10 a second for 2 s, the twentieth exactly at the deadline.
        assert_eq!(tickets.len(), 19);
        assert_eq!(tickets[18], Ticket { seq: 18, due_ns: 5_000 + 1_900_000_000 });
    }
}
