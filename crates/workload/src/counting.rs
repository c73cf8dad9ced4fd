//! Counts the tokens of turns that come from a dataset, or as a chat template renders them.

use serde_json::{Value, json};
use tokamark_conversation::{Prompt, Turn};
use tokamark_tokenizer::Tokenizer;

use crate::template::Before;

/// Fields of request bodies that hold what is asked.
const ASKING: [&str; 6] = ["messages", "prompt", "input", "inputs", "text_input", "text"];

/// Tokens of a turn's own text, if it can be told what that is.
pub(crate) fn own_tokens(tokenizer: &Tokenizer, turn: &Turn) -> Option<u64> {
    let count = |text: &str| tokenizer.count(text) as u64;
    match &turn.prompt {
        Prompt::Texts(_) | Prompt::Groups(_) => Some(turn.texts().map(count).sum()),
        Prompt::Messages(messages) => Some(messages.iter().map(|message| of_message(message, &count)).sum()),
        Prompt::Body(body) => {
            let body: Value = serde_json::from_str(body).ok()?;
            ASKING.iter().find_map(|field| body.get(field)).map(|asked| of_asked(asked, &count))
        }
        Prompt::Made { .. } => None,
    }
}

fn of_message(message: &Value, count: &impl Fn(&str) -> u64) -> u64 {
    match message.get("content") {
        Some(Value::String(text)) => count(text),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).map(count).sum()
        }
        _ => 0,
    }
}

/// A text, a list of texts, of messages, or of token ids.
fn of_asked(asked: &Value, count: &impl Fn(&str) -> u64) -> u64 {
    match asked {
        Value::String(text) => count(text),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Number(_) => 1,
                Value::Object(_) => of_message(item, count),
                _ => of_asked(item, count),
            })
            .sum(),
        _ => 0,
    }
}

/// Tokens of a first turn and what stands before it as the chat template renders them; none if the turn is no message, the
/// tokenizer has no template, or that refuses the messages.
pub(crate) fn rendered_tokens(tokenizer: &Tokenizer, before: Before<'_>, turn: &Turn) -> Option<u64> {
    tokenizer.chat_template()?;
    let role = turn.role.as_deref().unwrap_or("user");
    let messages = match &turn.prompt {
        Prompt::Texts(texts) if texts.len() == 1 => before.messages(json!({"role": role, "content": texts[0]})),
        Prompt::Messages(messages) => {
            let mut all = before.messages(Value::Null);
            if let Value::Array(list) = &mut all {
                list.pop();
                list.extend(messages.iter().cloned());
            }
            all
        }
        _ => return None,
    };
    tokenizer.count_chat(&messages, turn.tools.as_ref()).ok().map(|count| count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(prompt: Prompt) -> Option<u64> {
        own_tokens(&Tokenizer::builtin(), &Turn { prompt, ..Turn::default() })
    }

    #[test]
    fn what_is_asked_is_counted_wherever_it_stands() {
        let parts = json!({"role": "user", "content": [{"type": "text", "text": "one two"}, {"type": "image_url"}]});
        let messages = vec![json!({"role": "system", "content": "be short"}), parts];
        assert_eq!(counted(Prompt::Messages(messages.clone())), Some(4));
        let body = |value: Value| counted(Prompt::Body(value.to_string()));
        assert_eq!(body(json!({"messages": messages, "max_tokens": 5})), Some(4));
        assert_eq!(body(json!({"prompt": ["one two", "three"]})), Some(3));
        assert_eq!(body(json!({"prompt": [5, 6, 7]})), Some(3));
        assert_eq!(body(json!({"input": "one"})), Some(1));
        assert_eq!(body(json!({"model": "m"})), None);
        assert_eq!(counted(Prompt::Body("no json".to_owned())), None);
        assert_eq!(counted(Prompt::Texts(vec!["one two".into(), "three".into()])), Some(3));
    }
}
