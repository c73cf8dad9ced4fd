//! What readers give their rows to.

use std::collections::BTreeSet;

use tokamark_conversation::{Conversation, Turn};
use tokamark_plan::{DatasetPlan, TracePlan};

use crate::fault::Place;
use crate::fields::Fields;
use crate::input::InputFile;
use crate::store::Writer;
use crate::{DatasetError, Fault, Faults, Options};

/// Takes conversations and faults in.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    pub(crate) plan: &'a DatasetPlan,
    pub(crate) options: &'a Options<'a>,
    pub(crate) faults: Faults,
    pub(crate) skipped: u64,
    pub(crate) ignored: BTreeSet<String>,
    pub(crate) rows: u64,
    pub(crate) turns: u64,
    pub(crate) starts_at_zero: bool,
    pub(crate) store: Writer,
    limit: u64,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(plan: &'a DatasetPlan, options: &'a Options<'a>) -> Self {
        Self {
            plan,
            options,
            faults: Faults::default(),
            skipped: 0,
            ignored: BTreeSet::new(),
            rows: 0,
            turns: 0,
            starts_at_zero: false,
            store: Writer::new(),
            limit: options.entries.unwrap_or(u64::MAX),
        }
    }

    /// The number of the next row, from 0; rows with faults have none.
    pub(crate) fn row(&mut self) -> u64 {
        self.rows += 1;
        self.rows - 1
    }

    /// Ends a row: whether it can be used. If not, its faults are noted.
    pub(crate) fn close(&mut self, file: &InputFile, fields: Fields) -> bool {
        let leftover = fields.leftover();
        if leftover.faults.is_empty() {
            self.ignored.extend(leftover.ignored);
            return true;
        }
        self.skipped += 1;
        for (field, reason) in leftover.faults {
            self.faults.add(Fault { file: file.name().cloned(), place: leftover.place, field, reason });
        }
        false
    }

    /// A row that cannot be used, for one reason.
    pub(crate) fn bad(&mut self, file: &InputFile, place: Place, field: Option<&str>, reason: impl Into<String>) {
        self.skipped += 1;
        let field = field.map(str::to_owned);
        self.faults.add(Fault { file: file.name().cloned(), place, field, reason: reason.into() });
    }

    /// Whether no row that follows can matter: there are as many conversations as are wanted, and none has a name that
    /// another row could bear.
    pub(crate) fn is_full(&self) -> bool {
        self.store.len() >= self.limit && !self.store.has_names()
    }

    /// Says that times are those of a clock, so that the first is to be 0.
    pub(crate) fn start_at_zero(&mut self) {
        self.starts_at_zero = true;
    }

    /// Keeps a conversation; if one of its name has been there before, its turns follow the others'. An empty name is
    /// that of no other.
    pub(crate) fn push(&mut self, conversation: Conversation) -> Result<(), DatasetError> {
        self.push_at(conversation, 0)
    }

    /// As [`Self::push`]; the parts of a conversation are put into the order of the numbers.
    pub(crate) fn push_at(&mut self, mut conversation: Conversation, order: i64) -> Result<(), DatasetError> {
        if self.store.len() >= self.limit && (conversation.id.is_empty() || !self.store.has(&conversation.id)) {
            return Ok(());
        }
        self.turns += conversation.turns.len() as u64;
        set_times(&mut conversation, &self.plan.trace);
        Ok(self.store.push(&conversation, order)?)
    }

    /// Keeps a conversation that only others begin.
    pub(crate) fn push_child(&mut self, mut conversation: Conversation) -> Result<(), DatasetError> {
        self.turns += conversation.turns.len() as u64;
        set_times(&mut conversation, &self.plan.trace);
        Ok(self.store.push_child(&conversation)?)
    }
}

/// Applies what the plan says of recorded times: the ratio first, so that the cap is the longest wait there is.
fn set_times(conversation: &mut Conversation, plan: &TracePlan) {
    if plan.ignore_delays {
        conversation.start_ms = None;
    }
    for turn in &mut conversation.turns {
        set_turn_times(turn, plan);
    }
    if conversation.start_ms.is_none() {
        conversation.start_ms = conversation.turns.first().and_then(|turn| turn.timestamp_ms);
    }
}

fn set_turn_times(turn: &mut Turn, plan: &TracePlan) {
    if plan.ignore_delays {
        (turn.timestamp_ms, turn.delay_ms) = (None, None);
    }
    if let Some(delay) = &mut turn.delay_ms {
        *delay *= plan.delay_ratio;
        if let Some(cap) = plan.inter_turn_delay_cap_s {
            *delay = delay.min(cap * 1000.0);
        }
    }
}
