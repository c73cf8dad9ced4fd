//! `dag_jsonl`: conversations that begin others. Every field is known; any other is a fault.

mod graph;
mod line;
mod rounds;
mod thinking;

use tokamark_conversation::Conversation;

use crate::DatasetError;
use crate::fields::Fields;
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;
use crate::store::Writer;
use graph::Graph;

/// Reads the format.
#[derive(Debug)]
pub(super) struct DagJsonl;

impl Reader for DagJsonl {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let (mut graph, mut kept) = (Graph::default(), Writer::new());
        for (index, file) in input.files().iter().enumerate() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                let mut fields = Fields::of_line(&line);
                let read = line::read(&mut fields, sink.options.seed);
                if let Some(earlier) = graph.place_of(&read.conversation.id) {
                    fields.fault("session_id", format!("is that of {earlier}"));
                }
                let place = fields.place;
                if sink.close(file, fields) {
                    let mut conversation = read.conversation;
                    let row = sink.row();
                    conversation.turns.iter_mut().for_each(|turn| turn.row = row);
                    graph.add(conversation.id.clone(), index, place, conversation.history, read.links);
                    kept.push(&conversation, 0)?;
                }
            }
        }
        // With lines missing, links to them would be told as faults of others.
        if sink.faults.count() > 0 && !sink.plan.skip_bad_lines {
            return Ok(());
        }
        // What is left out may have been another's child, and only one circle is found at a time.
        loop {
            let mut faults = graph.faults();
            faults.sort_by_key(|fault| fault.node);
            let mut out: Vec<usize> = faults.iter().map(|fault| fault.node).collect();
            out.dedup();
            for fault in faults {
                let (file, place) = graph.place(fault.node);
                sink.bad(&input.files()[file], place, Some(&fault.field), fault.reason);
            }
            out.iter().for_each(|&node| graph.leave_out(node));
            if out.is_empty() || !sink.plan.skip_bad_lines {
                break;
            }
        }
        let kept = kept.finish();
        for (number, is_root) in (0..).zip(graph.roots()) {
            let Some(is_root) = is_root else { continue };
            let conversation: Conversation =
                kept.conversation(number).map_err(|reason| DatasetError::Stored { number, reason })?;
            if is_root {
                sink.push(conversation)?;
            } else {
                sink.push_child(conversation)?;
            }
        }
        Ok(())
    }
}
