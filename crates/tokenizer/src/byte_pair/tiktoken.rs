//! Files of tiktoken's form: a token in base64 and its rank on each line. Meta calls such a file `tokenizer.model`,
//! Qwen `qwen.tiktoken`, Kimi `tiktoken.model`.
//!
//! The files say neither how text is split nor what the special tokens are. Both follow from the family, which the
//! number of tokens tells; special tokens that a `tokenizer_config.json` beside the file names come on top.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::BytePair;
use super::patterns::Family;
use super::splitter::Splitter;
use super::vocabulary::Vocabulary;
use crate::config::TokenizerConfig;
use crate::engine::Added;
use crate::special::Specials;

/// Whether a text is of this form, by its first line.
pub(crate) fn is_tiktoken(content: &[u8]) -> bool {
    let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
    parse(line.trim_ascii_end()).is_some()
}

fn parse(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let space = line.iter().position(|&byte| byte == b' ')?;
    let rank = std::str::from_utf8(&line[space + 1..]).ok()?.trim().parse().ok()?;
    Some((STANDARD.decode(&line[..space]).ok()?, rank))
}

/// # Errors
/// What is wrong with the file.
pub(crate) fn from_bytes(content: &[u8], config: &TokenizerConfig) -> Result<BytePair, String> {
    let mut tokens = Vec::new();
    for (number, line) in content.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if !line.is_empty() {
            tokens.push(parse(line).ok_or_else(|| format!("line {} is not a token and its rank", number + 1))?);
        }
    }
    let vocabulary = Vocabulary::new(tokens)?;
    if let Some(byte) = vocabulary.missing_byte() {
        return Err(format!("it has no token for the byte {byte:#04x}"));
    }
    let family = Family::of_size(vocabulary.len());
    let first_special = u32::try_from(vocabulary.len()).map_err(|_| "it has too many tokens".to_owned())?;
    let own = family.special_tokens().into_iter().zip(first_special..);
    let named = config.added_tokens.iter().map(|token| (token.content.clone(), token.id));
    let specials = Specials::new(own.chain(named));
    let (bos, eos, adds_bos) = family.ends();
    let id_of = |text: Option<&str>| specials.id_of(text?);
    let added = Added { count: usize::from(adds_bos), bos: id_of(bos), eos: id_of(eos) };
    Ok(BytePair {
        vocabulary,
        first_id: 0,
        splitter: Splitter::new(family.pattern())?,
        specials,
        composes: family == Family::Qwen,
        added,
    })
}
