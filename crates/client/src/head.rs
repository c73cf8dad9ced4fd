//! Request heads, made once for each URL.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    PROXY_AUTHORIZATION, TRANSFER_ENCODING, USER_AGENT,
};
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::Full;
use tokamark_plan::{Secret, TargetPlan};
use tokamark_record::{Phase, request_id};

use crate::ClientError;
use crate::connection::Route;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The heads of all URLs.
pub(crate) struct Heads {
    run_id: String,
    heads: Vec<(Uri, HeaderMap)>,
}

impl Heads {
    /// Heads for the plan's routes.
    pub(crate) fn new(target: &TargetPlan, routes: &[Route], run_id: &str) -> Result<Self, ClientError> {
        let heads = routes.iter().map(|route| head(target, route)).collect::<Result<_, _>>()?;
        Ok(Self { run_id: run_id.to_owned(), heads })
    }

    /// How many URLs there are; at least one.
    pub(crate) fn urls(&self) -> u64 {
        (self.heads.len() as u64).max(1)
    }

    /// The request number `seq` of a phase, to the given URL.
    pub(crate) fn request(&self, url: usize, phase: Phase, seq: u64, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        if let Some((uri, headers)) = self.heads.get(url) {
            *request.uri_mut() = uri.clone();
            *request.headers_mut() = headers.clone();
        }
        if let Ok(id) = HeaderValue::from_str(&request_id(&self.run_id, phase, seq)) {
            // A header of the user's own of this name stays.
            request.headers_mut().entry(REQUEST_ID).or_insert(id);
        }
        request
    }
}

fn head(target: &TargetPlan, route: &Route) -> Result<(Uri, HeaderMap), ClientError> {
    let address = &route.target;
    let bad_url = |reason: String| ClientError::BadUrl { url: address.url.clone(), reason };
    let mut headers = HeaderMap::new();
    headers.insert(HOST, address.host_header.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accept = if target.streaming { "text/event-stream" } else { "application/json" };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("tokamark/", env!("CARGO_PKG_VERSION"))));
    if let Some(Secret(key)) = &target.api_key {
        headers.insert(AUTHORIZATION, secret_value("Authorization", &format!("Bearer {key}"))?);
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
    Ok((uri.parse().map_err(|error: http::uri::InvalidUri| bad_url(error.to_string()))?, headers))
}

fn secret_value(name: &str, value: &str) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| ClientError::BadHeader {
        name: name.to_owned(),
        reason: "its value has characters that HTTP does not allow".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}
