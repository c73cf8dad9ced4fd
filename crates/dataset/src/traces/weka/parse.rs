//! From the fields of a trace to its requests.

use serde_json::Value;
use tokamark_plan::TracePlan;
use tokamark_trace::{Row, Span};

use crate::fields::Fields;
use crate::traces::rows::{block_names, needed, seconds};

/// Fields that say how the trace came about.
const TRACE_NOTES: [&str; 4] = ["models", "tool_tokens", "system_tokens", "totals"];
const REQUEST_NOTES: [&str; 5] = ["model", "input_types", "output_types", "stop", "ttft"];
const AGENT_NOTES: [&str; 8] = [
    "subagent_type",
    "duration_ms",
    "total_tokens",
    "tool_use_count",
    "status",
    "models",
    "tool_tokens",
    "system_tokens",
];

/// A trace.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) id: String,
    pub(super) block_size: u32,
    /// In the order of time.
    pub(super) requests: Vec<Request>,
    pub(super) agents: Vec<Agent>,
}

/// An agent that the main one began.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    /// In the order of time.
    pub(super) requests: Vec<Request>,
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// From its sending to its answer's end, milliseconds.
    pub(super) span: Span,
    /// How long the agent thought before it, milliseconds.
    pub(super) think_ms: Option<f64>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    /// Names of blocks, which no other trace has.
    pub(super) hash_ids: Vec<u64>,
}

impl Trace {
    /// Tokens of the longest prompt with its answer.
    pub(super) fn longest(&self) -> u64 {
        let requests = self.requests.iter().chain(self.agents.iter().flat_map(|agent| &agent.requests));
        requests.map(|request| request.input_tokens + request.output_tokens).max().unwrap_or(0)
    }
}

/// The trace of a row; none if it has faults. Names of blocks mean something within their trace only, so its number is
/// mixed into them.
pub(super) fn trace(fields: &mut Fields, number: u64, plan: &TracePlan) -> Option<Trace> {
    fields.constant("hash_id_scope", "local");
    fields.skip(&TRACE_NOTES);
    let id = needed(fields, "id", Fields::name);
    let own_size = needed(fields, "block_size", Fields::above_zero).map(u32::try_from);
    if let Some(Err(_)) = own_size {
        fields.fault("block_size", "is larger than any block");
    }
    let block_size = plan.block_size.or(own_size.and_then(Result::ok)).unwrap_or(1);
    let (mut requests, mut agents) = (Vec::new(), Vec::new());
    for (at, value) in needed(fields, "requests", Fields::list).unwrap_or_default().into_iter().enumerate() {
        let mut inner = fields.inner(&format!("requests[{at}]"), value);
        if inner.is_text("type", "subagent") {
            agents.extend(agent(&mut inner, at, number, block_size));
        } else {
            requests.extend(request(&mut inner, number, block_size));
        }
        fields.absorb(inner);
    }
    if requests.is_empty() && fields.faults() == 0 {
        fields.fault("requests", "has none but those of subagents");
    }
    fields.refuse_rest();
    sort(&mut requests);
    (fields.faults() == 0).then(|| Trace { id: id.unwrap_or_default(), block_size, requests, agents })
}

fn agent(fields: &mut Fields, at: usize, number: u64, block_size: u32) -> Option<Agent> {
    fields.skip(&["type"]);
    fields.skip(&AGENT_NOTES);
    let id = fields.name("agent_id").unwrap_or_else(|| at.to_string());
    let began_ms = needed(fields, "t", seconds).unwrap_or(0.0);
    let mut requests = Vec::new();
    for (at, value) in fields.list("requests").unwrap_or_default().into_iter().enumerate() {
        let mut inner = fields.inner(&format!("requests[{at}]"), value);
        requests.extend(request(&mut inner, number, block_size));
        fields.absorb(inner);
    }
    fields.refuse_rest();
    sort(&mut requests);
    // Times before the agent's beginning are counted from it.
    if requests.first().is_some_and(|first| first.span.start_ms < began_ms) {
        for Request { span, .. } in &mut requests {
            *span = Span { start_ms: span.start_ms + began_ms, end_ms: span.end_ms + began_ms };
        }
    }
    (!requests.is_empty()).then_some(Agent { id, requests })
}

fn request(fields: &mut Fields, number: u64, block_size: u32) -> Option<Request> {
    match fields.take("type") {
        Some(Value::String(kind)) if kind == "n" || kind == "s" => {}
        _ => fields.fault("type", "is none of \"n\", \"s\" and \"subagent\""),
    }
    fields.skip(&REQUEST_NOTES);
    let start_ms = needed(fields, "t", seconds);
    let took_ms = seconds(fields, "api_time").unwrap_or(0.0);
    let think_ms = seconds(fields, "think_time");
    let input_tokens = needed(fields, "in", Fields::above_zero);
    let output_tokens = needed(fields, "out", Fields::whole);
    let names = block_names(fields, "hash_ids");
    let hash_ids = names.into_iter().map(|name| name ^ (number << 32)).collect();
    fields.refuse_rest();
    let request = Request {
        span: Span { start_ms: start_ms?, end_ms: start_ms? + took_ms },
        think_ms,
        input_tokens: input_tokens?,
        output_tokens: output_tokens?,
        hash_ids,
    };
    if let Err(error) = request.row(block_size).check() {
        let field = match error.field() {
            "input_length" => "in",
            "output_length" => "out",
            other => other,
        };
        fields.fault(field, error.to_string());
    }
    Some(request)
}

impl Request {
    /// As a row that is sent whole.
    pub(super) fn row(&self, block_size: u32) -> Row {
        Row {
            is_complete: true,
            input_tokens: self.input_tokens,
            output_tokens: Some(self.output_tokens.max(1)),
            hash_ids: self.hash_ids.clone(),
            block_size,
            ..Row::default()
        }
    }
}

fn sort(requests: &mut [Request]) {
    requests.sort_by(|a, b| a.span.start_ms.total_cmp(&b.span.start_ms));
}
