//! The fields that are read, and what they mean.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Units of GPU figures: SI, and percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Watts.
    #[serde(rename = "W")]
    Watts,
    /// Joules.
    #[serde(rename = "J")]
    Joules,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// Percent, 0 to 100.
    #[serde(rename = "%")]
    Percent,
    /// Hertz.
    #[serde(rename = "Hz")]
    Hertz,
    /// Degrees Celsius.
    #[serde(rename = "C")]
    Celsius,
    /// Errors.
    #[serde(rename = "errors")]
    Errors,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Memory pages.
    #[serde(rename = "pages")]
    Pages,
    /// Bytes a second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// Retries.
    #[serde(rename = "retries")]
    Retries,
    /// As the page has it.
    #[serde(rename = "raw")]
    Raw,
}

impl Unit {
    /// The unit that GenAI-Perf's files show it in, and the factor to get there.
    #[must_use]
    pub fn genai_perf(self) -> (&'static str, f64) {
        match self {
            Self::Watts => ("W", 1.0),
            Self::Joules => ("MJ", 1e-6),
            Self::Bytes => ("GB", 1e-9),
            Self::Percent => ("%", 1.0),
            Self::Hertz => ("MHz", 1e-6),
            Self::Celsius => ("C", 1.0),
            Self::Errors => ("errors", 1.0),
            Self::Seconds => ("us", 1e6),
            Self::Pages => ("pages", 1.0),
            Self::BytesPerSecond => ("KB/s", 1.0 / 1024.0),
            Self::Retries => ("retries", 1.0),
            Self::Raw => ("", 1.0),
        }
    }

    /// From the unit in a help text such as `Power draw (in W).`, with the factor to the base unit.
    fn of_help(help: &str) -> (Self, f64) {
        let unit = help.rsplit_once("(in ").and_then(|(_, rest)| rest.split_once(')')).map(|(unit, _)| unit.trim());
        match unit {
            Some("W") => (Self::Watts, 1.0),
            Some("mW") => (Self::Watts, 1e-3),
            Some("J") => (Self::Joules, 1.0),
            // Case matters: a millijoule is no megajoule.
            Some("mJ") => (Self::Joules, 1e-3),
            Some("MJ") => (Self::Joules, 1e6),
            Some("B" | "bytes") => (Self::Bytes, 1.0),
            Some("KiB") => (Self::Bytes, 1024.0),
            Some("MiB") => (Self::Bytes, MIB),
            Some("%") => (Self::Percent, 1.0),
            Some("MHz") => (Self::Hertz, 1e6),
            Some("C" | "°C") => (Self::Celsius, 1.0),
            Some("s") => (Self::Seconds, 1.0),
            Some("ms") => (Self::Seconds, 1e-3),
            Some("us" | "µs") => (Self::Seconds, 1e-6),
            Some("ns") => (Self::Seconds, 1e-9),
            _ => (Self::Raw, 1.0),
        }
    }
}

const MIB: f64 = 1_048_576.0;

/// One field of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuField {
    /// Its name in the page.
    pub field: String,
    /// The metric it gives; several fields may give one.
    pub name: String,
    /// The metric's unit.
    pub unit: Unit,
    /// From the page's unit to the metric's.
    pub scale: f64,
    /// Whether it only grows.
    pub counter: bool,
}

/// The energy used, the metric of that name.
pub(super) const ENERGY: &str = "energy_consumption";
/// The power drawn.
pub(super) const POWER: &str = "gpu_power_usage";

#[rustfmt::skip]
const FIELDS: &[(&str, &str, Unit, f64, bool)] = &[
    ("DCGM_FI_DEV_POWER_USAGE", POWER, Unit::Watts, 1.0, false),
    ("DCGM_FI_DEV_POWER_MGMT_LIMIT", "gpu_power_limit", Unit::Watts, 1.0, false),
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", ENERGY, Unit::Joules, 1e-3, true),
    ("DCGM_FI_DEV_FB_TOTAL", "total_gpu_memory", Unit::Bytes, MIB, false),
    ("DCGM_FI_DEV_FB_USED", "gpu_memory_used", Unit::Bytes, MIB, false),
    ("DCGM_FI_DEV_FB_FREE", "gpu_memory_free", Unit::Bytes, MIB, false),
    ("DCGM_FI_DEV_GPU_UTIL", "gpu_utilization", Unit::Percent, 1.0, false),
    ("DCGM_FI_PROF_SM_ACTIVE", "sm_utilization", Unit::Percent, 100.0, false),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", "memory_copy_utilization", Unit::Percent, 1.0, false),
    ("DCGM_FI_DEV_ENC_UTIL", "video_encoder_utilization", Unit::Percent, 1.0, false),
    ("DCGM_FI_DEV_DEC_UTIL", "video_decoder_utilization", Unit::Percent, 1.0, false),
    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "graphics_engine_active", Unit::Percent, 100.0, false),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active", Unit::Percent, 100.0, false),
    ("DCGM_FI_PROF_DRAM_ACTIVE", "memory_active", Unit::Percent, 100.0, false),
    ("DCGM_FI_DEV_SM_CLOCK", "gpu_clock_sm", Unit::Hertz, 1e6, false),
    ("DCGM_FI_DEV_MEM_CLOCK", "gpu_clock_memory", Unit::Hertz, 1e6, false),
    ("DCGM_FI_DEV_GPU_TEMP", "gpu_temperature", Unit::Celsius, 1.0, false),
    ("DCGM_FI_DEV_MEMORY_TEMP", "gpu_memory_temperature", Unit::Celsius, 1.0, false),
    ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "total_ecc_sbe_volatile", Unit::Errors, 1.0, true),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "total_ecc_dbe_volatile", Unit::Errors, 1.0, true),
    ("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", "total_ecc_sbe_aggregate", Unit::Errors, 1.0, true),
    ("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", "total_ecc_dbe_aggregate", Unit::Errors, 1.0, true),
    ("DCGM_FI_DEV_XID_ERRORS", "xid_last_error", Unit::Errors, 1.0, false),
    // The driver counts nanoseconds and DCGM hands them on, whatever the exporter's help text says.
    ("DCGM_FI_DEV_POWER_VIOLATION", "power_throttle_duration", Unit::Seconds, 1e-9, true),
    ("DCGM_FI_DEV_THERMAL_VIOLATION", "thermal_throttle_duration", Unit::Seconds, 1e-9, true),
    ("DCGM_FI_DEV_RETIRED_SBE", "retired_pages_sbe", Unit::Pages, 1.0, true),
    ("DCGM_FI_DEV_RETIRED_DBE", "retired_pages_dbe", Unit::Pages, 1.0, true),
    ("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "total_nvlink_crc_flit_errors", Unit::Errors, 1.0, true),
    ("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "total_nvlink_crc_data_errors", Unit::Errors, 1.0, true),
    // These two are rates by definition, whatever type the page gives them.
    ("DCGM_FI_PROF_PCIE_TX_BYTES", "pcie_transmit_throughput", Unit::BytesPerSecond, 1.0, false),
    ("DCGM_FI_PROF_PCIE_RX_BYTES", "pcie_receive_throughput", Unit::BytesPerSecond, 1.0, false),
    ("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "pcie_replay_counter", Unit::Retries, 1.0, true),
    // Triton Inference Server's own page.
    ("nv_gpu_power_usage", POWER, Unit::Watts, 1.0, false),
    ("nv_gpu_power_limit", "gpu_power_limit", Unit::Watts, 1.0, false),
    ("nv_energy_consumption", ENERGY, Unit::Joules, 1.0, true),
    ("nv_gpu_memory_total_bytes", "total_gpu_memory", Unit::Bytes, 1.0, false),
    ("nv_gpu_memory_used_bytes", "gpu_memory_used", Unit::Bytes, 1.0, false),
    ("nv_gpu_utilization", "gpu_utilization", Unit::Percent, 100.0, false),
];

/// Why a file of counters could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the counters file is not `FIELD, gauge|counter|label, help`: {text}")]
pub struct CountersFileError {
    /// The line's number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// The fields that are read, in the order of reports.
#[derive(Clone, Debug)]
pub struct GpuFields {
    fields: Vec<GpuField>,
    by_field: FxHashMap<String, usize>,
}

impl Default for GpuFields {
    fn default() -> Self {
        let mut fields = Self { fields: Vec::new(), by_field: FxHashMap::default() };
        for &(field, name, unit, scale, counter) in FIELDS {
            fields.add(GpuField { field: field.into(), name: name.into(), unit, scale, counter });
        }
        fields
    }
}

impl GpuFields {
    /// Reads more fields: a file in the format of DCGM-exporter's list of counters (`FIELD, type, help (in UNIT)`).
    /// Fields that are known keep their meaning; labels are skipped.
    ///
    /// # Errors
    /// When a line has another form.
    pub fn with_counters_file(mut self, text: &str) -> Result<Self, CountersFileError> {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || CountersFileError { line: index + 1, text: line.to_owned() };
            let mut parts = line.splitn(3, ',').map(str::trim);
            let (field, kind) = parts.next().zip(parts.next()).ok_or_else(wrong)?;
            let counter = match kind {
                "gauge" => false,
                "counter" => true,
                "label" => continue,
                _ => return Err(wrong()),
            };
            if field.is_empty() {
                return Err(wrong());
            }
            let (unit, scale) = Unit::of_help(parts.next().unwrap_or_default());
            let name = field.strip_prefix("DCGM_FI_").unwrap_or(field).to_ascii_lowercase();
            self.add(GpuField { field: field.into(), name, unit, scale, counter });
        }
        Ok(self)
    }

    fn add(&mut self, field: GpuField) {
        if !self.by_field.contains_key(&field.field) {
            self.by_field.insert(field.field.clone(), self.fields.len());
            self.fields.push(field);
        }
    }

    /// The meaning of a field, if it is read.
    #[must_use]
    pub fn find(&self, field: &str) -> Option<&GpuField> {
        self.fields.get(*self.by_field.get(field)?)
    }

    /// The place of a field in reports.
    pub(super) fn place(&self, field: &str) -> Option<usize> {
        self.by_field.get(field).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counters_file_adds_fields_and_keeps_the_known() {
        let text = "# a comment\n\nDCGM_FI_DEV_POWER_USAGE, gauge, Power (in mW).\nDCGM_FI_DEV_X , counter, Used (in mJ).\n\
                    DCGM_FI_DEV_Y, gauge, no unit\nDCGM_FI_DRIVER_VERSION, label, Driver\nDCGM_FI_DEV_Z, gauge\n";
        let fields = GpuFields::default().with_counters_file(text).unwrap();
        assert_eq!(fields.find("DCGM_FI_DEV_POWER_USAGE").unwrap().scale, 1.0);
        let added = fields.find("DCGM_FI_DEV_X").unwrap();
        assert_eq!((added.name.as_str(), added.unit, added.scale, added.counter), ("dev_x", Unit::Joules, 1e-3, true));
        assert_eq!(fields.find("DCGM_FI_DEV_Y").unwrap().unit, Unit::Raw);
        assert_eq!(fields.find("DCGM_FI_DEV_Z").unwrap().unit, Unit::Raw);
        assert_eq!(fields.find("DCGM_FI_DRIVER_VERSION"), None);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = GpuFields::default().with_counters_file("\nDCGM_FI_DEV_X, table, x").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, "DCGM_FI_DEV_X, table, x"));
        assert!(GpuFields::default().with_counters_file("just a word").is_err());
    }
}
