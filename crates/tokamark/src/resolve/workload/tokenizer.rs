//! Which tokenizer counts.

use std::path::Path;

use tokamark_plan::TokenizerPlan;

use crate::args::InputArgs;
use crate::problems::Problems;

/// Names of the tokenizer that is part of the program.
const BUILTIN: [&str; 3] = ["builtin", "o200k_base", "o200k_harmony"];

/// The tokenizer that the flags name.
pub(super) fn resolve(args: &InputArgs, problems: &mut Problems) -> TokenizerPlan {
    if args.tokenizer.as_deref().is_some_and(|name| name.trim().is_empty()) {
        problems.add("--tokenizer", "is empty");
    }
    let is_local = |name: &str| BUILTIN.contains(&name) || Path::new(name).exists();
    if args.tokenizer_revision.is_some() && args.tokenizer.as_deref().is_some_and(is_local) {
        problems.add("--tokenizer-revision", "is for names in the cache: it chooses nothing in the given --tokenizer");
    }
    TokenizerPlan {
        name: args.tokenizer.clone(),
        revision: args.tokenizer_revision.clone().unwrap_or_else(|| "main".to_owned()),
        apply_chat_template: args.apply_chat_template,
    }
}
