//! `weka_trace`: sessions of agents with names of blocks, and those of the agents that they began.
//!
//! Every request is sent whole, with the blocks that were recorded, so that nothing is repeated before it. Requests of
//! several agents that lie in one list are told apart by the blocks they begin with; every other agent is a conversation
//! of its own, which the main one begins after the turn it was recorded behind and awaits where it was recorded to go on
//! after its end. Kinds of agents, and gaps after which one might be taken for another, play no part.

mod agents;
mod parse;
mod play;

use serde::de::IgnoredAny;
use tokamark_conversation::Conversation;
use tokamark_trace::{SharedIds, Transform};

use super::replay::Replay;
use crate::DatasetError;
use crate::fault::Place;
use crate::fields::Fields;
use crate::input::{Input, InputFile, first_character, whole};
use crate::public::rows::each_row;
use crate::reader::Reader;
use crate::sink::Sink;
use play::Player;

/// Reads the format: once for the blocks of all traces, if anything depends on them, and once to give them on.
#[derive(Debug)]
pub(super) struct Weka;

impl Reader for Weka {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let plan = &sink.plan.trace;
        let mut shared = SharedIds::default();
        if Transform::needs_blocks(&plan.synthesis) {
            let mut number = 0;
            let most = plan.synthesis.max_isl.unwrap_or(u64::MAX);
            each_trace(input, |_, mut fields| {
                number += 1;
                if let Some(trace) = parse::trace(&mut fields, number, plan) {
                    let requests = trace.requests.iter().chain(trace.agents.iter().flat_map(|agent| &agent.requests));
                    requests.filter(|request| request.input_tokens <= most).for_each(|one| shared.add(&one.hash_ids));
                }
                Ok(true)
            })?;
        }
        let mut player = Player::new(plan, Replay::new(input, plan, shared)?);
        let mut number = 0;
        each_trace(input, |file, mut fields| {
            number += 1;
            let trace = parse::trace(&mut fields, number, plan);
            if let Some(trace) = &trace
                && sink.store.has(&trace.id)
            {
                fields.fault("id", "is that of an earlier trace");
            }
            if sink.close(file, fields)
                && let Some(trace) = trace
                && plan.max_context_length.is_none_or(|most| trace.longest() <= most)
            {
                let row = sink.row();
                if let Some((parent, children)) = player.play(trace, row) {
                    children.into_iter().try_for_each(|child: Conversation| sink.push_child(child))?;
                    sink.push(parent)?;
                }
            }
            Ok(sink.options.entries.is_none_or(|most| sink.store.len() < most))
        })
    }
}

/// Gives every trace of all files: a file is one, a list of them, or one per line.
fn each_trace(
    input: &Input,
    mut take: impl FnMut(&InputFile, Fields) -> Result<bool, DatasetError>,
) -> Result<(), DatasetError> {
    let mut goes_on = true;
    for file in input.files() {
        if is_document(file)? {
            let fields = match whole(file)? {
                Ok(text) => Fields::of_text(Place::Whole, &text),
                Err(reason) => return Err(DatasetError::unusable(file.path(), reason)),
            };
            goes_on = take(file, fields)?;
        } else {
            let read = each_row(file, &mut |fields| {
                goes_on = take(file, fields)?;
                Ok(goes_on)
            })?;
            read.map_err(|reason| DatasetError::unusable(file.path(), reason))?;
        }
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Whether the file is one object over several lines.
fn is_document(file: &InputFile) -> Result<bool, DatasetError> {
    if first_character(file)? != Some(b'{') {
        return Ok(false);
    }
    let mut lines = file.lines()?;
    let Some(first) = lines.next()? else { return Ok(false) };
    // Too long for a line, it may still be short enough for the memory.
    Ok(!first.text.is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok()))
}
