//! Every recorded run of GenAI-Perf 0.0.16 in a folder outside the project, given by `TOKAMARK_GOLDEN`.
//! Without that variable there is nothing to compare and the tests say so.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokamark_genai_perf::{InputConfig, Options, Recorded, Report, Telemetry, read_export};
use tokamark_tokenizer::Tokenizer;

const TOLERANCE: f64 = 1e-9;

struct Run {
    name: String,
    folder: PathBuf,
    golden: Value,
}

impl Run {
    fn config(&self) -> InputConfig {
        serde_json::from_value(self.golden["input_config"].clone()).unwrap()
    }

    fn telemetry(&self) -> Telemetry {
        self.golden.get("telemetry_stats").and_then(Value::as_object).map(Telemetry::of_json).unwrap_or_default()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }

    /// The runs of `process-export-files` have throughputs that their own export does not hold.
    fn is_merged(&self) -> bool {
        self.golden["input_config"]["subcommand"] == "process"
    }
}

fn golden() -> Option<(PathBuf, Tokenizer)> {
    let Some(root) = std::env::var_os("TOKAMARK_GOLDEN").map(PathBuf::from) else {
        eprintln!("TOKAMARK_GOLDEN is not set: no recorded runs to compare with");
        return None;
    };
    let json = fs::read(root.join("tokenizers/genai-perf/tokenizer.json")).unwrap();
    Some((root, Tokenizer::from_json("TOKENIZER_DIR", &json).unwrap()))
}

fn runs(root: &Path) -> Vec<Run> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(root.join("genai-perf")).unwrap() {
        let entry = entry.unwrap();
        let Ok(folders) = fs::read_dir(entry.path().join("artifacts")) else { continue };
        for folder in folders.map(|folder| folder.unwrap().path()) {
            let Ok(text) = fs::read_to_string(folder.join("profile_export_genai_perf.json")) else { continue };
            let golden = serde_json::from_str(&text).unwrap();
            let name = format!("{}/{}", entry.file_name().display(), folder.file_name().unwrap().display());
            runs.push(Run { name, folder, golden });
        }
    }
    assert!(runs.len() >= 20, "only {} recorded runs were found", runs.len());
    runs
}

fn recorded(run: &Run, tokenizer: &Tokenizer) -> Recorded {
    let export = read_export(&run.folder.join("profile_export.json")).unwrap();
    let throughputs = run.is_merged().then(|| tokamark_genai_perf::Throughputs {
        requests: run.golden["request_throughput"]["avg"].as_f64().unwrap(),
        output_tokens: run.golden["output_token_throughput"]["avg"].as_f64().unwrap(),
    });
    let options = Options { goodput: run.config().input.objectives(), throughputs, ..Options::default() };
    Recorded::of(&export, tokenizer, &options).unwrap()
}

fn compare(at: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "keys of {at}");
            for (key, value) in theirs {
                compare(&format!("{at}.{key}"), &ours[key], value);
            }
        }
        (Value::Number(ours), Value::Number(theirs)) => {
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            let error = (ours - theirs).abs() / theirs.abs().max(f64::MIN_POSITIVE);
            assert!(ours == theirs || error <= TOLERANCE, "{at}: {ours} for {theirs}");
        }
        _ => assert_eq!(ours, theirs, "{at}"),
    }
}

#[test]
fn the_json_reports_are_equal() {
    let Some((root, tokenizer)) = golden() else { return };
    let mut exact = 0;
    let runs = runs(&root);
    for run in &runs {
        let (config, telemetry) = (run.config(), run.telemetry());
        let recorded = recorded(run, &tokenizer);
        let mut json = Vec::new();
        Report { summary: &recorded.summary, config: &config, telemetry: &telemetry }.write_json(&mut json).unwrap();
        compare(&run.name, &serde_json::from_slice(&json).unwrap(), &run.golden);
        if json == run.text("profile_export_genai_perf.json").into_bytes() {
            exact += 1;
        }
    }
    eprintln!("{exact} of {} JSON reports are equal to the byte", runs.len());
}

#[test]
fn the_csv_reports_are_equal_to_the_byte() {
    let Some((root, tokenizer)) = golden() else { return };
    for run in runs(&root) {
        let (config, telemetry) = (run.config(), run.telemetry());
        let recorded = recorded(&run, &tokenizer);
        let mut csv = Vec::new();
        Report { summary: &recorded.summary, config: &config, telemetry: &telemetry }.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(csv, run.text("profile_export_genai_perf.csv"), "{}", run.name);
    }
}

#[test]
fn the_export_alone_tells_how_it_was_made() {
    let Some((root, tokenizer)) = golden() else { return };
    for run in runs(&root) {
        let export = read_export(&run.folder.join("profile_export.json")).unwrap();
        let recorded = recorded(&run, &tokenizer);
        let theirs = run.config();
        let ours = InputConfig::of_recorded(&export, &recorded, tokenizer.name());
        let endpoint = |config: &InputConfig| {
            let endpoint = &config.endpoint;
            (
                endpoint.kind,
                endpoint.streaming,
                endpoint.service_kind.clone(),
                endpoint.output_format.clone(),
                endpoint.custom.clone(),
            )
        };
        assert_eq!(endpoint(&ours), endpoint(&theirs), "{}", run.name);
        if theirs.endpoint.service_kind == "openai" {
            assert_eq!(ours.model_names, theirs.model_names, "{}", run.name);
        }
        assert_eq!(ours.tokenizer, theirs.tokenizer);
    }
}

#[test]
fn the_tables_are_those_of_the_console() {
    let Some((root, tokenizer)) = golden() else { return };
    for run in runs(&root) {
        let (config, telemetry) = (run.config(), run.telemetry());
        let recorded = recorded(&run, &tokenizer);
        let ours = Report { summary: &recorded.summary, config: &config, telemetry: &telemetry }.console();
        let console =
            fs::read_to_string(root.join("genai-perf").join(run.name.split('/').next().unwrap()).join("console.txt"));
        assert!(console.unwrap().contains(&ours), "{}:\n{ours}", run.name);
    }
}

#[test]
fn folders_are_named_as_theirs() {
    let Some((root, _)) = golden() else { return };
    for run in runs(&root) {
        let config = run.config();
        // A sweep puts the level of each point into the name, but echoes that of the first.
        if config.subcommand != "analyze" {
            assert_eq!(config.run_folder(), run.name.split('/').nth(1).unwrap());
        }
    }
}
