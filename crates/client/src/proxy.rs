//! Which proxy a URL goes through, and the tunnel for TLS.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use tokamark_plan::{ProxyPlan, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::ClientError;
use crate::address::Address;
use crate::failure::describe;
use crate::socket::StampedStream;

/// The longest answer to CONNECT that is read.
const MAX_HEAD: usize = 64 * 1024;

/// A proxy for one target.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    /// Where it is.
    pub(crate) address: Address,
    /// `Proxy-Authorization`, from user and password in its URL.
    pub(crate) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// The proxy that the plan has for a target, or `None` to go direct.
    pub(crate) fn choose(plan: &ProxyPlan, target: &Address) -> Result<Option<Self>, ClientError> {
        let Some(Secret(url)) = (if target.tls { &plan.https } else { &plan.http }) else { return Ok(None) };
        if plan.exceptions.iter().any(|exception| matches_exception(exception, target)) {
            return Ok(None);
        }
        let with_scheme = if url.contains("://") { url.clone() } else { format!("http://{url}") };
        let mut address = Address::parse(&with_scheme)?;
        if address.tls {
            return Err(ClientError::BadUrl {
                url: format!("https://{}", address.host),
                reason: "a proxy is reached by http; TLS to the proxy itself is not supported".to_owned(),
            });
        }
        let authorization = address.credentials.take().and_then(|(user, password)| {
            let mut value =
                HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        Ok(Some(Self { address, authorization }))
    }

    /// Asks the proxy for a tunnel to the target.
    pub(crate) async fn tunnel(&self, stream: &mut StampedStream, target: &Address) -> Result<(), String> {
        let authority = if target.host.contains(':') {
            format!("[{}]:{}", target.host, target.port)
        } else {
            format!("{}:{}", target.host, target.port)
        };
        let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
        if let Some(value) = &self.authorization {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(value.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        stream.write_all(&request).await.map_err(broken)?;
        let mut head = Vec::with_capacity(512);
        // Byte by byte, so that nothing beyond the head is taken from the tunnel.
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= MAX_HEAD {
                return Err("its answer is too long".to_owned());
            }
            head.push(stream.read_u8().await.map_err(broken)?);
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut headers);
        response.parse(&head).map_err(|error| format!("its answer is no HTTP: {error}"))?;
        match response.code {
            Some(code) if (200..300).contains(&code) => Ok(()),
            code => Err(format!("it answered {} {}", code.unwrap_or(0), response.reason.unwrap_or_default())),
        }
    }
}

fn broken(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
        _ => describe(&error),
    }
}

/// `NO_PROXY` as curl has it: `*`, a host, or a domain with or without a leading dot; a port limits the match.
fn matches_exception(exception: &str, target: &Address) -> bool {
    let exception = exception.trim();
    if exception.is_empty() {
        return false;
    }
    if exception == "*" {
        return true;
    }
    let exception = exception.strip_prefix('[').map_or(exception.to_owned(), |rest| rest.replacen(']', "", 1));
    let (name, port) = match exception.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') => (name.to_owned(), port.parse::<u16>().ok()),
        _ => (exception, None),
    };
    if port.is_some_and(|port| port != target.port) {
        return false;
    }
    let (name, host) =
        (name.trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase(), target.host.to_ascii_lowercase());
    host == name || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(exceptions: &[&str]) -> ProxyPlan {
        ProxyPlan {
            http: Some(Secret("http://u:p@proxy:3128".to_owned())),
            https: None,
            exceptions: exceptions.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    fn chosen(url: &str, exceptions: &[&str]) -> bool {
        Proxy::choose(&plan(exceptions), &Address::parse(url).unwrap()).unwrap().is_some()
    }

    #[test]
    fn the_scheme_and_the_exceptions_decide() {
        assert!(chosen("http://a.example.com/", &[]));
        assert!(!chosen("https://a.example.com/", &[]));
        for exception in ["*", "example.com", ".example.com", "*.example.com", "A.example.com", "a.example.com:80"] {
            assert!(!chosen("http://a.example.com/", &[exception]), "{exception}");
        }
        for exception in ["", "ample.com", "b.example.com", "a.example.com:81", "com.example"] {
            assert!(chosen("http://a.example.com/", &[exception]), "{exception}");
        }
        assert!(!chosen("http://[::1]:8000/", &["::1"]));
        assert!(!chosen("http://[::1]:8000/", &["[::1]"]));
    }

    #[test]
    fn the_password_becomes_a_header() {
        let proxy = Proxy::choose(&plan(&[]), &Address::parse("http://h/").unwrap()).unwrap().unwrap();
        assert_eq!(proxy.authorization.unwrap(), "Basic dTpw");
    }
}
