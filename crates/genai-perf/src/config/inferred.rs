//! What a recorded run tells of how it was asked for.

use std::path::Path;
use std::{fs, io};

use serde_json::{Map, Number, Value};

use super::{Blank, InputConfig};
use crate::{ExportReader, GenAiPerfError, Recorded};

impl InputConfig {
    /// The defaults, with what the export and its requests tell; the server's address is not among it.
    #[must_use]
    pub fn of_recorded(export: &ExportReader, run: &Recorded, tokenizer: &str) -> Self {
        let mut config = Self { model_names: run.models.clone(), ..Self::default() };
        let kind = run.endpoint_type;
        let endpoint = &mut config.endpoint;
        endpoint.kind = kind;
        endpoint.streaming = run.streaming;
        endpoint.custom.clone_from(&export.endpoint);
        endpoint.service_kind = kind.service_kind().to_owned();
        if export.first.request_inputs.contains_key("sampling_parameters") {
            endpoint.backend = "vllm".to_owned();
        }
        endpoint.output_format = kind.output_format(&endpoint.backend).to_owned();
        if let Some(experiment) = export.experiments.first() {
            config.perf_analyzer.measurement.num = Blank(Some(experiment.requests));
            let is_endless = experiment.window_boundaries.last() == Some(&u64::MAX);
            if !is_endless && !experiment.mode.is_empty() {
                config.perf_analyzer.stimulus = Map::from_iter([(experiment.mode.clone(), experiment.value.clone())]);
            }
        }
        config.tokenizer.name = tokenizer.to_owned();
        config
    }

    /// The echo in the report of GenAI-Perf that lies beside an export, if there is one: what was asked for beyond what the
    /// export tells, such as objectives.
    ///
    /// # Errors
    /// There is a report, but it cannot be read.
    pub fn beside(export: &Path) -> Result<Option<Self>, GenAiPerfError> {
        let stem = export.file_stem().unwrap_or_default().to_string_lossy();
        let path = export.with_file_name(format!("{stem}_genai_perf.json"));
        let json = match fs::read(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(GenAiPerfError::read(&path, error)),
        };
        let malformed = |error| GenAiPerfError::json(&path, None, error);
        let mut report: Value = serde_json::from_slice(&json).map_err(malformed)?;
        report.get_mut("input_config").map(|echo| Self::of_json(echo.take())).transpose().map_err(malformed)
    }

    /// Reads the echo of a report; what it lacks is as by default.
    ///
    /// # Errors
    /// Something in it has another type than it should.
    pub fn of_json(echo: Value) -> Result<Self, serde_json::Error> {
        let mut all = serde_json::to_value(Self::default())?;
        overlay(&mut all, echo);
        serde_json::from_value(all)
    }

    /// Sets the service-level objectives.
    pub fn set_objectives(&mut self, goodput: &[(String, f64)]) {
        let limits =
            goodput.iter().filter_map(|(name, limit)| Some((name.clone(), Value::Number(Number::from_f64(*limit)?))));
        self.input.goodput = Blank((!goodput.is_empty()).then(|| limits.collect()));
    }
}

/// Puts the members of one object over those of another.
fn overlay(under: &mut Value, over: Value) {
    match (under, over) {
        (_, Value::Null) => {}
        (Value::Object(under), Value::Object(over)) => {
            for (name, value) in over {
                // These are maps with names of their own, which replace the default as a whole.
                if matches!(name.as_str(), "stimulus" | "sweep_parameters") {
                    under.insert(name, value);
                } else {
                    overlay(under.entry(name).or_insert(Value::Null), value);
                }
            }
        }
        (under, over) => *under = over,
    }
}
