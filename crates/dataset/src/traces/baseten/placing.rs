//! Which rows are sent, and when.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};
use tokamark_plan::{OpenLoop, TracePlan};
use tokamark_trace::{GapCaps, Span, closed_loop_delay};

use super::shortened;
use crate::traces::replay::Replay;

/// What is known of a row before it is placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    /// Its session.
    pub(super) session: u64,
    /// When it was sent, milliseconds of a clock.
    pub(super) start_ms: f64,
    /// When it was answered.
    pub(super) end_ms: f64,
    /// Tokens of its prompt.
    pub(super) input_tokens: u64,
}

/// When a row is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    /// At this time, milliseconds from the first row of the trace.
    pub(super) timestamp_ms: Option<f64>,
    /// So long after the answer before it, milliseconds.
    pub(super) delay_ms: Option<f64>,
    /// Its place in time.
    pub(super) order: i64,
}

/// The place of each row; none for rows with faults and those that are left out. Times count from the first row; they
/// are sped up, and then idle gaps in which nothing is sent are cut.
pub(super) fn place(
    rows: &[Option<Recorded>],
    plan: &TracePlan,
    seed: u64,
    replay: &mut Replay,
) -> Vec<Option<Placed>> {
    let zero_ms = rows.iter().flatten().map(|row| row.start_ms).fold(f64::INFINITY, f64::min);
    let kept = plan.session_sample_ratio.map(|ratio| sample(rows, ratio, seed));
    let most = plan.synthesis.max_isl.unwrap_or(u64::MAX);
    let mut order: Vec<(usize, Recorded)> =
        rows.iter().enumerate().filter_map(|(at, row)| row.map(|row| (at, row))).collect();
    order.retain(|(_, row)| {
        row.input_tokens <= most
            && kept.as_ref().is_none_or(|kept| kept.contains(&row.session))
            && replay.holds(None, Some(row.start_ms - zero_ms))
    });
    // Stable, so rows of the same time keep the order of the file.
    order.sort_by(|(_, a), (_, b)| a.start_ms.total_cmp(&b.start_ms));
    let times: Vec<f64> = order.iter().map(|(_, row)| replay.moment(row.start_ms - zero_ms)).collect();
    let caps = plan.max_idle_gap_s.map(|cap_s| GapCaps::new(times.iter().copied().map(Span::moment), cap_s * 1e3));

    let mut placed = vec![None; rows.len()];
    let mut before: HashMap<u64, Span> = HashMap::new();
    for (rank, ((at, row), time)) in (0..).zip(order.iter().zip(times)) {
        let span = Span { start_ms: row.start_ms, end_ms: row.end_ms };
        let previous = before.insert(row.session, span).filter(|_| plan.open_loop == OpenLoop::Closed);
        placed[*at] = Some(match previous {
            Some(previous) => Placed {
                timestamp_ms: None,
                delay_ms: Some(replay.delay(closed_loop_delay(previous, row.start_ms))),
                order: rank,
            },
            None => Placed {
                timestamp_ms: Some(caps.as_ref().map_or(time, |caps| caps.moved(time))),
                delay_ms: None,
                order: rank,
            },
        });
    }
    placed
}

/// A share of the sessions, at least one; the seed decides which.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the share of a number of sessions fits")]
fn sample(rows: &[Option<Recorded>], ratio: f64, seed: u64) -> HashSet<u64> {
    let sessions: HashSet<u64> = rows.iter().flatten().map(|row| row.session).collect();
    let wanted = ((sessions.len() as f64 * ratio).round() as usize).max(1);
    let draw =
        |session: &u64| shortened(Sha256::new().chain_update(seed.to_le_bytes()).chain_update(session.to_le_bytes()));
    let mut drawn: Vec<(u64, u64)> = sessions.iter().map(|session| (draw(session), *session)).collect();
    drawn.sort_unstable();
    drawn.into_iter().take(wanted).map(|(_, session)| session).collect()
}
