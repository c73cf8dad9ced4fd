//! Rounds of an orchestrator: turns that send nothing and begin conversations, each after those of the one before have
//! ended.

use serde_json::Value;
use tokamark_conversation::{Branch, Turn};

use super::graph::Link;
use super::line::names;
use super::thinking::Thinking;
use crate::fields::Fields;
use crate::random::Stream;

/// More rounds than any orchestrator plays; each is a turn that is kept.
const MOST: u64 = 100_000;

struct Round {
    children: Vec<String>,
    /// What is waited after it.
    thinking: Thinking,
}

/// Takes the rounds of an orchestrator and gives its turns.
pub(super) fn take(fields: &mut Fields, thinking: &Thinking, random: &mut Stream, links: &mut Vec<Link>) -> Vec<Turn> {
    let own = fields.list("spawns").map(|list| children(fields, "spawns", list, links));
    let rounds = match fields.take("rounds") {
        None => vec![own],
        Some(Value::Array(list)) => {
            if own.is_some() {
                fields.fault("spawns", "stands beside a list of rounds, which have their own");
            }
            return turns(listed(fields, list, thinking, links), random);
        }
        Some(value) => match value.as_u64().filter(|count| (1..=MOST).contains(count)) {
            Some(count) => vec![own; count as usize],
            None => {
                fields.fault("rounds", format!("is neither a whole number from 1 to {MOST} nor a list"));
                Vec::new()
            }
        },
    };
    if rounds.iter().any(Option::is_none) {
        fields.fault("spawns", "is missing, so the orchestrator begins nothing");
    }
    let round = |children| Round { children, thinking: thinking.clone() };
    turns(rounds.into_iter().flatten().map(round).collect(), random)
}

fn listed(fields: &mut Fields, list: Vec<Value>, thinking: &Thinking, links: &mut Vec<Link>) -> Vec<Round> {
    if list.is_empty() {
        fields.fault("rounds", "is empty");
    }
    let mut rounds = Vec::new();
    for (index, value) in list.into_iter().enumerate() {
        let mut inner = fields.inner(&format!("rounds[{index}]"), value);
        let thinking = thinking.of(inner.ms("think_time_ms"));
        if !inner.has("spawns") && !inner.is_no_object() {
            inner.fault("spawns", "is missing");
        }
        let list = inner.list("spawns").unwrap_or_default();
        let field = format!("rounds[{index}].spawns");
        let children = names(&mut inner, "spawns", list);
        links.extend(children.iter().map(|child| Link { field: field.clone(), child: child.clone(), is_fork: false }));
        inner.refuse_rest();
        fields.absorb(inner);
        rounds.push(Round { children, thinking });
    }
    rounds
}

/// Names of children that are begun without a history.
pub(super) fn children(fields: &mut Fields, field: &str, list: Vec<Value>, links: &mut Vec<Link>) -> Vec<String> {
    let children = names(fields, field, list);
    links.extend(children.iter().map(|child| Link { field: field.to_owned(), child: child.clone(), is_fork: false }));
    children
}

fn turns(rounds: Vec<Round>, random: &mut Stream) -> Vec<Turn> {
    let count = rounds.len();
    let mut delay_ms = None;
    let turn = |(index, Round { children, thinking }): (usize, Round)| {
        let join_at = (index + 1 < count).then_some(index as u32 + 1);
        let branches = vec![Branch { children, inherits: false, join_at }];
        let turn = Turn { is_silent: true, delay_ms, branches, ..Turn::default() };
        delay_ms = thinking.draw(random);
        turn
    };
    rounds.into_iter().enumerate().map(turn).collect()
}
