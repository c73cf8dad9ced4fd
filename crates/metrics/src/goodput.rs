//! Service-level objectives, and which requests meet them.

use thiserror::Error;
use tokamark_plan::{GoodputTarget, Plan};

use crate::definitions::{Metric, find};
use crate::request::RequestMetrics;

/// Why an objective cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ObjectiveError {
    /// No metric has this name.
    #[error(
        "no metric is called `{0}`; objectives take the tags of per-request metrics, such as `time_to_first_token`"
    )]
    Unknown(String),
    /// The metric describes the run, not a request.
    #[error(
        "`{0}` describes the run as a whole; objectives take the tags of per-request metrics, such as `request_latency`"
    )]
    NotPerRequest(&'static str),
    /// The metric exists for streamed answers only.
    #[error("`{0}` exists only for streamed answers; add --streaming or take `request_latency`")]
    NeedsStreaming(&'static str),
    /// The limit is no number that anything could be compared with.
    #[error("the limit of `{0}` must be a finite number that is not negative")]
    BadLimit(&'static str),
}

/// A metric and its limit in the metric's display unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    metric: Metric,
    limit: f64,
}

impl Objective {
    /// Reads one objective.
    ///
    /// # Errors
    /// The metric is unknown or has no value for single requests, or the limit is no limit.
    pub fn of(target: &GoodputTarget) -> Result<Self, ObjectiveError> {
        let metric = find(&target.tag).ok_or_else(|| ObjectiveError::Unknown(target.tag.clone()))?;
        if metric.definition().kind != crate::definitions::Kind::Record {
            return Err(ObjectiveError::NotPerRequest(metric.tag()));
        }
        if !target.limit.is_finite() || target.limit < 0.0 {
            return Err(ObjectiveError::BadLimit(metric.tag()));
        }
        Ok(Self { metric, limit: target.limit })
    }

    /// Reads the objectives of a plan, and checks that its requests can have them.
    ///
    /// # Errors
    /// As [`Objective::of`], or a metric of streams is asked of answers that are not streamed.
    pub fn of_plan(plan: &Plan) -> Result<Vec<Self>, ObjectiveError> {
        let objectives = plan.report.goodput.iter().map(Self::of).collect::<Result<Vec<_>, _>>()?;
        match objectives.iter().find(|objective| objective.metric.definition().needs.stream()) {
            Some(objective) if !plan.target.streaming => Err(ObjectiveError::NeedsStreaming(objective.metric.tag())),
            _ => Ok(objectives),
        }
    }

    /// True if the request has a value and it is within the limit.
    #[must_use]
    pub fn is_met(&self, request: &RequestMetrics) -> bool {
        request.shown(self.metric).is_some_and(|value| {
            if self.metric.definition().larger_is_better { value >= self.limit } else { value <= self.limit }
        })
    }
}
