//! User-defined symbols, which are never cut and never changed.

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

/// The symbols.
pub(super) struct UserDefined {
    matcher: Option<AhoCorasick>,
    /// The bytes that a symbol begins with: nearly every place in a text is ruled out by this alone.
    first: [bool; 256],
}

impl UserDefined {
    pub(super) fn new<'a>(symbols: impl IntoIterator<Item = &'a str>) -> Self {
        let symbols: Vec<&str> = symbols.into_iter().collect();
        let mut first = [false; 256];
        for byte in symbols.iter().filter_map(|symbol| symbol.bytes().next()) {
            first[usize::from(byte)] = true;
        }
        // Building fails only beyond 2^31 states.
        let matcher = (!symbols.is_empty())
            .then(|| {
                AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostLongest)
                    .start_kind(StartKind::Anchored)
                    .build(&symbols)
                    .ok()
            })
            .flatten();
        Self { matcher, first }
    }

    /// The length of the longest symbol at the beginning of a text.
    #[inline]
    pub(super) fn longest_match(&self, text: &[u8]) -> Option<usize> {
        if !self.first[usize::from(*text.first()?)] {
            return None;
        }
        let input = Input::new(text).anchored(Anchored::Yes);
        self.matcher.as_ref()?.try_find(input).ok()?.map(|found| found.end())
    }
}
