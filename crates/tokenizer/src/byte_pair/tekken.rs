//! Mistral's `tekken.json`: a vocabulary in base64 with its splitting pattern. Special tokens come first, so that the
//! token of rank r has the number r + (number of special tokens); of the ranks only as many count as the vocabulary's
//! size leaves room for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::BytePair;
use super::splitter::Splitter;
use super::vocabulary::Vocabulary;
use crate::engine::Added;
use crate::special::Specials;

#[derive(Deserialize)]
struct Tekken {
    config: Config,
    vocab: Vec<Token>,
    #[serde(default)]
    special_tokens: Option<Vec<SpecialToken>>,
}

#[derive(Deserialize)]
struct Config {
    pattern: String,
    default_vocab_size: usize,
    default_num_special_tokens: usize,
}

#[derive(Deserialize)]
struct Token {
    rank: u32,
    token_bytes: String,
}

#[derive(Deserialize)]
struct SpecialToken {
    rank: u32,
    token_str: String,
}

/// The special tokens of files that do not list them.
const UNLISTED: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// # Errors
/// What is wrong with the file.
pub(crate) fn from_json(json: &[u8]) -> Result<BytePair, String> {
    let tekken: Tekken = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let Config { pattern, default_vocab_size, default_num_special_tokens: special_count } = tekken.config;
    let ordinary_count = default_vocab_size
        .checked_sub(special_count)
        .filter(|&count| count <= tekken.vocab.len())
        .ok_or("its sizes contradict each other")?;
    let mut tokens = Vec::with_capacity(ordinary_count);
    for token in tekken.vocab {
        if (token.rank as usize) < ordinary_count {
            let bytes = STANDARD.decode(&token.token_bytes);
            tokens.push((bytes.map_err(|_| format!("the token of rank {} is not base64", token.rank))?, token.rank));
        }
    }
    let vocabulary = Vocabulary::new(tokens)?;
    if let Some(byte) = vocabulary.missing_byte() {
        return Err(format!("it has no token for the byte {byte:#04x}"));
    }
    let listed: Vec<(String, u32)> = match tekken.special_tokens {
        Some(tokens) => tokens.into_iter().map(|token| (token.token_str, token.rank)).collect(),
        None => UNLISTED.iter().map(|token| (*token).to_owned()).zip(0..).collect(),
    };
    let first_id = u32::try_from(special_count).map_err(|_| "it has too many special tokens")?;
    if listed.iter().any(|&(_, id)| id >= first_id) {
        return Err("it lists more special tokens than it says it has".to_owned());
    }
    let fillers = (listed.len() as u32..first_id).map(|id| (format!("<SPECIAL_{id}>"), id));
    let specials = Specials::new(listed.into_iter().chain(fillers));
    let bos = specials.id_of("<s>");
    let added = Added { count: usize::from(bos.is_some()), bos, eos: specials.id_of("</s>") };
    Ok(BytePair { vocabulary, first_id, splitter: Splitter::new(&pattern)?, specials, composes: false, added })
}
