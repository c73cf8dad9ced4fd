//! Conversations made from the seed.

use std::sync::Arc;

use tokamark_conversation::{Prompt, TextGroup, Turn};
use tokamark_plan::{Corpus, LengthBounds, LengthDistribution, LengthShape, RankingsPlan, TurnsPlan};

use crate::WorkloadError;
use crate::ids::Ids;
use crate::lengths::Lengths;
use crate::mark::{GAP, Mark, Phase, Side, Target};
use crate::prefix::{Prefixes, place};
use crate::random::{Place, Streams};
use crate::template::{Added, Before};
use crate::text::{Made, Maker};
use crate::turn_lengths::TurnLengths;

/// Draws of a wait below 0 that are drawn again before it counts as none.
const TRIES: u32 = 10_000;
/// What a query and its passages are called.
const RANKINGS: [&str; 2] = ["query", "passages"];

/// How many turns, and how long one waits before each.
#[derive(Debug)]
pub(crate) struct Turns {
    plan: TurnsPlan,
    counts: Lengths,
    count_streams: Streams,
    delays: Streams,
}

impl Turns {
    pub(crate) fn new(plan: TurnsPlan, seed: u64) -> Result<Self, WorkloadError> {
        let shape = LengthShape::Normal { mean: plan.mean, stddev: plan.stddev };
        let counts = Lengths::new(&LengthDistribution { shape, bounds: LengthBounds::default() });
        Ok(Self {
            counts: counts.map_err(WorkloadError::Turns)?,
            count_streams: Streams::new(seed, "turns"),
            delays: Streams::new(seed, "delays"),
            plan,
        })
    }

    fn count(&self, place: Place) -> u32 {
        u32::try_from(self.counts.draw(&mut self.count_streams.at(place))).unwrap_or(u32::MAX)
    }

    /// Milliseconds before a turn; what lies below 0 is drawn again.
    fn delay_ms(&self, place: Place) -> Option<f64> {
        let TurnsPlan { delay_mean_ms, delay_stddev_ms, delay_ratio, .. } = self.plan;
        if place.turn == 0 || (delay_mean_ms == 0.0 && delay_stddev_ms == 0.0) {
            return None;
        }
        let mut stream = self.delays.at(place);
        let mut draws = (0..TRIES).map(|_| delay_mean_ms + delay_stddev_ms * stream.normal());
        Some(draws.find(|delay| *delay >= 0.0).unwrap_or(0.0) * delay_ratio)
    }

    /// Whether conversations may have more than one turn.
    pub(crate) fn are_several(&self) -> bool {
        self.plan.mean >= 1.5 || self.plan.stddev > 0.0
    }
}

/// The texts of a turn.
#[derive(Debug)]
pub(crate) enum Texts {
    /// So many texts.
    Plain(u32),
    /// Named groups of so many texts each.
    Groups(Vec<(String, u32)>),
    /// A query and passages.
    Rankings(Box<Rankings>),
}

/// The lengths of a query and its passages.
#[derive(Debug)]
pub(crate) struct Rankings {
    passages: Lengths,
    passage_tokens: Lengths,
    query_tokens: Lengths,
    counts: Streams,
    lengths: Streams,
}

impl Rankings {
    pub(crate) fn new(plan: &RankingsPlan, seed: u64) -> Result<Self, WorkloadError> {
        let lengths = |plan| Lengths::new(plan).map_err(WorkloadError::Rankings);
        Ok(Self {
            passages: lengths(&plan.passages)?,
            passage_tokens: lengths(&plan.passage_tokens)?,
            query_tokens: lengths(&plan.query_tokens)?,
            counts: Streams::new(seed, "passages"),
            lengths: Streams::new(seed, "passage length"),
        })
    }
}

/// The numbers of groups' texts. A query stands alone, whatever the batch size.
pub(crate) fn groups(names: &[String], batch_size: u32) -> Texts {
    let size = |name: &str| if matches!(name, "query" | "queries") { 1 } else { batch_size };
    Texts::Groups(names.iter().map(|name| (name.clone(), size(name))).collect())
}

/// Makes conversations.
#[derive(Debug)]
pub(crate) struct Synthetic {
    pub(crate) maker: Arc<Maker>,
    pub(crate) corpus: Corpus,
    pub(crate) lengths: TurnLengths,
    pub(crate) turns: Turns,
    pub(crate) texts: Texts,
    /// What the server adds, to be subtracted from the lengths.
    pub(crate) added: Added,
    pub(crate) ids: Option<Ids>,
    pub(crate) contents: Streams,
}

/// A turn in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) phase: Phase,
    pub(crate) row: u64,
    pub(crate) mark: Option<&'a Mark>,
    pub(crate) before: Before<'a>,
    pub(crate) prefixes: &'a Prefixes,
}

impl Synthetic {
    /// The turns of a conversation.
    pub(crate) fn turns(&self, job: Job<'_>) -> Vec<Turn> {
        let first = place(job.phase, job.row, 0);
        (0..self.turns.count(first)).map(|number| self.turn(job, number)).collect()
    }

    fn turn(&self, job: Job<'_>, number: u32) -> Turn {
        let at = place(job.phase, job.row, number);
        let mut tokens = 0;
        let mut one = |index: u32, length: Option<u64>| {
            let made = self.text(job, Place { text: index, ..at }, length);
            tokens += made.tokens;
            made.text
        };
        let prompt = match &self.texts {
            Texts::Plain(batch) => Prompt::Texts((0..*batch).map(|index| one(index, None)).collect()),
            Texts::Groups(groups) => {
                let mut index = 0;
                Prompt::Groups(
                    groups
                        .iter()
                        .map(|(name, count)| {
                            let texts = (index..index + count).map(|index| one(index, None)).collect();
                            index += count;
                            TextGroup { name: name.clone(), texts }
                        })
                        .collect(),
                )
            }
            Texts::Rankings(rankings) => {
                let length = |index: u32, lengths: &Lengths| {
                    Some(lengths.draw(&mut rankings.lengths.at(Place { text: index, ..at })))
                };
                let count = u32::try_from(rankings.passages.draw(&mut rankings.counts.at(at))).unwrap_or(u32::MAX);
                let query = vec![one(0, length(0, &rankings.query_tokens))];
                let passages = (1..=count).map(|index| one(index, length(index, &rankings.passage_tokens))).collect();
                let named = |name: &str, texts| TextGroup { name: name.to_owned(), texts };
                Prompt::Groups(vec![named(RANKINGS[0], query), named(RANKINGS[1], passages)])
            }
        };
        Turn {
            row: job.row,
            prompt,
            input_tokens: Some(tokens),
            output_tokens: self.output(at),
            delay_ms: self.turns.delay_ms(at),
            ..Turn::default()
        }
    }

    fn output(&self, at: Place) -> Option<u64> {
        self.ids.as_ref().and_then(|ids| ids.output(at)).or_else(|| self.lengths.output(at))
    }

    /// Tokens that the texts of a first turn are to have.
    pub(crate) fn wanted(&self, job: Job<'_>) -> u64 {
        let at = place(job.phase, job.row, 0);
        let own = |index: u32| self.length(job, Place { text: index, ..at }, None);
        match &self.texts {
            Texts::Plain(batch) => (0..*batch).map(own).sum(),
            Texts::Groups(groups) => (0..groups.iter().map(|(_, count)| count).sum()).map(own).sum(),
            Texts::Rankings(rankings) => {
                let count = rankings.passages.draw(&mut rankings.counts.at(at));
                let mut sum = rankings.query_tokens.draw(&mut rankings.lengths.at(at));
                for index in 1..=u32::try_from(count).unwrap_or(u32::MAX) {
                    sum += rankings.passage_tokens.draw(&mut rankings.lengths.at(Place { text: index, ..at }));
                }
                sum
            }
        }
    }

    /// Tokens of a text with its prefix.
    fn length(&self, job: Job<'_>, at: Place, length: Option<u64>) -> u64 {
        self.beginning(job, at, self.own(at, length)).1
    }

    /// Tokens that a text brings itself: those drawn, less those that the server adds.
    fn own(&self, at: Place, length: Option<u64>) -> u64 {
        if let Some(length) = length {
            return length.max(1);
        }
        let added = if at.turn == 0 { self.added.first } else { self.added.later };
        match self.ids.as_ref().and_then(|ids| ids.input(at)) {
            Some(drawn) => drawn,
            None => self.lengths.input(at).saturating_sub(added).max(1),
        }
    }

    /// The prefix of a text, and the tokens of both.
    fn beginning(&self, job: Job<'_>, at: Place, own: u64) -> (Made, u64) {
        if at.turn > 0 || !matches!(self.texts, Texts::Plain(_)) {
            return (Made::default(), own);
        }
        if let Some(ids) = self.ids.as_ref().filter(|_| job.prefixes.has_pool())
            && let Some(prefix) = ids.prefix(job.prefixes.choice(at.row))
        {
            return (prefix.clone(), prefix.tokens + own);
        }
        job.prefixes.beginning(at.row, own)
    }

    /// A text of a turn.
    fn text(&self, job: Job<'_>, at: Place, length: Option<u64>) -> Made {
        let own = self.own(at, length);
        let mark = job.mark.filter(|_| at.turn == 0 && matches!(self.texts, Texts::Plain(_)));
        let side = mark.and_then(|mark| match mark.target {
            Target::FirstTurn(side) => Some((mark, side)),
            Target::System(_) => None,
        });
        let make = |own: u64| {
            let (prefix, total) = self.beginning(job, at, own);
            match side {
                None => self.behind(job, at, &prefix, total),
                Some((mark, Side::Before)) => {
                    let begun = Made::given(self.maker.tokenizer(), format!("{}{GAP}", mark.text));
                    let begun = self.maker.joined(begun, &prefix);
                    self.behind(job, at, &begun, total)
                }
                Some((mark, Side::Behind)) => {
                    job.prefixes.beside(mark, Side::Behind, total, |_, total| self.behind(job, at, &prefix, total))
                }
            }
        };
        let is_chat_text = at.turn == 0 && length.is_none() && matches!(self.texts, Texts::Plain(1));
        if is_chat_text && self.ids.is_none() {
            let shared = self.beginning(job, at, own).1.saturating_sub(own);
            self.added.fit(self.maker.tokenizer(), job.before, own, shared, make)
        } else {
            make(own)
        }
    }

    /// The text of `total` tokens that goes on from what is there.
    fn behind(&self, job: Job<'_>, at: Place, begun: &Made, total: u64) -> Made {
        if begun.tokens >= total && begun.tokens > 0 {
            return begun.clone();
        }
        if let Some(ids) = &self.ids {
            // Marks are of one conversation; what others begin with is not known from them.
            let is_first = job.mark.is_none();
            let first = |row: u64| {
                if row == at.row {
                    return (begun.clone(), total);
                }
                let other = Place::turn(row, 0);
                self.beginning(job, other, self.own(other, None))
            };
            return ids.text(at, &first, is_first);
        }
        let batch = match &self.texts {
            Texts::Plain(batch) => u64::from(*batch),
            Texts::Groups(_) | Texts::Rankings(_) => 1,
        };
        let has_head = at.turn == 0 && u64::from(at.text) < batch;
        let number = job.row.wrapping_mul(batch).wrapping_add(at.text.into());
        let head = has_head.then(|| self.maker.head(number, job.phase == Phase::Warmup));
        self.maker.text(begun, total, head, &mut self.contents.at(at))
    }

    /// Whether no two first turns have the same text.
    pub(crate) fn are_distinct(&self) -> bool {
        self.maker.is_words() && matches!(self.corpus, Corpus::Words) && !self.turns.are_several()
    }
}
