//! What each GPU did within the window.

use serde::{Deserialize, Serialize};

use super::energy::{Energy, Point, energy};
use super::fields::{ENERGY, GpuField, GpuFields, POWER, Unit};
use super::identity::Gpu;
use crate::increase::{Absent, Increase};
use crate::samples::{PageKind, PageSamples, Scrape, Series};
use crate::statistics::Statistics;
use crate::window::{Window, values_within};

/// One metric of one GPU, in its base unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuMetric {
    /// Its name, GenAI-Perf's where it has one.
    pub name: String,
    /// The field of the page.
    pub field: String,
    /// Its unit.
    pub unit: Unit,
    /// Statistics of the samples within the window; of a counter too, as it stands in the page.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub statistics: Option<Statistics>,
    /// How far a counter rose between the scrapes that enclose the window.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub increase: Option<Increase>,
}

/// One GPU or MIG instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuSummary {
    /// Which.
    pub gpu: Gpu,
    /// Its metrics, those without any sample left out.
    pub metrics: Vec<GpuMetric>,
    /// The energy it used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub energy: Option<Energy>,
}

impl GpuSummary {
    /// A metric by its name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&GpuMetric> {
        self.metrics.iter().find(|metric| metric.name == name)
    }
}

/// All GPUs together, each piece of hardware counted once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuTotals {
    /// GPUs seen.
    pub gpus: u64,
    /// GPUs whose energy is known; the figures below are theirs.
    pub measured_gpus: u64,
    /// Joules.
    pub energy_j: f64,
    /// Watts, summed over the GPUs.
    pub average_power_w: f64,
}

/// The pages with their scrapes.
pub(crate) type Pages<'a> = [(&'a PageSamples, Vec<Scrape>)];

/// Every GPU of every page, in the order of the pages.
pub(crate) fn gpus(pages: &Pages<'_>, window: Window) -> Vec<GpuSummary> {
    let mut found = Vec::new();
    for (page, scrapes) in pages {
        let PageKind::Gpu(fields) = page.kind() else { continue };
        let mut of_page: Vec<(Gpu, Vec<(&GpuField, &Series)>)> = Vec::new();
        for series in page.series() {
            let Some(field) = fields.find(series.name()) else { continue };
            let gpu = Gpu::of(page.url(), series);
            match of_page.iter_mut().find(|(known, _)| known.is(&gpu)) {
                Some((_, of_gpu)) => of_gpu.push((field, series)),
                None => of_page.push((gpu, vec![(field, series)])),
            }
        }
        found.extend(of_page.into_iter().map(|(gpu, series)| summary(gpu, series, fields, scrapes, window)));
    }
    found
}

fn summary(
    gpu: Gpu,
    mut series: Vec<(&GpuField, &Series)>,
    fields: &GpuFields,
    scrapes: &[Scrape],
    window: Window,
) -> GpuSummary {
    series.sort_by_key(|(field, _)| fields.place(&field.field));
    let points = |name: &str| {
        let found = series.iter().find(|(field, _)| field.name == name);
        found.map(|(field, series)| points(series, scrapes, field.scale)).unwrap_or_default()
    };
    let energy = energy(&points(ENERGY), &points(POWER), window);
    let metrics = series.iter().filter_map(|(field, series)| metric(field, series, scrapes, window)).collect();
    GpuSummary { gpu, metrics, energy }
}

fn points(series: &Series, scrapes: &[Scrape], scale: f64) -> Vec<Point> {
    let values = scrapes.iter().zip(series.values());
    values.filter_map(|(scrape, value)| Some((scrape.at_ns(), value? * scale))).collect()
}

fn metric(field: &GpuField, series: &Series, scrapes: &[Scrape], window: Window) -> Option<GpuMetric> {
    let statistics = Statistics::of(values_within(series, scrapes, window)).map(|all| all.scaled(field.scale));
    let increase = field
        .counter
        .then(|| Increase::of(&[series], scrapes, window, Absent::Unknown).first().copied().flatten())
        .flatten()
        .map(|increase| Increase { amount: increase.amount * field.scale, ..increase });
    (statistics.is_some() || increase.is_some()).then(|| GpuMetric {
        name: field.name.clone(),
        field: field.field.clone(),
        unit: field.unit,
        statistics,
        increase,
    })
}

/// The sums over all GPUs; `None` if there are none.
pub(crate) fn totals(gpus: &[GpuSummary]) -> Option<GpuTotals> {
    // One chip may be shown by two pages, or once for each of its MIG instances with the power of the whole.
    let mut chips: Vec<&GpuSummary> = Vec::new();
    for gpu in gpus {
        match chips.iter_mut().find(|chip| chip.gpu.same_chip(&gpu.gpu)) {
            Some(chip) => {
                let better =
                    chip.energy.is_none() || (chip.gpu.mig_instance.is_some() && gpu.gpu.mig_instance.is_none());
                if better && gpu.energy.is_some() {
                    *chip = gpu;
                }
            }
            None => chips.push(gpu),
        }
    }
    let measured: Vec<_> = chips.iter().filter_map(|chip| chip.energy).collect();
    (!chips.is_empty()).then(|| GpuTotals {
        gpus: chips.len() as u64,
        measured_gpus: measured.len() as u64,
        energy_j: measured.iter().map(|energy| energy.joules).sum(),
        average_power_w: measured.iter().map(|energy| energy.average_power_w).sum(),
    })
}
