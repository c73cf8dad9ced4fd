//! Datasets of single turns.

use serde_json::json;
use tokamark_conversation::{Audio, Conversation, History, Image, Prompt, TextGroup, Turn, Video};
use tokamark_dataset::{Dataset, DatasetError, open};
use tokamark_plan::{DatasetFormat, DatasetPlan, SchedulePlan};

use crate::folder::{self, Folder, all, options, texts};

const FORMAT: DatasetFormat = DatasetFormat::SingleTurn;

fn dataset(content: &str) -> Dataset {
    folder::try_open(content, Some(FORMAT)).unwrap()
}

fn turn(row: serde_json::Value) -> Turn {
    all(&dataset(&row.to_string())).remove(0).turns.remove(0)
}

#[track_caller]
fn assert_fault(line: &str, field: Option<&str>, reason: &str) {
    folder::assert_fault(line, FORMAT, field, reason);
}

#[test]
fn rows_come_in_order() {
    let dataset =
        dataset("{\"text\":\"one\"}\n{\"text\":\"two words\",\"output_length\":4}\n{\"text\":\"caf\\u00e9\"}\n");
    let expected =
        [("session_000000", "one", None), ("session_000001", "two words", Some(4)), ("session_000002", "café", None)];
    let expected: Vec<Conversation> = (0..)
        .zip(expected)
        .map(|(row, (id, text, output_tokens))| Conversation {
            history: History::None,
            ..Conversation::single(id.to_owned(), Turn { output_tokens, ..Turn::text(row, text) })
        })
        .collect();
    assert_eq!(all(&dataset), expected);
    assert_eq!((dataset.rows(), dataset.turns(), dataset.skipped_lines()), (3, 3, 0));
    assert_eq!(dataset.format(), FORMAT);
    assert_eq!(dataset.how_found(), "read as single_turn, as asked for");
    assert_eq!(dataset.starts_ms(), None);
}

#[test]
fn byte_order_mark_line_ends_and_blank_lines_do_no_harm() {
    let dataset = dataset("\u{feff}{\"text\":\"one\"}\r\n\r\n  \t\n{\"text\":\"two\"}");
    assert_eq!(all(&dataset).iter().flat_map(texts).collect::<Vec<_>>(), ["one", "two"]);
}

const DIRTY: &str = "\u{feff}{\"text\":\"one\"}\r\n\r\n{\"text\":\"two\",\"output_length\":4}\n{\"note\":\"no prompt\"}\n{\"text\":\"\"}\n{\"text\":\"café\"}";

#[test]
fn every_fault_is_told_with_its_line() {
    assert_eq!(
        folder::faults(DIRTY, FORMAT).to_string(),
        "2 faults, so nothing was sent:\n  line 4: `text` is missing\n  line 5: `text` is empty"
    );
}

#[test]
fn faulty_lines_can_be_skipped_and_are_counted() {
    let files = Folder::of(&[("a.jsonl", DIRTY.as_bytes())]);
    let plan = DatasetPlan { skip_bad_lines: true, ..DatasetPlan::of(files.path("a.jsonl"), Some(FORMAT)) };
    let dataset = open(&plan, &options()).unwrap();
    assert_eq!(all(&dataset).iter().flat_map(texts).collect::<Vec<_>>(), ["one", "two", "café"]);
    assert_eq!((dataset.rows(), dataset.skipped_lines()), (3, 2));
    assert_eq!(dataset.faults().first()[1].to_string(), "line 5: `text` is empty");
    assert_eq!(dataset.conversation(2).unwrap().turns[0].row, 2);
}

#[test]
fn beyond_twenty_faults_are_counted() {
    let faults = folder::faults("{}\n".repeat(23), FORMAT);
    assert_eq!((faults.first().len(), faults.count()), (20, 23));
    assert!(faults.to_string().ends_with("\n  line 20: `text` is missing\n  and 3 more"));
}

#[test]
fn what_is_wrong_is_said_in_words() {
    assert_fault("[1]", None, "is a list, not an object");
    assert_fault("{\"text\": \"a\"", None, "is not JSON (EOF while parsing an object, column 12)");
    assert_fault("{\"text\": null}", Some("text"), "is missing");
    assert_fault("{\"text\": 5}", Some("text"), "is a number, not a text");
    assert_fault("{\"texts\": \"a\"}", Some("texts"), "is a text, not a list");
    assert_fault("{\"texts\": []}", Some("texts"), "is empty");
    assert_fault("{\"texts\": [{\"name\": \"q\"}]}", Some("texts.contents"), "is missing");
    assert_fault("{\"texts\": [{\"contents\": []}]}", Some("texts.contents"), "is empty");
    assert_fault("{\"texts\": [{\"contents\": [1]}]}", Some("texts.contents"), "has a number, not only texts");
    assert_fault(
        "{\"text\": \"a\", \"texts\": [\"b\"]}",
        Some("texts"),
        "stands beside `text`; only one of them may be given",
    );
    assert_fault(
        "{\"text\": \"a\", \"text_input\": \"b\"}",
        Some("text_input"),
        "stands beside another text; only one of them may be given",
    );
    assert_fault("{\"text\": \"a\", \"output_length\": 0}", Some("output_length"), "is not a whole number above 0");
    assert_fault("{\"text\": \"a\", \"output_length\": true}", Some("output_length"), "is not a whole number above 0");
    assert_fault("{\"text\": \"a\", \"max_tokens\": 1.5}", Some("max_tokens"), "is not a whole number above 0");
    assert_fault(
        "{\"text\": \"a\", \"output_length\": 3, \"max_tokens\": 4}",
        Some("max_tokens"),
        "is 4, but `output_length` is 3",
    );
    assert_fault("{\"text\": \"a\", \"extra\": []}", Some("extra"), "is a list, not an object");
    assert_fault("{\"text\": \"a\", \"role\": \"\"}", Some("role"), "is empty");
    assert_fault("{\"text\": \"a\", \"type\": \"x\"}", Some("type"), "is \"x\", not \"single_turn\"");
    assert_fault("{\"text\": \"a\", \"timestamp\": \"0\"}", Some("timestamp"), "is not a number of milliseconds");
    assert_fault("{\"text\": \"a\", \"timestamp\": true}", Some("timestamp"), "is not a number of milliseconds");
    assert_fault("{\"text\": \"a\", \"delay\": -1}", Some("delay"), "is negative");
    assert_fault(
        "{\"text\": \"a\", \"timestamp\": 1, \"delay\": 1}",
        Some("delay"),
        "stands beside `timestamp`; only one of them may be given",
    );
    assert_fault("{\"text\": \"a\", \"delay\": NaN}", None, "is not JSON (expected value, column 24)");
    assert_fault("{\"text\": \"a\", \"delay\": 1e999}", None, "is not JSON (number out of range, column 28)");
    assert_fault(
        "{\"images\": [\"a\", \"b\"], \"image_uuids\": [\"u\"]}",
        Some("image_uuids"),
        "has 1 names for 2 images",
    );
    assert_eq!(folder::faults(b"{\"text\":\"\xff\"}", FORMAT).first()[0].reason, "is not UTF-8");
    assert_eq!(folder::faults(b"{\"text\":\"\\ud800\"}", FORMAT).count(), 1);
    assert_eq!(folder::faults(b"{\"output_length\":0,\"text\":5}", FORMAT).count(), 2);
}

#[test]
fn a_row_says_more_than_its_text() {
    let dataset = dataset(
        &json!({
            "texts": ["a b", {"name": "q", "contents": ["c", "d"]}], "max_tokens": 7.0, "model": "other",
            "role": "system", "extra": {"z": 1, "a": [true]}, "timestamp": 12.5, "note": "n", "output_length": null,
        })
        .to_string(),
    );
    let turn = &dataset.conversation(0).unwrap().turns[0];
    let group = |name: &str, texts: &[&str]| TextGroup {
        name: name.to_owned(),
        texts: texts.iter().map(|&text| text.to_owned()).collect(),
    };
    assert_eq!(turn.prompt, Prompt::Groups(vec![group("", &["a b"]), group("q", &["c", "d"])]));
    assert_eq!((turn.output_tokens, turn.role.as_deref()), (Some(7), Some("system")));
    assert_eq!(turn.model.as_deref(), Some("other"));
    assert_eq!(serde_json::to_string(&turn.extra).unwrap(), "{\"z\":1,\"a\":[true]}");
    assert_eq!(turn.timestamp_ms, Some(12.5));
    assert_eq!(dataset.starts_ms(), Some(&[12.5][..]));
    assert_eq!(dataset.ignored_fields().collect::<Vec<_>>(), ["note"]);
}

#[test]
fn media_are_told_apart() {
    let image = |uri: &str, uuid: Option<&str>| Image { uri: uri.into(), uuid: uuid.map(str::to_owned) };
    let clip = |format: &str, data: &str| Audio { format: format.to_owned(), data: data.into(), seconds: None };
    let row = turn(json!({"image": "a.png", "audio": "wav,QUJD", "video": "http://x/v.mp4"}));
    assert_eq!(row.images, [image("a.png", None)]);
    assert_eq!(row.audios, [clip("wav", "QUJD")]);
    assert_eq!(row.videos, [Video { uri: "http://x/v.mp4".into() }]);
    assert_eq!(row.prompt, Prompt::Texts(Vec::new()));
    let row = turn(json!({"text_input": "t", "images": ["a", "b"], "image_uuids": ["u", null],
        "audios": ["data:audio/mpeg;base64,QUJD", "clip,1.wav"]}));
    assert_eq!(row.images, [image("a", Some("u")), image("b", None)]);
    assert_eq!(row.audios, [clip("mp3", "QUJD"), clip("", "clip,1.wav")]);
    assert_eq!(row.prompt, Prompt::Texts(vec!["t".to_owned()]));
    assert_eq!(turn(json!({"image_uuids": ["u", "v"]})).images, [image("", Some("u")), image("", Some("v"))]);
    let row = turn(json!({"images": [{"contents": ["a"], "uuids": ["u"]}, "b", {"uuids": ["w"]}]}));
    assert_eq!(row.images, [image("a", Some("u")), image("b", None), image("", Some("w"))]);
}

#[test]
fn rows_of_one_session_are_sent_one_after_the_other_and_complete() {
    let dataset = dataset(
        "{\"text\":\"a1\",\"session_id\":\"a\",\"timestamp\":5}\n{\"text\":\"b1\",\"session_id\":7,\"timestamp\":6}\n{\"text\":\"a2\",\"session_id\":\"a\",\"delay\":30}",
    );
    let conversations = all(&dataset);
    assert_eq!(conversations.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a", "7"]);
    assert_eq!(texts(&conversations[0]), ["a1", "a2"]);
    assert_eq!(conversations[0].history, History::None);
    let rows: Vec<_> = conversations[0].turns.iter().map(|turn| (turn.row, turn.timestamp_ms, turn.delay_ms)).collect();
    assert_eq!(rows, [(0, Some(5.0), None), (2, None, Some(30.0))]);
    assert_eq!(dataset.starts_ms(), Some(&[5.0, 6.0][..]));
}

#[test]
fn no_more_conversations_than_asked_for_are_kept() {
    let files = Folder::of(&[
        ("plain.jsonl", b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"),
        (
            "sessions.jsonl",
            b"{\"text\":\"a\",\"session_id\":\"s\"}\n{\"text\":\"b\"}\n{\"text\":\"c\",\"session_id\":\"s\"}\n",
        ),
    ]);
    let read = |name: &str, entries| {
        let options = tokamark_dataset::Options { entries: Some(entries), ..options() };
        all(&open(&DatasetPlan::of(files.path(name), Some(FORMAT)), &options).unwrap())
    };
    assert_eq!(read("plain.jsonl", 2).iter().flat_map(texts).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(read("plain.jsonl", 9).len(), 3);
    let sessions = read("sessions.jsonl", 1);
    assert_eq!((sessions.len(), texts(&sessions[0])), (1, vec!["a".to_owned(), "c".to_owned()]));
}

#[test]
fn files_of_a_folder_are_read_by_name_and_named_in_faults() {
    let files = Folder::of(&[
        ("b/1.jsonl", b"{\"text\":\"three\"}"),
        ("a.jsonl", b"{\"text\":\"one\"}\n{\"text\":\"two\"}\n"),
        (".hidden", b"nothing"),
        ("README.md", b"# Prompts"),
    ]);
    let plan = DatasetPlan::of(files.path(""), Some(FORMAT));
    let dataset = open(&plan, &options()).unwrap();
    assert_eq!(all(&dataset).iter().flat_map(texts).collect::<Vec<_>>(), ["one", "two", "three"]);
    std::fs::write(files.path("b/1.jsonl"), "{\"text\":\"x\"}\n{\"text\":1}").unwrap();
    let Err(DatasetError::Faults { faults, .. }) = open(&plan, &options()) else { panic!() };
    assert_eq!(faults.first()[0].to_string(), "b/1.jsonl, line 2: `text` is a number, not a text");
}

#[test]
fn recorded_waits_are_scaled_and_then_capped() {
    let files = Folder::of(&[(
        "a.jsonl",
        b"{\"text\":\"a\",\"session_id\":\"s\",\"timestamp\":4}\n{\"text\":\"b\",\"session_id\":\"s\",\"delay\":300}\n{\"text\":\"c\",\"session_id\":\"s\",\"delay\":900}\n",
    )]);
    let mut plan = DatasetPlan::of(files.path("a.jsonl"), Some(FORMAT));
    plan.trace.delay_ratio = 0.5;
    plan.trace.inter_turn_delay_cap_s = Some(0.2);
    let delays = |plan: &DatasetPlan| {
        let conversation = open(plan, &options()).unwrap().conversation(0).unwrap();
        (conversation.start_ms, conversation.turns.iter().map(|turn| turn.delay_ms).collect::<Vec<_>>())
    };
    assert_eq!(delays(&plan), (Some(4.0), vec![None, Some(150.0), Some(200.0)]));
    plan.trace.ignore_delays = true;
    assert_eq!(delays(&plan), (None, vec![None, None, None]));
}

#[test]
fn files_that_hold_nothing_or_do_not_exist_are_errors() {
    let error = folder::try_open(b"\xef\xbb\xbf\n \r\n", Some(FORMAT)).unwrap_err();
    assert!(matches!(error, DatasetError::Empty { .. }), "{error}");
    assert!(error.to_string().ends_with("has no rows; it needs one JSON object per line, such as {\"text\": \"…\"}"));
    let files = Folder::of(&[]);
    let error = open(&DatasetPlan::of(files.path("none.jsonl"), Some(FORMAT)), &options()).unwrap_err();
    assert!(matches!(error, DatasetError::Io { .. }), "{error}");
    let error = open(&DatasetPlan::of(files.path(""), Some(FORMAT)), &options()).unwrap_err();
    assert!(matches!(error, DatasetError::Empty { .. }), "{error}");
}

#[test]
fn only_what_lies_in_the_window_is_replayed() {
    let lines: String = [40, 10, 30, 20].map(|ms| format!("{{\"text\":\"t{ms}\",\"timestamp\":{ms}}}\n")).concat();
    let files = Folder::of(&[("a.jsonl", lines.as_bytes())]);
    let mut plan = DatasetPlan::of(files.path("a.jsonl"), Some(FORMAT));
    let window = |start, end| SchedulePlan { start_offset_ms: start, end_offset_ms: end, ..SchedulePlan::default() };
    plan.trace.schedule = Some(window(Some(20.0), Some(30.0)));
    let dataset = open(&plan, &options()).unwrap();
    assert_eq!(all(&dataset).iter().flat_map(texts).collect::<Vec<_>>(), ["t30", "t20"]);
    assert_eq!((dataset.starts_ms(), dataset.len()), (Some(&[30.0, 20.0][..]), 2));
    assert_eq!(dataset.conversation(1).unwrap().id, "session_000001");
    assert!(dataset.conversation(2).is_err());
    plan.trace.schedule = Some(window(Some(50.0), None));
    assert!(open(&plan, &options()).unwrap_err().to_string().ends_with("between the start offset and the end offset"));
    plan.trace.schedule = Some(window(Some(50.0), Some(20.0)));
    assert!(matches!(open(&plan, &options()), Err(DatasetError::Unusable { .. })));
}

#[test]
fn any_thread_may_ask_for_conversations() {
    let lines: String = (0..200).map(|row| format!("{{\"text\":\"t{row}\"}}\n")).collect();
    let dataset = dataset(&lines);
    std::thread::scope(|scope| {
        for part in 0..4 {
            let dataset = &dataset;
            scope.spawn(move || {
                for number in (part..200).step_by(4) {
                    assert_eq!(texts(&dataset.conversation(number).unwrap()), [format!("t{number}")]);
                }
            });
        }
    });
}
