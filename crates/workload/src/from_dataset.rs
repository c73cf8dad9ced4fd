//! Conversations of a dataset, completed: texts and media are made, lengths drawn and counted.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_dataset::{Batch, Dataset, Hub, Named, Options, open_public};
use tokamark_plan::{Source, WorkloadPlan};
use tokamark_tokenizer::Tokenizer;

use crate::WorkloadError;
use crate::blocks::Blocks;
use crate::counting::{own_tokens, rendered_tokens};
use crate::mark::{GAP, Mark, Side, Target};
use crate::media::References;
use crate::random::Place;
use crate::template::Before;
use crate::text::Maker;
use crate::turn_lengths::OutputLengths;

/// Conversations of a dataset.
#[derive(Debug)]
pub(crate) struct FromDataset {
    pub(crate) dataset: Dataset,
    references: References,
    outputs: Option<OutputLengths>,
    tokenizer: Tokenizer,
    /// Made when the first prompt is to be made.
    blocks: OnceLock<Blocks>,
    seed: u64,
    /// Prompts are counted as the chat template renders them.
    counts_rendered: bool,
}

/// What a plan puts before the turns of a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Put {
    /// The system prompt, with the mark if nothing else is to stand beside that.
    pub(crate) system: Option<String>,
    /// The system prompt without a mark.
    pub(crate) unmarked_system: Option<String>,
    pub(crate) context: Option<String>,
    pub(crate) mark: Option<Mark>,
}

impl FromDataset {
    /// The file, folder or public dataset that the plan names.
    pub(crate) fn open(
        plan: &WorkloadPlan,
        tokenizer: Tokenizer,
        seed: u64,
        counts_rendered: bool,
    ) -> Result<Self, WorkloadError> {
        let count = |text: &str| tokenizer.count(text) as u64;
        let batch = Batch {
            texts: plan.batch_size.max(1),
            images: plan.media.image.as_ref().map_or(1, |image| image.batch),
            audios: plan.media.audio.as_ref().map_or(1, |audio| audio.batch),
            videos: plan.media.video.as_ref().map_or(1, |video| video.batch),
        };
        let base = match &plan.source {
            Source::File(file) => file.path.as_path(),
            _ => Path::new("."),
        };
        let references = References::new(base);
        let missing = |named: Named<'_>| references.missing(named);
        let options = Options {
            seed,
            entries: plan.entries.map(|entries| entries.max(1)),
            batch,
            count: &count,
            missing: &missing,
        };
        let dataset = match &plan.source {
            Source::File(file) => tokamark_dataset::open(file, &options)?,
            Source::Public(public) => open_public(public, &options, &Hub::of_environment())?,
            // Nothing else is a dataset.
            Source::Synthetic(_) => return Err(WorkloadError::Public(String::new())),
        };
        let outputs = plan.output_tokens.as_ref().map(|output| OutputLengths::new(output, seed)).transpose()?;
        Ok(Self { dataset, references, outputs, tokenizer, blocks: OnceLock::new(), seed, counts_rendered })
    }

    /// A conversation that is played by itself.
    pub(crate) fn conversation(&self, row: u64, put: &Put) -> Result<Conversation, WorkloadError> {
        let mut conversation = self.dataset.conversation(row)?;
        self.complete(&mut conversation, row, put)?;
        Ok(conversation)
    }

    /// A conversation that another one begins.
    pub(crate) fn child(&self, name: &str, put: &Put) -> Result<Option<Conversation>, WorkloadError> {
        let Some(mut conversation) = self.dataset.child(name)? else { return Ok(None) };
        self.complete(&mut conversation, child_row(name), put)?;
        Ok(Some(conversation))
    }

    fn complete(&self, conversation: &mut Conversation, row: u64, put: &Put) -> Result<(), WorkloadError> {
        let has_own_context = conversation.context.take();
        conversation.context = joined(put.context.clone(), has_own_context);
        put_system(conversation, put);
        let mark = put.mark.as_ref().filter(|mark| matches!(mark.target, Target::FirstTurn(_)));
        let is_each_complete = conversation.history == History::None;
        let before = Before { system: conversation.system.as_deref(), context: conversation.context.as_deref() };
        for (number, turn) in (0..).zip(&mut conversation.turns) {
            let place = Place::turn(row, number);
            self.make(turn, place);
            self.references.load(turn)?;
            let is_begun = number == 0 || is_each_complete;
            if let Some(mark) = mark.filter(|_| is_begun) {
                put_mark(&mut turn.prompt, mark);
                turn.input_tokens = None;
            }
            if turn.is_silent {
                continue;
            }
            if self.counts_rendered && is_begun {
                turn.input_tokens = rendered_tokens(&self.tokenizer, before, turn).or(turn.input_tokens);
            }
            turn.input_tokens = turn.input_tokens.or_else(|| own_tokens(&self.tokenizer, turn));
            if turn.output_tokens.is_none() {
                turn.output_tokens = self.outputs.as_ref().map(|outputs| outputs.at(place));
            }
        }
        Ok(())
    }

    /// Makes the prompt of a turn, if it is yet to be made.
    fn make(&self, turn: &mut Turn, place: Place) {
        let Prompt::Made { tokens, blocks, block_size } = &turn.prompt else { return };
        let maker = || Blocks::new(Arc::new(Maker::words(self.tokenizer.clone(), self.seed)), self.seed);
        let made = self.blocks.get_or_init(maker).prompt(*tokens, blocks, *block_size, place);
        turn.input_tokens = Some(made.tokens);
        turn.prompt = Prompt::Texts(vec![made.text]);
    }
}

/// The number that stands for a child in what is drawn; far beyond those of conversations.
pub(crate) fn child_row(name: &str) -> u64 {
    let digest = Sha256::digest(name.as_bytes());
    let bytes: [u8; 8] = std::array::from_fn(|at| digest[at]);
    u64::from_le_bytes(bytes) | 1 << 63
}

fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}{GAP}{second}")),
        (first, second) => first.or(second),
    }
}

/// Puts the system prompt before that of the data, wherever that stands, with the mark beside both.
fn put_system(conversation: &mut Conversation, put: &Put) {
    let mark = put.mark.as_ref().filter(|mark| matches!(mark.target, Target::System(_)));
    let with = |own: String| {
        let text = joined(put.unmarked_system.clone(), Some(own)).unwrap_or_default();
        mark.map_or(text.clone(), |mark| mark.beside(&text))
    };
    if let Some(own) = conversation.system.take() {
        conversation.system = Some(with(own));
        return;
    }
    let mut is_done = false;
    for turn in &mut conversation.turns {
        let Prompt::Messages(messages) = &mut turn.prompt else { continue };
        let Some(first) = messages.first_mut().filter(|first| first["role"] == "system") else { continue };
        if let Some(Value::String(own)) = first.get("content") {
            first["content"] = with(own.clone()).into();
            is_done = true;
        }
    }
    if !is_done {
        conversation.system = put.system.clone();
    }
}

/// Puts a mark beside what the user says first. A whole body is left as it is.
fn put_mark(prompt: &mut Prompt, mark: &Mark) {
    match prompt {
        Prompt::Texts(texts) if texts.is_empty() => texts.push(mark.text.clone()),
        Prompt::Texts(texts) => texts.iter_mut().for_each(|text| *text = mark.beside(text)),
        Prompt::Groups(groups) => {
            if let Some(text) = groups.iter_mut().flat_map(|group| &mut group.texts).next() {
                *text = mark.beside(text);
            }
        }
        Prompt::Messages(messages) => {
            let user = messages.iter_mut().find(|message| message["role"] == "user");
            match user.and_then(|message| message.get_mut("content")) {
                Some(Value::String(text)) => *text = mark.beside(text),
                Some(Value::Array(parts)) => {
                    let part = json!({"type": "text", "text": mark.text});
                    match mark.target {
                        Target::System(Side::Before) | Target::FirstTurn(Side::Before) => parts.insert(0, part),
                        Target::System(Side::Behind) | Target::FirstTurn(Side::Behind) => parts.push(part),
                    }
                }
                _ => {}
            }
        }
        Prompt::Made { .. } | Prompt::Body(_) => {}
    }
}
