//! The download: one question for what a model has, one for each file that its tokenizer needs.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use ureq::http::Response;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};
use url::Url;

use super::{Hub, HubError};
use crate::HubCache;
use crate::files::{self, CONFIG, MERGES, TEMPLATE_FILES};
use crate::hub_cache::NewSnapshot;

/// Answers lead to other addresses at most so often.
const MOST_REDIRECTS: usize = 10;

/// One download.
pub(super) struct Download<'a> {
    hub: &'a Hub,
    model: &'a str,
    revision: &'a str,
    endpoint: Url,
    agent: Agent,
    /// On the monotonic clock.
    ends_at_ns: u64,
}

/// What the hub says of a model.
#[derive(Deserialize)]
struct Model {
    sha: String,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
}

/// An answer that is no redirect.
struct Answer {
    response: Response<Body>,
    /// What tells one content from another, from the first answer that has it.
    etag: Option<String>,
}

impl<'a> Download<'a> {
    pub(super) fn new(hub: &'a Hub, model: &'a str, revision: &'a str) -> Result<Self, HubError> {
        let endpoint = Url::parse(&format!("{}/", hub.endpoint()))
            .map_err(|error| failed(format!("the hub's address `{}` is not valid: {error}", hub.endpoint())))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .tls_config(TlsConfig::builder().root_certs(trusted(&endpoint)).build())
            .max_redirects_will_error(false)
            .user_agent(concat!("tokamark/", env!("CARGO_PKG_VERSION")))
            .build();
        let limit = u64::try_from(hub.time_limit().as_nanos()).unwrap_or(u64::MAX);
        let ends_at_ns = tokamark_clock::now_ns().saturating_add(limit);
        Ok(Self { hub, model, revision, endpoint, agent: config.new_agent(), ends_at_ns })
    }

    pub(super) fn run(&self, cache: &HubCache) -> Result<PathBuf, HubError> {
        let model = self.describe()?;
        let names: Vec<&str> = model.siblings.iter().map(|sibling| sibling.rfilename.as_str()).collect();
        let vocabulary = files::choose(&names).ok_or(HubError::NoTokenizer)?;
        let beside = [MERGES, CONFIG, TEMPLATE_FILES[0], TEMPLATE_FILES[1]];
        let beside = beside.into_iter().filter(|name| names.contains(name));
        let snapshot = cache.new_snapshot(self.model, &model.sha).map_err(not_kept)?;
        // The vocabulary comes last, and the revision after it: what is found later is complete.
        for name in beside.chain([vocabulary]) {
            if !snapshot.has(name) {
                self.fetch(&model.sha, name, &snapshot)?;
            }
        }
        snapshot.name(self.revision).map_err(not_kept)?;
        Ok(snapshot.file(vocabulary))
    }

    fn describe(&self) -> Result<Model, HubError> {
        let mut answer = self.get(self.address(&["api", "models"], &["revision", self.revision])?)?;
        let text = answer.response.body_mut().with_config().limit(64 << 20).read_to_string();
        let text = text.map_err(|error| self.why(error))?;
        serde_json::from_str(&text).map_err(|error| failed(format!("the hub's answer makes no sense: {error}")))
    }

    fn fetch(&self, commit: &str, name: &str, snapshot: &NewSnapshot) -> Result<(), HubError> {
        let mut answer = self.get(self.address(&[], &["resolve", commit, name])?)?;
        let wanted = answer.response.body().content_length();
        let mut blob = snapshot.blob(answer.etag.as_deref(), name).map_err(not_kept)?;
        let mut reader = answer.response.body_mut().as_reader();
        let mut buffer = vec![0; 64 << 10];
        let mut length = 0u64;
        loop {
            let read = match io::Read::read(&mut reader, &mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return Err(self.why(ureq::Error::from(error))),
            };
            blob.write(&buffer[..read]).map_err(not_kept)?;
            length += read as u64;
        }
        if wanted.is_some_and(|wanted| wanted != length) {
            return Err(failed(format!("`{name}` was cut off after {length} bytes")));
        }
        blob.keep().map_err(not_kept)
    }

    /// `before` / the model's name / `after` at the hub.
    fn address(&self, before: &[&str], after: &[&str]) -> Result<Url, HubError> {
        let mut address = self.endpoint.clone();
        {
            let mut path =
                address.path_segments_mut().map_err(|()| failed("the hub's address has no path".to_owned()))?;
            path.pop_if_empty().extend(before).extend(self.model.split('/')).extend(after);
        }
        Ok(address)
    }

    /// Follows redirects. The token goes to the hub alone, not to where it sends us.
    fn get(&self, mut address: Url) -> Result<Answer, HubError> {
        let mut etag = None;
        for _ in 0..=MOST_REDIRECTS {
            let mut request = self.agent.get(address.as_str());
            if let Some(token) = self.hub.token().filter(|_| address.origin() == self.endpoint.origin()) {
                request = request.header("authorization", format!("Bearer {token}"));
            }
            let request = request.config().timeout_global(Some(self.time_left()?)).build();
            let response = request.call().map_err(|error| self.why(error))?;
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            etag = etag.or_else(|| header("x-linked-etag").or_else(|| header("etag")).map(str::to_owned));
            let status = response.status().as_u16();
            match status {
                200..=299 => return Ok(Answer { response, etag }),
                301 | 302 | 303 | 307 | 308 => {
                    let location = header("location").unwrap_or_default();
                    address = address
                        .join(location)
                        .map_err(|error| failed(format!("the hub leads to `{location}`: {error}")))?;
                }
                _ => return Err(self.refusal(status, header("x-error-code"))),
            }
        }
        Err(failed("the hub leads from address to address without end".to_owned()))
    }

    fn refusal(&self, status: u16, code: Option<&str>) -> HubError {
        match (status, code) {
            (_, Some("RepoNotFound")) => HubError::NoRepository,
            (_, Some("RevisionNotFound")) => HubError::NoRevision { revision: self.revision.to_owned() },
            (401 | 403, _) => HubError::Denied { status },
            (404, None) => HubError::NoRepository,
            _ => failed(format!("the hub answered with status {status}")),
        }
    }

    fn time_left(&self) -> Result<Duration, HubError> {
        let left = self.ends_at_ns.saturating_sub(tokamark_clock::now_ns());
        if left == 0 { Err(self.timeout()) } else { Ok(Duration::from_nanos(left)) }
    }

    fn timeout(&self) -> HubError {
        HubError::Timeout { seconds: self.hub.time_limit().as_secs() }
    }

    fn why(&self, error: ureq::Error) -> HubError {
        match error {
            ureq::Error::Timeout(_) => self.timeout(),
            error => failed(format!("the hub at {} cannot be reached: {error}", self.hub.endpoint())),
        }
    }
}

/// The certificates that this machine trusts, which may be those of a company's proxy; else the well-known ones.
fn trusted(endpoint: &Url) -> RootCerts {
    if endpoint.scheme() != "https" {
        return RootCerts::WebPki;
    }
    let found = rustls_native_certs::load_native_certs().certs;
    if found.is_empty() {
        return RootCerts::WebPki;
    }
    found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect::<Vec<_>>().into()
}

fn failed(reason: String) -> HubError {
    HubError::Failed { reason }
}

fn not_kept(error: io::Error) -> HubError {
    HubError::Cache { reason: error.to_string() }
}
