//! The files of a tokenizer: the vocabulary, and what lies beside it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::byte_pair::{tekken, tiktoken};
use crate::config::{TokenizerConfig, chat_templates};
use crate::engine::Engine;
use crate::format::Format;
use crate::gpt2_files;
use crate::hugging_face::HuggingFace;
use crate::sentencepiece::SentencePiece;
use crate::{ChatTemplate, Tokenizer, TokenizerError};

/// Names of vocabularies, the best first.
const VOCABULARIES: [&str; 7] = [
    "tokenizer.json",
    "tekken.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tiktoken.model",
    "vocab.json",
];

pub(crate) const CONFIG: &str = "tokenizer_config.json";
pub(crate) const MERGES: &str = "merges.txt";
pub(crate) const TEMPLATE_FILES: [&str; 2] = ["chat_template.jinja", "chat_template.json"];
const MORE_TEMPLATES: &str = "additional_chat_templates";

/// The best vocabulary among the names of a folder's files. Of several versions of one (`tokenizer.model.v3`) it is the
/// last.
pub(crate) fn choose<'a>(names: &[&'a str]) -> Option<&'a str> {
    let exact = |wanted: &str| names.iter().copied().find(|&name| name == wanted);
    let is_version = |name: &&str| name.contains(".model.v") || name.ends_with(".tiktoken");
    let (vocabulary_pair, single) = (VOCABULARIES[6], &VOCABULARIES[..6]);
    let pair = || exact(vocabulary_pair).filter(|_| exact(MERGES).is_some());
    single.iter().find_map(|name| exact(name)).or_else(|| names.iter().copied().filter(is_version).max()).or_else(pair)
}

/// The vocabulary of a folder.
pub(crate) fn in_folder(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| folder.join(name).is_file()).collect();
    choose(&names).map(|name| folder.join(name))
}

/// Loads a vocabulary and what lies beside it.
pub(crate) fn load(name: &str, file: &Path) -> Result<Tokenizer, TokenizerError> {
    let content = read(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let config = config(folder)?;
    let unreadable = |reason: String| TokenizerError::Unreadable { name: name.to_owned(), reason };
    let engine: Box<dyn Engine> = match Format::of(&content) {
        Some(Format::HuggingFace) => Box::new(HuggingFace::from_json(name, &content, &config)?),
        Some(Format::Tekken) => Box::new(tekken::from_json(&content).map_err(unreadable)?),
        Some(Format::Tiktoken) => Box::new(tiktoken::from_bytes(&content, &config).map_err(unreadable)?),
        Some(Format::SentencePiece) => Box::new(SentencePiece::from_bytes(&content, &config).map_err(unreadable)?),
        Some(Format::Vocabulary) => from_pair(name, &content, &read(&folder.join(MERGES))?, &config)?,
        Some(Format::Merges) => from_pair(name, &read(&folder.join(VOCABULARIES[6]))?, &content, &config)?,
        // The library's own reason is better than none where a file is broken.
        None if content.trim_ascii_start().starts_with(b"{") => {
            Box::new(HuggingFace::from_json(name, &content, &config)?)
        }
        None => {
            let reason = "it is neither a tokenizer.json, a tekken.json, a tiktoken file nor a sentencepiece model";
            return Err(unreadable(reason.to_owned()));
        }
    };
    let templates = templates(folder, &config)?;
    let template = ChatTemplate::new(name, templates, config.named);
    Ok(Tokenizer::from_engine(name, engine.into(), template))
}

fn from_pair(
    name: &str,
    vocabulary: &[u8],
    merges: &[u8],
    config: &TokenizerConfig,
) -> Result<Box<dyn Engine>, TokenizerError> {
    let json = gpt2_files::tokenizer_json(vocabulary, merges, config)
        .map_err(|reason| TokenizerError::Unreadable { name: name.to_owned(), reason })?;
    Ok(Box::new(HuggingFace::from_json(name, &json, config)?))
}

fn read(file: &Path) -> Result<Vec<u8>, TokenizerError> {
    fs::read(file).map_err(|source| TokenizerError::Io { path: file.to_owned(), source })
}

/// A file that need not be there.
fn read_optional(file: &Path) -> Result<Option<Vec<u8>>, TokenizerError> {
    match fs::read(file) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(TokenizerError::Io { path: file.to_owned(), source }),
    }
}

fn config(folder: &Path) -> Result<TokenizerConfig, TokenizerError> {
    let file = folder.join(CONFIG);
    let Some(content) = read_optional(&file)? else { return Ok(TokenizerConfig::default()) };
    TokenizerConfig::from_json(&content)
        .map_err(|error| TokenizerError::Unreadable { name: file.display().to_string(), reason: error.to_string() })
}

/// Templates in files of their own go before those of the configuration.
fn templates(folder: &Path, config: &TokenizerConfig) -> Result<Vec<(String, String)>, TokenizerError> {
    let text = |content: Vec<u8>| String::from_utf8_lossy(&content).into_owned();
    let [jinja, json] = TEMPLATE_FILES.map(|name| folder.join(name));
    if let Some(content) = read_optional(&jinja)? {
        let mut templates = vec![("default".to_owned(), text(content))];
        for entry in fs::read_dir(folder.join(MORE_TEMPLATES)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "jinja")
                && let Some(name) = path.file_stem().and_then(|name| name.to_str())
            {
                templates.push((name.to_owned(), text(read(&path)?)));
            }
        }
        return Ok(templates);
    }
    if let Some(content) = read_optional(&json)? {
        let value: Value = serde_json::from_slice(&content).map_err(|error| TokenizerError::Unreadable {
            name: json.display().to_string(),
            reason: error.to_string(),
        })?;
        return Ok(chat_templates(value.get("chat_template").unwrap_or(&value)));
    }
    Ok(config.chat_templates.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_vocabulary_is_chosen() {
        for (names, chosen) in [
            (&["vocab.json", "merges.txt", "tokenizer.json"][..], Some("tokenizer.json")),
            (&["tokenizer.model", "tekken.json"], Some("tekken.json")),
            (&["spiece.model", "vocab.json"], Some("spiece.model")),
            (&["tokenizer.model.v1", "tokenizer.model.v3"], Some("tokenizer.model.v3")),
            (&["qwen.tiktoken"], Some("qwen.tiktoken")),
            (&["merges.txt", "vocab.json"], Some("vocab.json")),
            (&["vocab.json", "config.json"], None),
        ] {
            assert_eq!(choose(names), chosen);
        }
    }
}
