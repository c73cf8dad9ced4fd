//! Tokenizers: the compiled-in one, OpenAI's encodings by name, and the files of Hugging Face, tiktoken, sentencepiece
//! and Mistral's tekken, from this machine or the hub; and chat templates.

mod builtin;
mod byte_level;
mod byte_pair;
mod chat_template;
mod config;
mod engine;
mod error;
mod files;
mod format;
mod gpt2_files;
mod hub;
mod hub_cache;
mod hugging_face;
mod resolve;
mod sentencepiece;
mod special;
mod tokenizer;

pub use chat_template::{ChatTemplate, TemplateError};
pub use error::TokenizerError;
pub use hub::{Hub, HubError};
pub use hub_cache::HubCache;
pub use resolve::{Resolved, resolve, resolve_from, resolve_with};
pub use tokenizer::Tokenizer;
