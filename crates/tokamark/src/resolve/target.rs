//! The server and the way to it.

use std::str::FromStr;

use serde_json::{Map, Value};
use tokamark_endpoint::{check_response_field, check_template};
use tokamark_plan::name_value::{add_extra_input, headers, is_header_value};
use tokamark_plan::target_url::{Endpoint, endpoint_url, is_simulated};
use tokamark_plan::{ConnectMode, EndpointKind, ModelSelection, ProxyPlan, Reuse, Secret, TargetPlan, TlsPlan};
use tokamark_sim::SimConfig;

use super::values::{Range, choice, decimal, file};
use crate::args::{ConnectionArgs, EndpointArgs};
use crate::problems::Problems;

const DEFAULT_URL: &str = "http://localhost:8000";
/// Six hours: long answers of slow servers are no failures.
const DEFAULT_TIMEOUT_S: f64 = 21_600.0;
/// Serves as `--api-key`.
const API_KEY_VARIABLE: &str = "TOKAMARK_API_KEY";

/// The old name of the limit of output tokens, as people give it with `--extra-inputs`; both names in one request are one
/// too many for some servers.
pub(super) const LEGACY_MAX_TOKENS: &str = "max_tokens";

/// Dialects that are known, but cannot be measured yet.
const OTHER_ENDPOINTS: [&str; 4] = ["audio_transcription", "image_generation", "image_edit", "video_generation"];

/// The target that the flags describe.
pub(crate) fn resolve(
    args: &EndpointArgs,
    connection: &ConnectionArgs,
    variable: &dyn Fn(&str) -> Option<String>,
    problems: &mut Problems,
) -> TargetPlan {
    let endpoint = endpoint_kind(args, problems);
    if args.streaming && !endpoint.can_stream() {
        problems.add("--streaming", format!("{} cannot be streamed", endpoint.name()));
    }
    if args.use_legacy_max_tokens && !endpoint.generates_tokens() {
        problems.add("--use-legacy-max-tokens", format!("{} have no output tokens", endpoint.name()));
    }
    let models = models(&args.model, problems);
    let model = models.first().map(String::as_str).unwrap_or_default();
    let wanted = Endpoint { kind: endpoint, model, streaming: args.streaming, path: args.endpoint.as_deref() };
    let urls = urls(args, wanted, problems);
    let extra_inputs = extra_inputs(args, endpoint, problems);
    let headers = all_headers(&args.header, problems);
    let (connect, reuse) = connections(connection, problems);
    TargetPlan {
        legacy_max_tokens: args.use_legacy_max_tokens || extra_inputs.contains_key(LEGACY_MAX_TOKENS),
        tls: tls(connection, &urls, problems),
        urls,
        endpoint,
        models,
        model_selection: choice(
            "--model-selection-strategy",
            args.model_selection_strategy.as_ref(),
            &[("round_robin", ModelSelection::RoundRobin), ("random", ModelSelection::Random)],
            &[("weighted", "")],
            problems,
        )
        .unwrap_or_default(),
        streaming: args.streaming,
        api_key: api_key(args, &headers, variable, problems),
        headers,
        extra_inputs,
        request_timeout_s: decimal(
            "--request-timeout-seconds",
            connection.request_timeout_seconds.as_ref(),
            Range::Positive,
            problems,
        )
        .unwrap_or(DEFAULT_TIMEOUT_S),
        use_server_token_count: args.use_server_token_count,
        connect,
        reuse,
        wait_for_model_s: decimal(
            "--wait-for-model-timeout",
            connection.wait_for_model_timeout.as_ref(),
            Range::NotNegative,
            problems,
        )
        .unwrap_or(0.0),
        proxy: ProxyPlan::from_environment(variable).unwrap_or_else(|errors| {
            errors.iter().for_each(|error| problems.add_general(error.to_string()));
            ProxyPlan::default()
        }),
    }
}

fn endpoint_kind(args: &EndpointArgs, problems: &mut Problems) -> EndpointKind {
    choice("--endpoint-type", args.endpoint_type.as_ref(), &kinds(), &OTHER_ENDPOINTS.map(|name| (name, "")), problems)
        .unwrap_or(EndpointKind::Chat)
}

/// Every dialect, by each of its names.
fn kinds() -> Vec<(&'static str, EndpointKind)> {
    let named = |kind: EndpointKind| {
        std::iter::once(kind.name()).chain(kind.aliases().iter().copied()).map(move |name| (name, kind))
    };
    EndpointKind::ALL.into_iter().flat_map(named).collect()
}

fn models(given: &[String], problems: &mut Problems) -> Vec<String> {
    let models: Vec<String> =
        given.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()).collect();
    if models.is_empty() {
        problems.add("--model", "is required: the name of the model to ask for");
    } else if models.iter().any(String::is_empty) {
        problems.add("--model", "has an empty name");
    }
    models
}

fn urls(args: &EndpointArgs, endpoint: Endpoint<'_>, problems: &mut Problems) -> Vec<String> {
    let default = [DEFAULT_URL.to_owned()];
    let given = if args.url.is_empty() { &default[..] } else { &args.url };
    let mut urls = Vec::new();
    for url in given.iter().flat_map(|text| split_urls(text)) {
        let checked = if is_simulated(url) {
            SimConfig::from_str(url).map(|_| url.to_owned()).map_err(|error| error.to_string())
        } else {
            endpoint_url(url, endpoint).map_err(|error| error.to_string())
        };
        match checked {
            Ok(url) => urls.push(url),
            Err(message) => problems.add("--url", message),
        }
    }
    urls
}

/// A list in one text is split at commas, but a comma in a query is part of it.
fn split_urls(text: &str) -> Vec<&str> {
    if text.contains('?') { vec![text.trim()] } else { text.split(',').map(str::trim).collect() }
}

fn all_headers(given: &[String], problems: &mut Problems) -> Vec<(String, Secret)> {
    let mut all: Vec<(String, Secret)> = Vec::new();
    for argument in given {
        match headers(argument) {
            Ok(pairs) => all.extend(pairs.into_iter().map(|(name, value)| (name, Secret(value)))),
            Err(error) => problems.add("--header", error.to_string()),
        }
    }
    all
}

fn api_key(
    args: &EndpointArgs,
    headers: &[(String, Secret)],
    variable: &dyn Fn(&str) -> Option<String>,
    problems: &mut Problems,
) -> Option<Secret> {
    let authorized = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    if authorized && args.api_key.is_some() {
        problems.add("--api-key", "conflicts with --header Authorization: both set the same header");
    }
    // A header on the command line says more than a variable that happens to be there.
    let from_environment = || variable(API_KEY_VARIABLE).filter(|key| !authorized && !key.is_empty());
    let key = args.api_key.clone().or_else(from_environment)?;
    if key.is_empty() || !is_header_value(&key) {
        problems.add("--api-key", "is empty or has characters in it that no header can carry");
    }
    Some(Secret(key))
}

fn extra_inputs(args: &EndpointArgs, endpoint: EndpointKind, problems: &mut Problems) -> Map<String, Value> {
    let mut all = Map::new();
    for argument in &args.extra_inputs {
        if let Err(error) = add_extra_input(&mut all, argument) {
            problems.add("--extra-inputs", error.to_string());
        }
    }
    for (name, flag) in
        [("model", "--model"), ("messages", "--input-file"), ("prompt", "--input-file"), ("input", "--input-file")]
    {
        if all.contains_key(name) {
            problems.add("--extra-inputs", format!("`{name}` is what {flag} is for"));
        }
    }
    if endpoint == EndpointKind::Template
        && let Err(error) = check_template(&all)
    {
        problems.add("--extra-inputs", error.to_string());
    }
    if matches!(endpoint, EndpointKind::Template | EndpointKind::Raw)
        && let Err(error) = check_response_field(&all)
    {
        problems.add("--extra-inputs", error.to_string());
    }
    // Whether the answer is a stream decides what is measured, so there is one flag for it.
    if let Some(stream) = all.get("stream")
        && *stream != Value::Bool(args.streaming)
    {
        problems.add("--extra-inputs", format!("`stream:{stream}` conflicts with --streaming: use that flag alone"));
    }
    all
}

fn connections(args: &ConnectionArgs, problems: &mut Problems) -> (ConnectMode, Reuse) {
    let connect = choice(
        "--connect",
        args.connect.as_ref(),
        &[("ahead", ConnectMode::Ahead), ("lazy", ConnectMode::Lazy), ("per-request", ConnectMode::PerRequest)],
        &[],
        problems,
    );
    let reuse = choice(
        "--connection-reuse-strategy",
        args.connection_reuse_strategy.as_ref(),
        &[("pooled", Reuse::Pooled), ("never", Reuse::Never), ("sticky-user-sessions", Reuse::StickyUserSessions)],
        &[],
        problems,
    );
    match (connect, reuse) {
        (None, None) => (ConnectMode::default(), Reuse::default()),
        (None, Some(Reuse::Pooled)) => (ConnectMode::default(), Reuse::Pooled),
        (None | Some(ConnectMode::PerRequest), Some(Reuse::Never)) | (Some(ConnectMode::PerRequest), None) => {
            (ConnectMode::PerRequest, Reuse::Never)
        }
        (None, Some(Reuse::StickyUserSessions)) => (ConnectMode::Lazy, Reuse::StickyUserSessions),
        (Some(ConnectMode::PerRequest), Some(reuse)) => {
            problems
                .add("--connect", "`per-request` conflicts with --connection-reuse-strategy: nothing would be kept");
            (ConnectMode::PerRequest, reuse)
        }
        (Some(connect), Some(Reuse::Never)) => {
            problems.add("--connect", "conflicts with --connection-reuse-strategy never, which means per-request");
            (connect, Reuse::Never)
        }
        (Some(ConnectMode::Ahead), Some(Reuse::StickyUserSessions)) => {
            problems.add("--connect", "`ahead` conflicts with sticky-user-sessions: conversations open their own");
            (ConnectMode::Ahead, Reuse::StickyUserSessions)
        }
        (Some(connect), reuse) => (connect, reuse.unwrap_or_default()),
    }
}

fn tls(args: &ConnectionArgs, urls: &[String], problems: &mut Problems) -> TlsPlan {
    // Without a single good URL nobody knows, and the URLs are the problem.
    if !urls.is_empty() && !urls.iter().any(|url| url.starts_with("https:")) {
        for (flag, is_given) in [
            ("--tls-ca-file", args.tls_ca_file.is_some()),
            ("--tls-cert-file", args.tls_cert_file.is_some()),
            ("--tls-key-file", args.tls_key_file.is_some()),
            ("--tls-insecure", args.tls_insecure),
        ] {
            if is_given {
                problems.add(flag, "needs an https URL: nothing else is encrypted");
            }
        }
    }
    match (&args.tls_cert_file, &args.tls_key_file) {
        (Some(_), None) => problems.add("--tls-cert-file", "needs --tls-key-file"),
        (None, Some(_)) => problems.add("--tls-key-file", "needs --tls-cert-file"),
        _ => {}
    }
    if args.tls_insecure && args.tls_ca_file.is_some() {
        problems.add("--tls-insecure", "conflicts with --tls-ca-file: it accepts any certificate");
    }
    TlsPlan {
        ca_file: file("--tls-ca-file", args.tls_ca_file.as_ref(), problems),
        certificate_file: file("--tls-cert-file", args.tls_cert_file.as_ref(), problems),
        key_file: file("--tls-key-file", args.tls_key_file.as_ref(), problems),
        insecure: args.tls_insecure,
    }
}
