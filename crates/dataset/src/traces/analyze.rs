//! What a dataset is like as a trace.

use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_trace::{Analysis, Analyzer, Row};

use crate::{Dataset, DatasetError};

/// What a dataset is like as a trace, with caches of these sizes in blocks. `count` gives the tokens of a text, for
/// prompts that are given and not to be made; those of messages and bodies are counted with their JSON.
///
/// # Errors
/// A conversation cannot be read again.
pub fn analyze(dataset: &Dataset, cache_sizes: &[u64], count: &dyn Fn(&str) -> u64) -> Result<Analysis, DatasetError> {
    let mut analyzer = Analyzer::default();
    for number in 0..dataset.len() {
        // Children come after those that begin them.
        let mut waiting = vec![dataset.conversation(number)?];
        while let Some(conversation) = waiting.pop() {
            let branches = conversation.before.iter().chain(conversation.turns.iter().flat_map(|turn| &turn.branches));
            for name in branches.flat_map(|branch| &branch.children) {
                waiting.extend(dataset.child(name)?);
            }
            for turn in &conversation.turns {
                analyzer.push(&row(&conversation, turn, count));
            }
        }
    }
    Ok(analyzer.finish(cache_sizes))
}

fn row(conversation: &Conversation, turn: &Turn, count: &dyn Fn(&str) -> u64) -> Row {
    let (input_tokens, hash_ids, block_size) = match &turn.prompt {
        Prompt::Made { tokens, blocks, block_size } => (*tokens, blocks.clone(), *block_size),
        Prompt::Messages(messages) => (messages.iter().map(|message| count(&message.to_string())).sum(), Vec::new(), 1),
        Prompt::Body(body) => (count(body), Vec::new(), 1),
        Prompt::Texts(_) | Prompt::Groups(_) => (turn.texts().map(count).sum(), Vec::new(), 1),
    };
    Row {
        line: turn.row + 1,
        // A conversation of one turn is a request by itself.
        session: (conversation.turns.len() > 1).then(|| conversation.id.clone()),
        is_complete: conversation.history == History::None,
        timestamp_ms: turn.timestamp_ms,
        delay_ms: turn.delay_ms,
        input_tokens,
        output_tokens: turn.output_tokens,
        hash_ids,
        block_size,
    }
}
