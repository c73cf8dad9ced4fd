//! OpenAI's encodings by name, compiled in.

use super::BytePair;
use super::patterns::{CL100K, R50K};
use super::splitter::Splitter;
use super::vocabulary::Vocabulary;
use crate::engine::Added;
use crate::special::Specials;

/// Each token with its length (one byte) before it, in the order of the ranks. A gap in the ranks has the length 0.
static CL100K_TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k.bin"));
/// The same; the encodings before it have the first part of it.
static P50K_TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/p50k.bin"));

/// How many ranks of p50k those before it have.
const R50K_RANKS: usize = 50_256;

const END_OF_TEXT: &str = "<|endoftext|>";
const FILL_IN: [&str; 3] = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"];
pub(crate) const END_OF_PROMPT: &str = "<|endofprompt|>";

/// An encoding that is not the compiled-in tokenizer's own.
///
/// # Errors
/// Never, as a test shows: the vocabularies are compiled in.
pub(crate) fn named(name: &str) -> Option<Result<BytePair, String>> {
    let end = (END_OF_TEXT, 50_256);
    match name {
        "cl100k_base" => {
            let [prefix, middle, suffix] = FILL_IN;
            let specials = [
                (END_OF_TEXT, 100_257),
                (prefix, 100_258),
                (middle, 100_259),
                (suffix, 100_260),
                (END_OF_PROMPT, 100_276),
            ];
            Some(encoding(CL100K_TOKENS, usize::MAX, CL100K, &specials))
        }
        "p50k_base" => Some(encoding(P50K_TOKENS, usize::MAX, R50K, &[end])),
        "p50k_edit" => {
            let [prefix, middle, suffix] = FILL_IN;
            let specials = [end, (prefix, 50_281), (middle, 50_282), (suffix, 50_283)];
            Some(encoding(P50K_TOKENS, usize::MAX, R50K, &specials))
        }
        "r50k_base" | "gpt2" => Some(encoding(P50K_TOKENS, R50K_RANKS, R50K, &[end])),
        _ => None,
    }
}

fn encoding(tokens: &[u8], ranks: usize, pattern: &str, specials: &[(&str, u32)]) -> Result<BytePair, String> {
    let mut rest = tokens;
    let tokens = std::iter::from_fn(|| {
        let (&length, after) = rest.split_first()?;
        let (token, after) = after.split_at_checked(usize::from(length))?;
        rest = after;
        Some(token)
    });
    let vocabulary = Vocabulary::new(tokens.take(ranks).zip(0..))?;
    let specials = Specials::new(specials.iter().map(|&(text, id)| (text.to_owned(), id)));
    let added = Added { count: 0, bos: None, eos: specials.id_of(END_OF_TEXT) };
    Ok(BytePair { vocabulary, first_id: 0, splitter: Splitter::new(pattern)?, specials, composes: false, added })
}
