//! From samples to a summary.

use serde::{Deserialize, Serialize};

use crate::gpu::{self, GpuSummary, GpuTotals};
use crate::samples::{PageKind, PageSamples, Scrape};
use crate::server::{self, ServerMetric};
use crate::warning::{TelemetryWarning, WarningCode};
use crate::window::{Window, seconds};

/// Fewer updates than these within the window make an energy rough.
const FEW_UPDATES: u64 = 3;
/// Samples that cover less of the window than this make an energy rough.
const LITTLE_SHARE: f64 = 0.9;

/// What the pages said of the measured window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TelemetrySummary {
    /// The window.
    pub window: Window,
    /// The pages asked for, in their order.
    pub pages: Vec<PageSummary>,
    /// GPUs, in the order of the pages.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub gpus: Vec<GpuSummary>,
    /// All GPUs together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gpu_totals: Option<GpuTotals>,
    /// Servers' pages.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub servers: Vec<ServerSummary>,
    /// What is to be said beside the figures.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<TelemetryWarning>,
}

impl TelemetrySummary {
    /// A short name for each of [`TelemetrySummary::gpus`], no two alike: the index where that is enough, with the host
    /// before it where there are several, and the MIG instance after it.
    #[must_use]
    pub fn gpu_labels(&self) -> Vec<String> {
        let several = self.gpus.iter().any(|gpu| gpu.gpu.hostname != self.gpus[0].gpu.hostname);
        let mut labels: Vec<String> = Vec::new();
        for GpuSummary { gpu, .. } in &self.gpus {
            let mut label = gpu.index.as_ref().or(gpu.uuid.as_ref()).cloned().unwrap_or_default();
            if let (true, Some(host)) = (several, &gpu.hostname) {
                label = format!("{host}:{label}");
            }
            if let Some(instance) = &gpu.mig_instance {
                label = format!("{label}/{instance}");
            }
            // Two pages that show one GPU.
            while labels.contains(&label) {
                label = format!("{label}@{}", gpu.url);
            }
            labels.push(label);
        }
        labels
    }
}

/// How one page was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageSummary {
    /// Its address, without credentials.
    pub url: String,
    /// Scrapes kept, before and after the window too.
    pub scrapes: u64,
    /// Scrapes kept within the window.
    pub scrapes_in_window: u64,
    /// Mean time of a scrape within the window, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub average_scrape_s: Option<f64>,
}

/// One server's page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerSummary {
    /// Its address, without credentials.
    pub url: String,
    /// Its metrics, in the order of the page.
    pub metrics: Vec<ServerMetric>,
}

/// What the samples say of a window. Pure: the same samples give the same summary.
#[must_use]
pub fn summarise(pages: &[PageSamples], window: Window) -> TelemetrySummary {
    let pages: Vec<(&PageSamples, Vec<Scrape>)> = pages.iter().map(|page| (page, page.scrape_list())).collect();
    let gpus = gpu::gpus(&pages, window);
    let servers = pages
        .iter()
        .filter(|(page, scrapes)| matches!(page.kind(), PageKind::Server) && !scrapes.is_empty())
        .map(|(page, scrapes)| ServerSummary {
            url: page.url().to_owned(),
            metrics: server::metrics(page, scrapes, window),
        })
        .collect();
    TelemetrySummary {
        window,
        pages: pages.iter().map(|(page, scrapes)| page_summary(page, scrapes, window)).collect(),
        gpu_totals: gpu::totals(&gpus),
        warnings: pages.iter().flat_map(|(page, scrapes)| warnings(page, scrapes, &gpus, window)).collect(),
        gpus,
        servers,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn page_summary(page: &PageSamples, scrapes: &[Scrape], window: Window) -> PageSummary {
    let inside: Vec<f64> = scrapes
        .iter()
        .filter(|scrape| window.contains(scrape.at_ns()))
        .map(|scrape| seconds(scrape.before_ns, scrape.after_ns))
        .collect();
    PageSummary {
        url: page.url().to_owned(),
        scrapes: scrapes.len() as u64,
        scrapes_in_window: inside.len() as u64,
        average_scrape_s: (!inside.is_empty()).then(|| inside.iter().sum::<f64>() / inside.len() as f64),
    }
}

fn warnings(page: &PageSamples, scrapes: &[Scrape], gpus: &[GpuSummary], window: Window) -> Vec<TelemetryWarning> {
    let url = page.url();
    let mut warnings = Vec::new();
    let mut warn = |code, message: String, hint: &str| {
        warnings.push(TelemetryWarning { code, url: url.to_owned(), message, hint: hint.to_owned() });
    };
    if scrapes.is_empty() {
        // That the page could not be had is said by whoever asked for it.
        return warnings;
    }
    if !scrapes.iter().any(|scrape| window.contains(scrape.at_ns())) {
        warn(
            WarningCode::NoSamples,
            format!("{url} was not read within the measured {:.3} s", window.seconds()),
            "measure longer, or read the page more often",
        );
    }
    if let Some(bad) = page.bad_lines() {
        warn(
            WarningCode::BadLines,
            format!("{} lines of {url} could not be read; line {} of a page: {}", bad.count, bad.line, bad.error),
            "check that the address is a page of Prometheus metrics",
        );
    }
    if page.stride() > 1 {
        warn(
            WarningCode::Thinned,
            format!("of the scrapes of {url} only one in {} was kept, to bound the memory", page.stride()),
            "read the page less often",
        );
    }
    if let PageKind::Gpu(_) = page.kind() {
        let of_page = || gpus.iter().filter(|gpu| gpu.gpu.url == url);
        if of_page().next().is_none() {
            warn(
                WarningCode::NoGpus,
                format!("{url} shows no metrics of GPUs"),
                "name the page of a DCGM-exporter, such as http://localhost:9400/metrics",
            );
        }
        let rough = |energy: &gpu::Energy| energy.updates < FEW_UPDATES || energy.measured_share < LITTLE_SHARE;
        let count = of_page().filter_map(|gpu| gpu.energy).filter(rough).count();
        if count > 0 {
            warn(
                WarningCode::RoughEnergy,
                format!("the energy of {count} GPUs of {url} is rough: the page changed too seldom for this window"),
                "measure longer, or have the exporter read its GPUs more often (DCGM_EXPORTER_INTERVAL, in milliseconds)",
            );
        }
    }
    warnings
}
