//! Makes requests of the workload: prompt, model, body.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use tokamark_client::{Opening, Prepared, Supply, Wire};
use tokamark_conversation::{Conversation, Turn};
use tokamark_endpoint::{BodyOptions, Dialect, Request, dialect_for};
use tokamark_plan::{ModelSelection, Plan};
use tokamark_record::Phase;
use tokamark_report::conversation_id;
use tokamark_workload::{Digest, Workload};

use crate::ledger::{Ledger, Seen};
use crate::player::{Player, nanoseconds};
use crate::schedule::Scheduled;
use crate::tensors::Tensors;

/// Bodies of workloads with so few conversations are kept and sent again.
const ROWS_KEPT: u64 = 4_096;

/// Makes the requests of a plan: each depends on its phase, its conversation's number and what was said before.
pub(crate) struct Requests {
    workload: Arc<Workload>,
    dialect: &'static dyn Dialect,
    options: Vec<BodyOptions>,
    selection: ModelSelection,
    seed: u64,
    schedule: Option<Scheduled>,
    /// How bodies are sent, if not as they are.
    tensors: OnceLock<Tensors>,
    own: Weak<Self>,
}

impl Requests {
    pub(crate) fn new(plan: &Plan, workload: Arc<Workload>, schedule: Option<Scheduled>) -> Arc<Self> {
        let options: Vec<BodyOptions> = plan
            .target
            .models
            .iter()
            .map(|model| BodyOptions {
                model: model.clone(),
                streaming: plan.target.streaming,
                legacy_max_tokens: plan.target.legacy_max_tokens,
                extra: plan.target.extra_inputs.clone(),
            })
            .collect();
        Arc::new_cyclic(|own| Self {
            workload,
            dialect: dialect_for(plan.target.endpoint, &plan.target.extra_inputs),
            options,
            selection: plan.target.model_selection,
            seed: plan.load.seed,
            schedule,
            tensors: OnceLock::new(),
            own: Weak::clone(own),
        })
    }

    /// From now on bodies are sent as tensors.
    pub(crate) fn send_as(&self, tensors: Tensors) {
        // Set once, before the first request is made.
        let _ = self.tensors.set(tensors);
    }

    /// Conversation `number` of a phase.
    pub(crate) fn conversation(&self, phase: Phase, number: u64) -> Conversation {
        let mut conversation = match phase {
            Phase::Warmup => self.workload.warmup_conversation(number),
            Phase::Profiling => self.workload.conversation(self.place(number)),
        };
        if conversation.id.is_empty() {
            conversation.id = self.name(number);
        }
        conversation
    }

    /// A schedule sends conversations in the order of their times.
    fn place(&self, number: u64) -> u64 {
        self.schedule.as_ref().map_or(number, |schedule| schedule.place(number))
    }

    /// A conversation that another one begins.
    pub(crate) fn child(&self, name: &str) -> Option<Conversation> {
        self.workload.child(name)
    }

    /// Whether turns are due at their recorded times.
    pub(crate) fn is_scheduled(&self) -> bool {
        self.schedule.is_some()
    }

    /// When a recorded time is due, nanoseconds after the phase's start.
    pub(crate) fn offset_ns(&self, at_ms: f64) -> u64 {
        let zero_ms = self.schedule.as_ref().map_or(0.0, |schedule| schedule.zero_ms);
        nanoseconds((at_ms - zero_ms).max(0.0))
    }

    /// A conversation of a phase, ready to be played.
    pub(crate) fn player(&self, phase: Phase, number: u64) -> Option<Player> {
        let own = self.own.upgrade()?;
        let conversation = self.conversation(phase, number);
        Some(Player::new(own, conversation, self.model_index(number), Vec::new()))
    }

    /// The digest of what is new among the first conversations, as the ledger takes it while they are sent.
    pub(crate) fn digest(&self, conversations: u64) -> String {
        let mut digest = Digest::new();
        self.each_new(conversations, |_, conversation| digest.push(conversation));
        digest.finish()
    }

    /// Gives what is new among the first conversations, with the bodies of its turns, each by itself.
    pub(crate) fn distinct(&self, conversations: u64, mut each: impl FnMut(&Conversation, Vec<Bytes>)) {
        self.each_new(conversations, |number, conversation| {
            each(conversation, self.bodies(conversation, self.model_index(number)));
        });
    }

    fn each_new(&self, conversations: u64, mut each: impl FnMut(u64, &Conversation)) {
        let mut seen = self.seen();
        for number in 0..conversations {
            let is_new = match &mut seen {
                Seen::AllNew => true,
                Seen::Rows(rows) => rows.insert(self.workload.row_of(self.place(number))),
            };
            if is_new {
                each(number, &self.conversation(Phase::Profiling, number));
            }
        }
    }

    /// Which rows have come up before anything is sent.
    pub(crate) fn seen(&self) -> Seen {
        if self.workload.rows().is_some() { Seen::Rows(HashSet::new()) } else { Seen::AllNew }
    }

    /// The name of a measured conversation.
    pub(crate) fn name(&self, number: u64) -> String {
        let row = self.workload.row_of(self.place(number));
        self.workload.dataset().map_or_else(|| conversation_id(row), |dataset| dataset.name(row))
    }

    /// Which model a conversation gets.
    fn model_index(&self, number: u64) -> usize {
        let models = self.options.len().max(1) as u64;
        let index = match self.selection {
            ModelSelection::RoundRobin => number % models,
            ModelSelection::Random => mix(self.seed ^ mix(number)) % models,
        };
        usize::try_from(index).unwrap_or(0)
    }

    fn body(&self, request: Request<'_>, model: usize) -> Bytes {
        self.options.get(model).map_or_else(Bytes::new, |options| self.dialect.body(request, options))
    }

    /// The bodies of a conversation's turns, each by itself: what `inputs.json` keeps.
    fn bodies(&self, conversation: &Conversation, model: usize) -> Vec<Bytes> {
        let tools = conversation.tools.as_ref();
        let past: Vec<_> = crate::player::opening_messages(conversation).collect();
        let spoken = conversation.turns.iter().filter(|turn| !turn.is_silent);
        spoken.map(|turn| self.body(Request { past: &past, tools, turn }, model)).collect()
    }

    /// A request that is ready to be sent.
    pub(crate) fn make(&self, request: Request<'_>, turn: usize, model: usize) -> Prepared {
        let body = self.body(request, model);
        Prepared {
            wire: self.tensors.get().map_or(Wire::Body, |tensors| tensors.wire(&body, model)),
            body,
            dataset_row: request.turn.row,
            turn: u32::try_from(turn).unwrap_or(u32::MAX),
            model_index: u16::try_from(model).unwrap_or(u16::MAX),
            input_tokens: request.turn.input_tokens,
            output_tokens: request.turn.output_tokens,
        }
    }
}

/// The supply of a run.
pub(crate) struct WorkloadSupply {
    requests: Arc<Requests>,
    ledger: Arc<Ledger>,
    /// Made requests by row and model, for workloads of single turns that are sent more than once.
    kept: Option<Mutex<Vec<Option<Prepared>>>>,
}

impl WorkloadSupply {
    pub(crate) fn new(requests: Arc<Requests>, ledger: Arc<Ledger>) -> Self {
        let models = requests.options.len().max(1) as u64;
        let slots = requests.workload.rows().filter(|&rows| rows <= ROWS_KEPT).map(|rows| rows * models);
        let kept = slots.and_then(|slots| usize::try_from(slots).ok()).map(|slots| Mutex::new(vec![None; slots]));
        Self { requests, ledger, kept }
    }

    /// A request that asks for one token, to find out whether the model answers.
    pub(crate) fn probe(&self) -> Prepared {
        let turn = Turn { output_tokens: Some(1), ..Turn::text(0, "Hello") };
        self.requests.make((&turn).into(), 0, 0)
    }

    /// Where a conversation's request is kept.
    fn slot(&self, number: u64) -> Option<usize> {
        let row = self.requests.workload.row_of(self.requests.place(number));
        let models = self.requests.options.len().max(1) as u64;
        usize::try_from(row.checked_mul(models)? + self.requests.model_index(number) as u64).ok()
    }
}

impl Supply for WorkloadSupply {
    fn open(&self, phase: Phase, number: u64) -> Opening {
        let requests = &self.requests;
        let slot = if phase == Phase::Profiling { self.slot(number) } else { None };
        if let (Some(kept), Some(slot)) = (&self.kept, slot)
            && let Some(Some(prepared)) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(slot)
        {
            return prepared.clone().into();
        }
        let Some(player) = requests.player(phase, number) else { return Opening::default() };
        if phase == Phase::Warmup {
            return player.open();
        }
        let model = requests.model_index(number);
        let row = requests.workload.row_of(requests.place(number));
        self.ledger.prepared(number, row, player.conversation(), || requests.bodies(player.conversation(), model));
        let opening = player.open();
        if let (Some(kept), Some(slot)) = (&self.kept, slot)
            && opening.rest.is_none()
            && opening.before.is_empty()
            && let Some(place) = kept.lock().unwrap_or_else(PoisonError::into_inner).get_mut(slot)
        {
            *place = Some(opening.prepared.clone());
        }
        opening
    }

    fn schedule(&self, phase: Phase) -> Option<Arc<[u64]>> {
        let schedule = self.requests.schedule.as_ref().filter(|_| phase == Phase::Profiling)?;
        Some(Arc::clone(&schedule.offsets_ns))
    }
}

/// The finaliser of SplitMix64: a draw that depends on the seed and the number alone.
fn mix(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
