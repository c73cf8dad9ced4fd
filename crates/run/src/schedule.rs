//! The times at which recorded conversations are sent.

use std::sync::Arc;

use tokamark_plan::{Plan, SchedulePlan, Source, TracePlan};

use crate::RunError;
use crate::player::nanoseconds;

/// Conversations in the order of their times.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    /// When each is due, nanoseconds after the phase's start, ascending.
    pub(crate) offsets_ns: Arc<[u64]>,
    /// The recorded time that is the phase's start, milliseconds.
    pub(crate) zero_ms: f64,
    /// Which conversation of the workload comes at each place; absent if they lie in order.
    order: Option<Arc<[u64]>>,
}

impl Scheduled {
    /// A schedule of conversations that began at these times, in their own order.
    pub(crate) fn new(starts_ms: &[f64], plan: SchedulePlan) -> Self {
        let first = starts_ms.iter().copied().fold(f64::INFINITY, f64::min);
        let zero_ms = if plan.auto_offset && first.is_finite() { first } else { plan.start_offset_ms.unwrap_or(0.0) };
        let is_sorted = starts_ms.is_sorted();
        let mut order: Vec<u64> = (0..starts_ms.len() as u64).collect();
        let start = |number: &u64| usize::try_from(*number).ok().and_then(|at| starts_ms.get(at)).copied();
        if !is_sorted {
            order.sort_by(|a, b| start(a).unwrap_or(0.0).total_cmp(&start(b).unwrap_or(0.0)));
        }
        let offsets = order.iter().map(|number| nanoseconds((start(number).unwrap_or(0.0) - zero_ms).max(0.0)));
        Self { offsets_ns: offsets.collect(), zero_ms, order: (!is_sorted).then(|| order.into()) }
    }

    /// The conversation at a place of the schedule.
    pub(crate) fn place(&self, number: u64) -> u64 {
        let order = self.order.as_ref();
        order.and_then(|order| order.get(usize::try_from(number).ok()?)).copied().unwrap_or(number)
    }
}

/// How the plan's trace is to be replayed.
pub(crate) fn trace_of(plan: &Plan) -> Option<&TracePlan> {
    match &plan.workload.source {
        Source::Synthetic(_) => None,
        Source::File(file) => Some(&file.trace),
        Source::Public(public) => Some(&public.trace),
    }
}

/// The schedule of a plan, if it is sent by one: asked for, or a trace whose conversations all have a time.
///
/// # Errors
/// It is asked for and the dataset has no times, or the load says otherwise.
pub(crate) fn schedule(plan: &Plan, starts_ms: Option<&[f64]>, is_trace: bool) -> Result<Option<Scheduled>, RunError> {
    let Some(wanted) = trace_of(plan).and_then(|trace| trace.schedule) else { return Ok(None) };
    let Some(starts_ms) = starts_ms.filter(|starts| !starts.is_empty()) else {
        return if wanted.required { Err(RunError::NoTimes) } else { Ok(None) };
    };
    if !wanted.required && !is_trace {
        return Ok(None);
    }
    if plan.load.request_rate.is_some() {
        return Err(RunError::TimesAndRate);
    }
    Ok(Some(Scheduled::new(starts_ms, wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_sent_at_once_unless_the_start_is_given() {
        let plan = SchedulePlan::default();
        let schedule = Scheduled::new(&[1_000.0, 1_000.5, 3_000.0], plan);
        assert_eq!((&*schedule.offsets_ns, schedule.zero_ms), (&[0, 500_000, 2_000_000_000][..], 1_000.0));
        let given = SchedulePlan { auto_offset: false, start_offset_ms: Some(900.0), ..plan };
        assert_eq!(*Scheduled::new(&[1_000.0], given).offsets_ns, [100_000_000]);
        let absolute = SchedulePlan { auto_offset: false, ..plan };
        assert_eq!(*Scheduled::new(&[1_000.0], absolute).offsets_ns, [1_000_000_000]);
    }

    #[test]
    fn conversations_out_of_order_are_sent_in_order() {
        let schedule = Scheduled::new(&[50.0, 10.0, 30.0, 10.0], SchedulePlan::default());
        assert_eq!(*schedule.offsets_ns, [0, 0, 20_000_000, 40_000_000]);
        assert_eq!((0..4).map(|place| schedule.place(place)).collect::<Vec<_>>(), [1, 3, 2, 0]);
    }
}
