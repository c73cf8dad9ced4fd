//! Formats of whole request bodies.

use tokamark_conversation::{Conversation, History, Prompt};
use tokamark_dataset::open;
use tokamark_plan::DatasetFormat::{OpenaiBatch, RawPayload};
use tokamark_plan::DatasetPlan;

use crate::folder::{Folder, all, assert_fault, conversations, faults, options};

fn bodies(conversation: &Conversation) -> Vec<&str> {
    assert_eq!(conversation.history, History::None);
    conversation
        .turns
        .iter()
        .map(|turn| match &turn.prompt {
            Prompt::Body(text) => text.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn lines_are_bodies_byte_for_byte() {
    let body = "{\"messages\" :[ {\"role\":\"user\",\"content\":\"caf\\u00e9 é\"}],  \"seed\":1.50}";
    let got = conversations(format!("{body}\r\n\n{{}}"), RawPayload);
    assert_eq!(got.iter().map(bodies).collect::<Vec<_>>(), [vec![body], vec!["{}"]]);
    assert_eq!((got[0].id.as_str(), got[1].turns[0].row), ("session_000000", 1));
    assert_fault("[]", RawPayload, None, "is not an object, so it is no request body");
    assert_fault("{\"a\":}", RawPayload, None, "is not JSON (expected value, column 6)");
}

#[test]
fn files_of_a_folder_are_sessions() {
    let folder = Folder::of(&[
        ("b.jsonl", b"{\"n\":1}\n{\"n\":2}\n"),
        ("a/one.json", b"{\n  \"n\": 3\n}\n"),
        ("a/two.json", b"{\"n\":4}\n{\"n\":5}"),
    ]);
    let got = all(&open(&DatasetPlan::of(folder.path(""), Some(RawPayload)), &options()).unwrap());
    assert_eq!(got.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a/one", "a/two", "b"]);
    assert_eq!(
        got.iter().map(bodies).collect::<Vec<_>>(),
        [vec!["{\n  \"n\": 3\n}"], vec!["{\"n\":4}", "{\"n\":5}"], vec!["{\"n\":1}", "{\"n\":2}"]]
    );
}

#[test]
fn a_batch_names_its_bodies() {
    let line = |id: &str, url: &str| {
        format!("{{\"custom_id\": \"{id}\", \"method\": \"POST\", \"url\": \"{url}\", \"body\": {{\"x\":  1.0}}}}\n")
    };
    let got = conversations(line("r1", "/v1/x") + &line("r2", "/v1/x"), OpenaiBatch);
    assert_eq!(
        got.iter().map(|one| (one.id.as_str(), bodies(one))).collect::<Vec<_>>(),
        [("r1", vec!["{\"x\":  1.0}"]), ("r2", vec!["{\"x\":  1.0}"])]
    );
    let faults = faults(line("r1", "/v1/x") + &line("r1", "/v1/y"), OpenaiBatch);
    assert_eq!(
        faults.to_string(),
        "2 faults, so nothing was sent:\n  line 2: `url` is /v1/y, but earlier lines have /v1/x; a run asks one endpoint\n  \
         line 2: `custom_id` is that of an earlier line"
    );
    assert_fault("{\"custom_id\":\"a\"}", OpenaiBatch, Some("body"), "is missing");
    assert_fault("{\"custom_id\":\"a\",\"body\":[]}", OpenaiBatch, Some("body"), "is not an object");
    assert_fault("{\"body\":{},\"method\":\"GET\"}", OpenaiBatch, Some("method"), "is \"GET\", not \"POST\"");
}
