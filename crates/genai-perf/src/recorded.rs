//! The figures of a recorded run.

use std::collections::HashMap;

use tokamark_tokenizer::Tokenizer;

use crate::answer::{self, Piece, Reading};
use crate::endpoint_type::Figures;
use crate::export::{Api, ExportReader, ExportRequest};
use crate::figures::RequestFigures;
use crate::prompt;
use crate::summary::{Accumulator, Summary, Throughputs};
use crate::{EndpointType, Fidelity, GenAiPerfError};

/// How a recorded run is to be read. What is absent is told from the file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// By which rules.
    pub fidelity: Fidelity,
    /// The API that was asked.
    pub endpoint_type: Option<EndpointType>,
    /// Whether answers were streamed.
    pub streaming: Option<bool>,
    /// Names and limits of service-level objectives; milliseconds, or things per second.
    pub goodput: Vec<(String, f64)>,
    /// Throughputs to report instead of those of the file.
    pub throughputs: Option<Throughputs>,
}

/// A recorded run: its figures, and what the requests told of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The figures.
    pub summary: Summary,
    /// The API.
    pub endpoint_type: EndpointType,
    /// Answers were streamed.
    pub streaming: bool,
    /// The models that were asked for, in the order of their first request.
    pub models: Vec<String>,
}

impl Recorded {
    /// Reads a run, which has one load level; of several the first one counts.
    ///
    /// # Errors
    /// The file cannot be read, or does not tell what API it is of.
    pub fn of(export: &ExportReader, tokenizer: &Tokenizer, options: &Options) -> Result<Self, GenAiPerfError> {
        let mut all = Self::each(export, tokenizer, options)?;
        if all.is_empty() {
            return Err(GenAiPerfError::NoRequests { path: export.path().to_owned() });
        }
        Ok(all.swap_remove(0))
    }

    /// Reads every load level.
    ///
    /// # Errors
    /// As [`Recorded::of`].
    pub fn each(export: &ExportReader, tokenizer: &Tokenizer, options: &Options) -> Result<Vec<Self>, GenAiPerfError> {
        let (api, endpoint_type) = Api::of(export, options.endpoint_type)?;
        let mut levels: Vec<Level> = export.experiments.iter().map(|_| Level::new(endpoint_type, options)).collect();
        let mut counter = Counter { tokenizer, known: HashMap::new() };
        export.each_request(|number, request| {
            if let Some(level) = levels.get_mut(number) {
                level.add(api, &request, options.fidelity, &mut counter);
            }
        })?;
        Ok(levels.into_iter().map(|level| level.finish(endpoint_type, options)).collect())
    }
}

/// A load level that is being read.
struct Level {
    accumulator: Accumulator,
    figures: Figures,
    asks_for_stream: bool,
    has_stream: bool,
    models: Vec<String>,
}

impl Level {
    fn new(endpoint_type: EndpointType, options: &Options) -> Self {
        let figures = endpoint_type.figures();
        Self {
            accumulator: Accumulator::new(figures, options.fidelity, &options.goodput),
            figures,
            asks_for_stream: false,
            has_stream: false,
            models: Vec::new(),
        }
    }

    fn add(&mut self, api: Api, request: &ExportRequest, fidelity: Fidelity, counter: &mut Counter<'_>) {
        let prompt = prompt::read(api, request, fidelity);
        self.asks_for_stream |= prompt.streams;
        if let Some(model) = &prompt.model
            && !self.models.contains(model)
        {
            self.models.push(model.clone());
        }
        let is_stream = request.response_outputs.iter().any(|output| output.bytes().starts_with(b"data:"));
        self.has_stream |= is_stream;
        let pieces = match answer::read(api, request, fidelity) {
            Reading::Answer(pieces) => pieces,
            Reading::Failed(reason) => return self.accumulator.add_failed(&reason),
        };
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return self.accumulator.add_empty();
        };
        let is_llm = self.figures == Figures::Llm;
        self.accumulator.add(&RequestFigures {
            sent_ns: request.timestamp,
            // GenAI-Perf gives a time to first token to answers that came at once, too.
            first_ns: (fidelity == Fidelity::Same || prompt.streams || is_stream).then_some(first.at),
            second_ns: pieces.get(1).map(|second| second.at),
            last_ns: last.at,
            arrivals: Vec::new(),
            input_tokens: if is_llm {
                prompt.ids.or_else(|| prompt.text.map(|text| counter.count(&text)))
            } else {
                None
            },
            output_tokens: is_llm.then(|| output_tokens(api, &pieces, counter)),
            images: (self.figures == Figures::Images).then_some(prompt.images),
            session: if is_llm { request.session_id() } else { None },
        });
    }

    fn finish(self, endpoint_type: EndpointType, options: &Options) -> Recorded {
        Recorded {
            summary: self.accumulator.finish(options.throughputs),
            endpoint_type,
            streaming: options.streaming.unwrap_or(self.asks_for_stream || self.has_stream),
            models: self.models,
        }
    }
}

fn output_tokens(api: Api, pieces: &[Piece], counter: &mut Counter<'_>) -> u64 {
    if api == Api::Engine {
        return pieces.iter().map(|piece| piece.ids).sum();
    }
    let joined = |part: fn(&Piece) -> &str| pieces.iter().map(part).collect::<String>();
    let (text, reasoning) = (joined(|piece| &piece.text), joined(|piece| &piece.reasoning));
    counter.count(&text) + if reasoning.is_empty() { 0 } else { counter.count(&reasoning) }
}

/// Counts tokens; prompts are sent again and again.
struct Counter<'a> {
    tokenizer: &'a Tokenizer,
    known: HashMap<String, u64>,
}

impl Counter<'_> {
    /// Texts that are remembered.
    const MOST: usize = 4096;
    /// Bytes of a text that is worth remembering.
    const LONGEST: usize = 64 * 1024;

    fn count(&mut self, text: &str) -> u64 {
        if let Some(count) = self.known.get(text) {
            return *count;
        }
        let count = self.tokenizer.count(text) as u64;
        if text.len() <= Self::LONGEST {
            if self.known.len() >= Self::MOST {
                self.known.clear();
            }
            self.known.insert(text.to_owned(), count);
        }
        count
    }
}
