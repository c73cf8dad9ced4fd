//! Conversations of several turns.

use serde_json::json;
use tokamark_conversation::{Conversation, History, Image, Turn};
use tokamark_plan::DatasetFormat;

use crate::folder::{assert_fault, conversations, texts};

const FORMAT: DatasetFormat = DatasetFormat::MultiTurn;

#[test]
fn a_line_is_a_conversation_with_its_system_message() {
    let lines = [
        json!({"session_id": "a", "turns": [{"role": "system", "text": "Be brief."}, {"text": "one", "output_length": 5},
            {"text": "two", "image": "x.png", "delay": 1500}]}),
        json!({"turns": [{"text": "alone"}]}),
    ];
    let got = conversations(lines.map(|line| line.to_string()).join("\n"), FORMAT);
    let expected = Conversation {
        id: "a".into(),
        system: Some("Be brief.".into()),
        history: History::Live,
        turns: vec![
            Turn { output_tokens: Some(5), ..Turn::text(0, "one") },
            Turn {
                images: vec![Image { uri: "x.png".into(), uuid: None }],
                delay_ms: Some(1500.0),
                ..Turn::text(0, "two")
            },
        ],
        ..Conversation::default()
    };
    assert_eq!(got, [expected, Conversation::single("session_000001".into(), Turn::text(1, "alone"))]);
}

#[test]
fn only_a_leading_plain_system_turn_is_the_systems() {
    let line = json!({"turns": [{"text": "a"}, {"role": "system", "text": "b"}]});
    let got = conversations(line.to_string(), FORMAT);
    assert_eq!((got[0].system.as_deref(), texts(&got[0])), (None, vec!["a".to_owned(), "b".to_owned()]));
    let line = json!({"turns": [{"role": "system", "text": "a", "image": "i"}, {"text": "b"}]});
    assert_eq!(conversations(line.to_string(), FORMAT)[0].turns.len(), 2);
}

#[test]
fn faults_name_the_turn() {
    assert_fault("{}", FORMAT, Some("turns"), "is missing");
    assert_fault("{\"turns\":[]}", FORMAT, Some("turns"), "is empty");
    assert_fault("{\"turns\":{}}", FORMAT, Some("turns"), "is an object, not a list");
    assert_fault("{\"turns\":[1]}", FORMAT, Some("turns[0]"), "is a number, not an object");
    assert_fault("{\"turns\":[{\"text\":\"a\"},{\"role\":\"x\"}]}", FORMAT, Some("turns[1].text"), "is missing");
    assert_fault("{\"turns\":[{\"text\":\"a\",\"delay\":-3}]}", FORMAT, Some("turns[0].delay"), "is negative");
    assert_fault(
        "{\"turns\":[{\"role\":\"system\",\"text\":\"a\"}]}",
        FORMAT,
        Some("turns"),
        "has nothing but the system's message",
    );
}
