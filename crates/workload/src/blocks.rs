//! Prompts of which blocks have names: prompts with the same first names begin with the same tokens, and no others.

use std::sync::Arc;

use crate::kept::Kept;
use crate::random::{Place, Streams};
use crate::text::{Made, Maker};

/// Bytes of blocks that are kept.
const KEPT_BYTES: usize = 64 << 20;

/// Makes prompts of named blocks.
///
/// Each block is a text of random words that begins with a word of its name's own, in tokenizers that split at words behind
/// a border that no token crosses. As many names as there are words (over a thousand with most vocabularies) in a row have
/// different first words, so two prompts usually differ from the very token on at which their names do; names that happen
/// to have the same first word differ a few tokens later.
#[derive(Debug)]
pub(crate) struct Blocks {
    maker: Arc<Maker>,
    contents: Streams,
    tails: Streams,
    kept: Kept<(u64, u64, bool), String>,
}

impl Blocks {
    pub(crate) fn new(maker: Arc<Maker>, seed: u64) -> Self {
        let (contents, tails) = (Streams::new(seed, "blocks"), Streams::new(seed, "block tails"));
        Self { maker, contents, tails, kept: Kept::new(KEPT_BYTES) }
    }

    /// The prompt of so many tokens with these blocks; the last may be cut short, and what they do not cover is a text of the
    /// turn's own that no other shares.
    pub(crate) fn prompt(&self, tokens: u64, blocks: &[u64], block_size: u32, place: Place) -> Made {
        let size = u64::from(block_size.max(1));
        let mut made = Made::default();
        for &name in blocks {
            let missing = tokens.saturating_sub(made.tokens).min(size);
            if missing == 0 {
                break;
            }
            let is_first = made.tokens == 0;
            let block = self.kept.get((name, missing, is_first), String::len, || self.block(name, missing, is_first));
            made.push(&block, missing);
        }
        if made.tokens < tokens || tokens == 0 {
            let head = self.maker.head(place.row, false);
            made = self.maker.text(&made, tokens, Some(head), &mut self.tails.at(place));
        }
        if self.maker.adds_up() { made } else { self.maker.checked(made.text, tokens) }
    }

    /// The text of a block, without the space that stands before all but the first.
    fn block(&self, name: u64, tokens: u64, is_first: bool) -> String {
        let head = self.maker.head(name, false);
        let stream = &mut self.contents.row(name);
        if self.maker.adds_up() || is_first {
            return self.maker.text(&Made::default(), tokens, Some(head), stream).text;
        }
        // What a block adds depends on what it stands behind; a word is what it most often is.
        let before = self.maker.anchor();
        let made = self.maker.text(&before, before.tokens + tokens, Some(head), stream);
        made.text.strip_prefix(&before.text).unwrap_or_default().trim_start_matches(' ').to_owned()
    }
}
