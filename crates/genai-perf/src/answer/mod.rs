//! What came back for a request: which responses count, when, and with what text.

mod careful;
mod extract;
mod literal;

use crate::export::{Api, ExportRequest};

/// Which rules answers are read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// As GenAI-Perf 0.0.16 does, whatever it is worth; where that gives up, with its definitions but by the rules of
    /// event streams. For reports that shall equal those of GenAI-Perf.
    #[default]
    Same,
    /// By the rules of event streams, with reasoning and tool calls counted as generated, failures left out, and each
    /// request judged by its own figures. For reports of new runs.
    Right,
}

/// A response that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// When it came, wall-clock nanoseconds.
    pub(crate) at: u64,
    /// Its visible text.
    pub(crate) text: String,
    /// Its reasoning text; always empty where that does not count.
    pub(crate) reasoning: String,
    /// Its tokens, where they come as ids.
    pub(crate) ids: u64,
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The responses that count, in order; none if the answer was empty.
    Answer(Vec<Piece>),
    /// The server said that something went wrong, or what it said is not understood.
    Failed(String),
}

/// Reads the answer of a request.
pub(crate) fn read(api: Api, request: &ExportRequest, fidelity: Fidelity) -> Reading {
    match api {
        Api::Opaque | Api::ImageRetrieval => Reading::Answer(
            request.response_timestamps.iter().map(|at| Piece { at: *at, ..Piece::default() }).collect(),
        ),
        Api::Triton => Reading::Answer(tensors(request, |output, piece| {
            piece.text = output.tensors.get("text_output").map(extract::plain_text).unwrap_or_default();
        })),
        Api::Engine => Reading::Answer(tensors(request, |output, piece| {
            piece.ids =
                output.tensors.get("output_ids").and_then(|ids| ids.as_array()).map_or(1, |ids| ids.len() as u64);
        })),
        _ => match fidelity {
            Fidelity::Same => {
                literal::read(api, request).map_or_else(|| careful::read(api, request, false), Reading::Answer)
            }
            Fidelity::Right => careful::read(api, request, true),
        },
    }
}

/// One piece for each message; also for an empty last one, which GenAI-Perf takes for a response.
fn tensors(request: &ExportRequest, fill: impl Fn(&crate::export::ResponseOutput, &mut Piece)) -> Vec<Piece> {
    let outputs = request.response_timestamps.iter().zip(&request.response_outputs);
    outputs
        .map(|(at, output)| {
            let mut piece = Piece { at: *at, ..Piece::default() };
            fill(output, &mut piece);
            piece
        })
        .collect()
}
