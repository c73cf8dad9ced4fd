//! OpenAI's encodings by name, tiktoken files and tekken.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokamark_tokenizer::{Tokenizer, TokenizerError};

#[test]
fn known_ids_of_the_encodings() {
    for (name, ids, size) in [
        ("cl100k_base", &[15339, 1917][..], 100_261),
        ("p50k_base", &[31373, 995], 50_281),
        ("p50k_edit", &[31373, 995], 50_284),
        ("r50k_base", &[31373, 995], 50_257),
        ("gpt2", &[31373, 995], 50_257),
        ("o200k_base", &[24912, 2375], 200_000),
        ("o200k_harmony", &[24912, 2375], 201_088),
    ] {
        let tokenizer = Tokenizer::encoding(name).unwrap();
        assert_eq!(tokenizer.name(), name);
        assert_eq!(tokenizer.encode("hello world"), ids, "{name}");
        assert_eq!(tokenizer.decode(ids), "hello world", "{name}");
        assert_eq!(tokenizer.vocabulary_size(), size, "{name}");
        assert_eq!(tokenizer.special_tokens_added(), 0, "{name}");
        let end = tokenizer.id_of("<|endoftext|>").unwrap();
        assert!(tokenizer.is_special(end) && !tokenizer.ordinary_ids().contains(&end), "{name}");
        assert_eq!(tokenizer.encode_with_special("hello<|endoftext|>")[1], end, "{name}");
        assert_ne!(tokenizer.encode("<|endoftext|>"), [end], "{name}");
        assert_eq!(tokenizer.decode(&[end]), "<|endoftext|>", "{name}");
    }
    assert!(Tokenizer::encoding("p99k_base").is_none());
}

#[test]
fn every_token_is_that_of_tiktoken() {
    let references = [
        ("cl100k_base", tiktoken_rs::cl100k_base_singleton(), 100_256),
        ("p50k_base", tiktoken_rs::p50k_base_singleton(), 50_280),
        ("r50k_base", tiktoken_rs::r50k_base_singleton(), 50_256),
    ];
    for (name, reference, count) in references {
        let ids = Tokenizer::encoding(name).unwrap().ordinary_ids();
        assert_eq!(ids.len(), count, "{name}");
        let tokenizer = Tokenizer::encoding(name).unwrap();
        for id in ids {
            let bytes = reference.decode_bytes(&[id]).unwrap();
            assert_eq!(tokenizer.decode(&[id]), String::from_utf8_lossy(&bytes), "{name} {id}");
        }
    }
}

proptest! {
    #[test]
    fn texts_of_any_characters(text in "([a-zA-Z]{1,9}|\\PC|[0-9]{1,5}|[ \n\t]{1,4}|'s|'LL|\\s){0,40}") {
        for (name, reference) in [
            ("cl100k_base", tiktoken_rs::cl100k_base_singleton()),
            ("p50k_base", tiktoken_rs::p50k_base_singleton()),
            ("r50k_base", tiktoken_rs::r50k_base_singleton()),
        ] {
            thread_local!(static LOADED: std::cell::RefCell<std::collections::HashMap<&'static str, Tokenizer>> =
                std::cell::RefCell::default());
            let load = || Tokenizer::encoding(name).unwrap();
            let tokenizer = LOADED.with_borrow_mut(|loaded| loaded.entry(name).or_insert_with(load).clone());
            prop_assert_eq!(tokenizer.encode(&text), reference.encode_ordinary(&text));
        }
    }
}

/// The 256 bytes, and then some tokens.
fn tokens(more: &[&str]) -> Vec<Vec<u8>> {
    (0..=255).map(|byte| vec![byte]).chain(more.iter().map(|token| token.as_bytes().to_vec())).collect()
}

fn tiktoken_text(tokens: &[Vec<u8>]) -> String {
    tokens.iter().enumerate().map(|(rank, token)| format!("{} {rank}\n", STANDARD.encode(token))).collect()
}

fn load(folder: &Path, file: &str, content: &str) -> Result<Tokenizer, TokenizerError> {
    fs::write(folder.join(file), content).unwrap();
    Tokenizer::from_file("t", &folder.join(file))
}

#[test]
fn a_tiktoken_file_is_known_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    // Llama 3 calls it `tokenizer.model`.
    let text = tiktoken_text(&tokens(&["he", "ll", "hell", " w"]));
    let tokenizer = load(folder.path(), "tokenizer.model", &text).unwrap();
    assert_eq!(tokenizer.encode("hello w"), [258, 111, 259]);
    assert_eq!(tokenizer.decode(&[258, 111, 259]), "hello w");
    assert_eq!(tokenizer.vocabulary_size(), 260);
    let found = Tokenizer::from_file("t", &folder.path().join("tokenizer.model")).unwrap();
    assert_eq!(found.encode("hello w"), tokenizer.encode("hello w"));
}

#[test]
fn special_tokens_beside_a_tiktoken_file_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({"added_tokens_decoder": {"300": {"content": "[BOS]", "special": true}}}).to_string();
    fs::write(folder.path().join("tokenizer_config.json"), config).unwrap();
    let tokenizer = load(folder.path(), "tiktoken.model", &tiktoken_text(&tokens(&[]))).unwrap();
    assert_eq!(tokenizer.encode_with_special("a[BOS]"), [97, 300]);
    assert_eq!(tokenizer.decode(&[97, 300, 299]), "a[BOS]");
}

/// The families differ in how they split; their vocabularies are told apart by their size alone.
#[test]
fn the_size_of_the_vocabulary_tells_the_family() {
    let folder = tempfile::tempdir().unwrap();
    for (size, split_of_1234, added, eos) in [
        (128_000usize, 2, 1, Some(128_001)),
        (200_000, 2, 1, Some(200_001)),
        (151_643, 4, 0, Some(151_643)),
        (50_256, 1, 0, None),
        (100_000, 2, 0, None),
    ] {
        let mut tokens = tokens(&["12", "123", "1234"]);
        tokens.extend((tokens.len()..size).map(|number| format!("\u{1}{number}").into_bytes()));
        let tokenizer = load(folder.path(), "x.tiktoken", &tiktoken_text(&tokens)).unwrap();
        assert_eq!(tokenizer.count("1234"), split_of_1234, "{size}");
        assert_eq!((tokenizer.special_tokens_added(), tokenizer.eos()), (added, eos), "{size}");
    }
    // Qwen composes characters first.
    let mut qwen = tokens(&["é"]);
    qwen.extend((qwen.len()..151_643).map(|number| format!("\u{1}{number}").into_bytes()));
    let qwen = load(folder.path(), "qwen.tiktoken", &tiktoken_text(&qwen)).unwrap();
    assert_eq!(qwen.encode("e\u{301}"), [256]);
    assert_eq!(qwen.encode_with_special("<|im_start|>"), [151_644]);
}

#[test]
fn broken_tiktoken_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = tiktoken_text(&tokens(&[]));
    for (text, reason) in [
        (format!("{good}???\n"), "line 257 is not a token and its rank"),
        (format!("{good}YQ== 7\n"), "two tokens have the number 7"),
        ("YQ== 0\n".to_owned(), "it has no token for the byte 0x00"),
        (format!("{good}YWE= 4294967295\n"), "the token number 4294967295 is too large"),
    ] {
        let error = load(folder.path(), "x.tiktoken", &text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

fn tekken() -> Value {
    let vocabulary: Vec<Value> = tokens(&["he", "hell", "beyond"])
        .iter()
        .enumerate()
        .map(|(rank, token)| json!({"rank": rank, "token_bytes": STANDARD.encode(token), "token_str": null}))
        .collect();
    json!({
        "config": {
            "pattern": r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", "num_vocab_tokens": 259,
            "default_vocab_size": 288, "default_num_special_tokens": 30, "version": "v3",
        },
        "vocab": vocabulary,
    })
}

#[test]
fn tekken_puts_its_special_tokens_first() {
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = load(folder.path(), "tekken.json", &tekken().to_string()).unwrap();
    // 288 - 30 special ones leave room for 258 ranks: `beyond` is out.
    assert_eq!(tokenizer.encode("hell"), [30 + 257]);
    assert_eq!(tokenizer.encode("he"), [30 + 256]);
    assert_eq!(tokenizer.count("beyond"), 6);
    assert_eq!(tokenizer.encode_with_special("<s>[INST]a"), [1, 3, 30 + 97]);
    assert_eq!(tokenizer.encode("<s>").len(), 3);
    assert_eq!(tokenizer.decode(&[1, 286, 29]), "<s>he<SPECIAL_29>");
    assert_eq!((tokenizer.bos(), tokenizer.eos(), tokenizer.special_tokens_added()), (Some(1), Some(2), 1));
    assert_eq!((tokenizer.vocabulary_size(), tokenizer.ordinary_ids().len()), (288, 258));
}

#[test]
fn tekken_may_list_its_special_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let mut listed = tekken();
    listed["special_tokens"] = json!([{"rank": 0, "token_str": "<unk>", "is_control": true},
        {"rank": 1, "token_str": "<s>", "is_control": true}, {"rank": 2, "token_str": "[THINK]", "is_control": true}]);
    let tokenizer = load(folder.path(), "tekken.json", &listed.to_string()).unwrap();
    assert_eq!(tokenizer.encode_with_special("[THINK]<SPECIAL_3>"), [2, 3]);
    for (field, value, reason) in [
        ("default_vocab_size", json!(9), "its sizes contradict each other"),
        ("default_vocab_size", json!(9999), "its sizes contradict each other"),
        ("default_num_special_tokens", json!(2), "it lists more special tokens than it says it has"),
        ("pattern", json!("("), "its splitting pattern does not compile"),
    ] {
        let mut broken = listed.clone();
        broken["config"][field] = value;
        if field == "default_num_special_tokens" {
            broken["config"]["default_vocab_size"] = json!(260);
        }
        let error = load(folder.path(), "tekken.json", &broken.to_string()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
