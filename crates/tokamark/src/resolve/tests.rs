use std::collections::BTreeMap;

use clap::FromArgMatches;
use serde_json::json;
use tokamark_plan::{
    Arrival, CacheBust, ConnectMode, Corpus, DatasetFormat, DatasetPlan, EndpointKind, ExportLevel, FailureTolerance,
    GoodputTarget, ImageFormat, LengthDistribution, ModelSelection, OpenLoop, Plan, Reuse, Secret, Source,
    SyntheticPlan, SystemPrompt, Ui,
};

use super::*;
use crate::args::program;
use crate::command_line;

fn resolve_with(variables: &[(&str, &str)], text: &str) -> Result<Resolved, String> {
    let words: Vec<String> = text.split_whitespace().map(|word| word.replace('~', " ")).collect();
    let variables: BTreeMap<_, _> = variables.iter().copied().collect();
    let mut program = program();
    program.build();
    let command = program.find_subcommand("profile").unwrap();
    let mut problems = Problems::default();
    let line = command_line::read(command, &words, command_line::Ways::default(), &mut problems);
    let arguments = std::iter::once("profile".to_owned()).chain(line.arguments());
    let matches = command.clone().try_get_matches_from(arguments).unwrap();
    let args = ProfileArgs::from_arg_matches(&matches).unwrap();
    let variable = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    super::resolve(&args, &variable, problems).map_err(|problems| problems.to_string())
}

/// `~` stands for a blank within a word.
fn plan(text: &str) -> Plan {
    resolve_with(&[], &format!("-m m {text}")).unwrap().plan
}

fn said(text: &str) -> String {
    resolve_with(&[], &format!("-m m {text}")).unwrap_err()
}

#[test]
fn little_is_needed() {
    let plan = plan("");
    assert_eq!(plan.target.urls, ["http://localhost:8000/v1/chat/completions"]);
    assert_eq!(plan.target.endpoint, EndpointKind::Chat);
    assert_eq!(plan.target.models, ["m"]);
    assert_eq!((plan.target.connect, plan.target.reuse), (ConnectMode::Ahead, Reuse::Pooled));
    assert_eq!(plan.target.request_timeout_s, 21_600.0);
    assert_eq!((plan.load.concurrency, plan.load.request_count, plan.load.session_count), (None, None, None));
    assert_eq!(plan.load.default_request_count(), 10);
    assert_eq!((plan.load.duration_s, plan.load.grace_s), (None, None));
    assert!(!plan.load.seed_given);
    assert_eq!(plan.workload.source, Source::Synthetic(SyntheticPlan::of(LengthDistribution::fixed(550.0))));
    assert_eq!(plan.workload.output_tokens, None);
    assert_eq!(plan.report.prefix, "profile_export");
    assert_eq!(plan.report.export_level, ExportLevel::Records);
    assert_eq!(plan.report.ui, Ui::Simple);
    assert_eq!(plan.report.allow_failed, FailureTolerance::Count(0));
    assert_eq!(resolve_with(&[], "").unwrap_err(), "error: --model: is required: the name of the model to ask for");
}

#[test]
fn models_come_in_lists_of_every_kind() {
    for text in ["-m a b c", "--model a,b,c", "--model-names a -m b --model c", "-m a,b c"] {
        assert_eq!(resolve_with(&[], text).unwrap().plan.target.models, ["a", "b", "c"], "{text}");
    }
    assert_eq!(plan("--model-selection-strategy RANDOM").target.model_selection, ModelSelection::Random);
    assert_eq!(resolve_with(&[], "-m a,,b").unwrap_err(), "error: -m: has an empty name");
}

#[test]
fn urls_are_joined_with_the_endpoint() {
    assert_eq!(plan("-u http://h:1/gw/v1/").target.urls, ["http://h:1/gw/v1/chat/completions"]);
    assert_eq!(
        plan("-u a:1,b:2 --url c:3").target.urls,
        ["http://a:1/v1/chat/completions", "http://b:2/v1/chat/completions", "http://c:3/v1/chat/completions"]
    );
    assert_eq!(plan("-u h --endpoint generate").target.urls, ["http://h/generate"]);
    assert_eq!(plan("-u h --endpoint-type completions").target.urls, ["http://h/v1/completions"]);
    assert_eq!(plan("-u h --endpoint-type Embeddings").target.urls, ["http://h/v1/embeddings"]);
    assert_eq!(plan("-u h/v1/chat/completions?a=1,2").target.urls, ["http://h/v1/chat/completions?a=1,2"]);
    let simulated = resolve_with(&[], "-m m -u sim:?decode=50 --endpoint /x").unwrap();
    assert_eq!(simulated.plan.target.urls, ["sim:?decode=50"]);
    assert_eq!(simulated.endpoint_path.as_deref(), Some("/x"));
    assert_eq!(said("-u ftp://h"), "error: -u: `ftp://h` has the scheme `ftp`: only http, https and sim are supported");
}

#[test]
fn dialects_that_are_not_there_yet_are_named() {
    assert_eq!(said("--endpoint-type image-edit"), "error: --endpoint-type: `image_edit` is not supported yet");
    assert!(
        said("--endpoint-type gopher").starts_with("error: --endpoint-type: `gopher` is not known: it must be chat,")
    );
    for (name, path) in [
        ("responses", "v1/responses"),
        ("messages", "v1/messages"),
        ("rankings", "v1/ranking"),
        ("hf-tei-rankings", "rerank"),
        ("generate", "v2/models/m/generate"),
    ] {
        assert_eq!(plan(&format!("--endpoint-type {name}")).target.urls, [format!("http://localhost:8000/{path}")]);
    }
    assert_eq!(said("--endpoint-type embeddings --streaming"), "error: --streaming: embeddings cannot be streamed");
}

#[test]
fn extra_inputs_are_json_where_they_look_like_it() {
    let target =
        plan("--extra-inputs ignore_eos:true temperature:1e-3 --extra-inputs stop:a:b {\"x\":{\"y\":[1]}}").target;
    let expected = json!({"ignore_eos": true, "temperature": 0.001, "stop": "a:b", "x": {"y": [1]}});
    assert_eq!(serde_json::Value::Object(target.extra_inputs), expected);
    assert_eq!(said("--extra-inputs a"), "error: --extra-inputs: `a` has no value: write name:value");
    assert!(said("--extra-inputs stream:true").contains("conflicts with --streaming"));
    assert_eq!(plan("--streaming --extra-inputs stream:true").target.extra_inputs.len(), 1);
}

#[test]
fn keys_and_headers_are_taken_from_one_place_each() {
    assert_eq!(plan("--api-key k").target.api_key, Some(Secret("k".into())));
    let target = plan("-H X-A:1 X-B:~2 -H {\"X-C\":\"3\"}").target;
    let expected = [("X-A", "1"), ("X-B", "2"), ("X-C", "3")].map(|(n, v)| (n.to_owned(), Secret(v.to_owned())));
    assert_eq!(target.headers, expected);
    assert!(said("--api-key k -H authorization:x").contains("both set the same header"));
    let variables = [("TOKAMARK_API_KEY", "from-env")];
    let key = |text: &str| resolve_with(&variables, text).unwrap().plan.target.api_key;
    assert_eq!(key("-m m"), Some(Secret("from-env".into())));
    assert_eq!(key("-m m --api-key k"), Some(Secret("k".into())));
    assert_eq!(key("-m m -H Authorization:x"), None);
}

#[test]
fn proxies_come_from_the_environment() {
    let proxy =
        resolve_with(&[("https_proxy", "http://p:3128"), ("NO_PROXY", "localhost")], "-m m").unwrap().plan.target.proxy;
    assert_eq!(proxy.https, Some(Secret("http://p:3128/".into())));
    assert_eq!(proxy.exceptions, ["localhost"]);
    let error = resolve_with(&[("ALL_PROXY", "socks5://p")], "-m m").unwrap_err();
    assert_eq!(
        error,
        "error: the environment variable ALL_PROXY names a `socks5` proxy: only http proxies are supported"
    );
}

#[test]
fn connections_follow_their_two_flags() {
    for (text, expected) in [
        ("", (ConnectMode::Ahead, Reuse::Pooled)),
        ("--connect lazy", (ConnectMode::Lazy, Reuse::Pooled)),
        ("--connect per_request", (ConnectMode::PerRequest, Reuse::Never)),
        ("--connection-reuse-strategy NEVER", (ConnectMode::PerRequest, Reuse::Never)),
        ("--connection-reuse-strategy never --connect per-request", (ConnectMode::PerRequest, Reuse::Never)),
        ("--connection-reuse-strategy sticky_user_sessions", (ConnectMode::Lazy, Reuse::StickyUserSessions)),
        ("--connection-reuse-strategy pooled --connect lazy", (ConnectMode::Lazy, Reuse::Pooled)),
    ] {
        let target = plan(text).target;
        assert_eq!((target.connect, target.reuse), expected, "{text}");
    }
    for text in [
        "--connect ahead --connection-reuse-strategy never",
        "--connect per-request --connection-reuse-strategy pooled",
        "--connect ahead --connection-reuse-strategy sticky-user-sessions",
    ] {
        assert!(said(text).starts_with("error: --connect: "), "{text}");
    }
}

#[test]
fn loads_are_open_or_closed() {
    let load = plan("--concurrency 16").load;
    assert_eq!((load.concurrency, load.request_rate, load.request_count), (Some(16), None, None));
    assert_eq!(load.default_request_count(), 32);
    let load = plan("--request-rate 2.5").load;
    assert_eq!((load.concurrency, load.request_rate, load.arrival), (None, Some(2.5), Arrival::Poisson));
    let load = plan("--request-rate 10 --concurrency 4 --request-rate-mode constant --num-requests 7").load;
    assert_eq!(
        (load.concurrency, load.request_rate, load.arrival, load.request_count),
        (Some(4), Some(10.0), Arrival::Constant, Some(7))
    );
    for text in ["--arrival-smoothness 0.5", "--vllm-burstiness 0.5 --arrival-pattern gamma"] {
        assert_eq!(
            plan(&format!("--request-rate 1 {text}")).load.arrival,
            Arrival::Gamma { smoothness: 0.5 },
            "{text}"
        );
    }
    let load = plan("--request-rate 1 --arrival-pattern Gamma").load;
    assert_eq!(load.arrival, Arrival::Gamma { smoothness: 1.0 });
    let load = plan("--random-seed 0 --num-warmup-requests 0 --workers-max 3").load;
    assert_eq!((load.seed, load.seed_given, load.warmup_requests, load.workers), (0, true, 0, Some(3)));
}

#[test]
fn a_duration_has_a_grace_period() {
    for (text, grace) in [
        ("--benchmark-duration 5", Some(30.0)),
        ("--benchmark-duration 5 --benchmark-grace-period 0", Some(0.0)),
        ("--benchmark-duration 5 --benchmark-grace-period inf", None),
    ] {
        let load = plan(text).load;
        assert_eq!((load.duration_s, load.grace_s, load.request_count), (Some(5.0), grace, None), "{text}");
    }
    assert_eq!(plan("--benchmark-duration 5 --request-count 3").load.request_count, Some(3));
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    for (text, expected) in [
        ("--arrival-pattern poisson", "--arrival-pattern: needs --request-rate"),
        ("--arrival-smoothness 2", "--arrival-smoothness: needs --request-rate"),
        (
            "--request-rate 1 --arrival-pattern poisson --arrival-smoothness 2",
            "--arrival-smoothness: is the shape of gamma",
        ),
        ("--benchmark-grace-period 5", "--benchmark-grace-period: needs --benchmark-duration"),
        ("--osl-stddev 5", "--osl-stddev: needs --osl"),
        ("--custom-dataset-type single_turn", "--custom-dataset-type: needs --input-file"),
        ("--input-file Cargo.toml --isl 5", "--isl: conflicts with --input-file"),
        ("--input-file Cargo.toml --session-turns-mean 2", "--session-turns-mean: conflicts with --input-file"),
        ("--input-file Cargo.toml --image-width-mean 5", "--image-width-mean: conflicts with --input-file"),
        ("--fixed-schedule", "--fixed-schedule: is for traces"),
        ("--skip-bad-lines", "--skip-bad-lines: is for datasets"),
        ("--synthesis-max-isl 5", "--synthesis-max-isl: is for traces"),
        ("--inter-turn-delay-cap-seconds 5", "--inter-turn-delay-cap-seconds: is for recorded think times"),
        (
            "--input-file Cargo.toml --custom-dataset-type mooncake_trace --replay-speedup 2",
            "--replay-speedup: is for baseten_trace, not for mooncake_trace",
        ),
        (
            "--input-file Cargo.toml --custom-dataset-type multi_turn --synthesis-max-osl 2",
            "--synthesis-max-osl: is for traces, and multi_turn is none",
        ),
        (
            "--input-file Cargo.toml --no-fixed-schedule --fixed-schedule-end-offset 2",
            "--fixed-schedule-end-offset: conflicts with --no-fixed-schedule",
        ),
        ("--hf-subset x", "--hf-subset: needs --public-dataset"),
        ("--public-dataset sharegpt --input-file Cargo.toml", "--input-file: conflicts with --public-dataset"),
        ("--num-prefix-prompts 2", "--num-prefix-prompts: needs --prefix-prompt-length"),
        ("--prefix-prompt-length 2", "--prefix-prompt-length: needs --num-prefix-prompts"),
        ("--isl lognormal:512,300 --isl-stddev 4", "--isl-stddev: conflicts with --isl lognormal"),
        ("--seq-dist 1,1:100 --isl 4", "--isl: conflicts with --sequence-distribution"),
        ("--random-range-ratio 0.5", "--random-range-ratio: needs --isl and --osl"),
        ("--random-corpus-style sglang", "--random-corpus-style: needs --prompt-corpus random"),
        ("--corpus-file Cargo.toml --prompt-corpus coding", "--corpus-file: conflicts with --prompt-corpus"),
        ("--system-prompt a --endpoint-type completions", "--system-prompt: completions requests have no messages"),
        (
            "--image-batch-size 2 --endpoint-type embeddings",
            "--image-batch-size: embeddings requests take no such media",
        ),
        ("--video-width 64", "--video-width: needs --video-height"),
        ("--audio-format mp3", "--audio-length-mean: is missing"),
        ("--batch-size 2", "--batch-size: chat requests take one text"),
        ("--endpoint-type embeddings --output-tokens-mean 5", "--output-tokens-mean: embeddings have no output tokens"),
        ("-u https://h --tls-cert-file Cargo.toml", "--tls-cert-file: needs --tls-key-file"),
        ("-u https://h --tls-insecure --tls-ca-file Cargo.toml", "--tls-insecure: conflicts with --tls-ca-file"),
        ("--tls-insecure", "--tls-insecure: needs an https URL"),
        ("-u http://h --tls-ca-file Cargo.toml", "--tls-ca-file: needs an https URL"),
        ("-u sim: --tls-insecure", "--tls-insecure: needs an https URL"),
        ("--tokenizer builtin --tokenizer-revision 1", "--tokenizer-revision: is for names in the cache"),
        ("--tokenizer Cargo.toml --tokenizer-revision 1", "--tokenizer-revision: is for names in the cache"),
        (
            "--endpoint-type embeddings --use-legacy-max-tokens",
            "--use-legacy-max-tokens: embeddings have no output tokens",
        ),
        ("--extra-inputs model:x", "--extra-inputs: `model` is what --model is for"),
        ("--extra-inputs messages:[]", "--extra-inputs: `messages` is what --input-file is for"),
        ("--osl 4 --extra-inputs max_tokens:5", "--extra-inputs: `max_tokens:5` conflicts with --osl"),
        (
            "--osl 4 --osl-stddev 1 --extra-inputs max_completion_tokens:4",
            "--extra-inputs: `max_completion_tokens:4` conflicts with --osl",
        ),
    ] {
        let said = said(text);
        assert!(said.starts_with(&format!("error: {expected}")), "{text}: {said}");
    }
}

#[test]
fn zero_is_not_the_same_as_nothing() {
    for flag in ["--concurrency", "--request-count", "--isl", "--osl", "--num-dataset-entries", "--max-threads"] {
        assert_eq!(said(&format!("{flag} 0")), format!("error: {flag}: must be at least 1, not 0"));
    }
    for flag in ["--request-rate", "--benchmark-duration", "--slice-duration", "--request-timeout-seconds"] {
        assert_eq!(said(&format!("{flag} 0")), format!("error: {flag}: must be above 0, not 0"));
    }
}

#[test]
fn lengths_have_the_ancestors_names_too() {
    let expected = LengthDistribution::normal(128.0, 16.5);
    for (mean, stddev) in [
        ("--isl", "--isl-stddev"),
        ("--synthetic-input-tokens-mean", "--synthetic-input-tokens-stddev"),
        ("--prompt-input-tokens-mean", "--prompt-input-tokens-stddev"),
    ] {
        let workload = plan(&format!("{mean} 128 {stddev} 16.5")).workload;
        assert_eq!(workload.source, Source::Synthetic(SyntheticPlan::of(expected.clone())));
    }
    for (mean, stddev) in [
        ("--osl", "--osl-stddev"),
        ("--output-tokens-mean", "--output-tokens-stddev"),
        ("--prompt-output-tokens-mean", "--prompt-output-tokens-stddev"),
    ] {
        assert_eq!(plan(&format!("{mean} 128 {stddev} 16.5")).workload.output_tokens, Some(expected.clone()));
    }
}

#[test]
fn workloads_come_from_files_and_tokenizers_by_name() {
    let workload =
        plan("--input-file Cargo.toml --custom-dataset-type single-turn --osl 7 --tokenizer builtin").workload;
    assert_eq!(workload.source, Source::File(DatasetPlan::of("Cargo.toml", Some(DatasetFormat::SingleTurn))));
    assert_eq!(workload.output_tokens, Some(LengthDistribution::fixed(7.0)));
    assert_eq!((workload.tokenizer.name.as_deref(), workload.tokenizer.revision.as_str()), (Some("builtin"), "main"));
    assert_eq!(plan("--endpoint-type embeddings -b 4 --num-prompts 9").workload.batch_size, 4);
    assert_eq!(said("--input-file /no/such"), "error: --input-file: `/no/such` is not there");
    let Source::File(file) =
        plan("--input-file src --num-prompts 5 --custom-dataset-type speed-bench-qa").workload.source
    else {
        panic!("a folder is a source")
    };
    assert_eq!((file.format, file.split.as_deref()), (Some(DatasetFormat::SpeedBench), Some("qa")));
    assert!(said("--input-file src --custom-dataset-type x").contains("single_turn, multi_turn"));
}

#[test]
fn traces_are_replayed_as_their_flags_say() {
    let trace = |flags: &str| match plan(&format!("--input-file Cargo.toml {flags}")).workload.source {
        Source::File(file) => file.trace,
        other => panic!("{other:?}"),
    };
    let automatic = trace("").schedule.unwrap();
    assert_eq!((automatic.required, automatic.auto_offset), (false, true));
    assert_eq!(trace("--no-fixed-schedule").schedule, None);
    assert_eq!(trace("--ignore-trace-delays").schedule, None);
    let given = trace("--fixed-schedule --fixed-schedule-start-offset 100 --fixed-schedule-end-offset 900").schedule;
    let given = given.unwrap();
    assert_eq!((given.required, given.auto_offset), (true, false));
    assert_eq!((given.start_offset_ms, given.end_offset_ms), (Some(100.0), Some(900.0)));
    let changed = trace("--synthesis-speedup-ratio 2 --synthesis-prefix-root-multiplier 3 --synthesis-max-isl 99");
    assert_eq!((changed.synthesis.speedup_ratio, changed.synthesis.prefix_root_multiplier), (2.0, 3));
    assert_eq!(changed.synthesis.max_isl, Some(99));
    assert_eq!(trace("--no-open-loop-replay").open_loop, OpenLoop::Closed);
    assert_eq!(trace("--open-loop-strict").open_loop, OpenLoop::Strict);
    assert_eq!(trace("--session-delay-ratio 0.5").delay_ratio, 0.5);
    let payload = plan("--input-file payload:Cargo.toml").workload.source;
    let Source::File(payload) = payload else { panic!("{payload:?}") };
    assert_eq!(payload.format, Some(DatasetFormat::GenaiPerfPayload));
}

#[test]
fn prefixes_turns_and_media_are_read() {
    let workload = plan(
        "--num-prefix-prompts 3 --prefix-prompt-length 40 --system-prompt Hi --shared-system-prompt-length 9 \
         --cache-bust first-turn-prefix --session-turns-mean 4 --session-turn-delay-mean 250 --prompt-corpus sonnet \
         --image-width-mean 64 --image-height-mean 32 --audio-length-mean 2 --audio-depths 8,24 --num-sessions 7",
    )
    .workload;
    assert_eq!((workload.prefix.pool, workload.prefix.tokens, workload.entries), (3, 40, Some(7)));
    assert_eq!(workload.prefix.system, [SystemPrompt::Text("Hi".into()), SystemPrompt::Tokens(9)]);
    assert_eq!(workload.cache_bust, CacheBust::FirstTurnPrefix);
    let Source::Synthetic(synthetic) = workload.source else { panic!("it is synthetic") };
    assert_eq!((synthetic.turns.mean, synthetic.turns.delay_mean_ms, synthetic.corpus), (4.0, 250.0, Corpus::Prose));
    let image = workload.media.image.unwrap();
    assert_eq!((image.batch, image.width.mean, image.format), (1, 64.0, ImageFormat::Jpeg));
    assert_eq!(workload.media.audio.unwrap().depths, [8, 24]);
    assert_eq!(plan("--image-batch-size 0 --image-width-mean 64").workload.media.image, None);
    assert_eq!(plan("--image-width-mean 0").workload.media.image, None);
}

#[test]
fn objectives_are_read_in_every_form() {
    let target = |tag: &str, limit| GoodputTarget { tag: tag.to_owned(), limit };
    let expected = [target("time_to_first_token", 200.0), target("request_latency", 2000.5)];
    for text in [
        "-g time_to_first_token:200 request_latency:2000.5",
        "--goodput time_to_first_token:200~request_latency:2000.5",
        "--goodput time_to_first_token:200 --goodput request_latency:2000.5",
        "--goodput time-to-first-token:200,request_latency:2000.5",
    ] {
        assert_eq!(plan(&format!("--streaming {text}")).report.goodput, expected, "{text}");
    }
    for (text, expected) in [
        ("time_to_first_token:200", "`time_to_first_token` needs --streaming"),
        ("request_latency", "`request_latency` has no limit"),
        ("request_latency:x", "the limit of `request_latency:x` is not a number"),
        ("request_latency:-1", "the limit of `request_latency:-1` is not a number of 0 or above"),
        ("request_throughput:5", "`request_throughput` has no one value for a request"),
        ("inter_chunk_latency:5", "`inter_chunk_latency` has no one value for a request"),
        ("request_latency:1 request_latency:2", "`request_latency` has more than one limit"),
        ("request_latancy:5", "`request_latancy` is not a metric; the nearest are request_latency,"),
    ] {
        let said = said(&format!("-g {text}"));
        assert!(said.starts_with(&format!("error: -g: {expected}")), "{text}: {said}");
    }
    assert!(said("--endpoint-type embeddings -g output_sequence_length:5").contains("does not exist for embeddings"));
}

#[test]
fn outputs_are_named_and_bounded() {
    for (text, expected) in [("a.json", "a"), ("a.jsonl", "a"), ("a.csv", "a"), ("a.b", "a.b"), ("a", "a")] {
        assert_eq!(plan(&format!("--profile-export-file {text}")).report.prefix, expected);
    }
    for text in ["a/b", "..", "/a", "a/"] {
        let said = said(&format!("--profile-export-prefix {text}"));
        assert!(said.contains("is not the plain name of a file"), "{text}: {said}");
    }
    let report =
        plan("--output-artifact-dir x --profile-export-level RAW --ui-type none -vv --strict --export-outputs-json")
            .report;
    assert_eq!(report.artifact_dir, Some("x".into()));
    assert_eq!((report.export_level, report.ui, report.verbosity), (ExportLevel::Raw, Ui::None, 2));
    assert!(report.strict && report.outputs_json);
    assert_eq!(said("--ui dashboard"), "error: --ui: `dashboard` is not supported yet: use simple");
    assert_eq!(plan("--allow-failed-requests 3").report.allow_failed, FailureTolerance::Count(3));
    assert_eq!(plan("--allow-failed-requests 2.5%").report.allow_failed, FailureTolerance::Percent(2.5));
    for text in ["-1", "101%", "x", "%"] {
        assert!(
            said(&format!("--allow-failed-requests={text}")).starts_with("error: --allow-failed-requests: "),
            "{text}"
        );
    }
}

#[test]
fn everything_wrong_is_told_at_once_in_the_words_of_the_user() {
    let error = resolve_with(
        &[],
        "-m m --conccurency 4 --request-rate x --num-requests 0 --endpoint-type image_edit --goodput speed:1 \
         --arrival-smoothness 1 --arrival-pattern constant stray",
    )
    .unwrap_err();
    assert!(error.starts_with("error: 7 problems with the command line\n"), "{error}");
    for line in [
        "\n  --conccurency: unknown flag; did you mean --concurrency?",
        "\n  unexpected argument `stray`",
        "\n  --request-rate: `x` is not a number",
        "\n  --num-requests: must be at least 1, not 0",
        "\n  --endpoint-type: `image_edit` is not supported yet",
        "\n  --goodput: `speed` is not a metric",
        "\n  --arrival-smoothness: is the shape of gamma gaps",
    ] {
        assert!(error.contains(line), "{line} is not in {error}");
    }
}

#[test]
fn a_limit_may_be_given_twice_but_is_sent_once() {
    let target = plan("--osl 4 --extra-inputs max_tokens:4").target;
    assert!(target.legacy_max_tokens, "one field, by the name that was given");
    assert!(!plan("--osl 4 --extra-inputs max_completion_tokens:4").target.legacy_max_tokens);
    assert_eq!(plan("--extra-inputs max_tokens:7").target.extra_inputs["max_tokens"], 7);
}

#[test]
fn tls_files_serve_if_any_url_is_encrypted() {
    assert!(plan("-u http://a https://b --tls-insecure").target.tls.insecure);
    // The URL is what is wrong then.
    assert_eq!(said("-u ftp://a --tls-insecure").lines().count(), 1);
}

#[test]
fn stems_of_names_leave_room_for_endings() {
    let stem = "a".repeat(200);
    assert_eq!(plan(&format!("--profile-export-prefix {stem}")).report.prefix, stem);
    let message = said(&format!("--profile-export-prefix {stem}a"));
    assert_eq!(message, "error: --profile-export-prefix: is longer than 200 bytes");
}

#[test]
fn flags_that_hints_name_exist() {
    let mut program = program();
    program.build();
    let command = program.find_subcommand("profile").unwrap();
    let hints = include_str!("../../../metrics/src/warnings/words.rs");
    let mut seen = 0;
    for (start, _) in hints.match_indices("--") {
        let flag: String = hints[start + 2..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        if !flag.is_empty() {
            assert!(command.get_arguments().any(|arg| arg.get_long() == Some(&flag)), "--{flag}");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}
