//! What `--synthesis-*` changes in rows that were once sent, where prompts have no shared blocks of their own.

use tokamark_conversation::{Prompt, Turn};
use tokamark_plan::{DatasetPlan, SynthesisPlan};
use tokamark_trace::divided;

/// Changes recorded rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded(SynthesisPlan);

impl Recorded {
    pub(super) fn new(plan: &DatasetPlan) -> Self {
        Self(plan.trace.synthesis)
    }

    /// Changes a turn whose recorded prompt had so many tokens; whether it is kept.
    pub(super) fn change(self, turn: &mut Turn, input_tokens: Option<u64>) -> bool {
        let plan = self.0;
        if plan.max_isl.zip(input_tokens).is_some_and(|(longest, tokens)| tokens > longest) {
            return false;
        }
        // Times are divided when all of them are known.
        turn.delay_ms = turn.delay_ms.map(|ms| divided(ms, plan.speedup_ratio));
        turn.output_tokens = turn.output_tokens.map(|tokens| {
            let tokens = scaled(tokens, plan.output_len_multiplier);
            plan.max_osl.map_or(tokens, |longest| tokens.min(longest))
        });
        if let Prompt::Made { tokens, blocks, .. } = &mut turn.prompt
            && blocks.is_empty()
        {
            *tokens = scaled(*tokens, plan.prompt_len_multiplier);
        }
        true
    }
}

fn scaled(tokens: u64, multiplier: f64) -> u64 {
    if multiplier == 1.0 { tokens } else { ((tokens as f64 * multiplier).round() as u64).max(1) }
}
