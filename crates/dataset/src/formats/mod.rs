//! Formats of datasets, one file each.

mod content;
mod dag;
mod genai_perf_payload;
mod inputs_json;
mod multi_turn;
mod openai_batch;
mod otel;
mod random_pool;
mod raw_payload;
mod recorded;
mod sagemaker;
mod sharegpt;
mod single_turn;
mod speed_bench;
mod times;
mod waits;

use tokamark_plan::DatasetFormat;

pub(crate) use content::audio;
pub(crate) use otel::take as take_spans;

use crate::reader::Reader;

/// The reader of a format; none if it is a trace's.
pub(crate) fn reader(format: DatasetFormat) -> Option<Box<dyn Reader>> {
    Some(match format {
        DatasetFormat::SingleTurn => Box::new(single_turn::SingleTurn),
        DatasetFormat::MultiTurn => Box::new(multi_turn::MultiTurn),
        DatasetFormat::RandomPool => Box::new(random_pool::RandomPool),
        DatasetFormat::RawPayload => Box::new(raw_payload::RawPayload),
        DatasetFormat::OpenaiBatch => Box::new(openai_batch::OpenaiBatch::default()),
        DatasetFormat::InputsJson => Box::new(inputs_json::InputsJson::default()),
        DatasetFormat::GenaiPerfPayload => Box::new(genai_perf_payload::GenaiPerfPayload::default()),
        DatasetFormat::Sharegpt => Box::new(sharegpt::Sharegpt),
        DatasetFormat::SpeedBench => Box::new(speed_bench::SpeedBench),
        DatasetFormat::DagJsonl => Box::new(dag::DagJsonl),
        DatasetFormat::SagemakerDataCapture => Box::new(sagemaker::Sagemaker),
        DatasetFormat::OtelSpans => Box::new(otel::OtelSpans),
        _ => return None,
    })
}

/// What a file of a format should have, for one that has nothing.
pub(crate) fn hint(format: DatasetFormat) -> &'static str {
    match format {
        DatasetFormat::SingleTurn | DatasetFormat::RandomPool => {
            "; it needs one JSON object per line, such as {\"text\": \"…\"}"
        }
        DatasetFormat::MultiTurn => "; it needs one JSON object per line, such as {\"turns\": [{\"text\": \"…\"}]}",
        DatasetFormat::RawPayload => "; it needs one request body per line, such as {\"messages\": […]}",
        DatasetFormat::InputsJson => "; it needs an object such as {\"data\": [{\"payloads\": [{…}]}]}",
        DatasetFormat::DagJsonl => "; it needs a session that no other begins",
        DatasetFormat::Sharegpt => " with a question of 4 to 1024 tokens and, with its answer, up to 2048",
        DatasetFormat::OtelSpans => ": no span in it is a call of a model",
        DatasetFormat::OpenaiBatch => "; it needs one JSON object per line, such as {\"body\": {…}}",
        _ => "",
    }
}
