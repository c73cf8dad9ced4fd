//! Where a URL leads: scheme, host, port, path, and the addresses behind the name.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use http::HeaderValue;
use url::{Host, Url};

use crate::ClientError;

/// A URL taken apart once, so that nothing is parsed per request.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Use TLS.
    pub(crate) tls: bool,
    /// Host without brackets, for TLS and look-ups.
    pub(crate) host: String,
    /// Port, given or implied.
    pub(crate) port: u16,
    /// Path and query, as in a request line.
    pub(crate) path_and_query: String,
    /// Value of the `Host` header: an IPv6 host in brackets, the port unless it is the scheme's own.
    pub(crate) host_header: HeaderValue,
    /// User and password in the URL.
    pub(crate) credentials: Option<(String, String)>,
}

impl Address {
    /// Takes a URL apart.
    pub(crate) fn parse(text: &str) -> Result<Self, ClientError> {
        let bad = |reason: &str| ClientError::BadUrl { url: text.to_owned(), reason: reason.to_owned() };
        let url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(bad(&format!("scheme `{other}` is neither http nor https"))),
        };
        let (host, bracketed) = match url.host() {
            Some(Host::Domain(name)) => (name.to_owned(), name.to_owned()),
            Some(Host::Ipv4(ip)) => (ip.to_string(), ip.to_string()),
            Some(Host::Ipv6(ip)) => (ip.to_string(), format!("[{ip}]")),
            None => return Err(bad("it has no host")),
        };
        let host_header = match url.port() {
            Some(port) => format!("{bracketed}:{port}"),
            None => bracketed,
        };
        let mut path_and_query = url.path().to_owned();
        if let Some(query) = url.query() {
            path_and_query.push('?');
            path_and_query.push_str(query);
        }
        let decode = |part: &str| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
        let credentials =
            (!url.username().is_empty()).then(|| (decode(url.username()), decode(url.password().unwrap_or_default())));
        Ok(Self {
            tls,
            port: url.port_or_known_default().unwrap_or(if tls { 443 } else { 80 }),
            path_and_query,
            host_header: HeaderValue::from_str(&host_header).map_err(|_| bad("its host is not usable"))?,
            host,
            credentials,
        })
    }

    /// Looks the name up, once for the run: look-ups are no part of what is measured. Blocks.
    pub(crate) fn resolve(&self) -> Result<Vec<SocketAddr>, ClientError> {
        if let Ok(ip) = self.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        let failed = |reason: String| ClientError::Dns { host: self.host.clone(), reason };
        let mut found: Vec<SocketAddr> =
            (self.host.as_str(), self.port).to_socket_addrs().map_err(|error| failed(error.to_string()))?.collect();
        found.sort_by_key(SocketAddr::is_ipv6);
        found.dedup();
        if found.is_empty() { Err(failed("the name has no address".to_owned())) } else { Ok(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let address = Address::parse("http://[::1]:8000/gw/v1/chat/completions?a=b").unwrap();
        assert_eq!(address.host, "::1");
        assert_eq!(address.host_header, "[::1]:8000");
        assert_eq!(address.path_and_query, "/gw/v1/chat/completions?a=b");
        let address = Address::parse("https://user:p%40ss@example.com").unwrap();
        assert!(address.tls);
        assert_eq!((address.port, address.path_and_query.as_str()), (443, "/"));
        assert_eq!(address.host_header, "example.com");
        assert_eq!(address.credentials, Some(("user".to_owned(), "p@ss".to_owned())));
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        for url in ["ftp://h/", "http://", "h:80", "http://h:99999/"] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn numbers_need_no_look_up() {
        let address = Address::parse("http://127.0.0.1:81/").unwrap();
        assert_eq!(address.resolve().unwrap(), vec!["127.0.0.1:81".parse().unwrap()]);
    }
}
