//! Proxies as the environment names them.

use thiserror::Error;
use url::Url;

use crate::{ProxyPlan, Secret};

/// A proxy that cannot be used. The value may hold a password and is not repeated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProxyError {
    /// Not a URL.
    #[error("the environment variable {variable} is not the URL of a proxy: {reason}")]
    Syntax {
        /// The variable.
        variable: String,
        /// What the parser says.
        reason: String,
    },
    /// Not an HTTP proxy.
    #[error("the environment variable {variable} names a `{scheme}` proxy: only http proxies are supported")]
    Scheme {
        /// The variable.
        variable: String,
        /// Its scheme.
        scheme: String,
    },
}

impl ProxyPlan {
    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, each also in capitals. As in curl, the lower-case
    /// spelling wins, a value without a scheme means `http://`, and an empty one is none.
    ///
    /// # Errors
    /// Every variable that cannot be used.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<ProxyError>> {
        let read = |name: &str| {
            [name.to_ascii_lowercase(), name.to_ascii_uppercase()]
                .into_iter()
                .find_map(|name| variable(&name).map(|value| (name, value.trim().to_owned())))
                .filter(|(_, value)| !value.is_empty())
        };
        let mut errors = Vec::new();
        let mut proxy = |name: &str| {
            let found = read(name).or_else(|| read("ALL_PROXY"));
            match found.map(|(name, value)| check(&name, &value)).transpose() {
                Ok(proxy) => proxy,
                Err(error) if errors.contains(&error) => None,
                Err(error) => {
                    errors.push(error);
                    None
                }
            }
        };
        let (http, https) = (proxy("HTTP_PROXY"), proxy("HTTPS_PROXY"));
        if !errors.is_empty() {
            return Err(errors);
        }
        let exceptions = read("NO_PROXY").map(|(_, list)| exceptions(&list)).unwrap_or_default();
        Ok(Self { http, https, exceptions })
    }
}

fn exceptions(list: &str) -> Vec<String> {
    list.split([',', ' ']).filter(|host| !host.is_empty()).map(str::to_ascii_lowercase).collect()
}

fn check(variable: &str, value: &str) -> Result<Secret, ProxyError> {
    let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let url = Url::parse(&with_scheme)
        .map_err(|reason| ProxyError::Syntax { variable: variable.to_owned(), reason: reason.to_string() })?;
    if url.scheme() == "http" {
        Ok(Secret(url.into()))
    } else {
        Err(ProxyError::Scheme { variable: variable.to_owned(), scheme: url.scheme().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(variables: &[(&str, &str)]) -> Result<ProxyPlan, Vec<ProxyError>> {
        ProxyPlan::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn secret(url: &str) -> Option<Secret> {
        Some(Secret(url.to_owned()))
    }

    #[test]
    fn nothing_is_read_from_nothing() {
        assert_eq!(plan(&[]), Ok(ProxyPlan::default()));
        assert_eq!(plan(&[("http_proxy", " ")]), Ok(ProxyPlan::default()));
    }

    #[test]
    fn each_scheme_has_its_own_and_all_is_for_the_rest() {
        let found =
            plan(&[("HTTP_PROXY", "http://a:1"), ("ALL_PROXY", "b:2"), ("NO_PROXY", "Localhost, .example.com")]);
        let found = found.unwrap();
        assert_eq!(found.http, secret("http://a:1/"));
        assert_eq!(found.https, secret("http://b:2/"));
        assert_eq!(found.exceptions, ["localhost", ".example.com"]);
    }

    #[test]
    fn the_lower_case_spelling_wins() {
        let found = plan(&[("HTTPS_PROXY", "http://a"), ("https_proxy", "http://b")]).unwrap();
        assert_eq!(found.https, secret("http://b/"));
        assert_eq!(found.http, None);
        // As with curl, an empty value switches the other spelling off.
        assert_eq!(plan(&[("HTTPS_PROXY", "http://a"), ("https_proxy", "")]).unwrap().https, None);
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_named_without_its_password() {
        let errors = plan(&[("all_proxy", "socks5://u:hunter2@h:1")]).unwrap_err();
        assert_eq!(errors, [ProxyError::Scheme { variable: "all_proxy".into(), scheme: "socks5".into() }]);
        let errors = plan(&[("http_proxy", "http://u:hunter2@:1"), ("https_proxy", "ftp://h")]).unwrap_err();
        assert_eq!(errors.len(), 2);
        assert!(errors.iter().all(|error| !error.to_string().contains("hunter2")));
    }
}
