//! Special tokens and where they stand in a text.

use aho_corasick::{AhoCorasick, MatchKind};
use rustc_hash::FxHashMap;

/// Special tokens by their text.
#[derive(Default)]
pub(crate) struct Specials {
    ids: FxHashMap<String, u32>,
    texts: FxHashMap<u32, String>,
    /// Finds the tokens in the order of `order`; absent where there are none.
    matcher: Option<AhoCorasick>,
    order: Vec<u32>,
}

/// A stretch of text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Ordinary text, never empty.
    Text(&'a str),
    /// A special token.
    Special(u32),
}

impl Specials {
    pub(crate) fn new(tokens: impl IntoIterator<Item = (String, u32)>) -> Self {
        let mut specials = Self::default();
        for (text, id) in tokens {
            if !text.is_empty() {
                specials.texts.insert(id, text.clone());
                specials.ids.insert(text, id);
            }
        }
        let texts: Vec<&String> = specials.ids.keys().collect();
        specials.order = texts.iter().map(|text| specials.ids[*text]).collect();
        // The longest wins where several begin at the same place. Building fails only beyond 2^31 states.
        specials.matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts).ok();
        specials
    }

    pub(crate) fn id_of(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub(crate) fn text_of(&self, id: u32) -> Option<&str> {
        self.texts.get(&id).map(String::as_str)
    }

    pub(crate) fn contains(&self, id: u32) -> bool {
        self.texts.contains_key(&id)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Cuts a text at its special tokens.
    pub(crate) fn parts<'a>(&self, text: &'a str) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        let mut start = 0;
        let matches = self.matcher.iter().flat_map(|matcher| matcher.find_iter(text));
        for found in matches {
            if found.start() > start {
                parts.push(Part::Text(&text[start..found.start()]));
            }
            parts.push(Part::Special(self.order[found.pattern().as_usize()]));
            start = found.end();
        }
        if start < text.len() {
            parts.push(Part::Text(&text[start..]));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_special_tokens() {
        let specials = Specials::new([("<s>".to_owned(), 1), ("<s>>".to_owned(), 2), (String::new(), 3)]);
        assert_eq!(specials.len(), 2);
        assert_eq!(specials.parts("<s>a<s>>"), [Part::Special(1), Part::Text("a"), Part::Special(2)]);
        assert_eq!(specials.parts("a < s >"), [Part::Text("a < s >")]);
        assert_eq!(specials.parts(""), []);
        assert_eq!(Specials::default().parts("x"), [Part::Text("x")]);
    }
}
