//! Byte-level `tokenizer.json` files give the ids that the tokenizers library gives, though they go another way.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokamark_tokenizer::Tokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;

const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// All bytes, some merges, and three added tokens.
fn file(pre_tokenizer: &Value, normalizer: &Value) -> String {
    let mut alphabet: Vec<String> = ByteLevel::alphabet().into_iter().map(String::from).collect();
    alphabet.sort();
    let merges = [["a", "b"], ["Ġ", "a"], ["Ġa", "b"], ["ab", "ab"], ["Ã", "©"], ["Ċ", "Ċ"], ["Ġ", "Ġ"], ["1", "2"]];
    let tokens = alphabet.into_iter().chain(merges.iter().map(|[left, right]| format!("{left}{right}")));
    let vocabulary: serde_json::Map<_, _> = tokens.enumerate().map(|(id, token)| (token, json!(id))).collect();
    let added = [("<s>", true, false), ("<think>", false, false), ("ba", false, true)];
    let added = added.iter().enumerate().map(|(number, (content, special, normalized))| {
        json!({"id": vocabulary.len() + number, "content": content, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": normalized, "special": special})
    });
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": merges,
        },
    })
    .to_string()
}

fn bytes(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": true, "use_regex": use_regex})
}

fn split(patterns: &[&str], behavior: &str) -> Value {
    let split =
        |pattern| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": false});
    let steps = patterns.iter().map(split).chain([bytes(false, false)]);
    json!({"type": "Sequence", "pretokenizers": steps.collect::<Vec<_>>()})
}

/// Ours and the library's, for every kind of file.
static TOKENIZERS: LazyLock<Vec<(Tokenizer, tokenizers::Tokenizer)>> = LazyLock::new(|| {
    let none = Value::Null;
    let nfc = json!({"type": "NFC"});
    [
        file(&bytes(false, true), &none),
        file(&bytes(true, true), &none),
        file(&split(&[LLAMA3], "Isolated"), &none),
        file(&split(&[LLAMA3], "Isolated"), &nfc),
        file(&split(&[r"\p{N}{1,3}", "[一-龥]+", LLAMA3], "Isolated"), &json!({"type": "Sequence", "normalizers": []})),
        file(&split(&[r"\p{N}"], "MergedWithPrevious"), &none),
        file(&bytes(false, true), &json!({"type": "Lowercase"})),
    ]
    .map(|json| {
        let ours = Tokenizer::from_json("t", json.as_bytes()).unwrap();
        (ours, tokenizers::Tokenizer::from_bytes(json.as_bytes()).unwrap())
    })
    .into_iter()
    .collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_short_cut_leads_to_the_same_tokens(
        text in "([ab]{1,5}|AB|ba|é|e\u{301}|[0-9]{1,5}|[ \n]{1,4}|'s|<s>|<think>|[中文]{1,3}|!|\\PC|\\s){0,20}"
    ) {
        for (ours, library) in TOKENIZERS.iter() {
            let expected = library.encode_fast(text.as_str(), false).unwrap().get_ids().to_vec();
            // Twice, for pieces are kept.
            for _ in 0..2 {
                prop_assert_eq!(ours.encode(&text), expected.clone());
                prop_assert_eq!(ours.count(&text), expected.len());
            }
        }
    }
}
