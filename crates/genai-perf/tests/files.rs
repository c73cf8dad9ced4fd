//! The files: what is written, and what is said of files that cannot be read.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use common::{START, chat, chats, chunk, export, request};
use serde_json::{Value, json};
use tokamark_genai_perf::{
    ExportHead, ExportRequest, Fidelity, Input, InputConfig, InputsWriter, Merge, ProfileExportWriter, Report,
    ResponseOutput, Telemetry, TelemetrySamples, read_export,
};
use tokamark_tokenizer::Tokenizer;

fn csv(report: &Report<'_>) -> String {
    let mut csv = Vec::new();
    report.write_csv(&mut csv).unwrap();
    String::from_utf8(csv).unwrap()
}

/// One request of 1,500 ms: the numbers are the same in every column.
#[test]
fn the_csv_of_one_request() {
    let (the, king) = (chunk(" the"), chunk(" king"));
    let run = chats(&[chat(0, &[(500, &the), (1500, &king)])]);
    let recorded = run.read(Fidelity::Same);
    let mut config = InputConfig::of_recorded(&read_export(&run.path).unwrap(), &recorded, "builtin");
    config.set_objectives(&[("request_latency".to_owned(), 2000.0)]);
    let row = |name: &str, cell: &str| format!("{name}{}\r\n", format!(",{cell}").repeat(12));
    let expected = [
        "Metric,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1\r\n".to_owned(),
        row("Time To First Token (ms)", "500.00"),
        row("Time To Second Token (ms)", "\"1,000.00\""),
        row("Request Latency (ms)", "\"1,500.00\""),
        row("Inter Token Latency (ms)", "\"1,000.00\""),
        row("Output Token Throughput Per User (tokens/sec/user)", "1.00"),
        row("Output Sequence Length (tokens)", "2.00"),
        row("Input Sequence Length (tokens)", "2.00"),
        "\r\nMetric,Value\r\n".to_owned(),
        "Output Token Throughput (tokens/sec),1.33\r\nRequest Throughput (per sec),0.67\r\n".to_owned(),
        // No objective was given when the figures were made.
        "Request Goodput (per sec),N/A\r\nRequest Count (count),1.00\r\n".to_owned(),
    ];
    let none = Telemetry::default();
    assert_eq!(
        csv(&Report { summary: &recorded.summary, config: &config, telemetry: &none, extras: &[] }),
        expected.concat()
    );

    // Without streaming, and without objectives, their rows are not there.
    config.endpoint.streaming = false;
    config.set_objectives(&[]);
    let short = csv(&Report { summary: &recorded.summary, config: &config, telemetry: &none, extras: &[] });
    assert_eq!(short.lines().count(), 4 + 1 + 4);
    assert!(short.contains("Request Latency") && !short.contains("Inter Token") && !short.contains("Goodput"));
}

/// Energy of 2·10⁹ mJ is 2 MJ, 1,000,000 MiB are 1,048.576 GB, half of the SMs are 50 %.
#[test]
fn telemetry_has_its_units() {
    let mut samples = TelemetrySamples::default();
    for (field, values) in [
        ("DCGM_FI_DEV_FB_TOTAL", [1e6, 1e6]),
        ("DCGM_FI_PROF_SM_ACTIVE", [0.25, 0.75]),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", [1e9, 3e9]),
        ("DCGM_FI_UNKNOWN", [1.0, 1.0]),
    ] {
        for value in values {
            samples.add(field, "0", value);
        }
    }
    let the = chunk(" the");
    let run = chats(&[chat(0, &[(500, &the)])]);
    let recorded = run.read(Fidelity::Same);
    let mut config = InputConfig { verbose: true, ..InputConfig::default() };
    config.endpoint.streaming = true;
    let telemetry = samples.telemetry();
    let report = Report { summary: &recorded.summary, config: &config, telemetry: &telemetry, extras: &[] };
    let text = csv(&report);
    let (_, gpu) = text.split_once("Request Count (count),1.00\r\n").unwrap();
    // Of 1 and 3: p99 = 1 + 0.99 × 2 = 2.98, and so on; of 25 and 75: p99 = 74.5.
    let expected = "\r\nMetric,GPU,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1\r\n\
        Energy Consumption (MJ),0,2.00,1.00,3.00,2.98,2.90,2.80,2.50,2.00,1.50,1.20,1.10,1.02\r\n\
        Sm Utilization (%),0,50.00,25.00,75.00,74.50,72.50,70.00,62.50,50.00,37.50,30.00,27.50,25.50\r\n\
        \r\nMetric,GPU,Value\r\nTotal GPU Memory (GB),0,1048.58\r\n";
    assert_eq!(gpu, expected);
    // What was written is what is read.
    let mut json = Vec::new();
    report.write_json(&mut json).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(Telemetry::of_json(json["telemetry_stats"].as_object().unwrap()), telemetry);
    let console = report.console();
    assert!(console.contains("│       0 │ 2.00 │") || console.contains("│         0 │ 2.00 │"), "{console}");
    assert!(console.contains("NVIDIA GenAI-Perf | Memory Metrics") && !console.contains("Utilization Metrics"));
}

/// Telemetry of merged runs: the mean of energies, the maximum of all that is not power, utilization or energy.
#[test]
fn telemetry_is_merged() {
    let of = |energy: f64, clock: f64| {
        let mut samples = TelemetrySamples::default();
        samples.add("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0", energy);
        samples.add("DCGM_FI_DEV_SM_CLOCK", "0", clock);
        samples.telemetry()
    };
    let merged = Telemetry::merged(&[of(1e9, 1500.0), of(3e9, 1400.0)]);
    let value = |name: &str| merged.get(name).unwrap().gpus[0].1.stat("avg");
    assert_eq!((value("energy_consumption"), value("gpu_clock_sm")), (Some(2.0), Some(1500.0)));
    assert_eq!(merged.get("gpu_clock_sm").unwrap().gpus[0].1.stat("p99"), None);
}

#[test]
fn an_export_has_perf_analyzers_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile_export.json");
    let head = ExportHead {
        mode: "request_rate".to_owned(),
        value: json!(20.0),
        version: "0.0.0".to_owned(),
        service_kind: "openai".to_owned(),
        endpoint: "v1/chat/completions".to_owned(),
    };
    let mut writer = ProfileExportWriter::create(&path, head).unwrap();
    let request = ExportRequest {
        timestamp: START,
        sequence_id: None,
        request_inputs: json!({"payload": "{\"a\":\"é/\u{1b}\"}", "delay": 30}).as_object().unwrap().clone(),
        response_timestamps: vec![START + 1],
        response_outputs: vec![ResponseOutput::of_text("data: [DONE]\n\n")],
    };
    writer.append(&request).unwrap();
    writer.append(&request).unwrap();
    writer.finish(&[0, u64::MAX]).unwrap();
    let one = "{\"timestamp\":1796082604000000000,\"request_inputs\":{\"payload\":\"{\\\"a\\\":\\\"é/\\u001B\\\"}\",\
        \"delay\":30},\"response_timestamps\":[1796082604000000001],\
        \"response_outputs\":[{\"response\":\"data: [DONE]\\n\\n\"}]}";
    let expected = format!(
        "{{\"experiments\":[{{\"experiment\":{{\"mode\":\"request_rate\",\"value\":20.0}},\"requests\":[{one},{one}],\
        \"window_boundaries\":[0,18446744073709551615]}}],\"version\":\"0.0.0\",\"service_kind\":\"openai\",\
        \"endpoint\":\"v1/chat/completions\"}}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    let mut read = Vec::new();
    read_export(&path).unwrap().each_request(|_, request| read.push(request)).unwrap();
    assert_eq!(read, [request.clone(), request]);
}

#[test]
fn inputs_have_perf_analyzers_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inputs.json");
    let mut writer = InputsWriter::create(&path).unwrap();
    let payload = Some(json!({"text": "é\n😀", "list": [], "rate": 0.5}));
    writer.append(Input { payload, session_id: Some("s".to_owned()), delay: Some(3), ..Input::default() }).unwrap();
    writer.append(Input { timestamp: Some(7), ..Input::default() }).unwrap();
    writer.finish().unwrap();
    let expected = r#"{
  "data": [
    {
      "payload": [
        {
          "text": "\u00e9\n\ud83d\ude00",
          "list": [],
          "rate": 0.5
        }
      ],
      "session_id": [
        "s"
      ],
      "delay": [
        3
      ]
    },
    {
      "timestamp": [
        7
      ]
    }
  ]
}"#;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

/// Two runs of embeddings, which GenAI-Perf itself cannot merge: 3 requests, throughputs added up.
#[test]
fn runs_of_any_endpoint_merge() {
    let payload = json!({"model": "m", "input": [" the"]});
    let runs = [
        export("openai", "v1/embeddings", &[request(0, &payload, &[(10, "{}")]), request(10, &payload, &[(20, "{}")])]),
        export("openai", "v1/embeddings", &[request(100, &payload, &[(140, "{}")])]),
    ];
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (run, name) in runs.iter().zip(["a", "b"]) {
        let folder = input.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let recorded = run.read(Fidelity::Same);
        let config = InputConfig::of_recorded(&read_export(&run.path).unwrap(), &recorded, "builtin");
        let none = Telemetry::default();
        Report { summary: &recorded.summary, config: &config, telemetry: &none, extras: &[] }
            .write_files(&folder)
            .unwrap();
        std::fs::copy(&run.path, folder.join("profile_export.json")).unwrap();
    }
    let merged = Merge::open(input.path()).unwrap().write(out.path(), &Tokenizer::builtin()).unwrap();
    assert_eq!(merged.folder, out.path().join("m-openai-embeddings-concurrency1"));
    let json = std::fs::read(merged.folder.join("profile_export_genai_perf.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let avg = |name: &str| json[name]["avg"].as_f64().unwrap();
    common::assert_near(avg("request_throughput"), 2.0 / 0.02 + 1.0 / 0.04);
    common::assert_near(avg("request_count"), 3.0);
    common::assert_near(avg("request_latency"), 20.0);
    assert_eq!(json["input_config"]["subcommand"], "process");
    assert!(json.get("output_token_throughput").is_none());
}

#[test]
fn runs_of_different_endpoints_do_not_merge() {
    let (input, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, endpoint) in [("a", "v1/embeddings"), ("b", "v1/ranking")] {
        let folder = input.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let run = export("openai", endpoint, &[request(0, &json!({}), &[(10, "{}")])]);
        std::fs::copy(&run.path, folder.join("x.json")).unwrap();
        std::fs::write(folder.join("x_genai_perf.json"), "{}").unwrap();
    }
    let error = Merge::open(input.path()).unwrap().write(out.path(), &Tokenizer::builtin()).unwrap_err().to_string();
    assert!(
        error.contains("x.json is a run of openai v1/ranking, but the first one is of openai v1/embeddings"),
        "{error}"
    );
    let error = Merge::open(out.path()).unwrap_err().to_string();
    assert!(error.contains("no folder in") && error.contains("*_genai_perf.json"), "{error}");
}

#[test]
fn faults_are_named_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_export(&path).unwrap_err().to_string()
    };
    let list = error("[]");
    assert!(list.contains("p.json is not what perf_analyzer writes, line 1"), "{list}");
    assert!(list.ends_with("invalid type: sequence, expected a profile export"), "{list}");
    assert!(error("{}").contains("missing field `experiments`"));
    assert!(error(r#"{"experiments":[]}"#).contains("holds no requests"));
    let two = r#"{"experiments":[{"requests":[{"timestamp":1},{"timestamp":"x"}]}]}"#;
    std::fs::write(&path, two).unwrap();
    let text = read_export(&path).unwrap().each_request(|_, _| {}).unwrap_err().to_string();
    assert!(text.contains("p.json is not what perf_analyzer writes, request 2, line 1, column 61"), "{text}");
    assert!(error(r#"{"experiments":[{"requests":[{"timestamp":1}"#).contains("EOF"));
    // What later versions add is let be.
    std::fs::write(&path, r#"{"experiments":[{"requests":[{"timestamp":1,"new":{"a":[1]}}],"x":null}],"y":[]}"#)
        .unwrap();
    assert_eq!(read_export(&path).unwrap().first.timestamp, 1);
}
