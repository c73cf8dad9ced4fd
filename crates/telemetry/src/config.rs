//! Which pages are read, and how.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use tokamark_clock::{MILLISECOND, SECOND};
use url::Url;

use crate::samples::PageKind;

/// Where a DCGM-exporter listens unless told otherwise.
pub const DEFAULT_DCGM_URL: &str = "http://localhost:9400/metrics";
/// Three times a second.
pub const DEFAULT_INTERVAL_NS: u64 = 333 * MILLISECOND;

/// Why an address cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// No URL at all.
    #[error("`{address}` is no address of a metrics page: {reason}; write it like {DEFAULT_DCGM_URL}")]
    Malformed {
        /// As given.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither http nor https.
    #[error("`{address}` is neither http nor https; write it like {DEFAULT_DCGM_URL}")]
    Scheme {
        /// As given.
        address: String,
    },
}

/// A page to read.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) address: Url,
    pub(crate) authorization: Option<String>,
    pub(crate) kind: PageKind,
    pub(crate) expected: bool,
}

impl Source {
    /// A page that somebody asked for. The address may lack `http://` and, with nothing after the host, `/metrics`; a user
    /// name and a password in it are sent as basic authentication and shown nowhere.
    ///
    /// # Errors
    /// When the address is no http or https URL.
    pub fn new(address: &str, kind: PageKind) -> Result<Self, UrlError> {
        let trimmed = address.trim();
        let full = if trimmed.contains("://") { trimmed.to_owned() } else { format!("http://{trimmed}") };
        let malformed = |reason: String| UrlError::Malformed { address: trimmed.to_owned(), reason };
        let mut url = Url::parse(&full).map_err(|error| malformed(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme { address: trimmed.to_owned() });
        }
        let authorization = authorization(&url);
        // These fail only for URLs without a host, which http ones never are.
        if url.set_username("").is_err() || url.set_password(None).is_err() {
            return Err(malformed("it has no host".to_owned()));
        }
        if url.path() == "/" && url.query().is_none() {
            url.set_path("/metrics");
        }
        Ok(Self { address: url, authorization, kind, expected: true })
    }

    /// The same page, tried because it is a default: where there is none, nothing is said.
    #[must_use]
    pub fn by_default(mut self) -> Self {
        self.expected = false;
        self
    }

    /// The address, without credentials.
    #[must_use]
    pub fn url(&self) -> &str {
        self.address.as_str()
    }
}

fn authorization(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut credentials: Vec<u8> = percent_decode_str(url.username()).collect();
    credentials.push(b':');
    credentials.extend(percent_decode_str(url.password().unwrap_or_default()));
    Some(format!("Basic {}", BASE64_STANDARD.encode(credentials)))
}

/// What is read during a run, and how.
#[derive(Clone, Debug)]
pub struct TelemetryConfig {
    /// The pages.
    pub sources: Vec<Source>,
    /// From one scrape of a page to the next, in nanoseconds.
    pub interval_ns: u64,
    /// How long a page may take, in nanoseconds.
    pub timeout_ns: u64,
    /// How long the end of a run waits for a last scrape of each page, in nanoseconds.
    pub last_scrape_ns: u64,
    /// Memory for the samples of one page, in bytes.
    pub max_bytes: usize,
    /// Whose certificates https pages are trusted by.
    pub trust: Trust,
}

/// How the certificates of https pages are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Against the system's roots (Mozilla's where it has none) and these, in PEM.
    Roots(Vec<u8>),
    /// Not at all.
    Anyone,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            interval_ns: DEFAULT_INTERVAL_NS,
            timeout_ns: 5 * SECOND,
            last_scrape_ns: SECOND,
            max_bytes: 64 << 20,
            trust: Trust::Roots(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed() {
        let url = |address: &str| Source::new(address, PageKind::Server).unwrap().url().to_owned();
        assert_eq!(url("localhost:9400"), "http://localhost:9400/metrics");
        assert_eq!(url(" http://node:9400/ "), "http://node:9400/metrics");
        assert_eq!(url("https://node/gpu?x=1"), "https://node/gpu?x=1");
        assert_eq!(url("http://node/?x=1"), "http://node/?x=1");
    }

    #[test]
    fn credentials_go_into_a_header_and_nowhere_else() {
        let source = Source::new("https://ann%40b:p%3Aw@node/metrics", PageKind::Server).unwrap();
        assert_eq!(source.url(), "https://node/metrics");
        assert_eq!(source.authorization.as_deref(), Some("Basic YW5uQGI6cDp3"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        assert!(matches!(Source::new("ftp://node", PageKind::Server), Err(UrlError::Scheme { .. })));
        assert!(matches!(Source::new("http://", PageKind::Server), Err(UrlError::Malformed { .. })));
        assert!(matches!(Source::new("http://a b/", PageKind::Server), Err(UrlError::Malformed { .. })));
    }
}
