//! The closed loop: a free slot takes the next request.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{StopRule, Ticket};

/// Hands out request numbers to the slots of all workers. The slots are the concurrency: as many tasks as there are
/// slots each take a ticket, send it, wait for its end and take the next.
#[derive(Debug)]
pub struct ClosedLoop {
    next_seq: AtomicU64,
    stop: StopRule,
}

impl ClosedLoop {
    /// A loop that ends by the given rule.
    #[must_use]
    pub fn new(stop: StopRule) -> Self {
        Self { next_seq: AtomicU64::new(0), stop }
    }

    /// The next request for a slot that became free at `now_ns`; `None` when the slot is not needed any more.
    #[must_use]
    pub fn claim(&self, now_ns: u64) -> Option<Ticket> {
        // A number that is refused stays refused, so a gap at the end is harmless.
        let seq = self.next_seq.fetch_add(1, Ordering::Relaxed);
        self.stop.admits(seq, now_ns).then_some(Ticket { seq, due_ns: now_ns })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use tokamark_clock::{Clock, SimulatedClock};

    use super::*;

    /// Plays a closed loop on a simulated clock, request `i` taking `service_ns(i)`; gives the sends and the peak in flight.
    fn play(stop: StopRule, slots: usize, service_ns: impl Fn(u64) -> u64) -> (Vec<Ticket>, usize) {
        let clock = SimulatedClock::default();
        let closed = ClosedLoop::new(stop);
        let (mut in_flight, mut sent, mut peak) = (BinaryHeap::new(), Vec::new(), 0);
        for _ in 0..slots {
            if let Some(ticket) = closed.claim(clock.now_ns()) {
                in_flight.push(Reverse(ticket.due_ns + service_ns(ticket.seq)));
                sent.push(ticket);
            }
        }
        peak = peak.max(in_flight.len());
        while let Some(Reverse(end)) = in_flight.pop() {
            clock.advance_to(end);
            if let Some(ticket) = closed.claim(clock.now_ns()) {
                in_flight.push(Reverse(ticket.due_ns + service_ns(ticket.seq)));
                sent.push(ticket);
            }
            peak = peak.max(in_flight.len());
        }
        (sent, peak)
    }

    #[test]
    fn all_slots_start_at_once_and_never_one_more() {
        let stop = StopRule { count: Some(200), deadline_ns: None };
        let (sent, peak) = play(stop, 50, |_| 100);
        assert_eq!(peak, 50);
        assert_eq!(sent.len(), 200);
        assert_eq!(sent.iter().filter(|ticket| ticket.due_ns == 0).count(), 50);
        assert_eq!(sent.last().unwrap().due_ns, 300);
        let mut seqs: Vec<u64> = sent.iter().map(|ticket| ticket.seq).collect();
        seqs.sort_unstable();
        assert_eq!(seqs, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn a_slow_request_does_not_hold_up_the_other_slots() {
        let stop = StopRule { count: None, deadline_ns: Some(1_000) };
        let (sent, peak) = play(stop, 2, |seq| if seq == 0 { 10_000 } else { 100 });
        // Slot 1 sends at 0, 100, …, 900; slot 0 is busy beyond the deadline.
        assert_eq!((sent.len(), peak), (11, 2));
    }
}
