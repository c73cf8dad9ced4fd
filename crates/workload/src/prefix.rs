//! What stands before prompts: prefixes from a pool, system prompts, contexts.

use std::sync::Arc;

use tokamark_plan::{PrefixPlan, SystemPrompt};

use crate::WorkloadError;
use crate::kept::Kept;
use crate::mark::{GAP, Mark, Phase, Side, Target};
use crate::random::{Place, Streams};
use crate::text::{Made, Maker};

/// Bytes of prefixes that are kept.
const KEPT_BYTES: usize = 32 << 20;
/// Servers cache prefixes in blocks, most often of so many tokens.
const CACHE_BLOCK: u64 = 16;
/// Rounds of making a text anew until it fits before a mark.
const ROUNDS: u32 = 6;

/// Makes what stands before prompts.
#[derive(Debug)]
pub(crate) struct Prefixes {
    plan: PrefixPlan,
    maker: Arc<Maker>,
    choices: Streams,
    contents: Streams,
    systems: Streams,
    contexts: Streams,
    kept: Kept<(u64, u64), Made>,
    /// The system prompt without marks.
    system: Option<String>,
}

impl Prefixes {
    pub(crate) fn new(plan: PrefixPlan, maker: Arc<Maker>, seed: u64) -> Result<Self, WorkloadError> {
        if let Some(share) = plan.cache_hit_share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(WorkloadError::HitShare(share));
        }
        let mut prefixes = Self {
            maker,
            choices: Streams::new(seed, "prefix choice"),
            contents: Streams::new(seed, "prefixes"),
            systems: Streams::new(seed, "system prompts"),
            contexts: Streams::new(seed, "contexts"),
            kept: Kept::new(KEPT_BYTES),
            system: None,
            plan,
        };
        let parts = prefixes.plan.system.iter().enumerate().map(|(at, part)| match part {
            SystemPrompt::Text(text) => text.clone(),
            SystemPrompt::Tokens(tokens) => prefixes.system_text(at as u64, &Made::default(), *tokens).text,
        });
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        prefixes.system = (!parts.is_empty()).then(|| parts.join(GAP));
        Ok(prefixes)
    }

    /// Whether prompts share anything by design.
    pub(crate) fn is_shared(&self) -> bool {
        self.has_pool() || self.plan.cache_hit_share.is_some_and(|share| share > 0.0) || self.system.is_some()
    }

    /// Whether first turns get a prefix of a fixed length.
    pub(crate) fn has_pool(&self) -> bool {
        self.plan.pool > 0 && self.plan.tokens > 0 && self.plan.cache_hit_share.is_none()
    }

    /// Which prefix of the pool a conversation's first turn gets.
    pub(crate) fn choice(&self, row: u64) -> u64 {
        self.choices.row(row).below_long(self.plan.pool.max(1))
    }

    /// The prefix of a first turn whose own text has so many tokens, and the tokens of both together. A pool's prefix comes
    /// on top of the text's tokens. A share of the tokens that a cache is to find, rounded to whole cache blocks, is a part
    /// of them; of each entry of the pool, shorter prefixes are the beginning of longer ones wherever words add up.
    pub(crate) fn beginning(&self, row: u64, own: u64) -> (Made, u64) {
        match self.plan.cache_hit_share {
            Some(share) => {
                let blocks = (share * own as f64 / CACHE_BLOCK as f64).round() as u64;
                let length = (blocks * CACHE_BLOCK).min(own);
                if length == 0 { (Made::default(), own) } else { (self.prefix(self.choice(row), length), own) }
            }
            None if self.has_pool() => (self.prefix(self.choice(row), self.plan.tokens), self.plan.tokens + own),
            None => (Made::default(), own),
        }
    }

    fn prefix(&self, entry: u64, tokens: u64) -> Made {
        let make = || self.maker.text(&Made::default(), tokens, None, &mut self.contents.row(entry));
        Made::clone(&self.kept.get((entry, tokens), |made| made.text.len(), make))
    }

    /// The system prompt of a conversation.
    pub(crate) fn system(&self, mark: Option<&Mark>) -> Option<String> {
        let Some((mark, side)) = mark.and_then(|mark| match mark.target {
            Target::System(side) => Some((mark, side)),
            Target::FirstTurn(_) => None,
        }) else {
            return self.system.clone();
        };
        // A made text of a given length is shortened by the mark.
        if let [SystemPrompt::Tokens(tokens)] = self.plan.system[..] {
            return Some(self.beside(mark, side, tokens, |before, total| self.system_text(0, before, total)).text);
        }
        Some(mark.beside(self.system.as_deref().unwrap_or_default()))
    }

    fn system_text(&self, at: u64, before: &Made, tokens: u64) -> Made {
        if tokens == 0 {
            return Made::default();
        }
        self.maker.text(before, tokens, None, &mut self.systems.row(at))
    }

    /// The context of a conversation.
    pub(crate) fn context(&self, phase: Phase, row: u64) -> Option<String> {
        let tokens = self.plan.user_context_tokens;
        if tokens == 0 {
            return None;
        }
        let (head, place) = (self.maker.head(row, phase == Phase::Warmup), place(phase, row, 0));
        Some(self.maker.text(&Made::default(), tokens, Some(head), &mut self.contexts.at(place)).text)
    }

    /// A text that has `total` tokens with a mark at its side.
    pub(crate) fn beside(&self, mark: &Mark, side: Side, total: u64, make: impl Fn(&Made, u64) -> Made) -> Made {
        let tokenizer = self.maker.tokenizer();
        if side == Side::Before {
            return make(&Made::given(tokenizer, format!("{}{GAP}", mark.text)), total);
        }
        let mut own = total.saturating_sub(tokenizer.count(&format!("{GAP}{}", mark.text)) as u64).max(1);
        let mut best = Made::default();
        for round in 0..ROUNDS {
            let made = Made::given(tokenizer, mark.beside(&make(&Made::default(), own).text));
            let reached = made.tokens;
            if round == 0 || reached.abs_diff(total) < best.tokens.abs_diff(total) {
                best = made;
            }
            if reached == total {
                break;
            }
            own = (own + total).saturating_sub(reached).max(1);
        }
        best
    }
}

/// The place of a turn. Warm-up counts down from the end of what measured conversations count up.
pub(crate) fn place(phase: Phase, row: u64, turn: u32) -> Place {
    match phase {
        Phase::Measured => Place::turn(row, turn),
        Phase::Warmup => Place::turn(u64::MAX - row, turn),
    }
}
