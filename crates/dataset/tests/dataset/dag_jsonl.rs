//! Conversations that begin others.

use serde_json::{Value, json};
use tokamark_conversation::{Branch, Conversation, History, Prompt, Turn};
use tokamark_dataset::{Dataset, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::folder::{Folder, all, assert_fault, faults, options, try_open};

const FORMAT: DatasetFormat = DatasetFormat::DagJsonl;

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

fn dataset(rows: &[Value]) -> Dataset {
    try_open(lines(rows), Some(FORMAT)).unwrap()
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

fn leaf(id: &str) -> Value {
    json!({"session_id": id, "turns": [{"messages": [said("user", id)]}]})
}

fn branch(children: &[&str], inherits: bool, join_at: Option<u32>) -> Branch {
    Branch { children: children.iter().map(|&child| child.to_owned()).collect(), inherits, join_at }
}

#[test]
fn children_begin_beside_turns() {
    let root = json!({"session_id": "root", "pre_session_spawns": ["pre"], "turns": [
        {"messages": [said("user", "a")], "max_tokens": 5, "model": "m", "tools": [{"t": 1}], "extra": {"x": 1},
            "forks": [{"child": "bg", "background": true}], "spawns": ["s1", {"children": ["s2", "s3"], "join_at": 2}]},
        {"messages": [said("user", "b")], "delay": 20, "spawns": [{"children": ["s1"]}]},
        {"messages": [said("user", "c")], "forks": ["end"]},
    ]});
    let mut rows = vec![root];
    rows.extend(["pre", "bg", "s1", "s2", "s3", "end"].map(leaf));
    let dataset = dataset(&rows);
    let turn = |text: &str| Turn { prompt: Prompt::Messages(vec![said("user", text)]), ..Turn::default() };
    let first = Turn {
        output_tokens: Some(5),
        model: Some("m".into()),
        tools: Some(json!([{"t": 1}])),
        extra: json!({"x": 1}).as_object().unwrap().clone(),
        branches: vec![
            branch(&["bg"], true, None),
            branch(&["s1"], false, Some(1)),
            branch(&["s2", "s3"], false, Some(2)),
        ],
        ..turn("a")
    };
    let second = Turn { delay_ms: Some(20.0), branches: vec![branch(&["s1"], false, Some(2))], ..turn("b") };
    let third = Turn { branches: vec![branch(&["end"], true, None)], ..turn("c") };
    let expected = Conversation {
        id: "root".into(),
        history: History::Live,
        before: vec![branch(&["pre"], false, None)],
        turns: vec![first, second, third],
        ..Conversation::default()
    };
    assert_eq!(all(&dataset), [expected]);
    let child = Conversation::single("s3".into(), Turn { row: 5, ..turn("s3") });
    assert_eq!(dataset.child("s3").unwrap(), Some(child));
    assert_eq!(dataset.child("root").unwrap(), None);
    assert_eq!((dataset.rows(), dataset.turns()), (7, 9));
}

#[test]
fn orchestrators_play_rounds() {
    let rounds = json!({"session_id": "o", "orchestrator": true, "think_time_ms": 50,
        "rounds": [{"spawns": ["x"]}, {"spawns": ["x", "y"], "think_time_ms": 70}, {"spawns": ["y"]}]});
    let turn = |children: &[&str], delay_ms, join_at| Turn {
        is_silent: true,
        delay_ms,
        branches: vec![branch(children, false, join_at)],
        prompt: Prompt::Texts(Vec::new()),
        ..Turn::default()
    };
    let got = all(&dataset(&[rounds, leaf("x"), leaf("y")]));
    assert_eq!(
        got[0].turns,
        [turn(&["x"], None, Some(1)), turn(&["x", "y"], Some(50.0), Some(2)), turn(&["y"], Some(70.0), None)]
    );
    let counted = json!({"session_id": "o", "orchestrator": true, "spawns": ["x"], "rounds": 2});
    let got = all(&dataset(&[counted, leaf("x")]));
    assert_eq!(got[0].turns, [turn(&["x"], None, Some(1)), turn(&["x"], None, None)]);
}

#[test]
fn think_times_are_drawn_with_the_seed() {
    let row = json!({"session_id": "o", "orchestrator": true, "spawns": ["x"], "rounds": 200, "think_time_ms": 100,
        "think_time_sigma": 0.5, "think_time_min_ms": 80, "think_time_max_ms": 150});
    let folder = Folder::of(&[("a.jsonl", lines(&[row, leaf("x")]).as_bytes())]);
    let draws = |seed| -> Vec<f64> {
        let plan = DatasetPlan::of(folder.path("a.jsonl"), Some(FORMAT));
        let conversation =
            open(&plan, &tokamark_dataset::Options { seed, ..options() }).unwrap().conversation(0).unwrap();
        conversation.turns.iter().filter_map(|turn| turn.delay_ms).collect()
    };
    let first = draws(1);
    assert_eq!(first.len(), 199);
    assert!(first.iter().all(|ms| (80.0..=150.0).contains(ms)));
    assert!(first.contains(&80.0) && first.contains(&150.0) && first.iter().any(|ms| *ms > 80.0 && *ms < 150.0));
    assert_eq!(first, draws(1));
    assert_ne!(first, draws(2));
}

#[test]
fn context_modes_are_histories() {
    let row = |mode: &str| {
        json!({"session_id": mode, "context_mode": mode, "turns": [
            {"messages": [said("user", "q"), said("assistant", "a")]}, {"messages": [said("user", "r")]}]})
    };
    let modes = ["deltas_without_responses", "deltas_with_responses", "message_array_with_responses"];
    let got = all(&dataset(&modes.map(row)));
    let histories: Vec<_> = got.iter().map(|one| one.history).collect();
    assert_eq!(histories, [History::Live, History::Recorded, History::None]);
    let replies: Vec<_> = got.iter().map(|one| one.turns[0].reply.clone()).collect();
    assert_eq!(replies, [None, Some(said("assistant", "a")), None]);
    assert_eq!(got[1].turns[0].prompt, Prompt::Messages(vec![said("user", "q")]));
}

#[track_caller]
fn assert_faults(rows: &[Value], expected: &[&str]) {
    let faults = faults(lines(rows), FORMAT);
    assert_eq!(faults.first().iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn links_are_checked() {
    let with = |id: &str, turn: Value| {
        let mut turn = turn;
        turn["messages"] = json!([said("user", "x")]);
        json!({"session_id": id, "turns": [turn, {"messages": [said("user", "y")]}]})
    };
    assert_faults(
        &[with("a", json!({"spawns": ["none"]}))],
        &["line 1: `turns[0].spawns` names none, which is no session of the file"],
    );
    assert_faults(
        &[
            with("a", json!({"spawns": ["b"]})),
            with("b", json!({"spawns": ["c"]})),
            with("c", json!({"spawns": ["a"]})),
        ],
        &["line 3: `turns[0].spawns` begins a, which begins c itself"],
    );
    assert_faults(&[with("a", json!({"spawns": ["a"]}))], &["line 1: `turns[0].spawns` begins itself"]);
    assert_faults(&[leaf("a"), leaf("a")], &["line 2: `session_id` is that of line 1"]);
    for join_at in [json!(0), json!(2)] {
        assert_faults(
            &[with("a", json!({"spawns": [{"children": ["b"], "join_at": join_at}]})), leaf("b")],
            &["line 1: `turns[0].spawns[0].join_at` is not a turn after 0 and before 2"],
        );
    }
    assert_faults(
        &[with("a", json!({"forks": ["b"]})), leaf("b")],
        &["line 1: `turns[0].forks[0]` ends the conversation, but turns follow; one with `background` lets it go on"],
    );
    let mut array = leaf("b");
    array["context_mode"] = json!("message_array_with_responses");
    assert_faults(
        &[with("a", json!({"forks": [{"child": "b", "background": true}]})), array],
        &[
            "line 1: `turns[0].forks` forks b, whose context mode is message_array_with_responses, so it takes no history over",
        ],
    );
}

#[test]
fn unknown_fields_and_booleans_are_refused() {
    let turn = json!({"messages": [said("user", "x")]});
    let row = |field: &str, value: Value| {
        let mut row = json!({"session_id": "a", "turns": [turn]});
        row[field] = value;
        row.to_string()
    };
    assert_fault(&row("note", json!(1)), FORMAT, Some("note"), "is not a field of this format");
    assert_fault(&row("think_time_ms", json!(true)), FORMAT, Some("think_time_ms"), "is not a number of milliseconds");
    assert_fault(&row("orchestrator", json!(1)), FORMAT, Some("orchestrator"), "is a number, not true or false");
    assert_fault(
        &row("spawns", json!(["a"])),
        FORMAT,
        Some("spawns"),
        "belongs to a turn, or to a session that is an orchestrator",
    );
    assert_fault(&row("turns", json!([])), FORMAT, Some("turns"), "is missing or empty");
    let in_turn = |field: &str, value: Value| {
        let mut turn = turn.clone();
        turn[field] = value;
        row("turns", json!([turn]))
    };
    assert_fault(&in_turn("text", json!("x")), FORMAT, Some("turns[0].text"), "is not a field of this format");
    assert_fault(
        &in_turn("max_tokens", json!(true)),
        FORMAT,
        Some("turns[0].max_tokens"),
        "is not a whole number above 0",
    );
    assert_fault(&in_turn("delay", json!(false)), FORMAT, Some("turns[0].delay"), "is not a number of milliseconds");
    assert_fault(
        &in_turn("messages", json!([{"content": "x"}])),
        FORMAT,
        Some("turns[0].messages[0].role"),
        "is missing",
    );
    assert_fault(
        "{\"session_id\":\"o\",\"orchestrator\":true,\"rounds\":true,\"spawns\":[\"x\"]}",
        FORMAT,
        Some("rounds"),
        "is neither a whole number from 1 to 100000 nor a list",
    );
    assert_fault(
        "{\"session_id\":\"o\",\"orchestrator\":true,\"think_time_ms\":5,\"think_time_sigma\":11,\"spawns\":[\"x\"]}",
        FORMAT,
        Some("think_time_sigma"),
        "is not a number above 0 and up to 10",
    );
}

#[test]
fn what_leads_nowhere_can_be_left_out() {
    let with = |id: &str, child: &str| json!({"session_id": id, "turns": [{"messages": [said("user", "x")], "spawns": [child]}]});
    let rows = [with("a", "b"), with("b", "none"), with("c", "d"), with("d", "c"), with("e", "f"), leaf("f")];
    let folder = Folder::of(&[("a.jsonl", lines(&rows).as_bytes())]);
    let plan = DatasetPlan { skip_bad_lines: true, ..DatasetPlan::of(folder.path("a.jsonl"), Some(FORMAT)) };
    let dataset = open(&plan, &options()).unwrap();
    assert_eq!(all(&dataset).iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["e"]);
    assert!(dataset.child("f").unwrap().is_some() && dataset.child("b").unwrap().is_none());
    assert_eq!(dataset.skipped_lines(), 4);
}
