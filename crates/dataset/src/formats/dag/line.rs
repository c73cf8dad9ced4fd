//! One conversation: a line of the file.

use serde_json::Value;
use tokamark_conversation::{Branch, Conversation, History, Prompt, Turn};

use super::graph::Link;
use super::rounds;
use super::thinking::Thinking;
use crate::fields::Fields;
use crate::random::Stream;

/// What a line says.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) conversation: Conversation,
    pub(super) links: Vec<Link>,
}

/// Reads a line.
pub(super) fn read(fields: &mut Fields, seed: u64) -> Read {
    let mut links = Vec::new();
    if fields.is_no_object() {
        return Read { conversation: Conversation::default(), links };
    }
    fields.constant("type", "dag_jsonl");
    if !fields.has("session_id") {
        fields.fault("session_id", "is missing");
    }
    let id = fields.name("session_id").unwrap_or_default();
    let history = history(fields);
    let thinking = Thinking::take(fields);
    let mut random = Stream::new(seed, &format!("think time {id}"));
    let before: Vec<Branch> = match fields.list("pre_session_spawns") {
        Some(list) => {
            let children = rounds::children(fields, "pre_session_spawns", list, &mut links);
            vec![Branch { children, inherits: false, join_at: None }]
        }
        None => Vec::new(),
    };
    let is_orchestrator = fields.flag("orchestrator").unwrap_or(false);
    let list = if is_orchestrator || fields.has("turns") { fields.list("turns") } else { None };
    let turns = if is_orchestrator {
        if list.is_some_and(|list| !list.is_empty()) {
            fields.fault("turns", "stands in an orchestrator, which sends nothing itself");
        }
        rounds::take(fields, &thinking, &mut random, &mut links)
    } else {
        for field in ["spawns", "rounds"] {
            if fields.take(field).is_some() {
                fields.fault(field, "belongs to a turn, or to a session that is an orchestrator");
            }
        }
        match list {
            Some(list) if !list.is_empty() => turns(fields, list, history, &thinking, &mut random, &mut links),
            _ => {
                fields.fault("turns", "is missing or empty");
                Vec::new()
            }
        }
    };
    fields.refuse_rest();
    Read { conversation: Conversation { id, history, before, turns, ..Conversation::default() }, links }
}

fn history(fields: &mut Fields) -> History {
    match fields.filled("context_mode").as_deref() {
        None | Some("deltas_without_responses") => History::Live,
        Some("deltas_with_responses") => History::Recorded,
        Some("message_array_with_responses") => History::None,
        Some(other) => {
            let known = "deltas_without_responses, deltas_with_responses or message_array_with_responses";
            fields.fault("context_mode", format!("is {other}, not {known}"));
            History::Live
        }
    }
}

fn turns(
    fields: &mut Fields,
    list: Vec<Value>,
    history: History,
    thinking: &Thinking,
    random: &mut Stream,
    links: &mut Vec<Link>,
) -> Vec<Turn> {
    let count = list.len();
    let mut turns = Vec::with_capacity(count);
    for (index, value) in list.into_iter().enumerate() {
        let name = format!("turns[{index}]");
        let mut inner = fields.inner(&name, value);
        if !inner.is_no_object() {
            let think_ms = if index > 0 { thinking.draw(random) } else { None };
            let mut turn = turn(&mut inner, history);
            turn.delay_ms = turn.delay_ms.or(think_ms);
            turn.branches = branches(&mut inner, &name, index, count, links);
            turns.push(turn);
        }
        inner.refuse_rest();
        fields.absorb(inner);
    }
    turns
}

fn turn(fields: &mut Fields, history: History) -> Turn {
    let mut messages = match fields.list("messages") {
        Some(messages) if !messages.is_empty() => messages,
        _ => {
            fields.fault("messages", "is missing or empty");
            Vec::new()
        }
    };
    for (index, message) in messages.iter().enumerate() {
        if message.get("role").is_none_or(|role| role.as_str().is_none_or(str::is_empty)) {
            fields.fault(&format!("messages[{index}].role"), "is missing");
        }
    }
    // With recorded answers, the answer to a turn stands at its end.
    let is_answered = messages.len() > 1 && messages.last().is_some_and(|message| message["role"] == "assistant");
    let reply = if history == History::Recorded && is_answered { messages.pop() } else { None };
    Turn {
        prompt: Prompt::Messages(messages),
        output_tokens: fields.output_tokens(&["max_tokens"]),
        model: fields.filled("model"),
        tools: fields.list("tools").map(Value::Array),
        extra: fields.object("extra").unwrap_or_default(),
        delay_ms: fields.ms("delay"),
        reply,
        ..Turn::default()
    }
}

/// What begins after a turn.
fn branches(fields: &mut Fields, name: &str, index: usize, count: usize, links: &mut Vec<Link>) -> Vec<Branch> {
    let mut branches = Vec::new();
    for (number, value) in fields.list("forks").unwrap_or_default().into_iter().enumerate() {
        branches.extend(fork(fields, &format!("forks[{number}]"), value, index + 1 == count));
    }
    for (number, value) in fields.list("spawns").unwrap_or_default().into_iter().enumerate() {
        branches.extend(spawn(fields, &format!("spawns[{number}]"), value, index, count));
    }
    for branch in &branches {
        let field = format!("{name}.{}", if branch.inherits { "forks" } else { "spawns" });
        let link = |child: &String| Link { field: field.clone(), child: child.clone(), is_fork: branch.inherits };
        links.extend(branch.children.iter().map(link));
    }
    branches
}

/// A child that continues the history. A plain one takes the conversation's place; one in the background goes beside.
fn fork(fields: &mut Fields, field: &str, value: Value, is_last: bool) -> Option<Branch> {
    let (child, in_background) = match value {
        Value::String(child) if !child.is_empty() => (Some(child), false),
        value @ Value::Object(_) => {
            let mut inner = fields.inner(field, value);
            let child = inner.filled("child");
            if child.is_none() && inner.faults() == 0 {
                inner.fault("child", "is missing");
            }
            let in_background = inner.flag("background").unwrap_or(false);
            inner.refuse_rest();
            fields.absorb(inner);
            (child, in_background)
        }
        _ => {
            fields.fault(field, "is neither a name nor an object with one in `child`");
            return None;
        }
    };
    if !in_background && !is_last {
        fields.fault(field, "ends the conversation, but turns follow; one with `background` lets it go on");
    }
    Some(Branch { children: vec![child?], inherits: true, join_at: None })
}

/// Children with no history, which the conversation waits for at its next turn or a later one.
fn spawn(fields: &mut Fields, field: &str, value: Value, index: usize, count: usize) -> Option<Branch> {
    let next = (index + 1 < count).then_some(index as u32 + 1);
    match value {
        Value::String(child) if !child.is_empty() => {
            Some(Branch { children: vec![child], inherits: false, join_at: next })
        }
        value @ Value::Object(_) => {
            let mut inner = fields.inner(field, value);
            let list = inner.list("children").unwrap_or_default();
            if list.is_empty() && inner.faults() == 0 {
                inner.fault("children", "is missing or empty");
            }
            let children = names(&mut inner, "children", list);
            let join_at = if inner.has("join_at") {
                let join_at = inner.whole("join_at");
                if join_at.is_some_and(|turn| turn <= index as u64 || turn >= count as u64) {
                    inner.fault("join_at", format!("is not a turn after {index} and before {count}"));
                }
                join_at.and_then(|turn| u32::try_from(turn).ok())
            } else {
                next
            };
            inner.refuse_rest();
            fields.absorb(inner);
            Some(Branch { children, inherits: false, join_at })
        }
        _ => {
            fields.fault(field, "is neither a name nor an object with names in `children`");
            None
        }
    }
}

/// The names of a list.
pub(super) fn names(fields: &mut Fields, field: &str, list: Vec<Value>) -> Vec<String> {
    let mut names = Vec::with_capacity(list.len());
    for value in list {
        match value {
            Value::String(name) if !name.is_empty() => names.push(name),
            _ => fields.fault(field, "has an entry that is not a name"),
        }
    }
    names
}
