//! Folders that the user names.

use std::fs;

use tokamark_run::{RunError, profile};

use crate::support::{Notes, json_of, plan, rows, run, serve_fast};

#[test]
fn an_earlier_run_in_a_named_folder_is_replaced_with_a_word() {
    let (_server, url) = serve_fast();
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("deep").join("run");
    let mut plan = plan(&url, 6, &folder);
    let mut notes = Notes::default();
    let first = profile(&plan, Vec::new(), &mut notes).unwrap();
    assert_eq!(notes.0, Vec::<String>::new());
    fs::write(folder.join("mine.txt"), "kept").unwrap();

    plan.load.request_count = Some(3);
    plan.report.outputs_json = false;
    let second = profile(&plan, Vec::new(), &mut notes).unwrap();
    assert_eq!(notes.0, [format!("an earlier run in {} is replaced", folder.display())]);
    assert_ne!(first.summary.run.run_id, second.summary.run.run_id);
    assert_eq!(rows(&folder).len(), 3);
    let written = json_of(&folder.join("profile_export_tokamark.json"));
    assert_eq!(written["run"]["run_id"], second.summary.run.run_id);
    assert!(!folder.join("outputs.json").exists(), "the earlier run's");
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "kept");
}

#[test]
fn another_prefix_is_another_run() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 2, folder.path());
    run(&plan);
    plan.report.prefix = "other.json".to_owned();
    let mut notes = Notes::default();
    profile(&plan, Vec::new(), &mut notes).unwrap();
    assert_eq!(notes.0, Vec::<String>::new());
    for name in ["profile_export_record.tkm", "other_record.tkm", "other_tokamark.json", "other.jsonl"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
}

#[test]
fn a_file_in_the_way_is_named() {
    let (_server, url) = serve_fast();
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    for folder in [file.clone(), file.join("below")] {
        let error = profile(&plan(&url, 1, &folder), Vec::new(), &mut Notes::default()).unwrap_err();
        assert!(matches!(&error, RunError::Folder { path, .. } if *path == folder), "{error}");
        let text = error.to_string();
        assert!(text.contains("--artifact-dir") && !text.contains("os error"), "{text}");
    }
}
