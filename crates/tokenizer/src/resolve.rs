//! From a name to a tokenizer.

use std::path::{Path, PathBuf};

use tokamark_plan::TokenizerPlan;

use crate::{Hub, HubCache, Tokenizer, TokenizerError, files};

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
/// Only a name that was given is asked for on the hub.
///
/// # Errors
/// [`TokenizerError`] if the named tokenizer is not to be had, or the one that was found does not work.
pub fn resolve(plan: &TokenizerPlan, models: &[String]) -> Result<Resolved, TokenizerError> {
    resolve_from(plan, models, &HubCache::from_environment(), &Hub::from_environment())
}

/// [`resolve`] with a given cache and without the hub.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_with(plan: &TokenizerPlan, models: &[String], cache: &HubCache) -> Result<Resolved, TokenizerError> {
    resolve_from(plan, models, cache, &Hub::offline("this run works with what is on this machine"))
}

/// [`resolve`] with a given cache and hub.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_from(
    plan: &TokenizerPlan,
    models: &[String],
    cache: &HubCache,
    hub: &Hub,
) -> Result<Resolved, TokenizerError> {
    if let Some(name) = &plan.name {
        return Ok(Resolved { tokenizer: named(name, &plan.revision, cache, hub)?, is_fallback: false });
    }
    if let Some(model) = models.first()
        && let Some(file) = at_path(model).or_else(|| cached(model, &plan.revision, cache))
    {
        return Ok(Resolved { tokenizer: files::load(model, &file)?, is_fallback: false });
    }
    Ok(Resolved { tokenizer: Tokenizer::builtin(), is_fallback: true })
}

fn named(name: &str, revision: &str, cache: &HubCache, hub: &Hub) -> Result<Tokenizer, TokenizerError> {
    if name == "builtin" {
        return Ok(Tokenizer::builtin());
    }
    if let Some(file) = at_path(name) {
        return files::load(name, &file);
    }
    if let Some(encoding) = Tokenizer::encoding(name) {
        return Ok(encoding);
    }
    if let Some(file) = cached(name, revision, cache) {
        return files::load(name, &file);
    }
    let mut tried = vec![format!("the file or folder {name}")];
    tried.push(match cache.root() {
        Some(root) => format!("revision {revision} in the cache {}", root.display()),
        None => "no cache, because HF_HOME and HOME are not set".to_owned(),
    });
    if !is_hub_name(name) || Path::new(name).exists() {
        return Err(TokenizerError::NotFound { name: name.to_owned(), tried });
    }
    if let Some(reason) = hub.why_offline() {
        tried.push(format!("not the hub, because {reason}"));
        return Err(TokenizerError::NotFound { name: name.to_owned(), tried });
    }
    let download = |reason| TokenizerError::Download { name: name.to_owned(), reason };
    let file = hub.fetch(name, revision, cache).map_err(download)?;
    files::load(name, &file)
}

/// The vocabulary that is a file or in a folder of this name.
fn at_path(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_file() { Some(path.to_owned()) } else { files::in_folder(path) }
}

/// The vocabulary that was downloaded under this name.
fn cached(name: &str, revision: &str, cache: &HubCache) -> Option<PathBuf> {
    files::in_folder(&cache.snapshot(name, revision)?)
}

/// Whether the hub may have a model of this name: `NAME` or `ORG/NAME`, and nothing that looks like a path or a file.
fn is_hub_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with(['.', '-'])
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    let parts: Vec<&str> = name.split('/').collect();
    let looks_like_a_file = [".json", ".model", ".tiktoken", ".txt"].iter().any(|ending| name.ends_with(ending));
    parts.len() <= 2 && parts.iter().all(|part| is_part(part)) && !looks_like_a_file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_files_are_not_asked_for_on_the_hub() {
        for name in ["gpt2", "meta-llama/Llama-3.1-8B", "org/a_b.c"] {
            assert!(is_hub_name(name), "{name}");
        }
        for name in
            ["", "/a", "a/b/c", "./a", "../a", "a/", "tokenizer.json", "x/tokenizer.model", "a b", "~/x", "a\\b"]
        {
            assert!(!is_hub_name(name), "{name}");
        }
    }
}
