//! What a dataset is like as a trace.

use serde_json::Value;
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_trace::{Analysis, Analyzer, Row};

use crate::{Dataset, DatasetError};

/// Tokens of a block where nothing says it.
const BLOCK_SIZE: u32 = 512;

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
    let (input_tokens, (hash_ids, block_size)) = match &turn.prompt {
        Prompt::Made { tokens, blocks, block_size } => (*tokens, (blocks.clone(), *block_size)),
        Prompt::Messages(messages) => (messages.iter().map(|message| count(&message.to_string())).sum(), hints(turn)),
        Prompt::Body(body) => (count(body), hints(turn)),
        Prompt::Texts(_) | Prompt::Groups(_) => (turn.texts().map(count).sum(), hints(turn)),
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

/// The blocks that a body is to name, with their size.
fn hints(turn: &Turn) -> (Vec<u64>, u32) {
    let names = turn.extra.get("hash_ids").and_then(Value::as_array);
    let size = turn.extra.get("block_size").and_then(Value::as_u64).and_then(|size| u32::try_from(size).ok());
    let names = names.map(|names| names.iter().filter_map(Value::as_u64).collect());
    (names.unwrap_or_default(), size.unwrap_or(BLOCK_SIZE))
}
