//! Folders that are named after the load. They lie below the current folder, which is the whole process's; so this test is
//! alone in its binary.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod support;

use std::path::{Path, PathBuf};

use support::{plan, run, serve_fast};
use tokamark_plan::Plan;

fn folder_of(plan: &Plan) -> PathBuf {
    let files = run(plan).files;
    let folder = files[0].parent().unwrap().to_owned();
    assert!(files.iter().all(|file| file.parent() == Some(&folder)));
    folder
}

#[test]
fn folders_are_named_after_the_load_and_numbered() {
    let (_server, url) = serve_fast();
    let here = tempfile::tempdir().unwrap();
    std::env::set_current_dir(here.path()).unwrap();
    let mut plan = plan(&url, 3, Path::new(""));
    plan.report.artifact_dir = None;
    plan.target.models = vec!["org/m:1".to_owned()];
    let artifacts = Path::new("artifacts");
    assert_eq!(folder_of(&plan), artifacts.join("org_m_1-openai-chat-concurrency2"));
    assert_eq!(folder_of(&plan), artifacts.join("org_m_1-openai-chat-concurrency2-2"));
    assert_eq!(folder_of(&plan), artifacts.join("org_m_1-openai-chat-concurrency2-3"));
    plan.load.request_rate = Some(1_000.0);
    assert_eq!(folder_of(&plan), artifacts.join("org_m_1-openai-chat-concurrency2-request_rate1000"));
    plan.load.concurrency = None;
    assert_eq!(folder_of(&plan), artifacts.join("org_m_1-openai-chat-request_rate1000"));
    // A folder that holds no run is used as it is.
    std::fs::create_dir_all("artifacts/a_b-openai-chat-request_rate1000").unwrap();
    plan.target.models = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(folder_of(&plan), artifacts.join("a_b-openai-chat-request_rate1000"));
}
