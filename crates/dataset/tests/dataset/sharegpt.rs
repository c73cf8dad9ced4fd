//! Conversations of people with a model.

use serde_json::json;
use tokamark_conversation::{Conversation, Turn};
use tokamark_dataset::{Options, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::folder::{Folder, all, conversations, faults, options};

const FORMAT: DatasetFormat = DatasetFormat::Sharegpt;

fn document() -> String {
    let said = |from: &str, value: &str| json!({"from": from, "value": value});
    json!([
        {"id": "a", "conversations": [said("gpt", "hello"), said("human", "one two three four"), said("gpt", "five six"),
            said("human", "a b c d e"), said("gpt", "f"), said("human", "no answer to this")]},
        {"id": "short", "conversations": [said("human", "one two"), said("gpt", "three")]},
        {"id": "long", "conversations": [said("human", &"w ".repeat(1024)), said("gpt", &"w ".repeat(1025))]},
        {"id": "a", "conversations": [said("user", &"w ".repeat(1024)), said("assistant", &"w ".repeat(1024))]},
    ])
    .to_string()
}

#[test]
fn the_first_question_is_asked_for_as_long_an_answer() {
    let got = conversations(document(), FORMAT);
    let turn = Turn { input_tokens: Some(4), output_tokens: Some(2), ..Turn::text(0, "one two three four") };
    assert_eq!(got[0], Conversation::single("a".into(), turn));
    assert_eq!(got.len(), 2);
    // A name that was there before makes no session of two.
    assert_eq!(
        (got[1].id.as_str(), got[1].turns[0].row, got[1].turns[0].input_tokens),
        ("session_000001", 3, Some(1024))
    );
}

#[test]
fn all_questions_can_be_asked() {
    let folder = Folder::of(&[("a.json", document().as_bytes())]);
    let mut plan = DatasetPlan::of(folder.path("a.json"), Some(FORMAT));
    plan.split = Some("all".into());
    let got = all(&open(&plan, &Options { entries: Some(1), ..options() }).unwrap());
    assert_eq!(got.len(), 1);
    let turn = |question: &str, tokens, answer: &str, answered| Turn {
        input_tokens: Some(tokens),
        output_tokens: Some(answered),
        reply: Some(json!({"role": "assistant", "content": answer})),
        ..Turn::text(0, question)
    };
    assert_eq!(got[0].turns, [turn("one two three four", 4, "five six", 2), turn("a b c d e", 5, "f", 1)]);
}

#[test]
fn lines_are_read_too_and_faults_told() {
    let line = json!({"conversations": [{"from": "human", "value": "a b c d"}, {"from": "gpt", "value": "e"}]});
    assert_eq!(conversations(format!("{line}\n{line}\n"), FORMAT).len(), 2);
    let told = |text: &str| faults(text, FORMAT).first()[0].to_string();
    assert_eq!(told("[{\"id\":1},{}]"), "row 1: `conversations` is missing");
    assert_eq!(told("[{\"conversations\":[{\"value\":\"x\"}]}]"), "row 1: `conversations[0].from` is missing");
    assert_eq!(told("{\"conversations\":[3]}"), "line 1: `conversations[0]` is a number, not an object");
}
