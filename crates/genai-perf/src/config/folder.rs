//! The name of a run's folder.

use serde_json::Value;

use super::InputConfig;
use crate::number_text::repr;

impl InputConfig {
    /// `<model>[_multi]-<service>[-<endpoint>][-<load>]`, such as `llama-openai-chat-concurrency4`.
    #[must_use]
    pub fn run_folder(&self) -> String {
        let mut model = self.model_names.first().map_or("model", String::as_str).replace('/', "_");
        if self.model_names.len() > 1 {
            model.push_str("_multi");
        }
        let endpoint = &self.endpoint;
        let mut parts = vec![model];
        parts.push(match endpoint.service_kind.as_str() {
            "triton" => format!("triton-{}", endpoint.backend),
            "tensorrtllm_engine" => "tensorrtllm_engine".to_owned(),
            kind => format!("{kind}-{}", endpoint.kind),
        });
        let stimulus = &self.perf_analyzer.stimulus;
        let named = |name: &str| stimulus.get(name).map(|value| (name.to_owned(), value));
        let by_conversation = || named("session_concurrency").or_else(|| named("fixed_schedule"));
        let load = if self.input.prompt_source == "payload" {
            by_conversation()
        } else {
            named("concurrency").or_else(|| named("request_rate")).or_else(by_conversation)
        };
        parts.extend(load.map(|(name, value)| name + &level(value)));
        parts.join("-")
    }
}

/// A level as Python prints it.
fn level(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().map(repr).unwrap_or_default(),
        Value::Null => "None".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
