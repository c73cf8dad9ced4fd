//! Who sends next: numbers of requests and conversations, given out so that the stop rules hold exactly.

use std::iter::Peekable;

use crate::{Schedule, StopRule, Ticket};

/// The numbers of a phase. In a closed loop a free slot opens the next conversation; with a schedule each due instant
/// does, or sends a further request of one that is going on. Numbers of requests have no gaps.
#[derive(Clone, Debug)]
pub struct Claims {
    stop: StopRule,
    schedule: Option<Peekable<Schedule>>,
    paces_turns: bool,
    next_seq: u64,
    next_session: u64,
    alive: u64,
    is_closed: bool,
}

impl Claims {
    /// The claims of a closed loop, or of a schedule.
    #[must_use]
    pub fn new(stop: StopRule, schedule: Option<Schedule>) -> Self {
        let paces_turns = schedule.as_ref().is_some_and(Schedule::paces_turns);
        let schedule = schedule.map(Iterator::peekable);
        Self { stop, schedule, paces_turns, next_seq: 0, next_session: 0, alive: 0, is_closed: false }
    }

    /// The first request of the next conversation, for a slot that became free at `now_ns`; `None` when no more begin.
    pub fn open(&mut self, now_ns: u64) -> Option<Ticket> {
        if !self.may_open() {
            return None;
        }
        let seq = self.turn(now_ns)?;
        let session = self.next_session;
        self.next_session += 1;
        self.alive += 1;
        Some(Ticket { session, seq, due_ns: now_ns })
    }

    /// The number of a further request of a conversation, sent at `now_ns`; `None` when no more are sent.
    pub fn turn(&mut self, now_ns: u64) -> Option<u64> {
        if self.is_closed || !self.stop.admits(self.next_seq, now_ns) {
            return None;
        }
        let seq = self.next_seq;
        self.next_seq += 1;
        Some(seq)
    }

    /// A conversation began beside another.
    pub fn branched(&mut self) {
        self.alive += 1;
    }

    /// A conversation ended.
    pub fn ended(&mut self) {
        self.alive = self.alive.saturating_sub(1);
    }

    /// No more requests from now on.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Whether more conversations may begin, as far as their number goes.
    #[must_use]
    pub fn may_open(&self) -> bool {
        !self.is_closed && self.stop.sessions.is_none_or(|sessions| self.next_session < sessions)
    }

    /// When the schedule's next instant is; `None` when nothing more comes of it.
    pub fn due_ns(&mut self) -> Option<u64> {
        let due_ns = *self.schedule.as_mut()?.peek()?;
        (!self.is_over() && self.stop.admits(self.next_seq, due_ns)).then_some(due_ns)
    }

    /// Leaves the schedule's next instant to a request of a conversation that is going on, or to nobody.
    pub fn pass(&mut self) {
        if let Some(schedule) = &mut self.schedule {
            schedule.next();
        }
    }

    /// The first request of the next conversation, at the schedule's next instant.
    pub fn open_due(&mut self) -> Option<Ticket> {
        let due_ns = self.due_ns()?;
        let ticket = self.open(due_ns)?;
        self.pass();
        Some(ticket)
    }

    /// Whether nothing more comes, however long one waits: all requests were sent, or no conversation is left to begin
    /// or, where the schedule paces every request, to go on.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let may_go_on = self.paces_turns && self.alive > 0;
        self.is_closed || self.stop.count.is_some_and(|count| self.next_seq >= count) || !(self.may_open() || may_go_on)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use tokamark_clock::{Clock, SimulatedClock};
    use tokamark_plan::Arrival;

    use super::*;
    use crate::Arrivals;

    fn closed(count: Option<u64>, sessions: Option<u64>, deadline_ns: Option<u64>) -> Claims {
        Claims::new(StopRule { count, sessions, deadline_ns }, None)
    }

    /// Plays a closed loop on a simulated clock, request `i` taking `service_ns(i)`; gives the sends and the peak in flight.
    fn play(mut claims: Claims, slots: usize, service_ns: impl Fn(u64) -> u64) -> (Vec<Ticket>, usize) {
        let clock = SimulatedClock::default();
        let (mut in_flight, mut sent, mut peak) = (BinaryHeap::new(), Vec::new(), 0);
        for _ in 0..slots {
            if let Some(ticket) = claims.open(clock.now_ns()) {
                in_flight.push(Reverse(ticket.due_ns + service_ns(ticket.seq)));
                sent.push(ticket);
            }
        }
        peak = peak.max(in_flight.len());
        while let Some(Reverse(end)) = in_flight.pop() {
            clock.advance_to(end);
            claims.ended();
            if let Some(ticket) = claims.open(clock.now_ns()) {
                in_flight.push(Reverse(ticket.due_ns + service_ns(ticket.seq)));
                sent.push(ticket);
            }
            peak = peak.max(in_flight.len());
        }
        (sent, peak)
    }

    #[test]
    fn all_slots_start_at_once_and_never_one_more() {
        let (sent, peak) = play(closed(Some(200), None, None), 50, |_| 100);
        assert_eq!(peak, 50);
        assert_eq!(sent.iter().filter(|ticket| ticket.due_ns == 0).count(), 50);
        assert_eq!(sent.last().unwrap().due_ns, 300);
        assert_eq!(sent.iter().map(|ticket| ticket.seq).collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
        assert!(sent.iter().all(|ticket| ticket.session == ticket.seq));
    }

    #[test]
    fn a_slow_request_does_not_hold_up_the_other_slots() {
        let (sent, peak) = play(closed(None, None, Some(1_000)), 2, |seq| if seq == 0 { 10_000 } else { 100 });
        // Slot 1 sends at 0, 100, …, 900; slot 0 is busy beyond the deadline.
        assert_eq!((sent.len(), peak), (11, 2));
    }

    #[test]
    fn turns_and_conversations_share_the_numbers_of_requests() {
        let mut claims = closed(Some(4), None, None);
        assert_eq!(claims.open(5), Some(Ticket { session: 0, seq: 0, due_ns: 5 }));
        assert_eq!(claims.turn(6), Some(1));
        assert_eq!(claims.open(7), Some(Ticket { session: 1, seq: 2, due_ns: 7 }));
        assert_eq!(claims.turn(8), Some(3));
        assert!(claims.is_over());
        assert_eq!((claims.turn(9), claims.open(9)), (None, None));
    }

    #[test]
    fn a_number_of_conversations_does_not_end_those_that_are_going_on() {
        let mut claims = closed(None, Some(1), None);
        assert!(claims.open(0).is_some());
        assert_eq!(claims.open(0), None);
        assert_eq!(claims.turn(0), Some(1));
    }

    fn paced(count: Option<u64>, sessions: Option<u64>, deadline_ns: Option<u64>) -> Claims {
        let arrivals = Arrivals::new(10.0, Arrival::Constant, 0).unwrap();
        Claims::new(StopRule { count, sessions, deadline_ns }, Some(Schedule::arrivals(arrivals, 5_000)))
    }

    #[test]
    fn nothing_is_due_from_the_deadline_on() {
        let mut claims = paced(None, None, Some(5_000 + 2_000_000_000));
        let sent: Vec<Ticket> = std::iter::from_fn(|| claims.open_due()).collect();
        // 10 a second for 2 s, the twentieth exactly at the deadline.
        assert_eq!(sent.len(), 19);
        assert_eq!(sent[18], Ticket { session: 18, seq: 18, due_ns: 5_000 + 1_900_000_000 });
    }

    #[test]
    fn arrivals_are_over_when_nothing_can_come_any_more() {
        let mut claims = paced(None, Some(1), None);
        assert!(claims.open_due().is_some());
        assert_eq!(claims.open_due(), None);
        // The conversation may still go on, at a later arrival.
        assert!(!claims.is_over());
        claims.pass();
        assert_eq!(claims.due_ns(), Some(5_000 + 300_000_000));
        claims.ended();
        assert!(claims.is_over() && claims.due_ns().is_none());
    }

    #[test]
    fn a_fixed_schedule_is_over_when_all_have_begun() {
        let fixed = |sessions| {
            let stop = StopRule { sessions, ..StopRule::default() };
            let mut claims = Claims::new(stop, Some(Schedule::fixed([0, 4, 4].into(), 1_000)));
            std::iter::from_fn(|| claims.open_due()).map(|ticket| ticket.due_ns).collect::<Vec<_>>()
        };
        assert_eq!(fixed(None), [1_000, 1_004, 1_004]);
        assert_eq!(fixed(Some(2)), [1_000, 1_004]);
    }
}
