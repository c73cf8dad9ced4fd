//! Downloading from a hub that is a few lines of the test.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokamark_plan::TokenizerPlan;
use tokamark_tokenizer::{Hub, HubCache, HubError, Resolved, TokenizerError, resolve_from};

use crate::vocabularies::bpe_json;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// What the server says to a path.
#[derive(Clone)]
enum Answer {
    /// Status, further headers, body.
    Whole(u16, String, String),
    /// A length that is longer than the body.
    Cut(String),
    /// Nothing, ever.
    Stalled,
}

/// A server, and the requests that it got: path and authorization.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    fn start(answers: HashMap<String, Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, seen) = (answers.clone(), Arc::clone(&seen));
                std::thread::spawn(move || serve(stream, &answers, &seen));
            }
        });
        Self { address, requests }
    }

    fn paths(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|(path, _)| path.clone()).collect()
    }
}

fn serve(mut stream: TcpStream, answers: &HashMap<String, Answer>, seen: &Mutex<Vec<(String, String)>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut authorization = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("authorization: ") {
            authorization = value.trim().to_owned();
        }
    }
    seen.lock().unwrap().push((path.clone(), authorization));
    let answer = answers.get(&path).cloned().unwrap_or(Answer::Whole(404, String::new(), "no".to_owned()));
    let (status, headers, length, body) = match answer {
        Answer::Whole(status, headers, body) => (status, headers, body.len(), body),
        Answer::Cut(body) => (200, String::new(), body.len() + 10, body),
        Answer::Stalled => {
            // The client goes away when its time is up.
            let _ = reader.read_line(&mut String::new());
            return;
        }
    };
    let _ =
        write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}");
}

fn ok(body: &str) -> Answer {
    Answer::Whole(200, String::new(), body.to_owned())
}

fn file_path(name: &str) -> String {
    format!("/org/model/resolve/{COMMIT}/{name}")
}

/// A hub that has `org/model` with these files.
fn answers(files: &[(&str, Answer)]) -> HashMap<String, Answer> {
    let siblings: Vec<_> = files.iter().map(|(name, _)| serde_json::json!({"rfilename": name})).collect();
    let description = serde_json::json!({"sha": COMMIT, "siblings": siblings}).to_string();
    let mut answers: HashMap<_, _> = files.iter().map(|(name, answer)| (file_path(name), answer.clone())).collect();
    answers.insert("/api/models/org/model/revision/main".to_owned(), ok(&description));
    answers
}

fn vocabulary() -> String {
    bpe_json(&["river"]).to_string()
}

fn find(hub: &Hub, name: Option<&str>, model: &str, cache: &Path) -> Result<Resolved, TokenizerError> {
    let plan = TokenizerPlan { name: name.map(str::to_owned), ..TokenizerPlan::builtin() };
    resolve_from(&plan, &[model.to_owned()], &HubCache::at(cache), hub)
}

fn named(hub: &Hub, cache: &Path) -> Result<Resolved, TokenizerError> {
    find(hub, Some("org/model"), "m", cache)
}

#[track_caller]
fn reason(hub: &Hub) -> HubError {
    let cache = tempfile::tempdir().unwrap();
    match named(hub, cache.path()) {
        Err(TokenizerError::Download { name, reason }) if name == "org/model" => {
            assert!(!cache.path().join("models--org--model/refs").exists());
            reason
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tokenizer_is_downloaded_once_and_kept_as_the_hubs_own_client_keeps_it() {
    let etag = "etag: W/\"0123456789\"\r\n".to_owned();
    let server = Server::start(answers(&[
        ("model.safetensors", ok("weights")),
        ("tokenizer.json", Answer::Whole(200, etag, vocabulary())),
        ("tokenizer_config.json", ok(r#"{"chat_template": "{{ messages[0].content }}"}"#)),
    ]));
    let hub = Hub::at(&server.address).with_token("secret");
    let cache = tempfile::tempdir().unwrap();
    let found = named(&hub, cache.path()).unwrap();
    assert_eq!((found.tokenizer.name(), found.tokenizer.count("a river"), found.is_fallback), ("org/model", 2, false));
    assert!(found.tokenizer.chat_template().is_some());
    let model = cache.path().join("models--org--model");
    assert_eq!(fs::read_to_string(model.join("refs/main")).unwrap(), COMMIT);
    assert_eq!(fs::read_to_string(model.join("blobs/0123456789")).unwrap(), vocabulary());
    let file = model.join("snapshots").join(COMMIT).join("tokenizer.json");
    assert_eq!(fs::read_to_string(&file).unwrap(), vocabulary());
    #[cfg(unix)]
    assert_eq!(fs::read_link(&file).unwrap(), Path::new("../../blobs/0123456789"));
    let left: Vec<_> = fs::read_dir(model.join("blobs")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let paths =
        ["/api/models/org/model/revision/main", &file_path("tokenizer_config.json"), &file_path("tokenizer.json")];
    assert_eq!(server.paths(), paths);
    assert!(server.requests.lock().unwrap().iter().all(|(_, authorization)| authorization == "bearer secret"));
    // Now it is on this machine.
    assert!(named(&hub, cache.path()).is_ok());
    assert_eq!(server.paths().len(), 3);
}

#[test]
fn redirects_are_followed_and_the_token_stays_at_home() {
    let store = Server::start([("/blob".to_owned(), ok(&vocabulary()))].into());
    let away = format!("x-linked-etag: \"aaaaaaaaaa\"\r\nlocation: {}/blob\r\n", store.address);
    let mut answers = answers(&[("tokenizer.json", Answer::Whole(302, away, String::new()))]);
    let description = answers["/api/models/org/model/revision/main"].clone();
    // The model was renamed.
    let renamed = "location: /api/models/new/name\r\n".to_owned();
    answers.insert("/api/models/org/model/revision/main".to_owned(), Answer::Whole(307, renamed, String::new()));
    answers.insert("/api/models/new/name".to_owned(), description);
    let server = Server::start(answers);
    let cache = tempfile::tempdir().unwrap();
    let found = named(&Hub::at(&server.address).with_token("t"), cache.path()).unwrap();
    assert_eq!(found.tokenizer.count("a river"), 2);
    assert!(cache.path().join("models--org--model/blobs/aaaaaaaaaa").is_file());
    assert_eq!(*store.requests.lock().unwrap(), [("/blob".to_owned(), String::new())]);
    let circle = Answer::Whole(302, "location: /api/models/org/model/revision/main\r\n".to_owned(), String::new());
    let server = Server::start([("/api/models/org/model/revision/main".to_owned(), circle)].into());
    assert!(matches!(reason(&Hub::at(&server.address)), HubError::Failed { reason } if reason.contains("without end")));
}

#[test]
fn refusals_say_what_to_do() {
    let api = "/api/models/org/model/revision/main".to_owned();
    for (status, code, expected) in [
        (401, "", HubError::Denied { status: 401 }),
        (403, "x-error-code: GatedRepo\r\n", HubError::Denied { status: 403 }),
        (401, "x-error-code: RepoNotFound\r\n", HubError::NoRepository),
        (404, "", HubError::NoRepository),
        (404, "x-error-code: RevisionNotFound\r\n", HubError::NoRevision { revision: "main".to_owned() }),
        (503, "", HubError::Failed { reason: "the hub answered with status 503".to_owned() }),
    ] {
        let answer = Answer::Whole(status, code.to_owned(), "{}".to_owned());
        let server = Server::start([(api.clone(), answer)].into());
        assert_eq!(reason(&Hub::at(&server.address)), expected);
    }
    let gated = Answer::Whole(401, "x-error-code: GatedRepo\r\n".to_owned(), String::new());
    let server = Server::start(answers(&[("tokenizer.json", gated)]));
    let error = reason(&Hub::at(&server.address)).to_string();
    assert!(error.contains("status 401") && error.contains("HF_TOKEN"), "{error}");
    let server = Server::start(answers(&[("model.safetensors", ok("weights"))]));
    assert_eq!(reason(&Hub::at(&server.address)), HubError::NoTokenizer);
    let server = Server::start([(api, ok("<html>"))].into());
    assert!(
        matches!(reason(&Hub::at(&server.address)), HubError::Failed { reason } if reason.contains("makes no sense"))
    );
}

#[test]
fn a_cut_body_is_not_kept() {
    let server = Server::start(answers(&[("tokenizer.json", Answer::Cut(vocabulary()))]));
    let cache = tempfile::tempdir().unwrap();
    let error = named(&Hub::at(&server.address), cache.path()).unwrap_err();
    assert!(matches!(error, TokenizerError::Download { reason: HubError::Failed { .. }, .. }), "{error}");
    let model = cache.path().join("models--org--model");
    assert_eq!(fs::read_dir(model.join("blobs")).unwrap().count(), 0);
    assert!(!model.join("refs").exists());
    assert!(find(&Hub::at(&server.address), None, "org/model", cache.path()).unwrap().is_fallback);
}

#[test]
fn a_stalled_server_is_given_up() {
    let api = "/api/models/org/model/revision/main".to_owned();
    let server = Server::start([(api, Answer::Stalled)].into());
    let hub = Hub::at(&server.address).with_time_limit(Duration::from_millis(200));
    assert_eq!(reason(&hub), HubError::Timeout { seconds: 0 });
    let server = Server::start(answers(&[("tokenizer.json", Answer::Stalled)]));
    let hub = Hub::at(&server.address).with_time_limit(Duration::from_millis(500));
    assert_eq!(reason(&hub), HubError::Timeout { seconds: 0 });
}

#[test]
fn the_hub_is_asked_only_for_names_that_were_given_and_may_be_there() {
    let server = Server::start(HashMap::new());
    let hub = Hub::at(&server.address);
    let cache = tempfile::tempdir().unwrap();
    assert!(find(&hub, None, "org/model", cache.path()).unwrap().is_fallback);
    for name in ["./org/model", "a/b/c", "no/tokenizer.json", cache.path().to_str().unwrap()] {
        assert!(matches!(find(&hub, Some(name), "m", cache.path()), Err(TokenizerError::NotFound { .. })), "{name}");
    }
    assert!(find(&hub, Some("cl100k_base"), "m", cache.path()).is_ok());
    assert_eq!(server.paths(), [""; 0]);
    let error = find(&Hub::offline("HF_HUB_OFFLINE is set"), Some("org/model"), "m", cache.path()).unwrap_err();
    assert!(error.to_string().contains("not the hub, because HF_HUB_OFFLINE is set"), "{error}");
    // Nobody listens there.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(reason(&Hub::at(&format!("http://{gone}"))), HubError::Failed { .. }));
}
