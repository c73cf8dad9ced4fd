//! Waiting for a model.

use std::net::TcpListener;

use tokamark_run::{RunError, profile};

use crate::support::{Notes, plan, run, serve, serve_fast};

#[test]
fn a_server_that_is_not_there_is_given_up() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&format!("http://{free}/v1/chat/completions"), 1, folder.path());
    plan.target.wait_for_model_s = 0.2;
    let error = profile(&plan, Vec::new(), &mut Notes::default()).unwrap_err();
    assert!(matches!(&error, RunError::NotReady { seconds, .. } if *seconds == 0.2), "{error}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[test]
fn a_server_that_never_answers_is_given_up_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&format!("http://{}/v1/chat/completions", silent.local_addr().unwrap()), 1, folder.path());
    // A test that waited for so long would never end.
    plan.target.request_timeout_s = 1e6;
    plan.target.wait_for_model_s = 0.2;
    let error = profile(&plan, Vec::new(), &mut Notes::default()).unwrap_err();
    assert!(matches!(&error, RunError::NotReady { .. }), "{error}");
}

#[test]
fn a_model_that_only_gives_errors_is_not_ready() {
    let (_server, url) = serve("event-rate=inf&ttft=0&error-rate=1&error-status=503");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 1, folder.path());
    plan.target.wait_for_model_s = 0.1;
    let error = profile(&plan, Vec::new(), &mut Notes::default()).unwrap_err();
    assert!(matches!(&error, RunError::NotReady { .. }), "{error}");
}

#[test]
fn a_model_that_is_ready_is_asked_once_and_the_answer_is_in_no_figure() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 5, folder.path());
    plan.target.wait_for_model_s = 30.0;
    let summary = run(&plan).summary;
    assert_eq!(summary.counts.attempted, 5);
    assert!(summary.warmup.is_none());
}
