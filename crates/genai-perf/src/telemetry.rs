//! GPU telemetry as GenAI-Perf reports it.

use serde_json::{Map, Value};

use crate::metric::capitalized;
use crate::stats::{Spread, mean};

/// What DCGM's exporter calls a metric, what GenAI-Perf calls it, its unit, and the factor between them.
struct Known {
    name: &'static str,
    unit: &'static str,
    source: &'static str,
    factor: f64,
}

const fn known(name: &'static str, unit: &'static str, source: &'static str, factor: f64) -> Known {
    Known { name, unit, source, factor }
}

/// MiB in GB.
const MIB: f64 = 1.048576 * 1e-3;
/// Bytes in KiB, which are called KB.
const KIB: f64 = 1.0 / 1024.0;

/// Every metric, in the order of the reports.
#[rustfmt::skip]
const KNOWN: [Known; 29] = [
    known("gpu_power_usage", "W", "DCGM_FI_DEV_POWER_USAGE", 1.0),
    known("gpu_power_limit", "W", "DCGM_FI_DEV_POWER_MGMT_LIMIT", 1.0),
    known("energy_consumption", "MJ", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1e-9),
    known("total_gpu_memory", "GB", "DCGM_FI_DEV_FB_TOTAL", MIB),
    known("gpu_memory_used", "GB", "DCGM_FI_DEV_FB_USED", MIB),
    known("gpu_memory_free", "GB", "DCGM_FI_DEV_FB_FREE", MIB),
    known("gpu_utilization", "%", "DCGM_FI_DEV_GPU_UTIL", 1.0),
    known("sm_utilization", "%", "DCGM_FI_PROF_SM_ACTIVE", 100.0),
    known("memory_copy_utilization", "%", "DCGM_FI_DEV_MEM_COPY_UTIL", 1.0),
    known("video_encoder_utilization", "%", "DCGM_FI_DEV_ENC_UTIL", 1.0),
    known("video_decoder_utilization", "%", "DCGM_FI_DEV_DEC_UTIL", 1.0),
    known("gpu_clock_sm", "MHz", "DCGM_FI_DEV_SM_CLOCK", 1.0),
    known("gpu_clock_memory", "MHz", "DCGM_FI_DEV_MEM_CLOCK", 1.0),
    known("gpu_temperature", "C", "DCGM_FI_DEV_GPU_TEMP", 1.0),
    known("gpu_memory_temperature", "C", "DCGM_FI_DEV_MEMORY_TEMP", 1.0),
    known("total_ecc_sbe_volatile", "errors", "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 1.0),
    known("total_ecc_dbe_volatile", "errors", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1.0),
    known("total_ecc_sbe_aggregate", "errors", "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", 1.0),
    known("total_ecc_dbe_aggregate", "errors", "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 1.0),
    known("xid_last_error", "errors", "DCGM_FI_DEV_XID_ERRORS", 1.0),
    known("power_throttle_duration", "us", "DCGM_FI_DEV_POWER_VIOLATION", 1.0),
    known("thermal_throttle_duration", "us", "DCGM_FI_DEV_THERMAL_VIOLATION", 1.0),
    known("retired_pages_sbe", "pages", "DCGM_FI_DEV_RETIRED_SBE", 1.0),
    known("retired_pages_dbe", "pages", "DCGM_FI_DEV_RETIRED_DBE", 1.0),
    known("total_nvlink_crc_flit_errors", "errors", "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 1.0),
    known("total_nvlink_crc_data_errors", "errors", "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", 1.0),
    known("pcie_transmit_throughput", "KB/s", "DCGM_FI_PROF_PCIE_TX_BYTES", KIB),
    known("pcie_receive_throughput", "KB/s", "DCGM_FI_PROF_PCIE_RX_BYTES", KIB),
    known("pcie_replay_counter", "retries", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 1.0),
];

/// Of these only the mean is reported.
pub(crate) const CONSTANT: [&str; 2] = ["gpu_power_limit", "total_gpu_memory"];

/// What is known of one metric of one GPU, in the unit of the report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GpuValue {
    /// Only the mean.
    Mean(f64),
    /// All statistics.
    Spread(Spread),
}

impl GpuValue {
    /// The statistic of a name.
    #[must_use]
    pub fn stat(&self, name: &str) -> Option<f64> {
        match self {
            Self::Mean(mean) => (name == "avg").then_some(*mean),
            Self::Spread(spread) => spread.stat(name),
        }
    }
}

/// One metric of all GPUs that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuMetric {
    /// Name in files.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// The GPUs' labels and values.
    pub gpus: Vec<(String, GpuValue)>,
}

impl GpuMetric {
    /// The name and unit in tables: `gpu_power_usage` is `GPU Power Usage (W)`.
    #[must_use]
    pub fn label(&self) -> String {
        let words = self.name.split('_').map(|word| if word == "gpu" { "GPU".to_owned() } else { capitalized(word) });
        format!("{} ({})", words.collect::<Vec<_>>().join(" "), self.unit)
    }
}

/// The telemetry of a run: metrics that have values, in the order of the reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry(pub Vec<GpuMetric>);

/// Samples that are being gathered.
#[derive(Clone, Debug, Default)]
pub struct TelemetrySamples(Vec<Gathered>);

/// The samples of one metric.
#[derive(Clone, Debug)]
struct Gathered {
    /// Its place among the known ones.
    place: usize,
    gpus: Vec<(String, Vec<f64>)>,
}

impl TelemetrySamples {
    /// Adds a sample of a DCGM field in DCGM's unit. Fields that GenAI-Perf does not report are let go.
    pub fn add(&mut self, dcgm_field: &str, gpu: &str, value: f64) {
        let Some(place) = KNOWN.iter().position(|known| known.source == dcgm_field) else { return };
        let metric = self.0.iter().position(|known| known.place == place).unwrap_or_else(|| {
            self.0.push(Gathered { place, gpus: Vec::new() });
            self.0.len() - 1
        });
        let gpus = &mut self.0[metric].gpus;
        match gpus.iter_mut().find(|(known, _)| known == gpu) {
            Some((_, samples)) => samples.push(value),
            None => gpus.push((gpu.to_owned(), vec![value])),
        }
    }

    /// The statistics of all samples.
    #[must_use]
    pub fn telemetry(&self) -> Telemetry {
        let of = |(place, known): (usize, &Known)| {
            let gathered = self.0.iter().find(|gathered| gathered.place == place)?;
            let value = |samples: &[f64]| {
                if CONSTANT.contains(&known.name) {
                    return Some(GpuValue::Mean(mean(samples) * known.factor));
                }
                Spread::of(samples).map(|spread| GpuValue::Spread(spread.scaled(known.factor)))
            };
            let gpus = gathered.gpus.iter().filter_map(|(gpu, samples)| Some((gpu.clone(), value(samples)?))).collect();
            Some(GpuMetric { name: known.name.to_owned(), unit: known.unit.to_owned(), gpus })
        };
        Telemetry(KNOWN.iter().enumerate().filter_map(of).collect())
    }
}

impl Telemetry {
    /// True if no GPU has any value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|metric| metric.gpus.is_empty())
    }

    /// The metric of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&GpuMetric> {
        self.0.iter().find(|metric| metric.name == name)
    }

    /// Reads the `telemetry_stats` of a JSON report. What is not understood is left out.
    #[must_use]
    pub fn of_json(stats: &Map<String, Value>) -> Self {
        let metric = |(name, gpus): (&String, &Value)| {
            let gpus = gpus.as_object()?;
            let unit = gpus.get("unit").and_then(Value::as_str).unwrap_or_default().to_owned();
            let values = gpus.iter().filter(|(gpu, _)| *gpu != "unit");
            let gpus = values.filter_map(|(gpu, stats)| Some((gpu.clone(), gpu_value(stats)?))).collect();
            Some(GpuMetric { name: name.clone(), unit, gpus })
        };
        Self(stats.iter().filter_map(metric).collect())
    }

    /// The telemetry of several runs as one: means of power, utilization and energy, the greatest of all else.
    #[must_use]
    pub fn merged(runs: &[Self]) -> Self {
        let Some(first) = runs.first() else { return Self::default() };
        let metric = |of: &GpuMetric| {
            let same: Vec<&GpuMetric> = runs.iter().filter_map(|run| run.get(&of.name)).collect();
            let mut gpus: Vec<&String> =
                same.iter().flat_map(|metric| metric.gpus.iter().map(|(gpu, _)| gpu)).collect();
            gpus.sort();
            gpus.dedup();
            let value = |gpu: &str| {
                let all = same.iter().flat_map(|metric| &metric.gpus).filter(|(known, _)| known == gpu);
                let means: Vec<f64> = all.filter_map(|(_, value)| value.stat("avg")).collect();
                match of.name.as_str() {
                    "gpu_power_usage" | "gpu_utilization" | "energy_consumption" => {
                        (!means.is_empty()).then(|| mean(&means))
                    }
                    _ => means.into_iter().reduce(f64::max),
                }
            };
            let gpus = gpus.into_iter().filter_map(|gpu| Some((gpu.clone(), GpuValue::Mean(value(gpu)?))));
            GpuMetric { name: of.name.clone(), unit: of.unit.clone(), gpus: gpus.collect() }
        };
        Self(first.0.iter().map(metric).collect())
    }
}

fn gpu_value(stats: &Value) -> Option<GpuValue> {
    let stat = |name: &str| stats.get(name).and_then(Value::as_f64);
    let avg = stat("avg")?;
    let spread = || {
        let mut percentiles = [0.0; 9];
        for (into, percent) in percentiles.iter_mut().zip(crate::PERCENTILES) {
            *into = stat(&format!("p{percent}"))?;
        }
        Some(Spread { avg, percentiles, min: stat("min")?, max: stat("max")?, std: stat("std")? })
    };
    Some(spread().map_or(GpuValue::Mean(avg), GpuValue::Spread))
}
