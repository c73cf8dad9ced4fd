//! From a name to a tokenizer.

use std::fs;
use std::path::{Path, PathBuf};

use tokamark_plan::TokenizerPlan;

use crate::{HubCache, Tokenizer, TokenizerError};

const FILE: &str = "tokenizer.json";

/// Files of tokenizers in formats that are not read.
const OTHER_FORMATS: [&str; 4] = ["tokenizer.model", "tekken.json", "spiece.model", "vocab.json"];

/// Names of tiktoken's encodings whose ordinary tokens are those of the compiled-in vocabulary.
const SAME_AS_BUILTIN: [&str; 3] = ["builtin", "o200k_base", "o200k_harmony"];

/// Names of tiktoken's other encodings.
const OTHER_ENCODINGS: [&str; 5] = ["cl100k_base", "p50k_base", "p50k_edit", "r50k_base", "gpt2"];

/// The tokenizer that the plan leads to.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// None was named, the model's own was not to be had, and the compiled-in one stands in for it, so that counts are
    /// not those of the model.
    pub is_fallback: bool,
}

/// Finds the tokenizer: the named one, else the (first) model's own if it is on this machine, else the compiled-in one.
///
/// # Errors
/// [`TokenizerError`] if the named tokenizer is not to be had, or the one that was found does not work.
pub fn resolve(plan: &TokenizerPlan, models: &[String]) -> Result<Resolved, TokenizerError> {
    resolve_with(plan, models, &HubCache::from_environment())
}

/// [`resolve`] with a given cache.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_with(plan: &TokenizerPlan, models: &[String], cache: &HubCache) -> Result<Resolved, TokenizerError> {
    if let Some(name) = &plan.name {
        return Ok(Resolved { tokenizer: named(name, &plan.revision, cache)?, is_fallback: false });
    }
    if let Some(model) = models.first() {
        match find(model, &plan.revision, cache) {
            Ok(file) => return Ok(Resolved { tokenizer: load(model, &file)?, is_fallback: false }),
            Err(TokenizerError::NotFound { .. } | TokenizerError::UnsupportedFormat { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Resolved { tokenizer: Tokenizer::builtin(), is_fallback: true })
}

fn named(name: &str, revision: &str, cache: &HubCache) -> Result<Tokenizer, TokenizerError> {
    if SAME_AS_BUILTIN.contains(&name) {
        return Ok(Tokenizer::builtin());
    }
    match find(name, revision, cache) {
        Err(TokenizerError::NotFound { name, .. }) if OTHER_ENCODINGS.contains(&name.as_str()) => {
            Err(TokenizerError::UnsupportedEncoding { name })
        }
        found => load(name, &found?),
    }
}

/// The `tokenizer.json` that a name stands for: a file, a folder, or a model in the cache.
fn find(name: &str, revision: &str, cache: &HubCache) -> Result<PathBuf, TokenizerError> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let snapshot = cache.snapshot(name, revision);
    let folders = [path.is_dir().then(|| path.to_owned()), snapshot];
    if let Some(file) = folders.iter().flatten().map(|folder| folder.join(FILE)).find(|file| file.is_file()) {
        return Ok(file);
    }
    for folder in folders.iter().flatten() {
        if let Some(found) = OTHER_FORMATS.into_iter().find(|file| folder.join(file).is_file()) {
            return Err(TokenizerError::UnsupportedFormat { folder: folder.clone(), found });
        }
    }
    let cache_tried = match cache.root() {
        Some(root) => format!("revision {revision} in the cache {}", root.display()),
        None => "no cache, because HF_HOME and HOME are not set".to_owned(),
    };
    let tried = vec![format!("the file {name}"), format!("the file {}", path.join(FILE).display()), cache_tried];
    Err(TokenizerError::NotFound { name: name.to_owned(), tried })
}

fn load(name: &str, file: &Path) -> Result<Tokenizer, TokenizerError> {
    let json = fs::read(file).map_err(|source| TokenizerError::Io { path: file.to_owned(), source })?;
    Tokenizer::from_json(name, &json)
}
