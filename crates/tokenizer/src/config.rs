//! `tokenizer_config.json`, which lies beside most vocabularies: what is added to a text, special tokens, and the chat
//! template.

use serde::Deserialize;
use serde_json::Value;

/// What the file says. All of it may be missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenizerConfig {
    /// The token that begins a text.
    pub(crate) bos: Option<String>,
    /// The token that ends a text.
    pub(crate) eos: Option<String>,
    /// Other named tokens (`pad_token`, …), which chat templates may use as variables.
    pub(crate) named: Vec<(String, String)>,
    pub(crate) adds_bos: Option<bool>,
    pub(crate) adds_eos: Option<bool>,
    /// The Python class, without `Fast` at its end.
    pub(crate) class: Option<String>,
    /// What goes before a text does not go before each part between special tokens (`legacy` is false).
    pub(crate) only_start_has_prefix: bool,
    /// Tokens beside those of the vocabulary.
    pub(crate) added_tokens: Vec<AddedToken>,
    /// The chat templates by name; the only one is called `default`.
    pub(crate) chat_templates: Vec<(String, String)>,
}

/// A token beside those of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedToken {
    pub(crate) id: u32,
    pub(crate) content: String,
    pub(crate) special: bool,
}

/// A token is written as its text or as an object with the text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Token {
    Text(String),
    Object { content: String },
}

#[derive(Deserialize)]
struct NamedTemplate {
    name: String,
    template: String,
}

const NAMED_TOKENS: [&str; 6] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token"];

impl TokenizerConfig {
    /// Fields of another type than expected are taken as missing: the file is written for another program.
    pub(crate) fn from_json(json: &[u8]) -> Result<Self, serde_json::Error> {
        let value: Value = serde_json::from_slice(json)?;
        let text = |name: &str| {
            value.get(name).cloned().and_then(|token| serde_json::from_value(token).ok()).map(|token| match token {
                Token::Text(content) | Token::Object { content } => content,
            })
        };
        let flag = |name: &str| value.get(name).and_then(Value::as_bool);
        let class = value.get("tokenizer_class").and_then(Value::as_str);
        Ok(Self {
            bos: text("bos_token"),
            eos: text("eos_token"),
            named: NAMED_TOKENS.iter().filter_map(|name| Some(((*name).to_owned(), text(name)?))).collect(),
            adds_bos: flag("add_bos_token"),
            adds_eos: flag("add_eos_token"),
            class: class.map(|class| class.strip_suffix("Fast").unwrap_or(class).to_owned()),
            only_start_has_prefix: flag("legacy") == Some(false),
            added_tokens: value.get("added_tokens_decoder").map(added_tokens).unwrap_or_default(),
            chat_templates: value.get("chat_template").map(chat_templates).unwrap_or_default(),
        })
    }
}

fn added_tokens(tokens: &Value) -> Vec<AddedToken> {
    let tokens = tokens.as_object().into_iter().flatten();
    let token = |(id, token): (&String, &Value)| {
        Some(AddedToken {
            id: id.parse().ok()?,
            content: token.get("content")?.as_str()?.to_owned(),
            special: token.get("special").and_then(Value::as_bool).unwrap_or(false),
        })
    };
    tokens.filter_map(token).collect()
}

/// One template, a list of named ones, or an object of them.
pub(crate) fn chat_templates(value: &Value) -> Vec<(String, String)> {
    match value {
        Value::String(template) => vec![("default".to_owned(), template.clone())],
        Value::Array(templates) => templates
            .iter()
            .filter_map(|template| serde_json::from_value(template.clone()).ok())
            .map(|NamedTemplate { name, template }| (name, template))
            .collect(),
        Value::Object(templates) => templates
            .iter()
            .filter_map(|(name, template)| Some((name.clone(), template.as_str()?.to_owned())))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_that_matter_are_read() {
        let json = br#"{"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false}, "pad_token": null,
            "add_bos_token": true, "tokenizer_class": "LlamaTokenizerFast", "legacy": false,
            "added_tokens_decoder": {"7": {"content": "<x>", "special": true}, "x": {}},
            "chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}"#;
        let config = TokenizerConfig::from_json(json).unwrap();
        assert_eq!((config.bos.as_deref(), config.eos.as_deref()), (Some("<s>"), Some("</s>")));
        assert_eq!((config.adds_bos, config.adds_eos, config.only_start_has_prefix), (Some(true), None, true));
        assert_eq!(config.class.as_deref(), Some("LlamaTokenizer"));
        assert_eq!(config.named.len(), 2);
        assert_eq!(config.added_tokens, [AddedToken { id: 7, content: "<x>".into(), special: true }]);
        assert_eq!(config.chat_templates.len(), 2);
        assert!(TokenizerConfig::from_json(b"[]").unwrap().chat_templates.is_empty());
        assert!(TokenizerConfig::from_json(b"{").is_err());
    }
}
