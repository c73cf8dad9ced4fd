//! Every recorded run of GenAI-Perf 0.0.16 in a folder outside the project, given by `TOKAMARK_GOLDEN`.
//! Without that variable there is nothing to compare and the tests say so.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokamark_genai_perf::{
    AnalyzePoint, ExportHead, Input, InputConfig, InputsWriter, Merge, Options, ProfileExportWriter, Recorded, Report,
    Telemetry, read_export, write_analyze_csv,
};
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
        Report { summary: &recorded.summary, config: &config, telemetry: &telemetry, extras: &[] }
            .write_json(&mut json)
            .unwrap();
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
        Report { summary: &recorded.summary, config: &config, telemetry: &telemetry, extras: &[] }
            .write_csv(&mut csv)
            .unwrap();
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
        let beside = InputConfig::beside(&run.folder.join("profile_export.json")).unwrap().unwrap();
        assert_eq!(beside, theirs);
    }
}

#[test]
fn the_tables_are_those_of_the_console() {
    let Some((root, tokenizer)) = golden() else { return };
    for run in runs(&root) {
        let (config, telemetry) = (run.config(), run.telemetry());
        let recorded = recorded(&run, &tokenizer);
        let ours = Report { summary: &recorded.summary, config: &config, telemetry: &telemetry, extras: &[] }.console();
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

#[test]
fn an_export_is_written_as_perf_analyzer_wrote_it() {
    let Some((root, _)) = golden() else { return };
    let out = tempfile::tempdir().unwrap();
    for run in runs(&root).iter().filter(|run| !run.is_merged()) {
        let export = read_export(&run.folder.join("profile_export.json")).unwrap();
        let level = &export.experiments[0];
        let head = ExportHead {
            mode: level.mode.clone(),
            value: level.value.clone(),
            version: export.version.clone(),
            service_kind: export.service_kind.clone(),
            endpoint: export.endpoint.clone(),
        };
        let path = out.path().join("profile_export.json");
        let mut writer = ProfileExportWriter::create(&path, head).unwrap();
        export.each_request(|_, request| writer.append(&request).unwrap()).unwrap();
        writer.finish(&level.window_boundaries).unwrap();
        assert!(fs::read_to_string(&path).unwrap() == run.text("profile_export.json"), "{}", run.name);
    }
}

#[test]
fn inputs_are_written_as_theirs() {
    let Some((root, _)) = golden() else { return };
    let out = tempfile::tempdir().unwrap();
    for run in runs(&root).iter().filter(|run| !run.is_merged()) {
        let theirs = run.text("inputs.json");
        let inputs: Value = serde_json::from_str(&theirs).unwrap();
        let path = out.path().join("inputs.json");
        let mut writer = InputsWriter::create(&path).unwrap();
        for entry in inputs["data"].as_array().unwrap() {
            let mut tensors = entry.as_object().unwrap().clone();
            let mut first = |name: &str| tensors.shift_remove(name).map(|list| list[0].clone());
            let (payload, session, delay) = (first("payload"), first("session_id"), first("delay"));
            let session_id = session.map(|id| id.as_str().unwrap().to_owned());
            let delay = delay.map(|delay| delay.as_u64().unwrap());
            writer.append(Input { payload, tensors, session_id, delay, timestamp: None }).unwrap();
        }
        writer.finish().unwrap();
        assert!(fs::read_to_string(&path).unwrap() == theirs, "{}", run.name);
    }
}

/// Two copies of a run, merged, as in the recorded `process-export-files`.
#[test]
fn merging_gives_their_files() {
    let Some((root, tokenizer)) = golden() else { return };
    let runs = runs(&root);
    let find = |start: &str| runs.iter().find(|run| run.name.starts_with(start)).unwrap();
    let (single, merged) = (find("kserve-vllm/"), find("process-export-files/"));
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for copy in ["a", "b"] {
        fs::create_dir(input.path().join(copy)).unwrap();
        for file in ["inputs.json", "profile_export.json", "profile_export_genai_perf.json"] {
            fs::copy(single.folder.join(file), input.path().join(copy).join(file)).unwrap();
        }
    }
    let mut merge = Merge::open(input.path()).unwrap();
    merge.config.process.input_path = "INPUT_DIR".to_owned();
    let mut files = merge.write(out.path(), &tokenizer).unwrap();
    assert_eq!(files.folder.file_name(), merged.folder.file_name());
    for file in ["profile_export.json", "profile_export_genai_perf.csv"] {
        assert!(fs::read_to_string(files.folder.join(file)).unwrap() == merged.text(file), "{file}");
    }
    files.config.output.artifact_directory = "artifacts".to_owned();
    let mut json = Vec::new();
    files.report().write_json(&mut json).unwrap();
    compare("merged", &serde_json::from_slice(&json).unwrap(), &merged.golden);
}

#[test]
fn the_points_of_a_sweep_give_their_table() {
    let Some((root, tokenizer)) = golden() else { return };
    let out = tempfile::tempdir().unwrap();
    for name in ["analyze-concurrency", "analyze-telemetry"] {
        let points: Vec<AnalyzePoint> = ["1", "2", "4"]
            .into_iter()
            .enumerate()
            .filter_map(|(number, level)| {
                let runs = runs(&root);
                let run = runs
                    .iter()
                    .find(|run| run.name.starts_with(name) && run.name.ends_with(&format!("concurrency{level}")))?;
                Some(AnalyzePoint {
                    name: format!("mymodel_run_config_{number}"),
                    level: level.to_owned(),
                    num_dataset_entries: run.config().input.num_dataset_entries,
                    summary: recorded(run, &tokenizer).summary,
                    telemetry: run.telemetry(),
                    extras: Vec::new(),
                })
            })
            .collect();
        let path = out.path().join("analyze.csv");
        write_analyze_csv(&path, &points, "concurrency").unwrap();
        let ours = fs::read_to_string(&path).unwrap();
        let theirs =
            fs::read_to_string(root.join("genai-perf").join(name).join("artifacts/analyze_export_genai_perf.csv"))
                .unwrap();
        assert_eq!(ours.lines().count(), theirs.lines().count());
        for (ours, theirs) in ours.split("\r\n").zip(theirs.split("\r\n")) {
            let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split(',').collect(), theirs.split(',').collect());
            let is_gpu = theirs.len() == 8 && theirs[1] != "GPU";
            for (column, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                match column {
                    // Energy: theirs is mJ divided by a million under the heading MJ.
                    3 if is_gpu => assert_eq!((*ours, *theirs), ("0.12", "123.46")),
                    // Memory: theirs is MiB times a factor very near to one under the heading GB.
                    5 | 7 if is_gpu => {
                        let (ours, theirs): (f64, f64) = (ours.parse().unwrap(), theirs.parse().unwrap());
                        let mib = theirs / 10_f64.powf(-0.001_05);
                        assert!((ours - mib * 1.048_576e-3).abs() < 0.02, "{ours} GB for {mib} MiB");
                    }
                    _ => assert_eq!(ours, theirs, "{name}"),
                }
            }
        }
    }
}
