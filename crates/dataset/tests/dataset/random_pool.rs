//! Pools to draw from.

use std::collections::BTreeMap;

use tokamark_conversation::{Conversation, History, Image, Prompt, TextGroup};
use tokamark_dataset::{Batch, DatasetError, Options, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::folder::{Folder, all, assert_fault, options, texts};

const FORMAT: DatasetFormat = DatasetFormat::RandomPool;

fn draw(folder: &Folder, name: &str, options: &Options<'_>) -> Vec<Conversation> {
    all(&open(&DatasetPlan::of(folder.path(name), Some(FORMAT)), options).unwrap())
}

fn pool() -> Folder {
    let lines: String =
        (0..4).map(|row| format!("{{\"text\":\"t{row}\",\"images\":[\"i{row}\",\"j{row}\"]}}\n")).collect();
    Folder::of(&[("pool.jsonl", lines.as_bytes())])
}

#[test]
fn a_file_is_drawn_from_with_repeats() {
    let folder = pool();
    let drawn = draw(&folder, "pool.jsonl", &options());
    assert_eq!(drawn.len(), 100);
    let mut counts = BTreeMap::new();
    for conversation in &drawn {
        let row = conversation.turns[0].row;
        assert_eq!(texts(conversation), [format!("t{row}")]);
        *counts.entry(row).or_insert(0u32) += 1;
    }
    // A binomial with n = 100 and p = 1/4: five standard deviations are 21.7.
    assert!(counts.len() == 4 && counts.values().all(|&count| count.abs_diff(25) < 22), "{counts:?}");
    assert_eq!(drawn, draw(&folder, "pool.jsonl", &options()));
    assert_ne!(drawn, draw(&folder, "pool.jsonl", &Options { seed: 2, ..options() }));
    assert_eq!(drawn[..7], draw(&folder, "pool.jsonl", &Options { entries: Some(7), ..options() }));
    assert_eq!((drawn[99].id.as_str(), drawn[99].history), ("session_000099", History::None));
}

#[test]
fn files_of_a_folder_are_pools_with_names() {
    let folder = Folder::of(&[
        ("queries.jsonl", b"{\"text\":\"q\",\"model\":\"m\"}\n"),
        ("passages.jsonl", b"{\"texts\":[\"p1\",\"p2\"],\"image\":\"x\"}\n"),
    ]);
    let drawn = draw(&folder, "", &Options { entries: Some(1), ..options() });
    let group = |name: &str, texts: &[&str]| TextGroup {
        name: name.into(),
        texts: texts.iter().map(|&text| text.to_owned()).collect(),
    };
    let turn = &drawn[0].turns[0];
    assert_eq!(turn.prompt, Prompt::Groups(vec![group("passages", &["p1", "p2"]), group("queries", &["q"])]));
    assert_eq!((turn.images.len(), turn.model.as_deref()), (1, Some("m")));
    let batch = Batch { texts: 2, ..Batch::default() };
    let error = open(&DatasetPlan::of(folder.path(""), Some(FORMAT)), &Options { batch, ..options() }).unwrap_err();
    assert!(matches!(error, DatasetError::Unusable { .. }), "{error}");
}

#[test]
fn batches_are_drawn_item_by_item() {
    let batch = Batch { texts: 3, images: 2, ..Batch::default() };
    let drawn = draw(&pool(), "pool.jsonl", &Options { batch, ..options() });
    let images = |conversation: &Conversation| -> Vec<Image> { conversation.turns[0].images.clone() };
    assert!(drawn.iter().all(|one| texts(one).len() == 3 && images(one).len() == 2 && one.turns[0].audios.is_empty()));
    let mixed = drawn.iter().filter(|one| images(one)[0].uri[1..] != images(one)[1].uri[1..]).count();
    assert!(mixed > 30, "images of different rows come together: {mixed} of 100");
}

#[test]
fn entries_of_a_pool_have_no_times() {
    for field in ["timestamp", "delay", "session_id"] {
        assert_fault(
            &format!("{{\"text\":\"a\",\"{field}\":1}}"),
            FORMAT,
            Some(field),
            "cannot be given, because requests are drawn in any order",
        );
    }
    assert_fault("{\"role\":\"user\"}", FORMAT, Some("text"), "is missing");
}
