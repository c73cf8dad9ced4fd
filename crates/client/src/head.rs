//! Request heads, made once for each URL but for what differs from request to request.

use bytes::Bytes;
use http::HeaderMap;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    PROXY_AUTHORIZATION, TRANSFER_ENCODING, USER_AGENT,
};
use tokamark_plan::{Secret, TargetPlan};
use tokamark_record::{Phase, request_id};

use crate::ClientError;
use crate::connection::Route;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The heads of all URLs.
pub(crate) struct Heads {
    run_id: String,
    templates: Vec<Template>,
}

/// A head without its last fields.
struct Template {
    bytes: Vec<u8>,
    /// The user sends a request id of their own.
    has_request_id: bool,
}

impl Heads {
    /// Heads for the plan's routes.
    pub(crate) fn new(target: &TargetPlan, routes: &[Route], run_id: &str) -> Result<Self, ClientError> {
        let templates = routes.iter().map(|route| template(target, route)).collect::<Result<_, _>>()?;
        Ok(Self { run_id: run_id.to_owned(), templates })
    }

    /// How many URLs there are; at least one.
    pub(crate) fn urls(&self) -> u64 {
        (self.templates.len() as u64).max(1)
    }

    /// The head of request `seq` of a phase, with a body of so many bytes, to the given URL.
    pub(crate) fn head(&self, url: usize, phase: Phase, seq: u64, body_length: usize) -> Bytes {
        let Some(template) = self.templates.get(url) else { return Bytes::new() };
        let mut head = Vec::with_capacity(template.bytes.len() + 96);
        head.extend_from_slice(&template.bytes);
        if !template.has_request_id {
            head.extend_from_slice(format!("{REQUEST_ID}: {}\r\n", request_id(&self.run_id, phase, seq)).as_bytes());
        }
        head.extend_from_slice(format!("{CONTENT_LENGTH}: {body_length}\r\n\r\n").as_bytes());
        head.into()
    }
}

fn template(target: &TargetPlan, route: &Route) -> Result<Template, ClientError> {
    let address = &route.target;
    let mut headers = HeaderMap::new();
    headers.insert(HOST, address.host_header.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accept = if target.streaming { "text/event-stream" } else { "application/json" };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("tokamark/", env!("CARGO_PKG_VERSION"))));
    for (name, value) in target.endpoint.headers() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(Secret(key)) = &target.api_key {
        match target.endpoint.key_header() {
            Some(name) => headers.insert(HeaderName::from_static(name), secret_value(name, key)?),
            None => headers.insert(AUTHORIZATION, secret_value("Authorization", &format!("Bearer {key}"))?),
        };
    } else if let Some((user, password)) = &address.credentials {
        use base64::Engine as _;
        let encoded = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        headers.insert(AUTHORIZATION, secret_value("Authorization", &format!("Basic {encoded}"))?);
    }
    let mut seen = Vec::new();
    for (name, Secret(value)) in &target.headers {
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| ClientError::BadHeader {
            name: name.clone(),
            reason: "the name is not allowed in HTTP".to_owned(),
        })?;
        if key == CONTENT_LENGTH || key == TRANSFER_ENCODING {
            let reason = "the client frames the body itself".to_owned();
            return Err(ClientError::BadHeader { name: name.clone(), reason });
        }
        let value = secret_value(name, value)?;
        // The user's header takes the place of ours; given twice, both are sent.
        if seen.contains(&key) {
            headers.append(key, value);
        } else {
            headers.insert(key.clone(), value);
            seen.push(key);
        }
    }
    // A proxy without a tunnel is told the whole URL (RFC 9112 §3.2.2); everybody else only the path.
    let through_proxy = route.proxy.as_ref().filter(|_| route.tls.is_none());
    let uri = match through_proxy {
        None => address.path_and_query.clone(),
        Some(proxy) => {
            if let Some(value) = &proxy.authorization {
                headers.insert(PROXY_AUTHORIZATION, value.clone());
            }
            let host = address.host_header.to_str().unwrap_or_default();
            format!("http://{host}{}", address.path_and_query)
        }
    };
    let mut bytes = format!("POST {uri} HTTP/1.1\r\n").into_bytes();
    for (name, value) in &headers {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    Ok(Template { bytes, has_request_id: headers.contains_key(REQUEST_ID) })
}

fn secret_value(name: &str, value: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| ClientError::BadHeader {
        name: name.to_owned(),
        reason: "its value has characters that HTTP does not allow".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}
