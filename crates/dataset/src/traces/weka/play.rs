//! From the requests of a trace to conversations.

use tokamark_conversation::{Branch, Conversation, History, Turn};
use tokamark_plan::{SynthesisPlan, TracePlan};
use tokamark_trace::{GapCaps, Row, SharedIds, Span, Transform};

use super::agents::apart;
use super::parse::{Agent, Request, Trace};
use crate::traces::replay::{Replay, turn};

/// Makes conversations of traces.
pub(super) struct Player<'a> {
    plan: &'a TracePlan,
    replay: Replay,
    /// Scales the answers of children, which have no longest length.
    children: Option<Transform>,
}

/// A turn and when it was recorded.
struct Timed {
    span: Span,
    turn: Turn,
}

impl<'a> Player<'a> {
    pub(super) fn new(plan: &'a TracePlan, replay: Replay) -> Self {
        // The plan has been checked with the replay.
        let free = SynthesisPlan { max_osl: None, ..plan.synthesis };
        Self { plan, replay, children: Transform::new(free, SharedIds::default()).ok() }
    }

    /// The main conversation and those that it begins; none if no request of the main one is left.
    pub(super) fn play(&mut self, mut trace: Trace, row: u64) -> Option<(Conversation, Vec<Conversation>)> {
        self.cap_gaps(&mut trace);
        let Trace { id, block_size, requests, agents } = trace;
        let mut chains = apart(requests).into_iter();
        let mut turns = self.turns(chains.next()?, &id, block_size, row, false);
        let mut others: Vec<(String, Vec<Request>)> =
            (0..).zip(chains).map(|(at, requests): (u32, _)| (format!("{id}::fa:{at}"), requests)).collect();
        for (at, Agent { id: agent, requests }) in agents.into_iter().enumerate() {
            let name = format!("{id}::sa:{agent}");
            // Names may be given twice, and one list may be of several agents.
            let is_taken = others.iter().any(|(other, _)| *other == name);
            let name = if is_taken { format!("{name}:{at}") } else { name };
            for (part, requests) in apart(requests).into_iter().enumerate() {
                others.push((if part == 0 { name.clone() } else { format!("{name}:fa:{part}") }, requests));
            }
        }
        let mut before = Vec::new();
        let mut children = Vec::new();
        for (name, requests) in others {
            let child = self.turns(requests, &id, block_size, row, true);
            let Some((start_ms, end_ms)) = extent(&child) else { continue };
            let parent = turns.partition_point(|turn| turn.span.start_ms <= start_ms).checked_sub(1);
            let mut child: Vec<Turn> = child.into_iter().map(|timed| timed.turn).collect();
            match parent {
                None => add(&mut before, name.clone(), None),
                Some(parent) => {
                    let answered_ms = turns[parent].span.end_ms;
                    child[0].delay_ms = Some(self.replay.delay((start_ms - answered_ms).max(0.0)));
                    let goes_on = (parent + 1..turns.len()).find(|&at| turns[at].span.start_ms >= end_ms);
                    let join_at = goes_on.and_then(|at| u32::try_from(at).ok());
                    add(&mut turns[parent].turn.branches, name.clone(), join_at);
                }
            }
            children.push(Conversation { history: History::None, turns: child, id: name, ..Conversation::default() });
        }
        let turns: Vec<Turn> = turns.into_iter().map(|timed| timed.turn).collect();
        if turns.is_empty() {
            return None;
        }
        let parent = Conversation { history: History::None, before, turns, id, ..Conversation::default() };
        Some((parent, children))
    }

    /// The turns of one agent, each with its wait after the one before it.
    fn turns(&mut self, requests: Vec<Request>, id: &str, block_size: u32, number: u64, is_child: bool) -> Vec<Timed> {
        let mut turns: Vec<Timed> = Vec::new();
        for request in requests {
            let wait_ms = turns.last().map(|before| {
                if self.plan.use_think_time_only {
                    request.think_ms.unwrap_or(0.0)
                } else {
                    (request.span.start_ms - before.span.end_ms).max(0.0)
                }
            });
            let row = Row { session: Some(id.to_owned()), delay_ms: wait_ms, ..request.row(block_size) };
            let asked = row.output_tokens;
            let Some(mut row) = self.replay.row(row) else { continue };
            if let Some(children) = self.children.as_ref().filter(|_| is_child) {
                row.output_tokens = asked.map(|tokens| children.output_tokens(tokens));
            }
            turns.push(Timed { span: request.span, turn: Turn { row: number, ..turn(row) } });
        }
        turns
    }

    /// Cuts the gaps in which no agent of the trace waited for an answer.
    fn cap_gaps(&self, trace: &mut Trace) {
        let Some(cap_s) = self.plan.trace_idle_gap_s else { return };
        let all = |trace: &Trace| -> Vec<Span> {
            let agents = trace.agents.iter().flat_map(|agent| &agent.requests);
            trace.requests.iter().chain(agents).map(|request| request.span).collect()
        };
        let mut spans = all(trace);
        spans.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
        let caps = GapCaps::new(spans, cap_s * 1e3);
        for request in trace.requests.iter_mut().chain(trace.agents.iter_mut().flat_map(|agent| &mut agent.requests)) {
            let Span { start_ms, end_ms } = request.span;
            let moved = caps.moved(start_ms);
            request.span = Span { start_ms: moved, end_ms: moved + (end_ms - start_ms) };
        }
    }
}

fn extent(turns: &[Timed]) -> Option<(f64, f64)> {
    let start_ms = turns.first()?.span.start_ms;
    Some((start_ms, turns.iter().map(|turn| turn.span.end_ms).fold(start_ms, f64::max)))
}

/// Adds a child to the branch with the same join.
fn add(branches: &mut Vec<Branch>, child: String, join_at: Option<u32>) {
    match branches.iter_mut().find(|branch| branch.join_at == join_at) {
        Some(branch) => branch.children.push(child),
        None => branches.push(Branch { children: vec![child], inherits: false, join_at }),
    }
}
