//! Units that are a window of a running text: it begins anywhere and goes on from the start behind the end.

use std::collections::{BTreeSet, HashMap};

use tokamark_tokenizer::Tokenizer;

use super::compose::Units;
use super::unit::Unit;
use crate::random::Stream;

/// Longer pieces are cut, so that texts without spaces have pieces too.
const LONGEST: usize = 256;
/// Bytes of the text on which it is tried whether the tokens of its pieces add up.
const TRIED: usize = 256 << 10;
/// Pieces that are looked at for one that fits before words fill up.
const LOOKED_AT: usize = 8;

/// A running text in pieces, most of them words with what follows them up to the next.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    text: String,
    pieces: Vec<Piece>,
    /// Pieces in a row have as many tokens as they have one by one.
    pub(super) is_additive: bool,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    end: u32,
    cost: u32,
    /// A space goes before it.
    is_word: bool,
}

impl Windows {
    /// The pieces of a text, which must have some letters and less than 4 GiB.
    pub(super) fn new(text: String, tokenizer: &Tokenizer, crossings: &BTreeSet<char>) -> Self {
        let (spans, mut is_additive) = spans(&text);
        let mut costs: HashMap<(&str, bool), u32> = HashMap::new();
        let pieces: Vec<Piece> = spans
            .iter()
            .map(|&(start, end, is_word)| {
                let piece = &text[start..end];
                let cost = *costs.entry((piece, is_word)).or_insert_with(|| {
                    // The sign before the space keeps it from being the first of the text.
                    let space = if is_word { " " } else { "" };
                    let alone = tokenizer.count(&format!("a{space}{piece}")).saturating_sub(tokenizer.count("a"));
                    alone.max(1) as u32
                });
                Piece { start: start as u32, end: end as u32, cost, is_word }
            })
            .collect();
        if is_additive && crossings.is_empty() {
            let tried = pieces.iter().take_while(|piece| (piece.end as usize) < TRIED).collect::<Vec<_>>();
            let end = tried.last().map_or(0, |piece| piece.end as usize);
            let sum: usize = tried.iter().map(|piece| piece.cost as usize).sum();
            // The anchor makes the first piece stand behind a space like all others.
            let whole = tokenizer.count(&format!("a {}", &text[..end])) - tokenizer.count("a");
            is_additive = whole == sum;
        } else {
            is_additive = false;
        }
        Self { text, pieces, is_additive }
    }

    fn unit(&self, piece: &Piece) -> Unit<'_> {
        Unit {
            text: &self.text[piece.start as usize..piece.end as usize],
            cost: piece.cost.into(),
            is_word: piece.is_word,
        }
    }
}

/// Where pieces begin and end, and whether a space goes before them (which is then no part of them). A piece begins with a
/// letter behind a space that stands behind a sign: there, tokenizers that split at words never merge. False if a piece had
/// to be cut elsewhere.
fn spans(text: &str) -> (Vec<(usize, usize, bool)>, bool) {
    let mut spans: Vec<(usize, usize, bool)> = Vec::new();
    let mut is_clean = true;
    let (mut start, mut is_word) = (0, true);
    let mut before = ['\n', '\n'];
    for (at, character) in text.char_indices() {
        if character.is_alphabetic() && before[1] == ' ' && !before[0].is_whitespace() {
            spans.push((start, at - 1, is_word));
            (start, is_word) = (at, true);
        } else if at - start >= LONGEST {
            spans.push((start, at, is_word));
            (start, is_word, is_clean) = (at, false, false);
        }
        before = [before[1], character];
    }
    spans.push((start, text.len(), is_word));
    spans.retain(|(start, end, _)| start < end);
    (spans, is_clean)
}

/// A window of a running text.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub(super) windows: &'a Windows,
    pub(super) tokenizer: &'a Tokenizer,
    /// The next piece; drawn when the first is asked for.
    pub(super) at: Option<usize>,
}

impl<'a> Units<'a> for Window<'a> {
    fn next(&mut self, missing: u64, at_line_start: bool, stream: &mut Stream) -> Option<Unit<'a>> {
        let count = self.windows.pieces.len();
        let is_first = self.at.is_none();
        let mut at = self.at.unwrap_or_else(|| stream.below(count as u32) as usize);
        for _ in 0..if is_first { LOOKED_AT } else { 1 } {
            let mut unit = self.windows.unit(self.windows.pieces.get(at)?);
            at = (at + 1) % count;
            if at_line_start {
                unit.cost = self.tokenizer.count(unit.text).max(1) as u64;
            }
            if unit.cost <= missing {
                self.at = Some(at);
                return Some(unit);
            }
        }
        self.at = Some(at);
        None
    }
}
