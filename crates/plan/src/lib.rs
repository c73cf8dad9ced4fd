//! The validated description of a run. Every later stage reads it; none reads flags.

mod endpoint_facts;
mod load;
pub mod name_value;
mod proxy;
mod report;
mod target;
pub mod target_url;
mod workload;

use serde::{Deserialize, Serialize};

pub use load::{Arrival, LoadPlan};
pub use proxy::ProxyError;
pub use report::{ExportLevel, FailureTolerance, GoodputTarget, ReportPlan, Ui};
pub use target::{ConnectMode, EndpointKind, ModelSelection, ProxyPlan, Reuse, Secret, TargetPlan, TlsPlan};
pub use workload::*;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What is measured and how it is reached.
    pub target: TargetPlan,
    /// When requests are sent, and how many.
    pub load: LoadPlan,
    /// What they ask.
    pub workload: WorkloadPlan,
    /// What is made of the measurements.
    pub report: ReportPlan,
}
