//! From what people give as a server's URL to the URL that requests go to.

use thiserror::Error;
use url::Url;

use crate::EndpointKind;

/// A URL that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Nothing, or blanks within.
    #[error("`{0}` is not a URL: it is empty, or has blanks or control characters in it")]
    Blank(String),
    /// It does not follow the grammar.
    #[error("`{url}` is not a URL: {reason}")]
    Syntax {
        /// What was given.
        url: String,
        /// What the parser says.
        reason: String,
    },
    /// A scheme that is not spoken.
    #[error("`{url}` has the scheme `{scheme}`: only http, https and sim are supported")]
    Scheme {
        /// What was given.
        url: String,
        /// Its scheme.
        scheme: String,
    },
    /// A user name or password; it would end up in files and messages.
    #[error("the URL for host `{0}` has a user name or password in it: give it with --header instead")]
    Credentials(String),
    /// A fragment never reaches a server.
    #[error("`{0}` has a fragment (#…), which is never sent to a server")]
    Fragment(String),
    /// It is the full URL of another kind of endpoint.
    #[error("`{url}` is a {found} endpoint, but the endpoint type is {wanted}")]
    OtherEndpoint {
        /// What was given.
        url: String,
        /// The kind that its path says.
        found: &'static str,
        /// The kind that is measured.
        wanted: &'static str,
    },
    /// A path that is a URL of its own.
    #[error("the endpoint `{0}` is a whole URL: give a path such as /v1/chat/completions, or the whole URL with --url")]
    EndpointIsUrl(String),
}

/// True for the simulated engine's URLs: `sim:` and `sim:?option=value`.
#[must_use]
pub fn is_simulated(url: &str) -> bool {
    url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("sim:"))
}

/// What a URL is to lead to.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint<'a> {
    /// The dialect.
    pub kind: EndpointKind,
    /// The first model's name, which is a part of some paths.
    pub model: &'a str,
    /// Whether a stream is asked for, for which some APIs have a path of its own.
    pub streaming: bool,
    /// A path that takes the place of the kind's own, with or without a slash in front.
    pub path: Option<&'a str>,
}

impl Endpoint<'_> {
    fn default_path(&self) -> String {
        self.kind.path(self.model, self.streaming)
    }
}

/// The full URL of the endpoint for a server's URL of any usual shape:
///
/// - without a scheme, `http://` is meant;
/// - a path is kept in front of the endpoint's; a version at its end (`/v1`, `/v3`) takes the place of the endpoint's own;
/// - a URL that has the endpoint's path already is kept as it is;
/// - `path` takes the place of the kind's default path; queries of both are kept.
///
/// # Errors
/// Why the URL cannot be used.
pub fn endpoint_url(given: &str, endpoint: Endpoint<'_>) -> Result<String, UrlError> {
    let mut url = parse(given)?;
    let default = endpoint.default_path();
    let (path, query) = match own_path(endpoint.path)? {
        Some((path, query)) => (path, query),
        None => (default.as_str(), None),
    };
    let base = segments(url.path());
    let wanted = segments(path);
    let is_default = path == default;
    if is_default {
        refuse_other_kinds(&base, endpoint.kind, given)?;
    }
    if !is_there(&base, &wanted, is_default, endpoint.kind) {
        let joined = join(&base, &wanted, is_default);
        let slash = if path.len() > 1 && path.ends_with('/') { "/" } else { "" };
        url.set_path(&format!("/{joined}{slash}"));
    }
    if let Some(query) = query {
        let all = url.query().map_or_else(|| query.to_owned(), |own| format!("{own}&{query}"));
        url.set_query(Some(&all));
    }
    Ok(url.into())
}

fn parse(given: &str) -> Result<Url, UrlError> {
    let text = given.trim();
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(UrlError::Blank(given.to_owned()));
    }
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    // `unix:/path` and `http:` would be hosts of that name.
    let authority = with_scheme.split_once("://").map_or("", |(_, rest)| rest);
    if authority.split(['/', '?', '#']).next().is_some_and(|host| host.ends_with(':')) {
        let reason = "there is no port after the colon".to_owned();
        return Err(UrlError::Syntax { url: given.to_owned(), reason });
    }
    let url = Url::parse(&with_scheme)
        .map_err(|reason| UrlError::Syntax { url: given.to_owned(), reason: reason.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlError::Scheme { url: given.to_owned(), scheme: url.scheme().to_owned() });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlError::Credentials(url.host_str().unwrap_or_default().to_owned()));
    }
    if url.fragment().is_some() {
        return Err(UrlError::Fragment(given.to_owned()));
    }
    Ok(url)
}

/// The user's path and its query, if there is one.
fn own_path(path: Option<&str>) -> Result<Option<(&str, Option<&str>)>, UrlError> {
    let Some(path) = path.map(str::trim).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    if path.contains("://") {
        return Err(UrlError::EndpointIsUrl(path.to_owned()));
    }
    if path.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(UrlError::Blank(path.to_owned()));
    }
    if path.contains('#') {
        return Err(UrlError::Fragment(path.to_owned()));
    }
    Ok(Some(path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)))))
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

/// `v1`, `v3`, …: the version that stands in front of the endpoints.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn skip_version(path: &[&str]) -> usize {
    usize::from(path.len() > 1 && path.first().is_some_and(|first| is_version(first)))
}

/// Whether the server's URL has the endpoint's path already, whatever its version.
fn is_there(base: &[&str], wanted: &[&str], is_default: bool, kind: EndpointKind) -> bool {
    let tail = wanted.get(skip_version(wanted)..).unwrap_or_default();
    // What has no path of its own takes the URL to the letter.
    if if tail.is_empty() { is_default } else { base.ends_with(tail) } {
        return true;
    }
    // The model may be another one, and whoever writes the whole path has decided on the stream.
    let generates = matches!(base.last(), Some(&("generate" | "generate_stream")));
    is_default
        && generates
        && match kind {
            EndpointKind::Generate => base.contains(&"models"),
            EndpointKind::HuggingfaceGenerate => true,
            _ => false,
        }
}

/// Refuses a URL that is the full one of another kind. The longest known path that it ends with decides, because
/// `…/chat/completions` ends with `/completions` too.
fn refuse_other_kinds(base: &[&str], kind: EndpointKind, given: &str) -> Result<(), UrlError> {
    // These use any URL as it is.
    if matches!(kind, EndpointKind::Raw | EndpointKind::Template) {
        return Ok(());
    }
    let longest = TELLING.iter().filter(|(tail, _)| base.ends_with(tail)).max_by_key(|(tail, _)| tail.len());
    match longest {
        Some((_, found)) if found.path("", false) != kind.path("", false) => {
            Err(UrlError::OtherEndpoint { url: given.to_owned(), found: found.name(), wanted: kind.name() })
        }
        _ => Ok(()),
    }
}

/// Ends of paths that tell a kind. Others, such as `/generate`, may as well be a part of a gateway's path.
const TELLING: &[(&[&str], EndpointKind)] = &[
    (&["chat", "completions"], EndpointKind::Chat),
    (&["completions"], EndpointKind::Completions),
    (&["embeddings"], EndpointKind::Embeddings),
    (&["v1", "responses"], EndpointKind::Responses),
    (&["v1", "messages"], EndpointKind::Messages),
    (&["v1", "ranking"], EndpointKind::NimRankings),
    (&["v2", "rerank"], EndpointKind::CohereRankings),
    (&["v1", "infer"], EndpointKind::ImageRetrieval),
    (&["inference.GRPCInferenceService", "ModelStreamInfer"], EndpointKind::KserveTensorrtllm),
];

fn join(base: &[&str], path: &[&str], is_default: bool) -> String {
    let overlap = match (base.last(), path.first()) {
        (Some(last), Some(first)) if last == first && is_version(first) => 1,
        // The version of the server's URL wins over the one that we would assume, not over one that the user gave.
        (Some(last), Some(first)) if is_default && is_version(last) && is_version(first) => 1,
        _ => 0,
    };
    let rest = path.get(overlap..).unwrap_or_default();
    base.iter().chain(rest).copied().collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(kind: EndpointKind, url: &str, path: Option<&str>) -> Result<String, UrlError> {
        endpoint_url(url, Endpoint { kind, model: "m", streaming: false, path })
    }

    fn chat(url: &str) -> String {
        to(EndpointKind::Chat, url, None).unwrap()
    }

    #[test]
    fn every_usual_shape_reaches_the_endpoint() {
        for (given, expected) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://127.0.0.1:8000//v1//", "http://127.0.0.1:8000/v1/chat/completions"),
            ("http://127.0.0.1:8000/gw/v1/", "http://127.0.0.1:8000/gw/v1/chat/completions"),
            ("http://127.0.0.1:8000/gw", "http://127.0.0.1:8000/gw/v1/chat/completions"),
            ("http://127.0.0.1:8000/api/v3", "http://127.0.0.1:8000/api/v3/chat/completions"),
            ("http://[::1]:8000/gw/v1", "http://[::1]:8000/gw/v1/chat/completions"),
            ("[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
            ("localhost:8000", "http://localhost:8000/v1/chat/completions"),
            ("localhost", "http://localhost/v1/chat/completions"),
            ("  localhost:8000 ", "http://localhost:8000/v1/chat/completions"),
            ("https://api.example.com", "https://api.example.com/v1/chat/completions"),
            ("HTTPS://API.example.com:443", "https://api.example.com/v1/chat/completions"),
            ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
            ("http://h/v1/chat/completions/", "http://h/v1/chat/completions/"),
            ("http://h/v1/chat/completions?key=1", "http://h/v1/chat/completions?key=1"),
            (
                "http://h/openai/deployments/d/chat/completions?api-version=2024-06-01",
                "http://h/openai/deployments/d/chat/completions?api-version=2024-06-01",
            ),
            ("http://h/v1?key=a%20b&x=1", "http://h/v1/chat/completions?key=a%20b&x=1"),
        ] {
            assert_eq!(chat(given), expected, "{given}");
        }
    }

    #[test]
    fn an_endpoint_of_ones_own_takes_the_place_of_the_default() {
        for (given, path, expected) in [
            ("http://h", "/generate", "http://h/generate"),
            ("http://h", "generate", "http://h/generate"),
            ("http://h/", "/generate/", "http://h/generate/"),
            ("http://h/gw/", "/v2/chat", "http://h/gw/v2/chat"),
            ("http://h/v1", "/v1/chat/completions", "http://h/v1/chat/completions"),
            ("http://h/v1", "/v2/chat", "http://h/v1/v2/chat"),
            ("http://h/v1/chat/completions", "/v1/chat/completions", "http://h/v1/chat/completions"),
            ("http://h/a/b", "b", "http://h/a/b"),
            ("http://h?x=1", "/p?y=2", "http://h/p?x=1&y=2"),
            ("http://h", "/p?y=2", "http://h/p?y=2"),
            ("http://h/gw", "", "http://h/gw/v1/chat/completions"),
            ("http://h/gw", "/", "http://h/gw"),
        ] {
            assert_eq!(to(EndpointKind::Chat, given, Some(path)).unwrap(), expected, "{given} {path}");
        }
    }

    #[test]
    fn the_kinds_have_paths_of_their_own() {
        let to = |kind, url| to(kind, url, None);
        assert_eq!(to(EndpointKind::Completions, "h/v1").unwrap(), "http://h/v1/completions");
        assert_eq!(to(EndpointKind::Embeddings, "h").unwrap(), "http://h/v1/embeddings");
        assert_eq!(to(EndpointKind::Embeddings, "h/v1/embeddings").unwrap(), "http://h/v1/embeddings");
        let error = to(EndpointKind::Completions, "http://h/v1/chat/completions").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`http://h/v1/chat/completions` is a chat endpoint, but the endpoint type is completions"
        );
        assert!(to(EndpointKind::Chat, "http://h/v1/embeddings").is_err());
    }

    #[test]
    fn kinds_that_share_a_path_take_each_others_urls() {
        for kind in [EndpointKind::ChatEmbeddings, EndpointKind::NimEmbeddings, EndpointKind::Nvclip] {
            assert_eq!(to(kind, "h/v1/embeddings", None).unwrap(), "http://h/v1/embeddings");
            assert!(to(kind, "h/v1/completions", None).is_err());
        }
        for (kind, url, expected) in [
            (EndpointKind::CohereRankings, "h", "http://h/v2/rerank"),
            (EndpointKind::CohereRankings, "h/v1", "http://h/v1/rerank"),
            (EndpointKind::CohereRankings, "h/rerank", "http://h/rerank"),
            (EndpointKind::HfTeiRankings, "h", "http://h/rerank"),
            (EndpointKind::NimRankings, "h/v1", "http://h/v1/ranking"),
            (EndpointKind::ImageRetrieval, "h", "http://h/v1/infer"),
            (EndpointKind::Messages, "https://h/anthropic", "https://h/anthropic/v1/messages"),
            (EndpointKind::Responses, "h/v1", "http://h/v1/responses"),
            (EndpointKind::SolidoRag, "h", "http://h/rag/api/prompt"),
            // A gateway may call itself anything.
            (EndpointKind::Chat, "h/messages", "http://h/messages/v1/chat/completions"),
            (EndpointKind::Chat, "h/generate", "http://h/generate/v1/chat/completions"),
        ] {
            assert_eq!(to(kind, url, None).unwrap(), expected);
        }
        for (kind, url) in [
            (EndpointKind::Chat, "h/v1/messages"),
            (EndpointKind::Messages, "h/v1/responses"),
            (EndpointKind::NimRankings, "h/v2/rerank"),
            (EndpointKind::Generate, "h/v1/infer"),
        ] {
            assert!(matches!(to(kind, url, None), Err(UrlError::OtherEndpoint { .. })), "{url}");
        }
    }

    #[test]
    fn raw_and_template_use_the_url_as_it_is() {
        for kind in [EndpointKind::Raw, EndpointKind::Template] {
            for url in ["http://h/", "http://h/v1/chat/completions?x=1", "http://h/any/thing/"] {
                assert_eq!(to(kind, url, None).unwrap(), url);
            }
            assert_eq!(to(kind, "h/a", Some("b")).unwrap(), "http://h/a/b");
        }
    }

    #[test]
    fn the_path_of_generate_has_the_model_and_the_stream() {
        let to = |kind, url, streaming, path| {
            endpoint_url(url, Endpoint { kind, model: "my model", streaming, path }).unwrap()
        };
        let generate = |url, streaming| to(EndpointKind::Generate, url, streaming, None);
        assert_eq!(generate("h", false), "http://h/v2/models/my%20model/generate");
        assert_eq!(generate("h/gw", true), "http://h/gw/v2/models/my%20model/generate_stream");
        assert_eq!(generate("h/v2", false), "http://h/v2/models/my%20model/generate");
        for url in ["http://h/v2/models/a/generate", "http://h/v2/models/a/versions/1/generate_stream"] {
            assert_eq!(generate(url, false), url);
        }
        let own = to(EndpointKind::Generate, "h", true, Some("v2/models/a/generate"));
        assert_eq!(own, "http://h/v2/models/a/generate");
        let hugging = |url, streaming, path| to(EndpointKind::HuggingfaceGenerate, url, streaming, path);
        assert_eq!(hugging("h", false, None), "http://h/generate");
        assert_eq!(hugging("h", true, None), "http://h/generate_stream");
        assert_eq!(hugging("h/generate", true, None), "http://h/generate");
        assert_eq!(hugging("h", true, Some("/")), "http://h/");
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let why = |url: &str| to(EndpointKind::Chat, url, None).unwrap_err();
        assert!(matches!(why(""), UrlError::Blank(_)));
        assert!(matches!(why("http://a b"), UrlError::Blank(_)));
        assert!(matches!(why("http://"), UrlError::Syntax { .. }));
        assert!(matches!(why("http://h:99999"), UrlError::Syntax { .. }));
        assert!(matches!(why("::1"), UrlError::Syntax { .. }));
        for url in ["http:", "unix:/run/server", "localhost:/v1", "http://h:?x=1"] {
            assert!(why(url).to_string().ends_with("is not a URL: there is no port after the colon"), "{url}");
        }
        assert!(matches!(why("http://h/\u{1}"), UrlError::Blank(_)));
        assert!(matches!(why("ftp://h"), UrlError::Scheme { .. }));
        assert!(matches!(why("http://h/#x"), UrlError::Fragment(_)));
        let secret = why("http://user:hunter2@h/v1");
        assert!(matches!(secret, UrlError::Credentials(_)));
        assert!(!secret.to_string().contains("hunter2"));
        assert!(matches!(to(EndpointKind::Chat, "http://h", Some("http://h/p")), Err(UrlError::EndpointIsUrl(_))));
    }

    #[test]
    fn simulated_urls_are_recognised() {
        assert!(is_simulated("sim:"));
        assert!(is_simulated("SIM:?decode=50"));
        assert!(!is_simulated("simulator:8000"));
        assert!(!is_simulated("si"));
    }
}
