//! Public datasets, from small copies of their layouts.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;
use tokamark_conversation::{Audio, Conversation, History, Image, Prompt, Turn, Video};
use tokamark_dataset::{Dataset, DatasetError, Hub, Options, open_public, public_names};
use tokamark_plan::{DatasetFormat, PublicPlan, TracePlan};

use crate::folder::{Folder, all, options, texts};

fn plan(name: &str, path: Option<&Path>) -> PublicPlan {
    PublicPlan {
        name: name.to_owned(),
        subset: None,
        filters: Vec::new(),
        repository: None,
        path: path.map(Path::to_owned),
        trace: TracePlan::default(),
    }
}

fn opened(name: &str, folder: &Folder) -> Dataset {
    open_public(&plan(name, Some(&folder.path(""))), &options(), &Hub::default()).unwrap()
}

fn single(row: u64, turn: Turn) -> Conversation {
    let turn = Turn { row, ..turn };
    Conversation { history: History::None, ..Conversation::single(format!("session_{row:06}"), turn) }
}

/// Definition levels, repetition levels of lists, and values.
type Column<'a> = (&'a [i16], Option<&'a [i16]>, Vec<&'a [u8]>);

/// Writes a table of optional texts and bytes, one list of values for each column.
fn write_parquet(path: &Path, schema: &str, columns: &[Column<'_>]) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (levels, repeats, values) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(value.to_vec())).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(levels), *repeats).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn tables_are_read_with_their_images() {
    let folder = Folder::of(&[("data/.keep", b"")]);
    let schema = "message schema { optional binary question (UTF8); optional group image { optional binary bytes; optional binary path (UTF8); } }";
    write_parquet(
        &folder.path("data/val-00000-of-00001.parquet"),
        schema,
        &[
            (&[1, 1, 0], None, vec![b"What?", b"Who?"]),
            (&[2, 1, 0], None, vec![b"\x89PNG\x01"]),
            (&[1, 2, 0], None, vec![b"a.png"]),
        ],
    );
    std::fs::write(folder.path("data/test-00000-of-00001.parquet"), "never read").unwrap();
    let dataset = opened("mmstar", &folder);
    let turn = |text: &str, uri: &str| Turn {
        prompt: Prompt::Texts(vec![text.into()]),
        images: vec![Image { uri: uri.into(), uuid: None }],
        ..Turn::default()
    };
    assert_eq!(
        all(&dataset),
        [single(0, turn("What?", "data:image/png;base64,iVBORwE=")), single(1, turn("Who?", "a.png")),]
    );
    assert_eq!((dataset.skipped_lines(), dataset.format()), (1, DatasetFormat::SingleTurn));
    assert_eq!(
        dataset.faults().first()[0].to_string(),
        "data/val-00000-of-00001.parquet, row 3: `question` is missing"
    );
    let place = folder.path("");
    assert_eq!(
        dataset.how_found(),
        format!("the public dataset mmstar (Lin-Chen/MMStar, split val), read from {}", place.display())
    );
}

#[test]
fn text_columns_of_the_subset_and_split_are_asked() {
    let folder = Folder::of(&[
        ("main/test-0.jsonl", b"{\"question\":\"q1\",\"answer\":\"a\"}\n{\"question\":\"q2\"}\n"),
        ("main/train-0.jsonl", b"{\"question\":\"no\"}\n"),
        ("socratic/test-0.jsonl", b"{\"question\":\"other\"}\n"),
        ("a_long-name/test.jsonl", b"{\"question\":\"long\"}\n"),
        ("README.md", b"---"),
        ("dataset_infos.json", b"{}"),
    ]);
    let read = |plan: &PublicPlan, options: &Options<'_>| open_public(plan, options, &Hub::default());
    let mut plan = plan("spec_al_gsm8k", Some(&folder.path("")));
    let dataset = read(&plan, &options()).unwrap();
    assert_eq!(all(&dataset), [single(0, Turn::text(0, "q1")), single(1, Turn::text(1, "q2"))]);
    assert_eq!(read(&plan, &Options { entries: Some(1), ..options() }).unwrap().len(), 1);
    plan.subset = Some("socratic".into());
    assert_eq!(texts(&read(&plan, &options()).unwrap().conversation(0).unwrap()), ["other"]);
    plan.subset = Some("a_long-name".into());
    assert_eq!(texts(&read(&plan, &options()).unwrap().conversation(0).unwrap()), ["long"]);
    plan.subset = Some("none".into());
    assert!(read(&plan, &options()).unwrap_err().to_string().ends_with("has no files of the subset none"));
}

#[test]
fn rows_can_be_filtered() {
    let folder = Folder::of(&[("train.json", b"[{\"problem\":\"a\",\"level\":3},{\"problem\":\"b\",\"level\":4}]")]);
    let mut plan = plan("aimo", Some(&folder.path("train.json")));
    plan.filters = vec![("level".into(), "4".into())];
    let dataset = open_public(&plan, &options(), &Hub::default()).unwrap();
    assert_eq!(all(&dataset), [single(0, Turn::text(0, "b"))]);
    plan.filters = vec![("colour".into(), "red".into())];
    let error = open_public(&plan, &options(), &Hub::default()).unwrap_err();
    assert!(error.to_string().ends_with("has no column `colour` to filter by"), "{error}");
}

#[test]
fn lists_are_turns() {
    let folder = Folder::of(&[("train.jsonl", b"{\"prompt\":[\"a\",\"b\"]}\n{\"prompt\":[1]}\n")]);
    let dataset = opened("spec_al_mtbench", &folder);
    let turns = vec![Turn::text(0, "a"), Turn::text(0, "b")];
    assert_eq!(all(&dataset), [Conversation { id: "session_000000".into(), turns, ..Conversation::default() }]);
    assert_eq!(dataset.faults().first()[0].reason, "is not a list of texts");
    let table = Folder::of(&[]);
    let schema =
        "message schema { optional group prompt (LIST) { repeated group list { optional binary element (UTF8); } } }";
    write_parquet(&table.path("train-0.parquet"), schema, &[(&[3, 3, 3], Some(&[0, 1, 0]), vec![b"a", b"b", b"c"])]);
    assert_eq!(
        all(&opened("spec_al_mtbench", &table)).iter().map(texts).collect::<Vec<_>>(),
        [vec!["a", "b"], vec!["c"]]
    );
    let folder = Folder::of(&[("question.jsonl", b"{\"question_id\":1,\"turns\":[\"a\",\"b\"]}\n")]);
    assert_eq!(texts(&opened("spec_bench", &folder).conversation(0).unwrap()), ["a"]);
}

#[test]
fn chats_videos_edits_and_clips_are_asked() {
    let line = |value: serde_json::Value| value.to_string();
    let chat = json!({"conversation": [[{"role": "user", "content": "<image>\nlook"}, {"role": "assistant", "content": "x"}]],
        "images": [{"bytes": null, "path": "a.png"}, {"path": "b.png"}]});
    let folder = Folder::of(&[("data/train-0.jsonl", line(chat).as_bytes())]);
    let image = |uri: &str| Image { uri: uri.into(), uuid: None };
    let expected = Turn { images: vec![image("a.png"), image("b.png")], ..Turn::text(0, "look") };
    assert_eq!(all(&opened("vision_arena", &folder)), [single(0, expected)]);

    let said = json!({"conversations": [{"from": "human", "value": "why"}], "image": {"path": "c.png"}});
    let folder = Folder::of(&[("sharegpt4o/train-0.jsonl", line(said).as_bytes()), ("other/train-0.jsonl", b"{}")]);
    let expected = Turn { images: vec![image("c.png")], ..Turn::text(0, "why") };
    assert_eq!(all(&opened("llava_onevision", &folder)), [single(0, expected)]);

    let video = json!({"question": "q", "choices": {"A": "x", "B": "y", "C": ""}, "video": "http://h/v.mp4"});
    let folder = Folder::of(&[("validation.json", format!("[{}]", line(video)).as_bytes())]);
    let expected = Turn { videos: vec![Video { uri: "http://h/v.mp4".into() }], ..Turn::text(0, "q\nA. x\nB. y") };
    assert_eq!(all(&opened("mmvu", &folder)), [single(0, expected)]);

    let edit = json!({"code": "let a = 1;", "change_request": "call it b"});
    let folder = Folder::of(&[("train.jsonl", line(edit).as_bytes())]);
    let text = texts(&opened("blazedit_5k", &folder).conversation(0).unwrap()).concat();
    assert!(text.contains("```\nlet a = 1;\n```") && text.ends_with("The change: call it b"), "{text}");

    let clips = ["wav,QUJD", "data:audio/flac;base64,QUJD"].map(|clip| line(json!({"audio": {"bytes": clip}})));
    let folder = Folder::of(&[("clean/test-0.jsonl", clips.join("\n").as_bytes())]);
    let got = all(&opened("librispeech", &folder));
    let audio = |format: &str, data: &str| Audio { format: format.into(), data: data.into(), seconds: None };
    let audios: Vec<_> = got.iter().flat_map(|one| one.turns[0].audios.clone()).collect();
    assert_eq!(audios, [audio("wav", "QUJD"), audio("", "data:audio/flac;base64,QUJD")]);
}

#[test]
fn the_hubs_cache_is_searched() {
    let files = "datasets--openai--openai_humaneval";
    let old = format!("{files}/snapshots/aaa/test.jsonl");
    let new = format!("{files}/snapshots/bbb/test.jsonl");
    let folder = Folder::of(&[
        (old.as_str(), b"{\"prompt\":\"old\"}"),
        (new.as_str(), b"{\"prompt\":\"new\"}"),
        ("datasets--anon8231489123--ShareGPT_Vicuna_unfiltered/snapshots/ccc/ShareGPT_V3_unfiltered_cleaned_split.json",
            b"[{\"id\":\"x\",\"conversations\":[{\"from\":\"human\",\"value\":\"a b c d\"},{\"from\":\"gpt\",\"value\":\"e\"}]}]"),
    ]);
    let hub = Hub::at(folder.path(""));
    let read = |name| open_public(&plan(name, None), &options(), &hub);
    assert!(matches!(read("spec_al_humaneval"), Err(DatasetError::NotHere { .. })), "which snapshot is not known");
    std::fs::create_dir(folder.path(&format!("{files}/refs"))).unwrap();
    std::fs::write(folder.path(&format!("{files}/refs/main")), "bbb").unwrap();
    assert_eq!(texts(&read("spec_al_humaneval").unwrap().conversation(0).unwrap()), ["new"]);
    let sharegpt = read("sharegpt").unwrap();
    assert_eq!(
        (sharegpt.format(), texts(&sharegpt.conversation(0).unwrap())),
        (DatasetFormat::Sharegpt, vec!["a b c d".into()])
    );
}

#[test]
fn what_is_not_there_is_explained() {
    let folder = Folder::of(&[]);
    let hub = Hub::at(folder.path(""));
    let error = |name: &str| open_public(&plan(name, None), &options(), &hub).unwrap_err().to_string();
    assert_eq!(
        error("mmstar"),
        format!(
            "the public dataset `mmstar` is not on this machine; download the dataset Lin-Chen/MMStar (split val) from \
             the Hugging Face hub, and name the file or folder with --public-dataset-path (it is looked for in {})",
            folder.path("datasets--Lin-Chen--MMStar").display()
        )
    );
    assert!(error("none").starts_with("there is no public dataset `none`"));
    assert!(error("weka_hf").contains("--hf-weka-dataset"));
    assert_eq!(public_names().count(), 42);
}

#[test]
fn sessions_of_agents_are_replayed_by_their_spans() {
    let span = |start: &str, text: &str| {
        json!({"name": "chat", "start_time": start, "attributes": {"gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json!([{"role": "user", "parts": [{"type": "text", "content": text}]}]).to_string(),
            "gen_ai.tool.definitions": "[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{}}]",
            "gen_ai.usage.output_tokens": 7, "gen_ai.conversation.id": null}})
    };
    let row = |id: &str, model: &str, spans: serde_json::Value| {
        json!({"session_id": id, "harness": "h", "models": [model], "max_tokens": 9, "spans": spans}).to_string() + "\n"
    };
    let rows = row("s1", "a", json!([span("2026-01-01T00:00:02Z", "two"), span("2026-01-01T00:00:01Z", "one")]))
        + &row("s2", "b", json!([span("2026-01-01T00:00:05Z", "three")]));
    let folder = Folder::of(&[("data/train-0.jsonl", rows.as_bytes())]);
    let dataset = opened("exgentic_v2", &folder);
    let got = all(&dataset);
    assert_eq!(
        got.iter().map(|one| (one.id.as_str(), one.history)).collect::<Vec<_>>(),
        [("s1", History::None), ("s2", History::None)]
    );
    let turn = |row, text: &str, ms| Turn {
        row,
        prompt: Prompt::Messages(vec![json!({"role": "user", "content": text})]),
        output_tokens: Some(7),
        tools: Some(json!([{"type": "function", "function": {"name": "f", "parameters": {}}}])),
        timestamp_ms: Some(ms),
        ..Turn::default()
    };
    assert_eq!(got[0].turns, [turn(1, "one", 0.0), turn(0, "two", 1000.0)]);
    assert_eq!(dataset.starts_ms(), Some(&[0.0, 4000.0][..]));
    let mut plan = plan("exgentic_v2", Some(&folder.path("")));
    plan.filters = vec![("harness".into(), "h".into()), ("source_model".into(), "b".into())];
    let got = all(&open_public(&plan, &options(), &Hub::default()).unwrap());
    assert_eq!(got.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["s2"]);
}
