//! Pieces of text and the text that they add up to.

/// A piece that is appended to a prompt, with the tokens that it most likely adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit<'a> {
    /// The text, without the space before it.
    pub(super) text: &'a str,
    /// Tokens that it adds.
    pub(super) cost: u64,
    /// A space goes before it.
    pub(super) is_word: bool,
}

/// A text in the making: where its units begin, and what they cost. What it began with is never removed.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) text: String,
    units: Vec<(usize, u64)>,
}

impl Draft {
    /// A draft that goes on from a text.
    pub(super) fn new(beginning: &str, tokens: u64) -> Self {
        // Most words have fewer than eight signs with their space.
        let room = usize::try_from(tokens).unwrap_or(0).min(1 << 20);
        let mut text = String::with_capacity(beginning.len() + 8 * room);
        text.push_str(beginning);
        Self { text, units: Vec::with_capacity(room) }
    }

    pub(super) fn push(&mut self, unit: Unit<'_>) {
        self.units.push((self.text.len(), unit.cost));
        if unit.is_word && !self.is_at_line_start() {
            self.text.push(' ');
        }
        self.text.push_str(unit.text);
    }

    /// Whether a word needs no space before it.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Whether anything was appended.
    pub(super) fn is_begun(&self) -> bool {
        !self.units.is_empty()
    }

    /// Removes units of at least so many tokens by estimate; returns by how many it went too far.
    pub(super) fn pop(&mut self, tokens: u64) -> u64 {
        let mut removed = 0;
        while removed < tokens
            && let Some((start, cost)) = self.units.pop()
        {
            self.text.truncate(start);
            removed += cost;
        }
        removed.saturating_sub(tokens)
    }
}
