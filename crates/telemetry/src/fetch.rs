//! Getting one page.

use std::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::config::{Source, Trust};

/// No page of metrics is longer.
const MAX_PAGE_BYTES: u64 = 32 << 20;
/// What pages are asked for; both forms are read.
const ACCEPT: &str = "text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1";

/// Why a page could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("{0}")]
    Transport(#[from] ureq::Error),
}

/// A connection to the server of one page, kept open between scrapes.
pub(crate) struct Fetcher {
    agent: ureq::Agent,
    url: String,
    authorization: Option<String>,
}

impl Fetcher {
    pub(crate) fn new(source: &Source, timeout_ns: u64, trust: &Trust) -> Self {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_nanos(timeout_ns)))
            // Metrics are the machines' own business: no proxy of the environment stands between.
            .proxy(None)
            .http_status_as_error(false)
            .user_agent("tokamark")
            .accept(ACCEPT);
        if source.address.scheme() == "https" {
            config = config.tls_config(tls(trust));
        }
        Self {
            agent: ureq::Agent::new_with_config(config.build()),
            url: source.url().to_owned(),
            authorization: source.authorization.clone(),
        }
    }

    /// The page, as text; what is no UTF-8 in it is replaced.
    pub(crate) fn get(&self) -> Result<String, FetchError> {
        let mut request = self.agent.get(&self.url);
        if let Some(authorization) = &self.authorization {
            request = request.header("Authorization", authorization);
        }
        let mut response = request.call()?;
        if response.status().as_u16() != 200 {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        let bytes = response.body_mut().with_config().limit(MAX_PAGE_BYTES).read_to_vec()?;
        Ok(match String::from_utf8(bytes) {
            Ok(page) => page,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }
}

fn tls(trust: &Trust) -> TlsConfig {
    let builder = TlsConfig::builder();
    let pem = match trust {
        Trust::Anyone => return builder.disable_verification(true).build(),
        Trust::Roots(pem) => pem,
    };
    let system = rustls_native_certs::load_native_certs().certs;
    let mut roots: Vec<_> = system.iter().map(|root| Certificate::from_der(root).to_owned()).collect();
    // What is no certificate in it is left out: a page that it would have vouched for says so by itself.
    roots.extend(parse_pem(pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(root)) => Some(root),
        _ => None,
    }));
    let roots = if roots.is_empty() { RootCerts::WebPki } else { RootCerts::from(roots) };
    builder.root_certs(roots).build()
}
