//! Getting one page.

use std::time::Duration;

use crate::config::Source;

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
    pub(crate) fn new(source: &Source, timeout_ns: u64) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_nanos(timeout_ns)))
            // Metrics are the machines' own business: no proxy of the environment stands between.
            .proxy(None)
            .http_status_as_error(false)
            .user_agent("tokamark")
            .accept(ACCEPT)
            .build();
        Self {
            agent: ureq::Agent::new_with_config(config),
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
