//! What the pages say of GPUs.

mod energy;
mod fields;
mod identity;
mod summary;

pub use energy::{Energy, EnergyBasis};
pub use fields::{CountersFileError, GpuField, GpuFields, Unit};
pub use identity::Gpu;
pub use summary::{GpuMetric, GpuSummary, GpuTotals};

pub(crate) use identity::{identity_labels, is_blank};
pub(crate) use summary::{gpus, totals};
