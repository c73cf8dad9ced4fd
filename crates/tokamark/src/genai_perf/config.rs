//! `genai-perf config`: a run, a sweep or a merge described in YAML.

use serde_json::{Map, Value};

use super::args::{GenaiArgs, SweepArgs};
use crate::problems::Problems;

/// What a configuration asks for.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A single load.
    Profile,
    /// A sweep.
    Analyze(SweepArgs),
    /// A merge of the runs in this folder.
    Process(Option<String>),
}

/// A configuration, as the flags that mean the same.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) args: GenaiArgs,
    pub(super) wanted: Wanted,
}

/// Reads a configuration. Unknown keys are refused by name.
pub(super) fn read(text: &str, problems: &mut Problems) -> Option<Config> {
    let root: Value = match serde_yaml_ng::from_str(text) {
        Ok(root) => root,
        Err(error) => {
            problems.add("--file", format!("is not YAML: {error}"));
            return None;
        }
    };
    let Value::Object(root) = root else {
        problems.add("--file", "holds no mapping of sections, such as `endpoint:`");
        return None;
    };
    let mut reader = Section { path: String::new(), fields: root, problems };
    let mut args = GenaiArgs::default();
    for name in ["model_name", "model_names"] {
        args.model.extend(reader.list(name));
    }
    reader.within("endpoint", |section| endpoint(section, &mut args));
    reader.within("perf_analyzer", |section| perf_analyzer(section, &mut args));
    reader.within("input", |section| input(section, &mut args));
    reader.within("output", |section| output(section, &mut args));
    reader.within("tokenizer", |section| {
        args.tokenizer = section.text("name");
        args.tokenizer_revision = section.text("revision");
        args.tokenizer_trust_remote_code = section.truth("trust_remote_code");
    });
    let mut wanted = Wanted::Profile;
    reader.within("analyze", |section| {
        if let Some(sweep) = analyze(section) {
            wanted = Wanted::Analyze(sweep);
        }
    });
    reader.within("process", |section| {
        if let Some(folder) = section.text("input_path") {
            wanted = Wanted::Process(Some(folder));
        }
    });
    reader.finish();
    Some(Config { args, wanted })
}

/// The fields of one section; reading takes them out, and what is left is not known.
struct Section<'a> {
    path: String,
    fields: Map<String, Value>,
    problems: &'a mut Problems,
}

impl Section<'_> {
    fn take(&mut self, name: &str) -> Option<Value> {
        // As everywhere, what is empty is not given.
        self.fields.shift_remove(name).filter(|value| !value.is_null() && value != "")
    }

    /// A value as it would stand on the command line.
    fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            other => {
                self.wrong(name, &format!("is {other}, not a single value"));
                None
            }
        }
    }

    fn truth(&mut self, name: &str) -> bool {
        match self.take(name) {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(other) => {
                self.wrong(name, &format!("is {other}, not true or false"));
                false
            }
        }
    }

    /// A list, or a text with commas.
    fn list(&mut self, name: &str) -> Vec<String> {
        let plain = |value: &Value| match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        match self.take(name) {
            None => Vec::new(),
            Some(Value::Array(items)) => items.iter().map(plain).collect(),
            Some(Value::String(text)) => text.split(',').map(|item| item.trim().to_owned()).collect(),
            Some(other) => vec![plain(&other)],
        }
    }

    /// A mapping, as `name:value` items.
    fn pairs(&mut self, name: &str) -> Vec<(String, Value)> {
        match self.take(name) {
            None => Vec::new(),
            Some(Value::Object(fields)) => fields.into_iter().collect(),
            Some(other) => {
                self.wrong(name, &format!("is {other}, not a mapping"));
                Vec::new()
            }
        }
    }

    fn within(&mut self, name: &str, read: impl FnOnce(&mut Section<'_>)) {
        let fields = match self.take(name) {
            None => return,
            Some(Value::Object(fields)) => fields,
            Some(other) => return self.wrong(name, &format!("is {other}, not a section")),
        };
        let path = format!("{}{name}.", self.path);
        let mut section = Section { path, fields, problems: self.problems };
        read(&mut section);
        section.finish();
    }

    fn wrong(&mut self, name: &str, message: &str) {
        self.problems.add("--file", format!("`{}{name}` {message}", self.path));
    }

    fn finish(&mut self) {
        for name in std::mem::take(&mut self.fields).into_iter().map(|(name, _)| name) {
            self.wrong(&name, "is not known");
        }
    }
}

fn endpoint(section: &mut Section<'_>, args: &mut GenaiArgs) {
    args.model_selection_strategy = section.text("model_selection_strategy");
    let backend = section.text("backend");
    args.endpoint = section.text("custom");
    args.endpoint_type = section.text("type");
    // A template always names a backend, which only Triton has.
    args.backend = backend.filter(|_| args.endpoint_type.as_deref().is_none_or(|kind| kind == "kserve"));
    args.streaming = section.truth("streaming");
    for name in ["server_metrics_url", "server_metrics_urls"] {
        args.server_metrics_url.extend(section.list(name));
    }
    args.url = section.text("url");
    args.grpc_method = section.text("grpc_method");
}

fn perf_analyzer(section: &mut Section<'_>, args: &mut GenaiArgs) {
    // No other program is run.
    section.take("path");
    args.verbose += u8::from(section.truth("verbose"));
    let stimulus = match section.take("stimulus") {
        Some(Value::String(name)) => vec![(name, Value::Bool(true))],
        Some(Value::Object(fields)) => fields.into_iter().collect(),
        Some(other) => {
            section.wrong("stimulus", &format!("is {other}, not a mapping such as {{concurrency: 4}}"));
            Vec::new()
        }
        None => Vec::new(),
    };
    for (name, level) in stimulus {
        let level = Some(level.as_str().map_or_else(|| level.to_string(), str::to_owned));
        match name.as_str() {
            "concurrency" => args.concurrency = level,
            "request_rate" => args.request_rate = level,
            "session_concurrency" => args.session_concurrency = level,
            "fixed_schedule" => args.fixed_schedule = level,
            other => section.wrong("stimulus", &format!("has `{other}`, which is not known")),
        }
    }
    args.stability_percentage = section.text("stability_percentage");
    args.warmup_request_count = section.text("warmup_request_count");
    section.within("measurement", |section| {
        let (mode, num) = (section.text("mode"), section.text("num"));
        match mode.as_deref() {
            Some("interval") => args.measurement_interval = Some(num.unwrap_or_else(|| "10000".to_owned())),
            None | Some("request_count") => args.request_count = num,
            Some(other) => section.wrong("mode", &format!("is `{other}`, not request_count or interval")),
        }
    });
}

fn input(section: &mut Section<'_>, args: &mut GenaiArgs) {
    args.batch_size = section.text("batch_size");
    args.extra_inputs = section
        .pairs("extra")
        .into_iter()
        .map(|(name, value)| Value::Object(std::iter::once((name, value)).collect()).to_string())
        .collect();
    args.goodput = section.pairs("goodput").into_iter().map(|(name, limit)| format!("{name}:{limit}")).collect();
    args.header = section.list("header");
    args.input_file = section.text("file");
    args.num_dataset_entries = section.text("num_dataset_entries");
    args.random_seed = section.text("random_seed");
    section.within("audio", |section| {
        args.batch_size_audio = section.text("batch_size");
        args.audio_format = section.text("format");
        args.audio_depths = section.list("depths");
        args.audio_sample_rates = section.list("sample_rates");
        args.audio_num_channels = section.text("num_channels");
        section.within("length", |section| {
            (args.audio_length_mean, args.audio_length_stddev) = (section.text("mean"), section.text("stddev"));
        });
    });
    section.within("image", |section| {
        args.batch_size_image = section.text("batch_size");
        args.image_format = section.text("format");
        section.within("width", |section| {
            (args.image_width_mean, args.image_width_stddev) = (section.text("mean"), section.text("stddev"));
        });
        section.within("height", |section| {
            (args.image_height_mean, args.image_height_stddev) = (section.text("mean"), section.text("stddev"));
        });
    });
    section.within("output_tokens", |section| {
        (args.output_tokens_mean, args.output_tokens_stddev) = (section.text("mean"), section.text("stddev"));
        args.output_tokens_mean_deterministic = section.truth("deterministic");
    });
    section.within("synthetic_tokens", |section| {
        args.synthetic_input_tokens_mean = section.text("mean");
        args.synthetic_input_tokens_stddev = section.text("stddev");
    });
    section.within("prefix_prompt", |section| {
        (args.num_prefix_prompts, args.prefix_prompt_length) = (section.text("num"), section.text("length"));
    });
    section.within("sessions", |section| {
        args.num_sessions = section.text("num");
        section.within("turns", |section| {
            (args.session_turns_mean, args.session_turns_stddev) = (section.text("mean"), section.text("stddev"));
        });
        section.within("turn_delay", |section| {
            args.session_turn_delay_mean = section.text("mean");
            args.session_turn_delay_stddev = section.text("stddev");
            args.session_delay_ratio = section.text("ratio");
        });
    });
}

fn output(section: &mut Section<'_>, args: &mut GenaiArgs) {
    args.artifact_dir = section.text("artifact_directory");
    args.checkpoint_dir = section.text("checkpoint_directory");
    args.profile_export_file = section.text("profile_export_file");
    args.generate_plots = section.truth("generate_plots");
    args.enable_checkpointing = section.truth("enable_checkpointing");
}

/// The swept parameter with its range or list.
fn analyze(section: &mut Section<'_>) -> Option<SweepArgs> {
    let mut sweep = None;
    for name in ["concurrency", "request_rate", "runtime_batch_size", "num_dataset_entries", "input_sequence_length"] {
        let Some(values) = section.take(name) else { continue };
        if sweep.is_some() {
            section.wrong(name, "is a second parameter; one is swept at a time");
            continue;
        }
        let kind = if name == "runtime_batch_size" { "batch_size" } else { name };
        let mut args = SweepArgs { sweep_type: Some(kind.to_owned()), ..SweepArgs::default() };
        let part = |name: &str| values.get(name).map(Value::to_string);
        match &values {
            Value::Array(items) => {
                args.sweep_list = Some(items.iter().map(Value::to_string).collect::<Vec<_>>().join(","));
            }
            Value::Object(_) => {
                let step = part("step").map(|step| format!(":{step}")).unwrap_or_default();
                let (start, stop) = (part("start").unwrap_or_default(), part("stop").unwrap_or_default());
                args.sweep_range = Some(format!("{start}:{stop}{step}"));
            }
            other => args.sweep_list = Some(other.to_string()),
        }
        sweep = Some(args);
    }
    sweep
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> (Option<Config>, String) {
        let mut problems = Problems::default();
        let config = read(text, &mut problems);
        (config, if problems.is_empty() { String::new() } else { problems.to_string() })
    }

    #[test]
    fn the_template_is_a_profile_without_a_model() {
        let (config, said) = config(&super::super::template::text(true));
        assert_eq!(said, "");
        let config = config.unwrap();
        assert!(matches!(config.wanted, Wanted::Profile));
        assert!(config.args.model.is_empty());
        assert_eq!(config.args.synthetic_input_tokens_mean.as_deref(), Some("550"));
        assert_eq!((config.args.concurrency.as_deref(), config.args.request_count), (Some("1"), None));
    }

    #[test]
    fn sections_become_flags() {
        let (read, said) = config(
            "model_name: a, b\nendpoint: {type: chat, streaming: true, url: 'h:1'}\n\
             perf_analyzer: {stimulus: {request_rate: 2.5}, measurement: {mode: interval, num: 3000}}\n\
             input: {goodput: {request_latency: 50}, extra: {seed: 1}, header: ['A:b'], output_tokens: {mean: 9}}\n\
             analyze: {concurrency: {start: 1, stop: 8, step: 2}}\n",
        );
        assert_eq!(said, "");
        let read = read.unwrap();
        assert_eq!(read.args.model, ["a", "b"]);
        assert_eq!(read.args.request_rate.as_deref(), Some("2.5"));
        assert_eq!(read.args.measurement_interval.as_deref(), Some("3000"));
        assert_eq!(read.args.goodput, ["request_latency:50"]);
        assert_eq!(read.args.extra_inputs, [r#"{"seed":1}"#]);
        let Wanted::Analyze(sweep) = read.wanted else { panic!("it is a sweep") };
        assert_eq!(sweep.sweep_range.as_deref(), Some("1:8:2"));
    }

    #[test]
    fn what_is_not_known_is_named() {
        let (_, said) = config("endpoint: {speed: 3}\nsubcommand: profile\n");
        assert!(said.contains("`endpoint.speed` is not known") && said.contains("`subcommand` is not known"), "{said}");
        assert!(config("a: [").1.contains("is not YAML"));
        assert!(config("- 1").1.contains("no mapping"));
    }
}
