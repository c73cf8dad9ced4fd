//! What a plan leaves open until the workload is known: how many slots, and when to stop.

use tokamark_plan::Plan;
use tokamark_workload::Workload;

/// The plan with nothing left open. Traces and conversations of a dataset are played once each unless the plan says when to
/// stop; single requests are sent until each slot has been used twice.
pub(crate) fn settled(plan: &Plan, workload: &Workload, is_scheduled: bool) -> Plan {
    let mut plan = plan.clone();
    let load = &mut plan.load;
    if load.request_rate.is_none() && !is_scheduled {
        load.concurrency = load.concurrency.or(Some(1));
    }
    let is_open_ended = load.request_count.is_none() && load.duration_s.is_none() && load.session_count.is_none();
    match workload.conversations() {
        Some(conversations) if is_scheduled => {
            load.session_count = Some(load.session_count.map_or(conversations, |count| count.min(conversations)));
        }
        Some(conversations) if is_open_ended && (workload.has_conversations() || workload.is_trace()) => {
            load.session_count = Some(conversations);
        }
        _ if is_open_ended => load.request_count = Some(load.default_request_count()),
        _ => {}
    }
    plan
}
