//! From a plan to what makes its conversations.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tokamark_plan::{Corpus, EndpointKind, LengthDistribution, Plan, SyntheticPlan};
use tokamark_tokenizer::Tokenizer;

use crate::WorkloadError;
use crate::ids::{Ids, Spec};
use crate::lengths::Lengths;
use crate::mark::Phase;
use crate::prefix::Prefixes;
use crate::random::Streams;
use crate::synthetic::{Rankings, Synthetic, Texts, Turns, groups};
use crate::template::{Added, Before};
use crate::text::Maker;
use crate::turn_lengths::{TurnLengths, Windows};

/// Longest corpus of the user's, in bytes.
const LONGEST_CORPUS: u64 = 1 << 30;
/// Shortest corpus, in words.
const FEWEST_WORDS: usize = 2;

/// Whether requests have messages, which servers render with a chat template.
pub(crate) fn is_chat(plan: &Plan) -> bool {
    matches!(plan.target.endpoint, EndpointKind::Chat)
}

/// What makes the texts.
pub(crate) fn maker(plan: &SyntheticPlan, tokenizer: Tokenizer, seed: u64) -> Result<Arc<Maker>, WorkloadError> {
    let file = plan.corpus_file.as_deref().filter(|_| plan.corpus == Corpus::Prose);
    let text = file.map(corpus).transpose()?;
    Ok(Arc::new(Maker::new(tokenizer, plan.corpus, text, seed)))
}

/// A text of the user's, in one line: lines are stripped and blank ones dropped.
fn corpus(path: &Path) -> Result<String, WorkloadError> {
    let wrong = |reason: String| WorkloadError::Corpus { path: path.to_owned(), reason };
    let length = fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if length > LONGEST_CORPUS {
        return Err(wrong(format!("it has {length} bytes, and {LONGEST_CORPUS} are the most")));
    }
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(format!("it is not UTF-8 ({})", error.utf8_error())))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    if text.split_whitespace().count() < FEWEST_WORDS {
        return Err(wrong("it holds fewer than two words".to_owned()));
    }
    Ok(text)
}

/// What makes the conversations.
pub(crate) fn synthetic(
    plan: &Plan,
    synthetic: &SyntheticPlan,
    maker: Arc<Maker>,
    prefixes: &Prefixes,
) -> Result<Synthetic, WorkloadError> {
    let (seed, workload) = (plan.load.seed, &plan.workload);
    let is_random = synthetic.corpus == Corpus::Random;
    let added = added(plan, synthetic, &maker, prefixes)?;
    let output = workload.output_tokens.as_ref();
    let mean = |lengths: &LengthDistribution| Lengths::new(lengths).map(|lengths| lengths.mean());
    let windows = match synthetic.range_ratio {
        Some(ratio) => {
            let input = mean(&synthetic.input_tokens).map_err(WorkloadError::InputLength)?;
            let output = output.map(mean).transpose().map_err(WorkloadError::OutputLength)?;
            let has_prefix = prefixes.has_pool();
            Some(Windows::new(synthetic.random_style, ratio, (input, output), added.first, has_prefix)?)
        }
        None => None,
    };
    let texts = match &synthetic.rankings {
        Some(rankings) => Texts::Rankings(Box::new(Rankings::new(rankings, seed)?)),
        None if !synthetic.groups.is_empty() => groups(&synthetic.groups, workload.batch_size.max(1)),
        None => Texts::Plain(workload.batch_size.max(1)),
    };
    let ids = is_random.then(|| {
        let rows = workload.entries.or(plan.load.session_count).or(plan.load.request_count).unwrap_or(0);
        let pool = if prefixes.has_pool() { (workload.prefix.pool, workload.prefix.tokens) } else { (0, 0) };
        let windows = windows.filter(|_| synthetic.pairs.is_empty());
        let spec = Spec { style: synthetic.random_style, seed, rows, windows, prefixes: pool };
        Ids::new(Arc::clone(&maker), spec)
    });
    // What was subtracted before the draw is subtracted again behind it.
    let drawn = windows.map(|windows| windows.with_added(added.first));
    Ok(Synthetic {
        lengths: TurnLengths::new(synthetic, output, drawn, seed)?,
        turns: Turns::new(synthetic.turns.clone(), seed)?,
        contents: Streams::new(seed, "texts"),
        corpus: synthetic.corpus,
        maker,
        texts,
        added,
        ids,
    })
}

/// What the server adds to texts and is to be a part of their lengths. The random datasets of vLLM and SGLang count special
/// tokens in any case.
fn added(plan: &Plan, synthetic: &SyntheticPlan, maker: &Maker, prefixes: &Prefixes) -> Result<Added, WorkloadError> {
    let tokenizer = maker.tokenizer();
    if synthetic.counts_template && is_chat(plan) && tokenizer.chat_template().is_some() {
        let (system, context) = (prefixes.system(None), prefixes.context(Phase::Measured, 0));
        let before = Before { system: system.as_deref(), context: context.as_deref() };
        return Ok(Added::to_chat(maker, before)?);
    }
    let counts = synthetic.counts_template || synthetic.corpus == Corpus::Random;
    Ok(if counts { Added::to_text(tokenizer) } else { Added::default() })
}
