//! Weka traces.

use serde_json::{Value, json};
use tokamark_conversation::{Branch, Conversation, History, Prompt};
use tokamark_dataset::Dataset;
use tokamark_plan::{DatasetFormat, SynthesisPlan, TracePlan};

use crate::made;

const FORMAT: DatasetFormat = DatasetFormat::WekaTrace;

fn request(t: f64, api_time: f64, input: u64, hash_ids: &[u64]) -> Value {
    json!({"t": t, "type": "s", "model": "m", "in": input, "out": 5, "hash_ids": hash_ids, "input_types": ["text"],
        "output_types": ["text"], "stop": "end", "api_time": api_time, "think_time": 0.125, "ttft": 0.1})
}

fn trace(id: &str, requests: &[Value]) -> Value {
    json!({"id": id, "models": ["m"], "block_size": 10, "hash_id_scope": "local", "tool_tokens": 1,
        "system_tokens": 2, "requests": requests})
}

fn open(content: &Value, plan: TracePlan) -> Dataset {
    made::try_open(content.to_string(), FORMAT, plan).unwrap()
}

/// Names of blocks of the first trace.
fn first(names: &[u64]) -> Vec<u64> {
    names.iter().map(|name| name ^ (1 << 32)).collect()
}

fn delays(conversation: &Conversation) -> Vec<Option<f64>> {
    conversation.turns.iter().map(|turn| turn.delay_ms).collect()
}

#[test]
fn requests_are_complete_and_wait_as_recorded() {
    let requests = [
        request(0.0, 2.0, 25, &[1, 2, 3]),
        request(10.0, 1.0, 40, &[1, 2, 3, 4]),
        request(10.5, 1.0, 50, &[1, 2, 3, 4, 5]),
    ];
    let dataset = open(&trace("a", &requests), TracePlan::default());
    let found = dataset.conversation(0).unwrap();
    assert_eq!((found.id.as_str(), found.history, found.start_ms), ("a", History::None, None));
    assert_eq!(found.turns[0].prompt, made::prompt(25, &first(&[1, 2, 3]), 10));
    assert_eq!(delays(&found), [None, Some(8_000.0), Some(0.0)]);
    assert_eq!(found.turns[0].output_tokens, Some(5));
    let think = open(&trace("a", &requests), TracePlan { use_think_time_only: true, ..TracePlan::default() });
    assert_eq!(delays(&think.conversation(0).unwrap()), [None, Some(125.0), Some(125.0)]);
}

#[test]
fn gaps_in_which_no_agent_waits_are_cut() {
    let agent = json!({"t": 2.0, "type": "subagent", "agent_id": "x", "requests": [request(2.0, 10.0, 10, &[7])]});
    let requests = [request(0.0, 2.0, 10, &[1]), agent, request(20.0, 1.0, 20, &[1, 2])];
    let plan = TracePlan { trace_idle_gap_s: Some(3.0), ..TracePlan::default() };
    // The agent works until 12, so the gap of 8 seconds after it becomes 3.
    assert_eq!(delays(&open(&trace("a", &requests), plan).conversation(0).unwrap()), [None, Some(13_000.0)]);
}

#[test]
fn subagents_are_children_that_are_awaited_where_the_parent_went_on() {
    let agent = json!({"t": 3.0, "type": "subagent", "agent_id": "x", "subagent_type": "explore", "status": "done",
        "requests": [request(0.5, 1.0, 10, &[7]), request(4.0, 1.0, 20, &[7, 8])]});
    let late = json!({"t": 9.0, "type": "subagent", "agent_id": "y", "requests": [request(9.0, 50.0, 10, &[9])]});
    let requests =
        [request(0.0, 2.0, 10, &[1]), agent, request(5.0, 1.0, 20, &[1, 2]), request(8.5, 1.0, 30, &[1, 2, 3]), late];
    let dataset = open(&trace("a", &requests), TracePlan::default());
    let parent = dataset.conversation(0).unwrap();
    assert_eq!((dataset.len(), dataset.turns()), (1, 6));
    // The agent's times count from its beginning: 3.5 to 8, after which the third request is the first.
    let branch = |child: &str, join_at| [Branch { children: vec![child.to_owned()], inherits: false, join_at }];
    assert_eq!(parent.turns[0].branches, branch("a::sa:x", Some(2)));
    assert_eq!(parent.turns[2].branches, branch("a::sa:y", None));
    let child = dataset.child("a::sa:x").unwrap().unwrap();
    assert_eq!(delays(&child), [Some(1_500.0), Some(2_500.0)]);
    assert_eq!(child.turns[1].prompt, made::prompt(20, &first(&[7, 8]), 10));
    // It began before the turn was answered.
    assert_eq!(delays(&dataset.child("a::sa:y").unwrap().unwrap()), [Some(0.0)]);
}

#[test]
fn agents_in_one_list_are_told_apart() {
    let requests = [
        request(0.0, 1.0, 30, &[1, 2, 3]),
        request(2.0, 1.0, 30, &[1, 8, 9]),
        request(4.0, 1.0, 40, &[1, 2, 3, 4]),
        request(6.0, 1.0, 40, &[1, 8, 9, 10]),
    ];
    let dataset = open(&trace("a", &requests), TracePlan::default());
    let parent = dataset.conversation(0).unwrap();
    assert_eq!(made::lengths(std::slice::from_ref(&parent)), [[30, 40]]);
    assert_eq!(parent.turns[0].branches[0].children, ["a::fa:0"]);
    assert_eq!(made::lengths(&[dataset.child("a::fa:0").unwrap().unwrap()]), [[30, 40]]);
}

#[test]
fn blocks_of_different_traces_are_different() {
    let traces = json!([trace("a", &[request(0.0, 1.0, 10, &[1])]), trace("b", &[request(0.0, 1.0, 10, &[1])])]);
    let rows = format!("{}\n{}\n", traces[0], traces[1]);
    let pretty = serde_json::to_string_pretty(&traces[0]).unwrap();
    for (content, count) in [(traces.to_string(), 2), (rows, 2), (pretty, 1)] {
        let found = made::conversations(content, FORMAT, TracePlan::default());
        assert_eq!(found.len(), count);
        let blocks: Vec<u64> = found
            .iter()
            .flat_map(|conversation| match &conversation.turns[0].prompt {
                Prompt::Made { blocks, .. } => blocks.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(blocks.iter().enumerate().all(|(at, block)| !blocks[..at].contains(block)), "{blocks:?}");
    }
}

#[test]
fn limits_hold() {
    let agent = json!({"t": 0.5, "type": "subagent", "agent_id": "x", "requests": [request(0.5, 1.0, 10, &[7])]});
    let traces = json!([
        trace("long", &[request(0.0, 1.0, 996, &[1])]),
        trace("a", &[request(0.0, 1.0, 995, &[1]), agent, request(3.0, 1.0, 10, &[1])]),
    ]);
    let synthesis =
        SynthesisPlan { max_osl: Some(3), output_len_multiplier: 2.0, max_isl: Some(900), ..SynthesisPlan::default() };
    let plan = TracePlan { max_context_length: Some(1_000), synthesis, ..TracePlan::default() };
    let dataset = open(&traces, plan);
    // The first trace is too long as a whole, and of the second the first request.
    assert_eq!(dataset.len(), 1);
    let found = dataset.conversation(0).unwrap();
    assert_eq!((made::lengths(std::slice::from_ref(&found)), found.turns[0].output_tokens), (vec![vec![10]], Some(3)));
    // Its turn gone, the child begins before all; answers of children have no longest length.
    assert_eq!(found.before[0].children, ["a::sa:x"]);
    assert_eq!(dataset.child("a::sa:x").unwrap().unwrap().turns[0].output_tokens, Some(10));
}

#[test]
fn faults_name_entry_and_field() {
    let mut wrong = trace("a", &[request(-1.0, 1.0, 10, &[1, 2]), json!({"type": "x", "t": 0, "in": 5, "out": 1})]);
    wrong["hash_id_scope"] = json!("global");
    wrong["surprise"] = json!(1);
    let only_agents = trace("b", &[json!({"type": "subagent", "t": 0, "requests": []})]);
    let layout = trace("c", &[request(0.0, 1.0, 10, &[1, 2])]);
    let good = trace("d", &[request(0.0, 1.0, 10, &[1])]);
    let content = format!("{wrong}\n{only_agents}\n{layout}\n{good}\n{good}\n");
    assert_eq!(
        made::fault_lines(content, FORMAT),
        [
            "line 1: `hash_id_scope` is \"global\", not \"local\"",
            "line 1: `requests[0].t` is negative",
            "line 1: `requests[1].type` is none of \"n\", \"s\" and \"subagent\"",
            "line 1: `surprise` is not a field of this format",
            "line 2: `requests` has none but those of subagents",
            "line 3: `requests[0].hash_ids` has 2 blocks of 10 tokens, but 10 tokens fill only 1; set the trace's block size",
            "line 5: `id` is that of an earlier trace",
        ]
    );
}
