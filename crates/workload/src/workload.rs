//! The workload as a whole.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use tokamark_conversation::{Conversation, Turn};
use tokamark_dataset::Dataset;
use tokamark_plan::{CacheBust, Plan, PrefixPlan, Source};
use tokamark_tokenizer::{Resolved, Tokenizer, resolve};

use crate::build;
use crate::counting::rendered_tokens;
use crate::from_dataset::{FromDataset, Put, child_row};
use crate::mark::{Mark, Phase};
use crate::media::Makers;
use crate::prefix::Prefixes;
use crate::sampling::Order;
use crate::synthetic::{Job, Synthetic};
use crate::template::Before;
use crate::text::Maker;
use crate::{Digest, WorkloadError};

/// What is sent: for each number of a conversation, that conversation. It depends on the plan alone, and any thread may ask
/// for any of them.
#[derive(Debug)]
pub struct Workload {
    kind: Kind,
    order: Order,
    prefixes: Option<Prefixes>,
    media: Makers,
    bust: CacheBust,
    seed: u64,
    tokenizer: Tokenizer,
    is_fallback_tokenizer: bool,
    /// Prompts are counted as the chat template renders them.
    counts_rendered: bool,
    are_distinct: bool,
    failure: OnceLock<WorkloadError>,
}

#[derive(Debug)]
enum Kind {
    Synthetic(Box<Synthetic>),
    Dataset(Box<FromDataset>),
}

impl Workload {
    /// Loads the tokenizer and the dataset, or prepares to make conversations.
    ///
    /// # Errors
    /// [`WorkloadError`], before anything is sent.
    pub fn build(plan: &Plan) -> Result<Self, WorkloadError> {
        let resolved = resolve(&plan.workload.tokenizer, &plan.target.models)?;
        Self::with_tokenizer(plan, resolved)
    }

    /// [`Workload::build`] with a tokenizer that is there already.
    ///
    /// # Errors
    /// [`WorkloadError`], before anything is sent.
    pub fn with_tokenizer(plan: &Plan, resolved: Resolved) -> Result<Self, WorkloadError> {
        let Resolved { tokenizer, is_fallback } = resolved;
        let (seed, workload) = (plan.load.seed, &plan.workload);
        let entries = workload.entries.map(|entries| entries.max(1));
        let counts_rendered =
            workload.tokenizer.apply_chat_template && tokenizer.chat_template().is_some() && build::is_chat(plan);
        let bust = workload.cache_bust;
        let (kind, prefixes, limit) = match &workload.source {
            Source::Synthetic(synthetic) => {
                let maker = build::maker(synthetic, tokenizer.clone(), seed)?;
                let prefixes = Prefixes::new(workload.prefix.clone(), Arc::clone(&maker), seed)?;
                let synthetic = build::synthetic(plan, synthetic, maker, &prefixes)?;
                (Kind::Synthetic(Box::new(synthetic)), Some(prefixes), entries)
            }
            Source::File(_) | Source::Public(_) => {
                let dataset = FromDataset::open(workload, tokenizer.clone(), seed, counts_rendered)?;
                let limit = dataset.dataset.len();
                let needs_prefixes = workload.prefix != PrefixPlan::default() || bust != CacheBust::None;
                let words = || Arc::new(Maker::words(tokenizer.clone(), seed));
                let prefixes =
                    needs_prefixes.then(|| Prefixes::new(workload.prefix.clone(), words(), seed)).transpose()?;
                (Kind::Dataset(Box::new(dataset)), prefixes, Some(limit))
            }
        };
        let media = match &kind {
            Kind::Synthetic(_) => Makers::new(&workload.media, seed)?,
            Kind::Dataset(_) => Makers::default(),
        };
        let order = Order::new(workload.sampling, limit, seed);
        let are_distinct = match &kind {
            Kind::Synthetic(synthetic) => {
                let is_shared = prefixes.as_ref().is_some_and(Prefixes::is_shared);
                synthetic.are_distinct()
                    && order.has_no_repeats(plan.load.request_count.or(plan.load.session_count))
                    && !is_shared
            }
            Kind::Dataset(_) => false,
        };
        Ok(Self {
            kind,
            order,
            prefixes,
            media,
            bust,
            seed,
            tokenizer,
            is_fallback_tokenizer: is_fallback,
            counts_rendered,
            are_distinct,
            failure: OnceLock::new(),
        })
    }

    /// The `number`th conversation, from 0: complete, with its texts and media made and its lengths known.
    ///
    /// # Errors
    /// The dataset cannot be read again, or a piece of media is not to be had.
    pub fn make(&self, number: u64) -> Result<Conversation, WorkloadError> {
        self.one(Phase::Measured, number)
    }

    /// The `number`th conversation of the warm-up. Those made from the seed are none of the measured ones; a dataset is
    /// played from its first, as in the measured phase.
    ///
    /// # Errors
    /// As [`Workload::make`].
    pub fn make_warmup(&self, number: u64) -> Result<Conversation, WorkloadError> {
        self.one(Phase::Warmup, number)
    }

    /// [`Workload::make`] for those who cannot stop: a conversation that is not to be had has no turns, and the first reason is
    /// kept as [`Workload::failure`].
    #[must_use]
    pub fn conversation(&self, number: u64) -> Conversation {
        self.noted(self.make(number))
    }

    /// [`Workload::make_warmup`] for those who cannot stop, as [`Workload::conversation`].
    #[must_use]
    pub fn warmup_conversation(&self, number: u64) -> Conversation {
        self.noted(self.make_warmup(number))
    }

    /// A conversation that only others begin, by its name.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<Conversation> {
        let Kind::Dataset(dataset) = &self.kind else { return None };
        let put = self.put(Phase::Measured, child_row(name), child_row(name));
        match dataset.child(name, &put) {
            Ok(child) => child,
            Err(error) => Some(self.noted(Err(error))),
        }
    }

    /// Why a conversation was not to be had, if any was not.
    #[must_use]
    pub fn failure(&self) -> Option<&WorkloadError> {
        self.failure.get()
    }

    fn noted(&self, made: Result<Conversation, WorkloadError>) -> Conversation {
        made.unwrap_or_else(|error| {
            // Only the first matters.
            let _ = self.failure.set(error);
            Conversation::default()
        })
    }

    /// The first turn of the `number`th conversation.
    #[must_use]
    pub fn turn(&self, number: u64) -> Turn {
        self.conversation(number).turns.into_iter().next().unwrap_or_default()
    }

    /// The first turn of the `number`th conversation of the warm-up.
    #[must_use]
    pub fn warmup_turn(&self, number: u64) -> Turn {
        self.warmup_conversation(number).turns.into_iter().next().unwrap_or_default()
    }

    /// Conversations there are that numbers take turns with; `None` if each number has one of its own.
    #[must_use]
    pub fn conversations(&self) -> Option<u64> {
        self.order.limit()
    }

    /// Conversations that are distinct, to the byte: equal rows, equal conversations. `None` if each number has one of its own,
    /// be it for the sake of a mark.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.order.limit().filter(|_| !Mark::is_of_each(self.bust))
    }

    /// Which row the `number`th conversation has. Where [`Workload::rows`] is `None`, each has its own.
    #[must_use]
    pub fn row_of(&self, number: u64) -> u64 {
        if self.rows().is_some() { self.order.row(number) } else { number }
    }

    /// Whether some conversations have more than one turn.
    #[must_use]
    pub fn has_conversations(&self) -> bool {
        match &self.kind {
            Kind::Synthetic(synthetic) => synthetic.turns.are_several(),
            Kind::Dataset(dataset) => dataset.dataset.turns() > dataset.dataset.len(),
        }
    }

    /// When the first turn of each conversation is due, milliseconds in the dataset's own time; only if that is known of all.
    #[must_use]
    pub fn starts_ms(&self) -> Option<&[f64]> {
        self.dataset().and_then(Dataset::starts_ms)
    }

    /// Whether it is a trace that is replayed.
    #[must_use]
    pub fn is_trace(&self) -> bool {
        self.dataset().is_some_and(|dataset| dataset.format().is_trace())
    }

    /// Rows of the dataset that were left out for their faults.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.dataset().map_or(0, Dataset::skipped_lines)
    }

    /// Fields of the dataset that were not used, in alphabetical order.
    pub fn ignored_fields(&self) -> impl Iterator<Item = &str> {
        self.dataset().into_iter().flat_map(Dataset::ignored_fields)
    }

    /// The dataset, if it is one that conversations come from.
    #[must_use]
    pub fn dataset(&self) -> Option<&Dataset> {
        match &self.kind {
            Kind::Synthetic(_) => None,
            Kind::Dataset(dataset) => Some(&dataset.dataset),
        }
    }

    /// Tokens that the texts of the `number`th conversation's first turn were to have; `None` for a dataset. The turn itself
    /// says how many they have; it differs only where the tokenizer's vocabulary allows no text of that length.
    #[must_use]
    pub fn wanted_input_tokens(&self, number: u64) -> Option<u64> {
        match (&self.kind, &self.prefixes) {
            (Kind::Synthetic(synthetic), Some(prefixes)) => {
                let (phase, row) = (Phase::Measured, self.order.row(number));
                let job = Job { phase, row, mark: None, before: Before::default(), prefixes };
                Some(synthetic.wanted(job))
            }
            _ => None,
        }
    }

    /// SHA-256 of the distinct ones among the first conversations, in the order in which they come up first and in
    /// hexadecimal digits. It makes each of them again; whoever has them at hand feeds a [`Digest`] instead.
    #[must_use]
    pub fn digest(&self, conversations: u64) -> String {
        let mut digest = Digest::new();
        let mut seen = self.rows().map(|_| HashSet::new());
        for number in 0..conversations {
            if seen.as_mut().is_none_or(|seen| seen.insert(self.row_of(number))) {
                digest.push(&self.conversation(number));
            }
        }
        digest.finish()
    }

    /// Whether no two conversations of the run begin alike by design, so that a server has nothing to find in its prefix
    /// cache. That is promised only of single prompts of random words with nothing shared before them, each sent once. It is
    /// false for prose and code, whose windows differ in where they begin but may overlap; for random ids; for conversations
    /// of several turns, which repeat what was said; and for datasets, of which it is not known.
    #[must_use]
    pub fn are_distinct(&self) -> bool {
        self.are_distinct
    }

    /// The tokenizer that counts.
    #[must_use]
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Whether the tokenizer only stands in for the model's own, so that counts are not those of the model.
    #[must_use]
    pub fn is_fallback_tokenizer(&self) -> bool {
        self.is_fallback_tokenizer
    }

    /// What the plan puts before a conversation's turns.
    fn put(&self, phase: Phase, row: u64, number: u64) -> Put {
        let Some(prefixes) = &self.prefixes else { return Put::default() };
        let mark = Mark::new(self.bust, self.seed, phase, number);
        Put {
            system: prefixes.system(mark.as_ref()),
            unmarked_system: prefixes.system(None),
            context: prefixes.context(phase, row),
            mark,
        }
    }

    fn one(&self, phase: Phase, number: u64) -> Result<Conversation, WorkloadError> {
        let row = self.order.row(number);
        let put = self.put(phase, row, number);
        match &self.kind {
            Kind::Dataset(dataset) => dataset.conversation(row, &put),
            Kind::Synthetic(synthetic) => self.made(synthetic, phase, row, put),
        }
    }

    fn made(&self, synthetic: &Synthetic, phase: Phase, row: u64, put: Put) -> Result<Conversation, WorkloadError> {
        let Some(prefixes) = &self.prefixes else { return Ok(Conversation::default()) };
        let before = Before { system: put.system.as_deref(), context: put.context.as_deref() };
        let mut turns = synthetic.turns(Job { phase, row, mark: put.mark.as_ref(), before, prefixes });
        for (number, turn) in (0..).zip(&mut turns) {
            self.media.add(if phase == Phase::Warmup { u64::MAX - row } else { row }, number, turn)?;
        }
        if let Some(first) = turns.first_mut().filter(|_| self.counts_rendered) {
            first.input_tokens = rendered_tokens(&self.tokenizer, before, first).or(first.input_tokens);
        }
        let name = match phase {
            Phase::Measured => "session",
            Phase::Warmup => "warmup",
        };
        let id = format!("{name}_{row:06}");
        Ok(Conversation { id, system: put.system, context: put.context, turns, ..Conversation::default() })
    }
}
