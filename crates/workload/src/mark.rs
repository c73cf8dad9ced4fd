//! Marks that keep prompts out of the server's prefix cache.

use sha2::{Digest, Sha256};
use tokamark_plan::CacheBust;

/// The mark of all warm-up requests, if they are only to be kept apart.
const WARMUP: &str = "[warmup]";
/// Between a mark and what it stands beside.
pub(crate) const GAP: &str = "\n\n";

/// Which of the two families of conversations one is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Conversations that are measured.
    Measured,
    /// Conversations played before; none that is made from the seed is a measured one.
    Warmup,
}

/// On which side of a text a mark stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    Behind,
}

/// Where a mark goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    System(Side),
    FirstTurn(Side),
}

/// A mark of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) text: String,
    pub(crate) target: Target,
}

impl Mark {
    /// The mark of a conversation, by its number: the same conversation of a dataset has another each time it is played, and
    /// another in the warm-up.
    pub(crate) fn new(plan: CacheBust, seed: u64, phase: Phase, number: u64) -> Option<Self> {
        let (target, is_constant) = match plan {
            CacheBust::None => return None,
            CacheBust::SystemPrefix => (Target::System(Side::Before), false),
            CacheBust::SystemSuffix => (Target::System(Side::Behind), false),
            CacheBust::FirstTurnPrefix => (Target::FirstTurn(Side::Before), false),
            CacheBust::FirstTurnSuffix => (Target::FirstTurn(Side::Behind), false),
            CacheBust::WarmupIsolationSystem => (Target::System(Side::Before), true),
            CacheBust::WarmupIsolationFirstTurn => (Target::FirstTurn(Side::Before), true),
        };
        if is_constant {
            return (phase == Phase::Warmup).then(|| Self { text: WARMUP.to_owned(), target });
        }
        let mut hash = Sha256::new();
        hash.update(b"tokamark mark ");
        hash.update(seed.to_le_bytes());
        hash.update([u8::from(phase == Phase::Warmup)]);
        hash.update(number.to_le_bytes());
        let digits: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Some(Self { text: format!("[rid:{digits}]"), target })
    }

    /// Whether a plan marks each conversation by itself.
    pub(crate) fn is_of_each(plan: CacheBust) -> bool {
        !matches!(plan, CacheBust::None | CacheBust::WarmupIsolationSystem | CacheBust::WarmupIsolationFirstTurn)
    }

    /// A text with the mark on its side; the mark alone if there is no text.
    pub(crate) fn beside(&self, text: &str) -> String {
        let (Target::System(side) | Target::FirstTurn(side)) = self.target;
        match side {
            _ if text.is_empty() => self.text.clone(),
            Side::Before => format!("{}{GAP}{text}", self.text),
            Side::Behind => format!("{text}{GAP}{}", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn marks_have_twelve_digits_and_are_all_different() {
        let mark = |phase, number| Mark::new(CacheBust::FirstTurnPrefix, 1, phase, number).unwrap().text;
        let all: HashSet<String> =
            (0..1_000).flat_map(|number| [mark(Phase::Measured, number), mark(Phase::Warmup, number)]).collect();
        assert_eq!(all.len(), 2_000);
        assert!(all.iter().all(|mark| mark.len() == 18 && mark.starts_with("[rid:") && mark.ends_with(']')));
        assert_eq!(mark(Phase::Measured, 5), mark(Phase::Measured, 5));
    }

    #[test]
    fn marks_stand_where_they_are_wanted() {
        let beside = |plan| Mark::new(plan, 1, Phase::Warmup, 0).unwrap().beside("x");
        assert_eq!(beside(CacheBust::WarmupIsolationSystem), "[warmup]\n\nx");
        assert!(beside(CacheBust::SystemSuffix).starts_with("x\n\n[rid:"));
        assert_eq!(Mark::new(CacheBust::WarmupIsolationFirstTurn, 1, Phase::Measured, 0), None);
        assert_eq!(Mark::new(CacheBust::None, 1, Phase::Warmup, 0), None);
    }
}
