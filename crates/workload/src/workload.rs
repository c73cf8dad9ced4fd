//! The workload as a whole.

use tokamark_conversation::{Prompt, Turn};
use tokamark_plan::{Plan, Source};

use crate::Digest;
use crate::dataset::{Dataset, DatasetError};
use crate::synthetic::{LengthError, Lengths, Phase, Streams, Synthetic};
use tokamark_tokenizer::{Resolved, Tokenizer, TokenizerError, resolve};

/// Why there is no workload.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The tokenizer is not to be had.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The dataset cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The public dataset is not known.
    #[error("the public dataset `{0}` is not known")]
    Public(String),
    /// The lengths of the prompts cannot be drawn.
    #[error("the input length is not usable: {0}")]
    InputLength(LengthError),
    /// The lengths of the answers cannot be drawn.
    #[error("the output length is not usable: {0}")]
    OutputLength(LengthError),
}

/// What is sent: for each number of a request, its turn. It depends on the plan alone, and any thread may ask for any turn.
#[derive(Debug)]
pub struct Workload {
    rows: Rows,
    /// Rows in use; as many as are asked for if absent.
    limit: Option<u64>,
    output: Option<Lengths>,
    tokenizer: Tokenizer,
    is_fallback_tokenizer: bool,
    are_distinct: bool,
}

#[derive(Debug)]
enum Rows {
    Synthetic(Box<Synthetic>),
    Dataset(Dataset),
}

impl Workload {
    /// Loads the tokenizer and the dataset, or prepares to make prompts. The plan's batch size is that of synthetic
    /// turns; a dataset's row has the texts that it has.
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
        let seed = plan.load.seed;
        let workload = &plan.workload;
        let entries = workload.entries.map(|entries| entries.max(1));
        let (rows, limit) = match &workload.source {
            Source::Synthetic(synthetic) => {
                let synthetic =
                    Synthetic::new(tokenizer.clone(), synthetic.input_tokens.clone(), workload.batch_size, seed)
                        .map_err(WorkloadError::InputLength)?;
                (Rows::Synthetic(Box::new(synthetic)), entries)
            }
            Source::File(file) => {
                let dataset = Dataset::single_turn(&file.path)?;
                let count = dataset.rows.len() as u64;
                (Rows::Dataset(dataset), Some(entries.map_or(count, |entries| entries.min(count))))
            }
            Source::Public(public) => return Err(WorkloadError::Public(public.name.clone())),
        };
        let output =
            workload.output_tokens.clone().map(|output| Lengths::new(output, Streams::new(seed, "output length")));
        let output = output.transpose().map_err(WorkloadError::OutputLength)?;
        let is_used_once = limit.is_none_or(|limit| plan.load.request_count.is_some_and(|count| count <= limit));
        let are_distinct = matches!(rows, Rows::Synthetic(_)) && is_used_once;
        Ok(Self { rows, limit, output, tokenizer, is_fallback_tokenizer: is_fallback, are_distinct })
    }

    /// Rows that requests take turns with; `None` if each request has one of its own.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.limit
    }

    /// The turn of the `number`th request, from 0.
    #[must_use]
    pub fn turn(&self, number: u64) -> Turn {
        self.row(Phase::Measured, self.row_of(number))
    }

    /// The turn of the `number`th request of the warm-up. Synthetic ones are none of the measured ones; a dataset is
    /// sent from its first row, as in the measured phase.
    #[must_use]
    pub fn warmup_turn(&self, number: u64) -> Turn {
        self.row(Phase::Warmup, self.row_of(number))
    }

    /// Tokens that the texts of the `number`th request were to have; `None` for a dataset. The turn itself says how
    /// many they have; it differs only where the tokenizer's vocabulary allows no text of that length.
    #[must_use]
    pub fn wanted_input_tokens(&self, number: u64) -> Option<u64> {
        match &self.rows {
            Rows::Synthetic(synthetic) => Some(synthetic.wanted(self.row_of(number))),
            Rows::Dataset(_) => None,
        }
    }

    /// SHA-256 of the distinct turns among the first `rows_used` requests, in hexadecimal digits. It makes each of them
    /// again; whoever has them at hand feeds a [`Digest`] instead.
    #[must_use]
    pub fn digest(&self, rows_used: u64) -> String {
        let mut digest = Digest::new();
        for number in 0..self.limit.map_or(rows_used, |limit| limit.min(rows_used)) {
            digest.push(&self.turn(number));
        }
        digest.finish()
    }

    /// Whether no two requests of the run have the same prompt by design, so that a server has nothing to find in its
    /// prefix cache. False for datasets, of which that is not known.
    #[must_use]
    pub fn are_distinct(&self) -> bool {
        self.are_distinct
    }

    /// Fields of the dataset that were not used, such as time stamps and unknown ones, in alphabetical order.
    pub fn ignored_fields(&self) -> impl Iterator<Item = &str> {
        let ignored = match &self.rows {
            Rows::Synthetic(_) => None,
            Rows::Dataset(dataset) => Some(&dataset.ignored),
        };
        ignored.into_iter().flatten().map(String::as_str)
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

    fn row_of(&self, number: u64) -> u64 {
        self.limit.map_or(number, |limit| number % limit)
    }

    fn row(&self, phase: Phase, row: u64) -> Turn {
        let drawn = || {
            let stream = match phase {
                Phase::Measured => row,
                Phase::Warmup => u64::MAX - row,
            };
            self.output.as_ref().map(|output| output.row(stream))
        };
        match &self.rows {
            Rows::Synthetic(synthetic) => {
                let made = synthetic.row(phase, row);
                Turn {
                    row,
                    prompt: Prompt::Texts(made.texts),
                    input_tokens: Some(made.tokens),
                    output_tokens: drawn(),
                    ..Turn::default()
                }
            }
            Rows::Dataset(dataset) => {
                let found = &dataset.rows[row as usize];
                Turn {
                    row,
                    prompt: Prompt::Texts(found.texts.clone()),
                    input_tokens: Some(found.tokens(&self.tokenizer)),
                    output_tokens: found.output_tokens.or_else(drawn),
                    model: found.model.clone(),
                    extra: found.extra.clone(),
                    ..Turn::default()
                }
            }
        }
    }
}
