//! How the hub is reached.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

const ENDPOINT: &str = "https://huggingface.co";
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Where the hub is and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Hub {
    endpoint: String,
    token: Option<String>,
    why_offline: Option<String>,
    time_limit: Duration,
}

impl Hub {
    /// The hub at an address, asked without a token.
    #[must_use]
    pub fn at(endpoint: &str) -> Self {
        let endpoint = endpoint.trim_end_matches('/').to_owned();
        Self { endpoint, token: None, why_offline: None, time_limit: TIME_LIMIT }
    }

    /// No hub at all, for a reason that messages give.
    #[must_use]
    pub fn offline(reason: &str) -> Self {
        Self { why_offline: Some(reason.to_owned()), ..Self::at(ENDPOINT) }
    }

    /// The hub that the environment names: `HF_ENDPOINT`; `HF_TOKEN`, or the file of `HF_TOKEN_PATH`, or `token` in
    /// `HF_HOME` (`~/.cache/huggingface`); none if `HF_HUB_OFFLINE` or `TRANSFORMERS_OFFLINE` is set. Proxies are those
    /// of `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::from_variables(|name| env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let text = |name: &str| {
            let text = variable(name)?.into_string().ok()?.trim().to_owned();
            Some(text).filter(|text| !text.is_empty())
        };
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let is_set = |name: &str| {
            text(name).is_some_and(|value| matches!(value.to_ascii_uppercase().as_str(), "1" | "ON" | "YES" | "TRUE"))
        };
        let home = || {
            path("HF_HOME")
                .or_else(|| path("XDG_CACHE_HOME").map(|cache| cache.join("huggingface")))
                .or_else(|| path("HOME").or_else(|| path("USERPROFILE")).map(|home| home.join(".cache/huggingface")))
        };
        let file = || path("HF_TOKEN_PATH").or_else(|| home().map(|home| home.join("token")));
        let from_file = || Some(fs::read_to_string(file()?).ok()?.trim().to_owned()).filter(|token| !token.is_empty());
        let mut hub = Self::at(&text("HF_ENDPOINT").unwrap_or_else(|| ENDPOINT.to_owned()));
        hub.token = text("HF_TOKEN").or_else(|| text("HUGGING_FACE_HUB_TOKEN")).or_else(from_file);
        hub.why_offline = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"]
            .into_iter()
            .find(|name| is_set(name))
            .map(|name| format!("{name} is set"));
        if !cfg!(feature = "hub") {
            hub.why_offline = Some("this build cannot download".to_owned());
        }
        hub
    }

    /// The same hub, asked with a token.
    #[must_use]
    pub fn with_token(self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self }
    }

    /// The same hub with a limit for all of a tokenizer's files together.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    pub(crate) fn why_offline(&self) -> Option<&str> {
        self.why_offline.as_deref()
    }

    #[cfg(feature = "hub")]
    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    #[cfg(feature = "hub")]
    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    #[cfg(feature = "hub")]
    pub(super) fn time_limit(&self) -> Duration {
        self.time_limit
    }
}

/// The token is a secret.
impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub")
            .field("endpoint", &self.endpoint)
            .field("has_token", &self.token.is_some())
            .field("why_offline", &self.why_offline)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub(variables: &[(&str, &str)]) -> Hub {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        Hub::from_variables(find)
    }

    #[test]
    fn the_environment_says_how_the_hub_is_reached() {
        assert_eq!(hub(&[]).endpoint, "https://huggingface.co");
        assert_eq!(hub(&[("HF_ENDPOINT", "http://mirror/")]).endpoint, "http://mirror");
        assert_eq!(hub(&[("HF_TOKEN", " t\n")]).token.as_deref(), Some("t"));
        assert_eq!(hub(&[("HF_HUB_OFFLINE", "1")]).why_offline(), Some("HF_HUB_OFFLINE is set"));
        assert_eq!(hub(&[("TRANSFORMERS_OFFLINE", "true")]).why_offline(), Some("TRANSFORMERS_OFFLINE is set"));
        assert_eq!(hub(&[("HF_HUB_OFFLINE", "0")]).why_offline().is_some(), !cfg!(feature = "hub"));
    }

    #[test]
    fn a_token_is_found_in_its_file() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_str().unwrap();
        assert_eq!(hub(&[("HF_HOME", folder)]).token, None);
        fs::write(home.path().join("token"), "from-home\n").unwrap();
        fs::write(home.path().join("other"), "from-path").unwrap();
        assert_eq!(hub(&[("HF_HOME", folder)]).token.as_deref(), Some("from-home"));
        let other = home.path().join("other");
        assert_eq!(hub(&[("HF_TOKEN_PATH", other.to_str().unwrap())]).token.as_deref(), Some("from-path"));
        assert!(!format!("{:?}", hub(&[("HF_TOKEN", "secret")])).contains("secret"));
    }
}
