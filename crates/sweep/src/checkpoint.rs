//! What a sweep has measured so far, on disk after every point, in the layout of GenAI-Perf's `checkpoint.json`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The name of the file.
const FILE: &str = "checkpoint.json";

/// A checkpoint that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("the checkpoint {} cannot be used: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is not a checkpoint.
    #[error("{} is not a checkpoint ({reason}); delete it or choose another --checkpoint-dir", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// A point that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its name, `<model>_run_config_<n>`.
    pub name: String,
    /// What it was measured with; the same again need not be measured.
    pub representation: String,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// Figures by tag, such as `time_to_first_token_p99`; times in nanoseconds.
    pub figures: BTreeMap<String, f64>,
    /// Figures of each GPU by tag.
    pub gpus: BTreeMap<String, BTreeMap<String, f64>>,
    /// Everything else that the file says of it.
    pub details: Value,
}

/// The measured points of a sweep.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    model: String,
    points: Vec<Measured>,
}

#[derive(Deserialize, Serialize)]
struct Stamped {
    #[serde(rename = "_value")]
    value: f64,
    #[serde(rename = "_timestamp")]
    timestamp: u64,
}

impl Checkpoint {
    /// Reads the checkpoint in a folder; one that is not there has no points.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn open(folder: &Path, model: &str) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE);
        let points = match std::fs::read(&path) {
            Ok(bytes) => parse(&bytes).map_err(|reason| CheckpointError::Unreadable { path: path.clone(), reason })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(CheckpointError::Io { path, source }),
        };
        Ok(Self { path, model: model.to_owned(), points })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The point that was measured with exactly this.
    #[must_use]
    pub fn find(&self, representation: &str) -> Option<&Measured> {
        self.points.iter().find(|point| point.representation == representation)
    }

    /// The name for the next new point.
    #[must_use]
    pub fn next_name(&self) -> String {
        let taken = |name: &str| self.points.iter().any(|point| point.name == name);
        let named = |number: usize| format!("{}_run_config_{number}", self.model);
        (0..).map(named).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Adds a point and writes the file anew, so that it is whole at any time.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, point: Measured) -> Result<(), CheckpointError> {
        self.points.retain(|other| other.representation != point.representation);
        self.points.insert(0, point);
        self.write().map_err(|source| CheckpointError::Io { path: self.path.clone(), source })
    }

    fn write(&self) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let configs: Vec<Value> = self.points.iter().map(|point| written(point, &self.model)).collect();
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, &json!({"Results": {"run_configs": configs}}))?;
        file.flush()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn written(point: &Measured, model: &str) -> Value {
    let stamped = |figures: &BTreeMap<String, f64>| -> Map<String, Value> {
        figures
            .iter()
            .map(|(tag, value)| (tag.clone(), json!([tag, Stamped { value: *value, timestamp: 0 }])))
            .collect()
    };
    let gpus: Map<String, Value> =
        point.gpus.iter().map(|(gpu, figures)| (gpu.clone(), Value::Object(stamped(figures)))).collect();
    let mut config = Map::new();
    config.insert("name".to_owned(), point.name.as_str().into());
    if let Value::Object(details) = &point.details {
        config.extend(details.clone());
    }
    let mut analyzer = match config.shift_remove("perf_analyzer_config") {
        Some(Value::Object(analyzer)) => analyzer,
        _ => Map::new(),
    };
    analyzer.insert("_model_name".to_owned(), model.into());
    analyzer.insert("_parameters".to_owned(), Value::Object(point.parameters.clone()));
    config.insert("perf_analyzer_config".to_owned(), Value::Object(analyzer));
    config.insert("representation".to_owned(), point.representation.as_str().into());
    config.insert(
        "measurement".to_owned(),
        json!({
            "_gpu_metrics": gpus,
            "_model_config_measurements": {model: {"_perf_metrics": stamped(&point.figures)}},
        }),
    );
    Value::Object(config)
}

fn parse(bytes: &[u8]) -> Result<Vec<Measured>, String> {
    let whole: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let configs = whole.pointer("/Results/run_configs").and_then(Value::as_array);
    configs.ok_or("it has no Results.run_configs")?.iter().map(point).collect()
}

fn point(config: &Value) -> Result<Measured, String> {
    let name = config.get("name").and_then(Value::as_str).ok_or("a point has no name")?;
    let parameters = config.pointer("/perf_analyzer_config/_parameters").and_then(Value::as_object);
    let models = config.pointer("/measurement/_model_config_measurements").and_then(Value::as_object);
    let figures = models.and_then(|models| models.values().next()).and_then(|model| model.get("_perf_metrics"));
    let gpus = config.pointer("/measurement/_gpu_metrics").and_then(Value::as_object);
    let mut details = config.clone();
    if let Value::Object(details) = &mut details {
        for key in ["name", "representation", "measurement"] {
            details.shift_remove(key);
        }
    }
    Ok(Measured {
        name: name.to_owned(),
        representation: config.get("representation").and_then(Value::as_str).unwrap_or_default().to_owned(),
        parameters: parameters.cloned().unwrap_or_default(),
        figures: read_figures(figures.ok_or_else(|| format!("the point `{name}` has no figures"))?),
        gpus: gpus.into_iter().flatten().map(|(gpu, figures)| (gpu.clone(), read_figures(figures))).collect(),
        details,
    })
}

fn read_figures(figures: &Value) -> BTreeMap<String, f64> {
    let values = figures.as_object().into_iter().flatten();
    values.filter_map(|(tag, entry)| Some((tag.clone(), entry.pointer("/1/_value")?.as_f64()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, concurrency: u64) -> Measured {
        Measured {
            name: name.to_owned(),
            representation: format!("-m m --concurrency-range {concurrency}"),
            parameters: [("concurrency".to_owned(), concurrency.into())].into_iter().collect(),
            figures: [("request_latency_p99".to_owned(), 12.5)].into(),
            gpus: [("0".to_owned(), [("gpu_power_usage_avg".to_owned(), 300.0)].into())].into(),
            details: json!({"genai_perf_config": {"_parameters": {}}, "perf_analyzer_config": {"_cli_args": ["perf_analyzer"]}}),
        }
    }

    #[test]
    fn what_was_measured_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let mut checkpoint = Checkpoint::open(&path, "m").unwrap();
        assert_eq!(checkpoint.next_name(), "m_run_config_0");
        checkpoint.add(measured("m_run_config_0", 1)).unwrap();
        checkpoint.add(measured("m_run_config_1", 2)).unwrap();
        let again = Checkpoint::open(&path, "m").unwrap();
        assert_eq!(again.next_name(), "m_run_config_2");
        let found = again.find("-m m --concurrency-range 2").unwrap();
        assert_eq!((found.name.as_str(), found.figures["request_latency_p99"]), ("m_run_config_1", 12.5));
        assert_eq!(found.gpus["0"]["gpu_power_usage_avg"], 300.0);
        assert_eq!(found.parameters["concurrency"], 2);
        assert!(again.find("-m m --concurrency-range 4").is_none());
    }

    /// The ancestor's readers find figures where they look for them.
    #[test]
    fn the_layout_is_the_ancestors() {
        let folder = tempfile::tempdir().unwrap();
        let mut checkpoint = Checkpoint::open(folder.path(), "m").unwrap();
        checkpoint.add(measured("m_run_config_0", 1)).unwrap();
        let file: Value = serde_json::from_slice(&std::fs::read(checkpoint.path()).unwrap()).unwrap();
        let config = &file["Results"]["run_configs"][0];
        let latency = &config["measurement"]["_model_config_measurements"]["m"]["_perf_metrics"]["request_latency_p99"];
        assert_eq!(*latency, json!(["request_latency_p99", {"_value": 12.5, "_timestamp": 0}]));
        assert_eq!(config["perf_analyzer_config"]["_cli_args"][0], "perf_analyzer");
        assert_eq!(config["perf_analyzer_config"]["_parameters"]["concurrency"], 1);
    }

    #[test]
    fn a_file_that_is_no_checkpoint_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "{", "{}", r#"{"Results":{"run_configs":[{}]}}"#] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            let error = Checkpoint::open(folder.path(), "m").unwrap_err().to_string();
            assert!(error.contains("is not a checkpoint") && error.contains("--checkpoint-dir"), "{error}");
        }
    }
}
