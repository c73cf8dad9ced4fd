//! Makes requests of the workload: prompt, model, body.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokamark_client::{Opening, Prepared, Supply};
use tokamark_conversation::Turn;
use tokamark_endpoint::{BodyOptions, Dialect, dialect};
use tokamark_plan::{ModelSelection, Plan};
use tokamark_record::Phase;
use tokamark_workload::Workload;

use crate::ledger::Ledger;

/// Bodies of workloads with so few rows are kept and sent again.
const ROWS_KEPT: u64 = 4_096;

/// Makes the requests of a plan: each depends on its phase and number alone.
pub(crate) struct Requests {
    workload: Arc<Workload>,
    dialect: &'static dyn Dialect,
    options: Vec<BodyOptions>,
    selection: ModelSelection,
    seed: u64,
}

impl Requests {
    pub(crate) fn new(plan: &Plan, workload: Arc<Workload>) -> Self {
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
        Self {
            workload,
            dialect: dialect(plan.target.endpoint),
            options,
            selection: plan.target.model_selection,
            seed: plan.load.seed,
        }
    }

    /// The body of a request, as it was sent or will be.
    pub(crate) fn payload(&self, phase: Phase, seq: u64) -> Bytes {
        self.body(&self.turn(phase, seq), self.model_index(seq))
    }

    fn turn(&self, phase: Phase, seq: u64) -> Turn {
        match phase {
            Phase::Warmup => self.workload.warmup_turn(seq),
            Phase::Profiling => self.workload.turn(seq),
        }
    }

    /// Which model the request gets.
    fn model_index(&self, seq: u64) -> usize {
        let models = self.options.len().max(1) as u64;
        let index = match self.selection {
            ModelSelection::RoundRobin => seq % models,
            ModelSelection::Random => mix(self.seed ^ mix(seq)) % models,
        };
        usize::try_from(index).unwrap_or(0)
    }

    fn body(&self, turn: &Turn, model: usize) -> Bytes {
        self.options.get(model).map_or_else(Bytes::new, |options| self.dialect.body(turn.into(), options))
    }

    fn make(&self, turn: &Turn, model: usize) -> Prepared {
        Prepared {
            body: self.body(turn, model),
            dataset_row: turn.row,
            turn: 0,
            model_index: u16::try_from(model).unwrap_or(u16::MAX),
            input_tokens: turn.input_tokens,
            output_tokens: turn.output_tokens,
        }
    }
}

/// The supply of a run.
pub(crate) struct WorkloadSupply {
    requests: Arc<Requests>,
    ledger: Arc<Ledger>,
    /// Made requests by row and model, for workloads whose rows are sent more than once.
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
        self.requests.make(&turn, 0)
    }
}

impl Supply for WorkloadSupply {
    fn open(&self, phase: Phase, number: u64) -> Opening {
        self.prepare(phase, number).into()
    }
}

impl WorkloadSupply {
    fn prepare(&self, phase: Phase, seq: u64) -> Prepared {
        let requests = &self.requests;
        let model = requests.model_index(seq);
        if phase == Phase::Warmup {
            return requests.make(&requests.turn(phase, seq), model);
        }
        let slot = requests.workload.rows().and_then(|rows| {
            let slot = (seq % rows.max(1)) * requests.options.len().max(1) as u64 + model as u64;
            usize::try_from(slot).ok()
        });
        if let (Some(kept), Some(slot)) = (&self.kept, slot)
            && let Some(Some(prepared)) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(slot)
        {
            return prepared.clone();
        }
        let turn = requests.turn(phase, seq);
        let prepared = requests.make(&turn, model);
        self.ledger.prepared(turn.row, &turn, &prepared.body);
        if let (Some(kept), Some(slot)) = (&self.kept, slot)
            && let Some(place) = kept.lock().unwrap_or_else(PoisonError::into_inner).get_mut(slot)
        {
            *place = Some(prepared.clone());
        }
        prepared
    }
}

/// The finaliser of SplitMix64: a draw that depends on the seed and the number alone.
fn mix(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
