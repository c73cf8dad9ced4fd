//! GPT-2's pair of files, `vocab.json` and `merges.txt`, as one `tokenizer.json`.

use serde_json::{Map, Value, json};

use crate::config::TokenizerConfig;

/// The text of a `tokenizer.json` that says what the pair of files and their configuration say.
///
/// # Errors
/// What is wrong with the files.
pub(crate) fn tokenizer_json(vocabulary: &[u8], merges: &[u8], config: &TokenizerConfig) -> Result<Vec<u8>, String> {
    let vocabulary: Map<String, Value> = serde_json::from_slice(vocabulary).map_err(|error| error.to_string())?;
    let merges = std::str::from_utf8(merges).map_err(|_| "its merges are not UTF-8".to_owned())?;
    let merges = merges.lines().filter(|line| !line.starts_with("#version") && !line.is_empty());
    let merges: Vec<Value> = merges
        .map(|line| line.split_once(' ').map(|(left, right)| json!([left, right])))
        .collect::<Option<_>>()
        .ok_or("its merges are not two tokens a line")?;
    let added_tokens = added_tokens(&vocabulary, config);
    let id_of = |token: &str| {
        let added = added_tokens.iter().find(|added| added["content"] == token).map(|added| added["id"].clone());
        added.or_else(|| vocabulary.get(token).cloned())
    };
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let class = config.class.as_deref().unwrap_or_default();
    let is_qwen = class.starts_with("Qwen2");
    let pre_tokenizer = if is_qwen {
        let mut bytes = bytes.clone();
        bytes["use_regex"] = json!(false);
        let pattern = json!({"Regex": crate::byte_pair::QWEN_PATTERN});
        let split = json!({"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": false});
        json!({"type": "Sequence", "pretokenizers": [split, bytes]})
    } else {
        bytes.clone()
    };
    let sentence = match (class, id_of("<s>"), id_of("</s>")) {
        ("RobertaTokenizer" | "BartTokenizer" | "LongformerTokenizer", Some(bos), Some(eos)) => json!({
            "type": "RobertaProcessing", "sep": ["</s>", eos], "cls": ["<s>", bos],
            "trim_offsets": true, "add_prefix_space": false,
        }),
        _ => Value::Null,
    };
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added_tokens,
        "normalizer": if is_qwen { json!({"type": "NFC"}) } else { Value::Null },
        "pre_tokenizer": pre_tokenizer, "post_processor": sentence, "decoder": bytes,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": merges,
        },
    });
    serde_json::to_vec(&tokenizer).map_err(|error| error.to_string())
}

/// The configuration's tokens; without any, the named ones of the vocabulary and GPT-2's own.
fn added_tokens(vocabulary: &Map<String, Value>, config: &TokenizerConfig) -> Vec<Value> {
    let token = |id: Value, content: &str, special: bool| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": !special, "special": special})
    };
    let mut tokens: Vec<Value> =
        config.added_tokens.iter().map(|added| token(json!(added.id), &added.content, added.special)).collect();
    if tokens.is_empty() {
        let mut contents: Vec<&str> = config.named.iter().map(|(_, content)| content.as_str()).collect();
        contents.push("<|endoftext|>");
        contents.sort_unstable();
        contents.dedup();
        let known = |content: &&str| Some(token(vocabulary.get(*content)?.clone(), content, true));
        tokens.extend(contents.iter().filter_map(known));
    }
    tokens.sort_by_key(|token| token["id"].as_u64());
    tokens
}
