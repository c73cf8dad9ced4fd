//! Request heads, made once for each URL but for what differs from request to request.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::uri::Scheme;
use http::{HeaderMap, Method, Uri, Version};
use tokamark_plan::{Secret, TargetPlan};
use tokamark_record::{Phase, request_id};

use crate::ClientError;
use crate::address::Address;
use crate::connection::Route;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The head of a request.
pub(crate) enum RequestHead {
    /// As it goes onto the wire.
    Http1(Bytes),
    /// For the library that puts it there.
    Http2(Box<http::Request<()>>),
}

/// The heads of all URLs.
pub(crate) struct Heads {
    run_id: String,
    templates: Vec<Template>,
}

/// A head without its last fields.
struct Template {
    form: Form,
    /// The user sends a request id of their own.
    has_request_id: bool,
}

enum Form {
    Http1(Vec<u8>),
    Http2 { uri: Uri, headers: HeaderMap },
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
    pub(crate) fn head(&self, url: usize, phase: Phase, seq: u64, body_length: usize) -> RequestHead {
        let Some(template) = self.templates.get(url) else { return RequestHead::Http1(Bytes::new()) };
        let id = (!template.has_request_id).then(|| request_id(&self.run_id, phase, seq));
        match &template.form {
            Form::Http1(bytes) => {
                let mut head = Vec::with_capacity(bytes.len() + 96);
                head.extend_from_slice(bytes);
                if let Some(id) = id {
                    head.extend_from_slice(format!("{REQUEST_ID}: {id}\r\n").as_bytes());
                }
                head.extend_from_slice(format!("{CONTENT_LENGTH}: {body_length}\r\n\r\n").as_bytes());
                RequestHead::Http1(head.into())
            }
            Form::Http2 { uri, headers } => {
                let mut headers = headers.clone();
                if let Some(id) = id.and_then(|id| HeaderValue::try_from(id).ok()) {
                    headers.insert(REQUEST_ID, id);
                }
                RequestHead::Http2(Box::new(http2_request(uri.clone(), headers)))
            }
        }
    }
}

fn template(target: &TargetPlan, route: &Route) -> Result<Template, ClientError> {
    let address = &route.target;
    let mut headers = HeaderMap::new();
    if route.is_http2 {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(TE, HeaderValue::from_static("trailers"));
        headers.insert("grpc-accept-encoding", HeaderValue::from_static("identity"));
    } else {
        headers.insert(HOST, address.host_header.clone());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accept = if target.streaming { "text/event-stream" } else { "application/json" };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
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
    let has_request_id = headers.contains_key(REQUEST_ID);
    if route.is_http2 {
        let uri = uri(address, &address.path_and_query)?;
        return Ok(Template { form: Form::Http2 { uri, headers }, has_request_id });
    }
    // A proxy without a tunnel is told the whole URL (RFC 9112 §3.2.2); everybody else only the path.
    let uri = match route.forwarding_proxy() {
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
    Ok(Template { form: Form::Http1(bytes), has_request_id })
}

/// The URI of a path on a server, as HTTP/2 has it.
pub(crate) fn uri(address: &Address, path: &str) -> Result<Uri, ClientError> {
    let scheme = if address.tls { Scheme::HTTPS } else { Scheme::HTTP };
    let made = Uri::builder().scheme(scheme).authority(address.host_header.as_bytes()).path_and_query(path).build();
    made.map_err(|error| ClientError::BadUrl { url: path.to_owned(), reason: error.to_string() })
}

/// A request over HTTP/2. Fields that belong to one connection are not allowed there.
fn http2_request(uri: Uri, mut headers: HeaderMap) -> http::Request<()> {
    for name in [HOST, CONNECTION, UPGRADE] {
        headers.remove(name);
    }
    let mut request = http::Request::new(());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri;
    *request.version_mut() = Version::HTTP_2;
    *request.headers_mut() = headers;
    request
}

fn secret_value(name: &str, value: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| ClientError::BadHeader {
        name: name.to_owned(),
        reason: "its value has characters that HTTP does not allow".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}
