//! GenAI-Perf's files of a run of ours.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Number, Value};
use tokamark_conversation::Conversation;
use tokamark_genai_perf::{
    Accumulator, EndpointType, ExportHead, Extra, Fidelity, Figures, Input, InputConfig, InputsWriter, LiveRun, Metric,
    PlotData, ProfileExportWriter, Report, Sent, Summary, Telemetry,
};
use tokamark_plan::EndpointKind;
use tokamark_record::RunFacts;
use tokamark_run::Replay;

/// Folder of the plots within a run's folder.
pub(super) const PLOTS: &str = "plots";

/// What came of a run, in GenAI-Perf's terms.
pub(super) struct Files {
    /// The figures.
    pub(super) summary: Summary,
    /// Figures beside GenAI-Perf's.
    pub(super) extras: Vec<Extra>,
    /// What was written.
    pub(super) written: Vec<PathBuf>,
}

/// Writes the files of the run in a folder into `out`, as its configuration says.
///
/// # Errors
/// The record cannot be read, or a file cannot be written.
pub(super) fn write(
    run: &Path,
    out: &Path,
    config: &InputConfig,
    telemetry: &Telemetry,
    extras: impl FnOnce(&Summary) -> Vec<Extra>,
) -> anyhow::Result<Files> {
    let replay = Replay::open(run)?;
    let has_sessions = has_sessions(&replay.facts);
    let mut written = Vec::new();
    if replay.has_bodies() {
        written.push(write_inputs(&replay, out, has_sessions)?);
    }
    let export = out.join(&config.output.profile_export_file);
    let (summary, plots) = write_export(&replay, &export, config, has_sessions)?;
    written.push(export);
    let extras = extras(&summary);
    let report = Report { summary: &summary, config, telemetry, extras: &extras };
    written.extend(report.write_files(out)?);
    if let Some(plots) = plots {
        let title = config.model_names.join(", ");
        written.push(tokamark_plot::write_files(&out.join(PLOTS), &title, &plots.figures(&summary.values))?);
        if summary.values.get(Metric::TimeToFirstToken).is_none() {
            eprintln!("note: answers were not streamed, so there are no plots of time to first token and of gaps");
        }
    }
    Ok(Files { summary, extras, written })
}

fn has_sessions(facts: &RunFacts) -> bool {
    facts.plan.load.session_count.is_some()
}

fn write_inputs(replay: &Replay, out: &Path, has_sessions: bool) -> anyhow::Result<PathBuf> {
    let path = out.join("inputs.json");
    let mut inputs = InputsWriter::create(&path)?;
    let is_tensors = replay.facts.plan.target.endpoint.speaks_grpc();
    let mut failed = None;
    replay.conversations(|conversation, bodies| {
        for (index, body) in bodies.iter().enumerate() {
            let mut input = input(conversation, index, body, has_sessions);
            if is_tensors && let Some(serde_json::Value::Object(tensors)) = input.payload.take() {
                input.tensors = tensors;
            }
            if failed.is_none() {
                failed = inputs.append(input).err();
            }
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    inputs.finish()?;
    Ok(path)
}

fn input(conversation: &Conversation, index: usize, body: &[u8], has_sessions: bool) -> Input {
    let turn = conversation.turns.get(index);
    let next = conversation.turns.get(index + 1);
    // The file tells how long to wait after a turn; the last one has no wait behind it.
    let delay = next.map(|next| next.delay_ms.unwrap_or(0.0));
    Input {
        payload: serde_json::from_slice(body).ok(),
        session_id: has_sessions.then(|| conversation.id.clone()),
        delay: delay.filter(|_| has_sessions).map(whole),
        timestamp: turn.and_then(|turn| turn.timestamp_ms).map(whole),
        ..Input::default()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and times are not negative"
)]
fn whole(milliseconds: f64) -> u64 {
    milliseconds.round() as u64
}

fn write_export(
    replay: &Replay,
    path: &Path,
    config: &InputConfig,
    has_sessions: bool,
) -> anyhow::Result<(Summary, Option<PlotData>)> {
    let facts = &replay.facts;
    let kind = config.endpoint.kind;
    let live = LiveRun { anchor: facts.anchor_start, endpoint_type: kind, fidelity: Fidelity::Right };
    let mut accumulator = Accumulator::new(kind.figures(), Fidelity::Right, &config.input.objectives());
    if config.output.generate_plots {
        accumulator = accumulator.with_plots();
    }
    let mut export = ProfileExportWriter::create(path, head(config))?;
    let mut failed = None;
    replay.requests(|record, body| {
        let session = has_sessions.then(|| session_name(record.session));
        let images = body.as_deref().filter(|_| kind.figures() == Figures::Images).and_then(images_in);
        live.add(&mut accumulator, record, Sent { session: session.clone(), images });
        let is_ok = record.outcome == tokamark_record::Outcome::Ok;
        // As perf_analyzer has it: what failed is not in the file.
        if is_ok && failed.is_none() {
            let payload = body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            failed = export.append(&live.export(record, &payload, session.as_deref())).err();
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let wall = |at: u64| facts.anchor_start.wall(at);
    let window = facts.profiling;
    let boundaries =
        if has_sessions { [0, u64::MAX] } else { [wall(window.start_ns), wall(window.end_ns.max(window.start_ns))] };
    export.finish(&boundaries)?;
    let plots = accumulator.take_plots();
    Ok((accumulator.finish(None), plots))
}

/// The images of a body for image retrieval.
fn images_in(body: &[u8]) -> Option<u64> {
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(body.get("input")?.as_array()?.len() as u64)
}

fn session_name(number: u64) -> String {
    tokamark_report::conversation_id(number)
}

fn head(config: &InputConfig) -> ExportHead {
    let stimulus = &config.perf_analyzer.stimulus;
    let zero = || Number::from_f64(0.0).map_or(Value::Null, Value::Number);
    let (mode, value) = match (stimulus.get("concurrency"), stimulus.get("request_rate")) {
        (Some(slots), _) => ("concurrency", slots.clone()),
        (None, Some(rate)) => ("request_rate", rate.clone()),
        (None, None) => ("request_rate", zero()),
    };
    ExportHead {
        mode: mode.to_owned(),
        value,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        service_kind: config.endpoint.service_kind.clone(),
        endpoint: config.endpoint.custom.clone(),
    }
}

/// The reports of any run of ours, whoever's command line it was.
///
/// # Errors
/// As [`write`].
pub(crate) fn report(run: &Path, out: Option<&Path>) -> anyhow::Result<u8> {
    let replay = Replay::open(run)?;
    let facts = &replay.facts;
    let mut config = InputConfig { model_names: facts.plan.target.models.clone(), ..InputConfig::default() };
    let kind = match facts.plan.target.endpoint {
        EndpointKind::Completions => EndpointType::Completions,
        EndpointKind::Embeddings | EndpointKind::NimEmbeddings | EndpointKind::ChatEmbeddings => {
            EndpointType::Embeddings
        }
        EndpointKind::Nvclip => EndpointType::Nvclip,
        EndpointKind::NimRankings | EndpointKind::CohereRankings | EndpointKind::HfTeiRankings => {
            EndpointType::Rankings
        }
        EndpointKind::Generate => EndpointType::Generate,
        EndpointKind::HuggingfaceGenerate => EndpointType::HuggingfaceGenerate,
        EndpointKind::KserveTensorrtllm | EndpointKind::KserveVllm => EndpointType::Kserve,
        EndpointKind::ImageRetrieval => EndpointType::ImageRetrieval,
        EndpointKind::Template => EndpointType::Template,
        _ => EndpointType::Chat,
    };
    config.endpoint.kind = kind;
    if facts.plan.target.endpoint == EndpointKind::KserveVllm {
        config.endpoint.backend = "vllm".to_owned();
    }
    config.endpoint.streaming = facts.plan.target.streaming;
    config.endpoint.service_kind = kind.service_kind().to_owned();
    config.endpoint.output_format = kind.output_format(&config.endpoint.backend).to_owned();
    config.tokenizer.name.clone_from(&facts.tokenizer);
    let stimulus = match (facts.plan.load.request_rate, facts.plan.load.concurrency) {
        (Some(rate), _) => ("request_rate", Number::from_f64(rate).map_or(Value::Null, Value::Number)),
        (None, slots) => ("concurrency", slots.unwrap_or(1).into()),
    };
    config.perf_analyzer.stimulus = std::iter::once((stimulus.0.to_owned(), stimulus.1)).collect();
    let goodput: Vec<(String, f64)> =
        facts.plan.report.goodput.iter().map(|target| (target.tag.clone(), target.limit)).collect();
    config.set_objectives(&goodput);
    let own = if run.is_dir() { run } else { run.parent().unwrap_or(Path::new(".")) };
    let out = out.unwrap_or(own);
    std::fs::create_dir_all(out).with_context(|| format!("the folder {} cannot be made", out.display()))?;
    let telemetry = Telemetry::default();
    let files = write(run, out, &config, &telemetry, |_| Vec::new())?;
    let report = Report { summary: &files.summary, config: &config, telemetry: &telemetry, extras: &[] };
    super::recorded::finish(&report, &files.written)
}
