//! What one event of a stream is. An event can be several things at once (a last token with its finish reason).

use std::ops::{BitOr, BitOrAssign};

/// A set of roles that an event plays in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EventFlags(u16);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $label:literal;)*) => {
        impl EventFlags {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*
            const LABELS: &'static [(Self, &'static str)] = &[$((Self::$name, $label),)*];
        }
    };
}

flags! {
    /// Visible text of the answer.
    CONTENT = 0, "content";
    /// Reasoning ("thinking") text.
    REASONING = 1, "reasoning";
    /// A tool or function call, or a part of one.
    TOOL = 2, "tool";
    /// Announces the role of the speaker.
    ROLE = 3, "role";
    /// Has choices, but nothing in them.
    EMPTY = 4, "empty";
    /// Carries a finish reason.
    FINISH = 5, "finish";
    /// Carries token counts.
    USAGE = 6, "usage";
    /// `[DONE]`, or the dialect's own end mark.
    DONE = 7, "done";
    /// A comment line, such as a heartbeat.
    COMMENT = 8, "comment";
    /// An error in any of its known shapes.
    ERROR = 9, "error";
    /// Anything else.
    UNKNOWN = 10, "unknown";
}

impl EventFlags {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Any of the kinds that a token makes: content, reasoning or tool call.
    pub const GENERATED: Self = Self(Self::CONTENT.0 | Self::REASONING.0 | Self::TOOL.0);

    /// True if the event has at least one of the flags in `other`.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if the event carries generated text; only such events are timed as tokens.
    #[must_use]
    pub const fn is_generated(self) -> bool {
        self.has(Self::GENERATED)
    }

    /// The set as a number, for storage.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set for a stored number.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::LABELS.iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| *name)
    }
}

impl BitOr for EventFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for EventFlags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl std::fmt::Debug for EventFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
