//! `sharegpt`: conversations of people with a model. The first question is asked, or with the split `all`, every one.

use serde_json::json;
use tokamark_conversation::{Conversation, Turn};

use crate::DatasetError;
use crate::fault::Place;
use crate::fields::Fields;
use crate::input::{Input, InputFile, each_entry, first_character};
use crate::reader::Reader;
use crate::sink::Sink;

/// Questions with fewer or more tokens are left out, as everywhere this dataset is used.
const QUESTION: std::ops::RangeInclusive<u64> = 4..=1024;
/// So are those that have more tokens with their answer.
const LONGEST: u64 = 2048;

/// Reads the format.
#[derive(Debug)]
pub(super) struct Sharegpt;

/// A question and its answer.
struct Pair {
    question: String,
    answer: String,
}

impl Reader for Sharegpt {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            if first_character(file)? == Some(b'[') {
                let read = each_entry(file, None, &mut |number, text| {
                    take(file, Fields::of_text(Place::Row(number), text), sink)?;
                    Ok(!is_full(sink))
                })?;
                if let Err(reason) = read {
                    sink.bad(file, Place::Whole, None, reason);
                }
            } else {
                let mut lines = file.lines()?;
                while let Some(line) = lines.next()? {
                    take(file, Fields::of_line(&line), sink)?;
                    if is_full(sink) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Names are those of whole conversations, so no later row belongs to an earlier one.
fn is_full(sink: &Sink<'_>) -> bool {
    sink.options.entries.is_some_and(|entries| sink.store.len() >= entries)
}

fn take(file: &InputFile, mut fields: Fields, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    let id = fields.name("id").unwrap_or_default();
    let pairs = pairs(&mut fields);
    if !sink.close(file, fields) {
        return Ok(());
    }
    let row = sink.row();
    let all = sink.plan.split.as_deref() == Some("all");
    let mut conversation = Conversation { id: fresh(id, sink), ..Conversation::default() };
    let mut total = 0;
    for Pair { question, answer } in pairs.into_iter().take(if all { usize::MAX } else { 1 }) {
        let (asked, answered) = ((sink.options.count)(&question), (sink.options.count)(&answer));
        total += asked + answered;
        if !QUESTION.contains(&asked) || answered == 0 || total > LONGEST {
            break;
        }
        conversation.turns.push(Turn {
            input_tokens: Some(asked),
            output_tokens: Some(answered),
            reply: all.then(|| json!({"role": "assistant", "content": answer})),
            ..Turn::text(row, question)
        });
    }
    if conversation.turns.is_empty() { Ok(()) } else { sink.push(conversation) }
}

/// The name, if no conversation has had it.
fn fresh(id: String, sink: &Sink<'_>) -> String {
    if sink.store.has(&id) { String::new() } else { id }
}

/// The first question with an answer after it, and those that follow without a gap.
fn pairs(fields: &mut Fields) -> Vec<Pair> {
    let name = if fields.has("conversations") { "conversations" } else { "conversation" };
    if !fields.has(name) && !fields.is_no_object() {
        fields.fault("conversations", "is missing");
    }
    let mut said = Vec::new();
    for (index, value) in fields.list(name).unwrap_or_default().into_iter().enumerate() {
        let mut inner = fields.inner(&format!("{name}[{index}]"), value);
        let role = first(&mut inner, ["from", "role"]);
        let text = first(&mut inner, ["value", "content"]);
        if role.is_none() && inner.faults() == 0 {
            inner.fault("from", "is missing");
        }
        // Nothing else of a message is asked for in any file.
        inner.take_rest();
        fields.absorb(inner);
        said.push((role.unwrap_or_default(), text.unwrap_or_default()));
    }
    let mut pairs = Vec::new();
    let mut said = said.into_iter().skip_while(|(role, _)| !is_question(role)).peekable();
    while let Some((role, question)) = said.next() {
        match said.next_if(|(next, _)| is_question(&role) && is_answer(next)) {
            Some((_, answer)) => pairs.push(Pair { question, answer }),
            None if pairs.is_empty() => {}
            None => break,
        }
    }
    pairs
}

fn first(fields: &mut Fields, names: [&str; 2]) -> Option<String> {
    let [preferred, other] = names;
    if fields.has(preferred) { fields.text(preferred) } else { fields.text(other) }
}

fn is_question(role: &str) -> bool {
    matches!(role, "human" | "user")
}

fn is_answer(role: &str) -> bool {
    matches!(role, "gpt" | "chatgpt" | "assistant" | "bing" | "bard" | "model")
}
