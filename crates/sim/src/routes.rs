//! Which request gets which kind of answer.

use std::sync::atomic::Ordering::Relaxed;

use crate::api::{self, ApiError, Job, Target};
use crate::draw::{Draw, Fault};
use crate::http::{Method, Reply, RequestHead};
use crate::metrics::exposition;
use crate::shared::Shared;

/// What to do with a request.
pub(crate) enum Action {
    /// Answer it right away.
    Reply(Reply),
    /// Have the engine work on it.
    Generate(Box<Generation>),
    /// Answer a request for tokens with an error.
    Reject { number: u64, reply: Reply },
}

/// A request for the engine.
pub(crate) struct Generation {
    pub(crate) number: u64,
    pub(crate) job: Job,
    pub(crate) fault: Option<Fault>,
    pub(crate) draw: Draw,
}

enum Route {
    Models,
    Health,
    Metrics,
    ResetPrefixCache,
    Generate(Target),
}

fn route(path: &str) -> Option<Route> {
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    Some(match path {
        "/v1/models" => Route::Models,
        "/health" => Route::Health,
        "/metrics" => Route::Metrics,
        "/reset_prefix_cache" => Route::ResetPrefixCache,
        path => Route::Generate(Target::at(path)?),
    })
}

/// Decides about a request.
pub(crate) fn act(shared: &Shared, head: &RequestHead, body: &[u8]) -> Action {
    let Some(route) = route(&head.path) else {
        return Action::Reply(ApiError::not_found(format!("there is nothing at {}", head.path)).reply());
    };
    let (reads, allow) = match route {
        Route::Models | Route::Health | Route::Metrics => (true, "allow: GET, HEAD, OPTIONS\r\n"),
        Route::ResetPrefixCache | Route::Generate(_) => (false, "allow: POST, OPTIONS\r\n"),
    };
    match head.method {
        Method::Options => {
            return Action::Reply(Reply { extra: allow, ..Reply::text(200, "text/plain", "") });
        }
        Method::Get | Method::Head if reads => {}
        Method::Post if !reads => {}
        _ => {
            let error = ApiError { status: 405, message: "the method is not allowed here".into() };
            return Action::Reply(Reply { extra: allow, ..error.reply() });
        }
    }
    let config = &shared.config;
    match route {
        Route::Models => Action::Reply(api::models_reply(&config.models, shared.created, config.longest())),
        Route::Health => Action::Reply(Reply::text(200, "text/plain", "")),
        Route::Metrics => {
            let model = config.models.first().map_or("sim", String::as_str);
            let text = exposition(&shared.metrics, model, config.kv_tokens);
            Action::Reply(Reply::text(200, "text/plain; version=0.0.4; charset=utf-8", text))
        }
        Route::ResetPrefixCache => {
            shared.cache_epoch.fetch_add(1, Relaxed);
            Action::Reply(Reply::text(200, "text/plain", ""))
        }
        Route::Generate(target) => generate(shared, &target, body),
    }
}

/// Decides about a request for the engine.
pub(crate) fn generate(shared: &Shared, target: &Target, body: &[u8]) -> Action {
    let config = &shared.config;
    let number = shared.requests.fetch_add(1, Relaxed);
    let mut draw = Draw::new(config.seed, number);
    let fault = draw.fault(&config.faults);
    if fault == Some(Fault::Error) {
        return Action::Reject { number, reply: ApiError::injected(config.faults.error_status).reply() };
    }
    match api::read_job(target, body, config, &shared.tokens) {
        Ok(job) => Action::Generate(Box::new(Generation { number, job, fault, draw })),
        Err(error) => Action::Reject { number, reply: error.reply() },
    }
}
