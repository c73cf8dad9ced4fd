//! Finding tokenizers.

use std::fs;
use std::path::Path;

use crate::vocabularies::{bpe_json, word_json};
use tokamark_plan::TokenizerPlan;
use tokamark_tokenizer::{HubCache, Resolved, resolve_with};
use tokamark_tokenizer::{Tokenizer, TokenizerError};

fn find(name: Option<&str>, model: &str, cache: &Path) -> Result<Resolved, TokenizerError> {
    let plan = TokenizerPlan { name: name.map(str::to_owned), revision: "main".into(), apply_chat_template: false };
    resolve_with(&plan, &[model.to_owned()], &HubCache::at(cache))
}

/// A cache with the model `org/model` at revision `main`.
fn cache() -> tempfile::TempDir {
    let cache = tempfile::tempdir().unwrap();
    let model = cache.path().join("models--org--model");
    fs::create_dir_all(model.join("refs")).unwrap();
    fs::create_dir_all(model.join("snapshots/abc123")).unwrap();
    fs::write(model.join("refs/main"), "abc123").unwrap();
    fs::write(model.join("snapshots/abc123/tokenizer.json"), bpe_json(&["river"]).to_string()).unwrap();
    cache
}

#[test]
fn counts_are_of_the_whole_text_whatever_the_file_says() {
    // The file asks for truncation to 16 tokens and padding to 32.
    let tokenizer = Tokenizer::from_json("t", bpe_json(&["river"]).to_string().as_bytes()).unwrap();
    assert_eq!(tokenizer.count("a river"), 2);
    assert_eq!(tokenizer.count(&"x".repeat(100)), 100);
    assert_eq!(tokenizer.count(""), 0);
    assert_eq!(tokenizer.decode(&tokenizer.encode("a river, a")), "a river, a");
}

#[test]
fn builtin_by_its_names() {
    let cache = cache();
    for name in ["builtin", "o200k_base", "o200k_harmony"] {
        let found = find(Some(name), "m", cache.path()).unwrap();
        assert!(found.tokenizer.is_builtin() && !found.is_fallback);
    }
}

#[test]
fn a_file_a_folder_or_a_name_in_the_cache() {
    let cache = cache();
    let folder = cache.path().join("models--org--model/snapshots/abc123");
    let file = folder.join("tokenizer.json");
    for name in [folder.to_str().unwrap(), file.to_str().unwrap(), "org/model"] {
        let found = find(Some(name), "m", cache.path()).unwrap();
        assert_eq!(found.tokenizer.name(), name);
        assert_eq!(found.tokenizer.count("a river"), 2);
        assert!(!found.is_fallback);
    }
}

#[test]
fn a_commit_is_a_revision() {
    let cache = cache();
    let plan = TokenizerPlan { name: Some("org/model".into()), revision: "abc123".into(), apply_chat_template: false };
    assert!(resolve_with(&plan, &[], &HubCache::at(cache.path())).is_ok());
}

#[test]
fn the_models_own_comes_before_builtin() {
    let cache = cache();
    let found = find(None, "org/model", cache.path()).unwrap();
    assert_eq!((found.tokenizer.name(), found.is_fallback), ("org/model", false));
    let found = find(None, "org/other", cache.path()).unwrap();
    assert_eq!((found.tokenizer.name(), found.is_fallback), ("builtin", true));
}

#[test]
fn what_is_not_to_be_had_is_an_error_that_says_what_was_tried() {
    let cache = cache();
    let error = find(Some("org/other"), "org/model", cache.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "tokenizer `org/other` was not found (tried the file or folder org/other, revision main in the cache {}, not \
             the hub, because this run works with what is on this machine); download it, or give --tokenizer a file, a \
             folder, or `builtin`",
            cache.path().display()
        )
    );
}

#[test]
fn a_folder_without_a_tokenizer_is_not_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.json"), "{}").unwrap();
    let name = folder.path().to_str().unwrap();
    assert!(matches!(find(Some(name), "m", folder.path()), Err(TokenizerError::NotFound { .. })));
    assert!(find(None, name, folder.path()).unwrap().is_fallback);
}

#[test]
fn broken_files_are_errors_even_for_the_models_own() {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in
        [("tokenizer.model", "x"), ("tekken.json", "{\"config\": {}"), ("tokenizer.json", "{\"version\":")]
    {
        fs::write(folder.path().join(file), content).unwrap();
        let name = folder.path().to_str().unwrap();
        for error in [find(Some(name), "m", folder.path()), find(None, name, folder.path())] {
            assert!(matches!(error, Err(TokenizerError::Unreadable { .. })), "{file}");
        }
    }
}

#[test]
fn a_vocabulary_that_fails_on_unknown_text_is_refused() {
    let error = Tokenizer::from_json("w", word_json(&["a"], None).to_string().as_bytes()).unwrap_err();
    assert!(matches!(error, TokenizerError::Partial { .. }), "{error}");
    assert!(Tokenizer::from_json("w", word_json(&["a"], Some("?")).to_string().as_bytes()).is_ok());
}
