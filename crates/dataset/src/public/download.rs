//! Public datasets from the hub, put where its own client keeps them: `snapshots/COMMIT` holds the files, `refs/main` names the
//! commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use ureq::Agent;

use super::files::{Hub, wanted};
use super::names::Source;

const ENDPOINT: &str = "https://huggingface.co";
/// Variables that forbid the network.
const OFFLINE: [&str; 3] = ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"];
const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(60);
/// For one file, which may have gigabytes.
const FILE: Duration = Duration::from_secs(3_600);
/// A list of files is not longer.
const MOST_LIST: u64 = 64 * 1024 * 1024;

/// Where datasets are downloaded from.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    endpoint: String,
    token: Option<String>,
}

#[derive(Deserialize)]
struct Info {
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
}

impl Remote {
    /// The hub that the environment names; none if the network is forbidden.
    pub(super) fn of_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let is_on = |name: &&str| variable(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"));
        if OFFLINE.iter().any(is_on) {
            return None;
        }
        let endpoint = variable("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned());
        Some(Self { endpoint: endpoint.trim_end_matches('/').to_owned(), token: variable("HF_TOKEN") })
    }

    #[cfg(test)]
    fn at(endpoint: &str) -> Self {
        Self { endpoint: endpoint.to_owned(), token: None }
    }

    /// Downloads the files of a dataset that its subset and split need; gives the folder that they lie in.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub(super) fn download(
        &self,
        hub: &Hub,
        repository: &str,
        source: &Source,
        subset: Option<&str>,
    ) -> Result<PathBuf, String> {
        let folder = hub.folder(repository).ok_or("there is no cache, because HF_HOME and HOME are not set")?;
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .timeout_recv_body(Some(FILE))
            .build();
        let agent = Agent::new_with_config(config);
        let list = format!("{}/api/datasets/{repository}/revision/main", self.endpoint);
        let mut answer = self.get(&agent, &list)?;
        let info = answer.body_mut().with_config().limit(MOST_LIST).read_to_string();
        let info: Info = serde_json::from_str(&info.map_err(|error| format!("{list}: {error}"))?)
            .map_err(|error| format!("{list} gave no list of files: {error}"))?;
        if !info.sha.chars().all(|letter| letter.is_ascii_alphanumeric()) || info.sha.is_empty() {
            return Err(format!("{list} named no commit"));
        }
        let names: Vec<&str> = info.siblings.iter().map(|sibling| sibling.rfilename.as_str()).collect();
        let names = wanted(&names, source, subset);
        if names.is_empty() {
            return Err(format!("{repository} has no Parquet, JSON or JSONL files"));
        }
        let snapshot = folder.join("snapshots").join(&info.sha);
        for name in names {
            // Names become parts of a path, so they must not lead out of the folder.
            if name.split('/').any(|part| part.is_empty() || part == "." || part == "..") || name.contains('\\') {
                return Err(format!(
                    "{repository} has a file with the name `{name}`, which is no name for a file here"
                ));
            }
            let url = format!("{}/datasets/{repository}/resolve/{}/{name}", self.endpoint, info.sha);
            let mut answer = self.get(&agent, &url)?;
            store(&snapshot.join(name), &mut answer.body_mut().as_reader())
                .map_err(|error| format!("{url} cannot be kept in {}: {error}", snapshot.display()))?;
        }
        let reference = folder.join("refs/main");
        store(&reference, &mut info.sha.as_bytes())
            .map_err(|error| format!("{} cannot be written: {error}", reference.display()))?;
        Ok(snapshot)
    }

    fn get(&self, agent: &Agent, url: &str) -> Result<ureq::http::Response<ureq::Body>, String> {
        let mut request = agent.get(url);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        request.call().map_err(|error| match error {
            ureq::Error::StatusCode(status @ (401 | 403)) => {
                format!("{url} answered {status}: accept the dataset's terms on the hub and set HF_TOKEN")
            }
            other => format!("{url}: {other}"),
        })
    }
}

/// Writes a file, so that it is whole once it is there.
fn store(path: &Path, content: &mut dyn io::Read) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(content, &mut file)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use super::super::names;
    use super::*;

    /// A hub that gives these answers by path, and 404 for all else.
    fn hub(answers: Vec<(&'static str, &'static str)>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                let (status, body) = answers
                    .iter()
                    .find(|(known, _)| *known == path)
                    .map_or(("404 Not Found", ""), |(_, body)| ("200 OK", *body));
                let length = body.len();
                let _ =
                    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            }
        });
        address
    }

    #[test]
    fn only_the_files_of_the_split_are_fetched() {
        let source = names::find("aimo").unwrap();
        let list = r#"{"sha":"abc","siblings":[{"rfilename":"README.md"},{"rfilename":"data/train-0.jsonl"},
            {"rfilename":"data/test-0.jsonl"}]}"#;
        let endpoint = hub(vec![
            ("/api/datasets/AI-MO/NuminaMath-TIR/revision/main", list),
            ("/datasets/AI-MO/NuminaMath-TIR/resolve/abc/data/train-0.jsonl", "{\"problem\":\"1+1\"}\n"),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let cache = Hub::at(folder.path());
        let place = Remote::at(&endpoint).download(&cache, source.repository, source, source.subset).unwrap();
        assert_eq!(fs::read_to_string(place.join("data/train-0.jsonl")).unwrap(), "{\"problem\":\"1+1\"}\n");
        assert!(!place.join("data/test-0.jsonl").exists());
        // From now on it is on this machine.
        assert_eq!(cache.snapshot(source.repository), Some(place));
    }

    #[test]
    fn what_goes_wrong_is_said() {
        let source = names::find("aimo").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let said = |answers| {
            let remote = Remote::at(&hub(answers));
            remote.download(&Hub::at(folder.path()), source.repository, source, source.subset).unwrap_err()
        };
        const LIST: &str = "/api/datasets/AI-MO/NuminaMath-TIR/revision/main";
        assert!(said(vec![]).contains("404"));
        assert!(said(vec![(LIST, "no")]).contains("no list of files"));
        assert!(said(vec![(LIST, r#"{"sha":"abc","siblings":[]}"#)]).contains("has no Parquet"));
        let outside = r#"{"sha":"abc","siblings":[{"rfilename":"../train-0.jsonl"}]}"#;
        assert!(said(vec![(LIST, outside)]).contains("no name for a file"));
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing was kept");
    }
}
