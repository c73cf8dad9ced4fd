//! Small tokenizers for the tests.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// A `tokenizer.json` of byte-pair encoding over characters, whose merges spell out the given words, each with a space
/// before it. Spaces are written as `▁`; nothing splits the text beforehand, so that merges may cross words.
pub(crate) fn bpe_json(words: &[&str]) -> Value {
    let mut vocab: BTreeSet<String> = (' '..='~').map(|c| if c == ' ' { "▁".into() } else { c.to_string() }).collect();
    vocab.insert("<unk>".into());
    let mut merges = Vec::new();
    for word in words {
        let mut left = String::from("▁");
        for letter in word.replace(' ', "▁").chars() {
            let joined = format!("{left}{letter}");
            if vocab.insert(joined.clone()) {
                merges.push(json!([left, letter.to_string()]));
            }
            left = joined;
        }
    }
    let vocab: Value =
        vocab.into_iter().enumerate().map(|(id, token)| (token, json!(id))).collect::<serde_json::Map<_, _>>().into();
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 16, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 32}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"},
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": null,
        "post_processor": null,
        "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": merges,
        },
    })
}

/// A `tokenizer.json` that knows whole words, split at spaces.
pub(crate) fn word_json(words: &[&str], unknown: Option<&str>) -> Value {
    let vocab: serde_json::Map<String, Value> =
        unknown.iter().chain(words).enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": unknown.unwrap_or("<missing>")},
    })
}
