//! Hugging Face's hub: which files a tokenizer needs, and their download into the local cache.

#[cfg(feature = "hub")]
mod download;
mod settings;

use std::path::PathBuf;

pub use settings::Hub;

use crate::HubCache;

/// Why the hub does not give a tokenizer, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HubError {
    /// The server wants to know who asks (401), or does not allow it (403).
    #[error(
        "the hub denies access (status {status}); accept the model's licence on its page and set HF_TOKEN to a token that may read it"
    )]
    Denied {
        /// The status of the answer.
        status: u16,
    },
    /// There is no such model, or it is private.
    #[error("the hub has no model of this name that may be read; check the name, or set HF_TOKEN if it is private")]
    NoRepository,
    /// The model has no such revision.
    #[error("the model has no revision `{revision}`; check --tokenizer-revision")]
    NoRevision {
        /// The branch, tag or commit.
        revision: String,
    },
    /// The model comes without a tokenizer.
    #[error("the model has no tokenizer of a known format; give --tokenizer another model, a file, or `builtin`")]
    NoTokenizer,
    /// It took too long.
    #[error("the hub did not answer within {seconds} s; try again, or set HF_ENDPOINT to a mirror")]
    Timeout {
        /// The limit in seconds.
        seconds: u64,
    },
    /// The server is not reached, or does not answer as it should.
    #[error("{reason}; check the network and HF_ENDPOINT, or download the tokenizer elsewhere and give its folder")]
    Failed {
        /// What happened.
        reason: String,
    },
    /// The download cannot be kept.
    #[error("the cache cannot be written: {reason}; set HF_HOME to a folder that can")]
    Cache {
        /// What happened.
        reason: String,
    },
}

impl Hub {
    /// Downloads what a model's tokenizer needs into the cache, and says where the vocabulary is.
    #[cfg(feature = "hub")]
    pub(crate) fn fetch(&self, model: &str, revision: &str, cache: &HubCache) -> Result<PathBuf, HubError> {
        download::Download::new(self, model, revision)?.run(cache)
    }

    #[cfg(not(feature = "hub"))]
    pub(crate) fn fetch(&self, _: &str, _: &str, _: &HubCache) -> Result<PathBuf, HubError> {
        Err(HubError::Failed { reason: "this build cannot download".to_owned() })
    }
}
