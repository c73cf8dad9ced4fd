//! Bodies as the messages of a gRPC server, whose own word on its models' inputs is asked for before the run.

use std::time::Duration;

use bytes::Bytes;
use tokamark_client::{CallError, ClientError, StopHandle, Wire, call};
use tokamark_clock::{from_seconds, now_ns};
use tokamark_endpoint::tensor_layout;
use tokamark_kserve::messages::{ModelMetadataRequest, ModelMetadataResponse};
use tokamark_kserve::{GrpcStatus, Layout, MODEL_METADATA, ModelInputs, frame, infer_request, read};
use tokamark_plan::TargetPlan;

use crate::RunError;

/// A server that is up says what it has in less than this.
const CALL_LIMIT: Duration = Duration::from_secs(30);
/// Pause between attempts while the server is waited for.
const PAUSE: Duration = Duration::from_millis(500);

/// What is known of the inputs of each of the plan's models.
#[derive(Debug)]
pub(crate) struct Tensors(Vec<(String, ModelInputs)>);

impl Tensors {
    /// Asks the server about the models, if it is one that takes tensors; for as long as it may take to get ready.
    ///
    /// # Errors
    /// The server cannot be reached, or has not got a model.
    pub(crate) fn describe(target: &TargetPlan, stop: &StopHandle) -> Result<Option<Self>, RunError> {
        let Some(layout) = tensor_layout(target.endpoint) else { return Ok(None) };
        let deadline = now_ns().saturating_add(from_seconds(target.wait_for_model_s));
        let each = target.models.iter().map(|model| {
            loop {
                let failed = match describe(target, layout, model) {
                    Ok(inputs) => break Ok((model.clone(), inputs)),
                    Err(failed) => failed,
                };
                if stop.is_stopped() {
                    break Err(RunError::InterruptedEarly);
                }
                if now_ns() >= deadline {
                    break Err(error(target, model, failed));
                }
                std::thread::sleep(PAUSE);
            }
        });
        each.collect::<Result<_, _>>().map(|models| Some(Self(models)))
    }

    /// A body as it goes onto the wire.
    pub(crate) fn wire(&self, body: &[u8], model: usize) -> Wire {
        let Some((name, inputs)) = self.0.get(model) else { return Wire::Body };
        match infer_request(body, name, inputs) {
            Ok(request) => Wire::Framed(frame(&request)),
            Err(error) => Wire::Refused(error.to_string().into()),
        }
    }
}

fn describe(target: &TargetPlan, layout: Layout, model: &str) -> Result<ModelInputs, CallError> {
    let question = ModelMetadataRequest { name: model.to_owned(), version: String::new() };
    match call(target, MODEL_METADATA, frame(&question), CALL_LIMIT) {
        Ok(answer) => Ok(told(layout, &answer)),
        // Then the layout says what the inputs look like.
        Err(CallError::Refused(status)) if status.code == GrpcStatus::UNIMPLEMENTED => {
            Ok(ModelInputs::of_layout(layout))
        }
        Err(error) => Err(error),
    }
}

fn told(layout: Layout, answer: &Bytes) -> ModelInputs {
    match read::<ModelMetadataResponse>(answer) {
        Some(metadata) if !metadata.inputs.is_empty() => ModelInputs::told(layout, metadata),
        _ => ModelInputs::of_layout(layout),
    }
}

fn error(target: &TargetPlan, model: &str, error: CallError) -> RunError {
    match error {
        CallError::Client(error) => error.into(),
        CallError::Failed(failure) => {
            let url = target.urls.first().cloned().unwrap_or_default();
            ClientError::Unreachable { url, reason: failure.message }.into()
        }
        CallError::Refused(status) => RunError::Model { model: model.to_owned(), reason: status.to_string() },
    }
}
