//! Which GPU a sample speaks of, and whether it says anything.

use serde::{Deserialize, Serialize};

use crate::exposition::Sample;
use crate::samples::Series;

/// A GPU, or a MIG instance of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// The page that showed it.
    pub url: String,
    /// Its host, if the page says.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hostname: Option<String>,
    /// Its index on the host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<String>,
    /// Its UUID.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uuid: Option<String>,
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// Its PCI bus id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pci_bus_id: Option<String>,
    /// Its device name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub device: Option<String>,
    /// The MIG instance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mig_instance: Option<String>,
    /// The instance's profile, such as `1g.10gb`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mig_profile: Option<String>,
    /// The Kubernetes namespace that it is lent to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<String>,
    /// The pod in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pod: Option<String>,
}

const HOST: [&str; 2] = ["Hostname", "hostname"];
const UUID: [&str; 3] = ["UUID", "uuid", "gpu_uuid"];
const INDEX: [&str; 2] = ["gpu", "GPU"];
const INSTANCE: [&str; 1] = ["GPU_I_ID"];

/// The labels that say which GPU it is, under names of ours. The others may change while a run lasts.
pub(crate) fn identity_labels<'a>(sample: &'a Sample<'_>) -> Vec<(&'static str, &'a str)> {
    let of = |names: &[&str]| names.iter().find_map(|name| sample.label(name)).unwrap_or_default();
    vec![("host", of(&HOST)), ("uuid", of(&UUID)), ("gpu", of(&INDEX)), ("instance", of(&INSTANCE))]
}

impl Gpu {
    pub(super) fn of(url: &str, series: &Series) -> Self {
        let of = |names: &[&str]| {
            names.iter().find_map(|name| series.label(name)).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        Self {
            url: url.to_owned(),
            hostname: of(&HOST),
            index: of(&INDEX),
            uuid: of(&UUID),
            model: of(&["modelName", "model_name"]),
            pci_bus_id: of(&["pci_bus_id"]),
            device: of(&["device"]),
            mig_instance: of(&INSTANCE),
            mig_profile: of(&["GPU_I_PROFILE"]),
            namespace: of(&["namespace", "exported_namespace"]),
            pod: of(&["pod", "exported_pod"]),
        }
    }

    /// Whether two samples of one page speak of the same GPU or instance.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.hostname, &self.uuid, &self.index, &self.mig_instance)
            == (&other.hostname, &other.uuid, &other.index, &other.mig_instance)
    }

    /// Whether two are one piece of hardware, whichever page shows it and however it is divided.
    pub(super) fn same_chip(&self, other: &Self) -> bool {
        match (&self.uuid, &other.uuid) {
            // A page may not name its host.
            (Some(own), Some(others)) => {
                let hosts = self.hostname.as_ref().zip(other.hostname.as_ref());
                own == others && hosts.is_none_or(|(own, others)| own == others)
            }
            (None, None) => (&self.url, &self.hostname, &self.index) == (&other.url, &other.hostname, &other.index),
            _ => false,
        }
    }
}

/// Whether a number is one of those that DCGM puts where it has no value (not found, not supported, no permission): the
/// sixteen from 2147483632, from 9223372036854775792 and from 140737488355328. What is not finite is no value either.
pub(crate) fn is_blank(value: f64) -> bool {
    // As f64 all of the 64-bit ones are 2^63.
    !value.is_finite()
        || (2_147_483_632.0..2_147_483_648.0).contains(&value)
        || (140_737_488_355_328.0..140_737_488_355_344.0).contains(&value)
        || value >= 9_223_372_036_854_775_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_every_width() {
        for blank in
            ["2147483632", "2147483635", "9223372036854775792", "9223372036854775795", "140737488355330", "NaN"]
        {
            assert!(is_blank(blank.parse().unwrap()), "{blank}");
        }
        for value in ["0", "2147483631", "2147483648", "140737488355327", "140737488355344", "48211903377", "-1"] {
            assert!(!is_blank(value.parse().unwrap()), "{value}");
        }
    }
}
