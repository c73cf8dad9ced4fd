//! No content of a file makes a reader panic, whatever its format.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokamark_dataset::{DatasetError, Named, Options, open};
use tokamark_plan::DatasetFormat::{self, *};
use tokamark_plan::DatasetPlan;

use crate::folder::{Folder, all, options};

const FORMATS: [DatasetFormat; 12] = [
    SingleTurn,
    MultiTurn,
    RandomPool,
    RawPayload,
    InputsJson,
    DagJsonl,
    SagemakerDataCapture,
    Sharegpt,
    OpenaiBatch,
    OtelSpans,
    GenaiPerfPayload,
    SpeedBench,
];

const KEYS: [&str; 48] = [
    "text",
    "texts",
    "text_input",
    "image",
    "images",
    "image_uuids",
    "audio",
    "contents",
    "uuids",
    "name",
    "role",
    "session_id",
    "turns",
    "messages",
    "content",
    "timestamp",
    "delay",
    "output_length",
    "max_tokens",
    "input_length",
    "hash_ids",
    "extra",
    "type",
    "data",
    "payload",
    "payloads",
    "forks",
    "spawns",
    "child",
    "children",
    "join_at",
    "rounds",
    "orchestrator",
    "think_time_ms",
    "think_time_sigma",
    "context_mode",
    "captureData",
    "endpointInput",
    "eventMetadata",
    "conversations",
    "from",
    "value",
    "custom_id",
    "body",
    "attributes",
    "resourceSpans",
    "question_id",
    "category",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3i64..5).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "[a-z]{0,2}".prop_map(Value::from),
        Just(json!("user")),
        Just(json!("human")),
        Just(json!("gpt")),
        Just(json!("chat")),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(&KEYS[..]), inner), 0..6).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

fn row() -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(&KEYS[..]), value()), 0..8).prop_map(|fields| {
        Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    })
}

fn read(folder: &Folder, format: Option<DatasetFormat>, skip_bad_lines: bool) -> Result<(), TestCaseError> {
    let plan = DatasetPlan { skip_bad_lines, ..DatasetPlan::of(folder.path("a.jsonl"), format) };
    match open(&plan, &options()) {
        Ok(dataset) => {
            let conversations = all(&dataset);
            prop_assert!(!conversations.is_empty());
            prop_assert!(conversations.iter().all(|one| !one.turns.is_empty() && !one.id.is_empty()));
            prop_assert!(skip_bad_lines || dataset.skipped_lines() == 0);
        }
        Err(DatasetError::Faults { faults, .. }) => prop_assert!(!skip_bad_lines && faults.count() > 0),
        Err(DatasetError::Store(error)) => prop_assert!(false, "{error}"),
        Err(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_rows_are_read_or_refused(rows in prop::collection::vec(row(), 1..4), skip in any::<bool>()) {
        let text: String = rows.iter().map(|row| row.to_string() + "\n").collect();
        let folder = Folder::of(&[("a.jsonl", text.as_bytes())]);
        for format in FORMATS {
            read(&folder, Some(format), skip)?;
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..120), skip in any::<bool>()) {
        let folder = Folder::of(&[("a.jsonl", &bytes)]);
        read(&folder, None, skip)?;
        for format in FORMATS {
            read(&folder, Some(format), skip)?;
        }
    }
}

/// A missing or broken file is told like any other fault, before anything is sent.
#[test]
fn media_that_are_not_to_be_had_are_faults_of_their_rows() {
    let folder = Folder::of(&[(
        "input.jsonl",
        concat!(
            "{\"text\": \"a\", \"image\": \"there.png\"}\n",
            "{\"text\": \"b\", \"image\": \"gone.png\"}\n",
            "{\"text\": \"c\", \"images\": [\"there.png\", \"gone.png\"], \"video\": \"gone.mp4\"}\n",
            "{\"text\": \"d\", \"audio\": \"wav,AAAA\"}\n",
        )
        .as_bytes(),
    )]);
    let missing = |named: Named<'_>| match named {
        Named::Image(name) | Named::Audio(name) | Named::Video(name) => {
            name.starts_with("gone").then(|| format!("`{name}` is not there"))
        }
    };
    let plan = DatasetPlan::of(folder.path("input.jsonl"), Some(DatasetFormat::SingleTurn));
    let error = open(&plan, &Options { missing: &missing, ..options() }).unwrap_err().to_string();
    for fault in [
        "has 3 faults",
        "line 2: `image` is not to be had: `gone.png` is not there",
        "line 3: `image` is not to be had: `gone.png` is not there",
        "line 3: `video` is not to be had: `gone.mp4` is not there",
    ] {
        assert!(error.contains(fault), "{error}");
    }
}
