//! When requests are sent, and how many.

use serde::{Deserialize, Serialize};

/// How the gaps between arrivals are drawn in an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "pattern")]
pub enum Arrival {
    /// Every `1/rate` seconds.
    Constant,
    /// Exponential gaps.
    Poisson,
    /// Gamma gaps of mean `1/rate`; 1 is Poisson, below 1 burstier, above 1 smoother.
    Gamma {
        /// The shape parameter.
        smoothness: f64,
    },
}

/// The load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadPlan {
    /// Most requests in flight. Without a rate, exactly so many are (closed loop).
    pub concurrency: Option<u32>,
    /// Arrivals per second (open loop).
    pub request_rate: Option<f64>,
    /// The arrival process of `request_rate`.
    pub arrival: Arrival,
    /// Stop after so many requests were sent.
    pub request_count: Option<u64>,
    /// Begin no more conversations after so many; those that are going on go on.
    #[serde(default)]
    pub session_count: Option<u64>,
    /// Stop sending after so many seconds.
    pub duration_s: Option<f64>,
    /// Seconds that requests in flight may take longer than `duration_s`; infinite if absent.
    pub grace_s: Option<f64>,
    /// Requests sent before the measured ones.
    pub warmup_requests: u64,
    /// Seed of every draw.
    pub seed: u64,
    /// The user gave the seed (else it is drawn, and reported).
    pub seed_given: bool,
    /// Worker threads; chosen from the cores if absent.
    pub workers: Option<u16>,
}

impl LoadPlan {
    /// Requests to send if nothing says when to stop: enough that each slot is used twice, as both ancestors document it.
    #[must_use]
    pub fn default_request_count(&self) -> u64 {
        (2 * u64::from(self.concurrency.unwrap_or(1))).max(10)
    }
}
