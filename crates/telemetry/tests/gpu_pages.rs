//! What scripted pages of GPUs come to.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

use std::sync::Arc;

use tokamark_telemetry::{
    EnergyBasis, GpuFields, GpuSummary, PageKind, PageSamples, TelemetrySummary, Unit, WarningCode, Window, summarise,
};

const SECOND: u64 = 1_000_000_000;
const MIB: f64 = 1_048_576.0;

fn page_samples(url: &str) -> PageSamples {
    PageSamples::new(url, PageKind::Gpu(Arc::new(GpuFields::default())), 1 << 20)
}

/// The samples of pages read at whole seconds, each read taking 20 ms around its second.
fn read(url: &str, pages: &[String]) -> PageSamples {
    let mut samples = page_samples(url);
    for (page, second) in pages.iter().zip(1u64..) {
        samples.push(second * SECOND - 10_000_000, second * SECOND + 10_000_000, page);
    }
    samples
}

fn window(start_s: f64, end_s: f64) -> Window {
    Window { start_ns: (start_s * 1e9) as u64, end_ns: (end_s * 1e9) as u64 }
}

/// A line in the exporter's style.
fn line(field: &str, gpu: u32, host: &str, value: &str) -> String {
    format!(
        "{field}{{gpu=\"{gpu}\",UUID=\"GPU-{host}-{gpu}\",pci_bus_id=\"0000:0{gpu}:00.0\",device=\"nvidia{gpu}\",\
         modelName=\"Example 9000\",Hostname=\"{host}\"}} {value}\n"
    )
}

fn one(samples: PageSamples, window: Window) -> (GpuSummary, TelemetrySummary) {
    let summary = summarise(&[samples], window);
    assert_eq!(summary.gpus.len(), 1, "{summary:#?}");
    (summary.gpus[0].clone(), summary)
}

#[test]
fn every_metric_in_its_base_unit_over_the_window_alone() {
    let page = |power: u32, energy: u64| {
        [
            line("DCGM_FI_DEV_POWER_USAGE", 0, "n", &format!("{power}.500000")),
            line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", &energy.to_string()),
            line("DCGM_FI_DEV_FB_USED", 0, "n", "131298"),
            line("DCGM_FI_PROF_SM_ACTIVE", 0, "n", "0.250000"),
            line("DCGM_FI_DEV_SM_CLOCK", 0, "n", "1755"),
            line("DCGM_FI_DEV_POWER_VIOLATION", 0, "n", "2500000000"),
            line("DCGM_FI_DEV_SOMETHING_ELSE", 0, "n", "1"),
        ]
        .concat()
    };
    // Seconds 1 to 6; the window holds 2 to 5.
    let pages = [(999, 0), (100, 1_000), (200, 2_000), (300, 3_000), (400, 4_000), (999, 5_000)];
    let pages: Vec<_> = pages.map(|(power, energy)| page(power, 1_000_000 * energy)).into();
    let (gpu, summary) = one(read("http://n/metrics", &pages), window(2.0, 5.0));
    let power = gpu.metric("gpu_power_usage").unwrap();
    let statistics = power.statistics.unwrap();
    assert_eq!(power.unit, Unit::Watts);
    assert_eq!((statistics.count, statistics.avg, statistics.min, statistics.max), (4, 250.5, 100.5, 400.5));
    assert_eq!((statistics.p25, statistics.p50, statistics.p90), (175.5, 250.5, 370.5));
    assert_eq!(statistics.std, 12_500f64.sqrt());
    let used = gpu.metric("gpu_memory_used").unwrap();
    assert_eq!((used.unit, used.statistics.unwrap().avg), (Unit::Bytes, 131_298.0 * MIB));
    assert_eq!(gpu.metric("sm_utilization").unwrap().statistics.unwrap().max, 25.0);
    assert_eq!(gpu.metric("gpu_clock_sm").unwrap().statistics.unwrap().max, 1_755e6);
    let throttled = gpu.metric("power_throttle_duration").unwrap();
    assert_eq!((throttled.statistics.unwrap().avg, throttled.increase.unwrap().amount), (2.5, 0.0));
    let energy = gpu.metric("energy_consumption").unwrap();
    assert_eq!(energy.statistics.unwrap().avg, 2_500_000.0);
    let increase = energy.increase.unwrap();
    assert_eq!((increase.amount, increase.span_s, increase.resets), (3_000_000.0, 3.0, 0));
    let used = gpu.energy.unwrap();
    assert_eq!((used.joules, used.average_power_w, used.basis), (3_000_000.0, 1_000_000.0, EnergyBasis::Counter));
    assert_eq!(gpu.metrics.len(), 6);
    // In the order of the reference, whatever the page's.
    let names: Vec<_> = gpu.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "gpu_power_usage",
            "energy_consumption",
            "gpu_memory_used",
            "sm_utilization",
            "gpu_clock_sm",
            "power_throttle_duration"
        ]
    );
    assert_eq!(gpu.gpu.model.as_deref(), Some("Example 9000"));
    assert_eq!(summary.warnings, []);
    assert_eq!((summary.pages[0].scrapes, summary.pages[0].scrapes_in_window), (6, 4));
    assert!((summary.pages[0].average_scrape_s.unwrap() - 0.02).abs() < 1e-12);
}

#[test]
fn blanks_are_no_values() {
    let pages: Vec<_> = ["30", "9223372036854775794", "2147483632", "140737488355328", "NaN", "50"]
        .map(|value| {
            line("DCGM_FI_DEV_GPU_TEMP", 0, "n", value) + &line("DCGM_FI_DEV_MEMORY_TEMP", 0, "n", "2147483634")
        })
        .into();
    let (gpu, summary) = one(read("u", &pages), window(0.0, 9.0));
    let statistics = gpu.metric("gpu_temperature").unwrap().statistics.unwrap();
    assert_eq!((statistics.count, statistics.avg), (2, 40.0));
    // A metric without any value is absent, and a GPU without power or energy has no energy.
    assert_eq!(gpu.metric("gpu_memory_temperature"), None);
    assert_eq!(gpu.energy, None);
    let totals = summary.gpu_totals.unwrap();
    assert_eq!((totals.gpus, totals.measured_gpus, totals.energy_j), (1, 0, 0.0));
}

#[test]
fn a_counter_blank_at_first_does_not_rise_from_zero() {
    let pages: Vec<_> = ["9223372036854775794", "7000", "7500", "8500"]
        .map(|value| line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", value))
        .into();
    let (gpu, _) = one(read("u", &pages), window(1.0, 4.0));
    assert_eq!(gpu.metric("energy_consumption").unwrap().increase.unwrap().amount, 1.5);
    // 1.5 J in the two seconds that were seen, of three.
    let energy = gpu.energy.unwrap();
    assert_eq!((energy.joules, energy.average_power_w), (2.25, 0.75));
    assert!((energy.measured_share - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn energy_is_cut_at_the_borders_and_goes_on_after_a_reset() {
    let pages: Vec<_> = [10_000, 20_000, 40_000, 3_000, 8_000]
        .map(|value: u32| line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", &value.to_string()))
        .into();
    // Half of 10 J, 20 J, 3 J after the reset, and a fifth of 5 J.
    let (gpu, _) = one(read("u", &pages), window(1.5, 4.2));
    assert!((gpu.energy.unwrap().joules - (5.0 + 20.0 + 3.0 + 1.0)).abs() < 1e-9);
    assert_eq!(gpu.metric("energy_consumption").unwrap().increase.unwrap().resets, 1);
}

#[test]
fn hosts_gpus_and_pages_are_kept_apart_and_chips_counted_once() {
    let power = |gpu, host, watts: u32| line("DCGM_FI_DEV_POWER_USAGE", gpu, host, &watts.to_string());
    let page = power(0, "a", 100) + &power(1, "a", 200) + &power(0, "b", 400);
    let first = read("http://a/metrics", &[page.clone(), page]);
    // Another page shows the first GPU of b again.
    let again = power(0, "b", 400);
    let second = read("http://b/metrics", &[again.clone(), again]);
    let summary = summarise(&[first, second], window(1.0, 2.0));
    let seen: Vec<_> = summary
        .gpus
        .iter()
        .map(|gpu| {
            let id = &gpu.gpu;
            (id.url.as_str(), id.hostname.as_deref().unwrap(), id.index.as_deref().unwrap(), gpu.energy.unwrap().joules)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("http://a/metrics", "a", "0", 100.0),
            ("http://a/metrics", "a", "1", 200.0),
            ("http://a/metrics", "b", "0", 400.0),
            ("http://b/metrics", "b", "0", 400.0),
        ]
    );
    let totals = summary.gpu_totals.unwrap();
    assert_eq!((totals.gpus, totals.measured_gpus, totals.energy_j, totals.average_power_w), (3, 3, 700.0, 700.0));
    assert_eq!(summary.gpu_labels(), ["a:0", "a:1", "b:0", "b:0@http://b/metrics"]);
}

#[test]
fn hosts_tell_gpus_of_one_name_apart() {
    // Neither the index alone nor a UUID that a simulator gives to every host makes two GPUs one.
    for labels in ["gpu=\"0\"", "gpu=\"0\",UUID=\"GPU-0\""] {
        let line = |host, watts: u32| format!("DCGM_FI_DEV_POWER_USAGE{{{labels},Hostname=\"{host}\"}} {watts}\n");
        let page = line("a", 100) + &line("b", 200);
        let summary = summarise(&[read("u", &[page.clone(), page])], window(1.0, 2.0));
        let power: Vec<_> =
            summary.gpus.iter().map(|gpu| gpu.metric("gpu_power_usage").unwrap().statistics.unwrap().avg).collect();
        assert_eq!((power, summary.gpu_totals.unwrap().energy_j), (vec![100.0, 200.0], 300.0));
    }
}

#[test]
fn mig_instances_are_kept_apart_and_their_chip_counted_once() {
    let of = |instance: &str, profile: &str, active: &str| {
        let labels =
            format!("gpu=\"0\",UUID=\"GPU-x\",Hostname=\"n\",GPU_I_PROFILE=\"{profile}\",GPU_I_ID=\"{instance}\"");
        format!("DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{labels}}} {active}\nDCGM_FI_DEV_POWER_USAGE{{{labels}}} 300\n")
    };
    let page = of("7", "1g.10gb", "0.5") + &of("8", "2g.20gb", "0.75");
    let summary = summarise(&[read("u", &[page.clone(), page])], window(1.0, 2.0));
    let seen: Vec<_> = summary
        .gpus
        .iter()
        .map(|gpu| {
            let active = gpu.metric("graphics_engine_active").unwrap().statistics.unwrap().avg;
            (gpu.gpu.mig_instance.as_deref().unwrap(), gpu.gpu.mig_profile.as_deref().unwrap(), active)
        })
        .collect();
    assert_eq!(seen, [("7", "1g.10gb", 50.0), ("8", "2g.20gb", 75.0)]);
    let totals = summary.gpu_totals.unwrap();
    assert_eq!((totals.gpus, totals.energy_j), (1, 300.0));
    assert_eq!(summary.gpu_labels(), ["0/7", "0/8"]);
}

#[test]
fn a_pod_that_comes_and_goes_changes_no_gpu() {
    let line = |pod: &str, watts: u32| {
        format!(
            "DCGM_FI_DEV_POWER_USAGE{{gpu=\"0\", UUID=\"GPU-x\",Hostname=\"n\",namespace=\"ns\",pod=\"{pod}\"}} {watts}\n"
        )
    };
    // The third page lists the GPU once for each of two pods.
    let pages = [line("", 100), line("one", 200), line("one", 300) + &line("two", 300), line("two", 400)];
    let (gpu, _) = one(read("u", &pages), window(1.0, 4.0));
    let statistics = gpu.metric("gpu_power_usage").unwrap().statistics.unwrap();
    assert_eq!((statistics.count, statistics.avg), (4, 250.0));
    assert_eq!(gpu.energy.unwrap().joules, 150.0 + 250.0 + 350.0);
}

#[test]
fn tritons_own_page_of_gpus() {
    let page = |joules: f64| {
        format!(
            "# TYPE nv_gpu_power_usage gauge\nnv_gpu_power_usage{{gpu_uuid=\"GPU-t\"}} 71.5\n\
             nv_gpu_utilization{{gpu_uuid=\"GPU-t\"}} 0.5\nnv_gpu_memory_used_bytes{{gpu_uuid=\"GPU-t\"}} 1024\n\
             nv_energy_consumption{{gpu_uuid=\"GPU-t\"}} {joules}\nnv_inference_count{{model=\"m\"}} 4\n"
        )
    };
    let (gpu, _) = one(read("u", &[page(10.5), page(82.0), page(153.5)]), window(1.0, 3.0));
    assert_eq!(gpu.energy.unwrap().joules, 143.0);
    assert_eq!(gpu.metric("gpu_utilization").unwrap().statistics.unwrap().avg, 50.0);
    assert_eq!(gpu.metric("gpu_memory_used").unwrap().statistics.unwrap().avg, 1024.0);
    assert_eq!((gpu.gpu.uuid.as_deref(), gpu.gpu.index), (Some("GPU-t"), None));
}

#[test]
fn rough_energies_strange_pages_and_missed_windows_are_said() {
    let codes = |samples: PageSamples, window| {
        summarise(&[samples], window).warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    let energy = |value: u32| line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", &value.to_string());
    // Read again only at the end.
    let seldom = read("u", &[energy(1), energy(1), energy(1), energy(9)]);
    assert_eq!(codes(seldom, window(1.0, 4.0)), [WarningCode::RoughEnergy]);
    let often = read("u", &[energy(1), energy(2), energy(3), energy(4)]);
    assert_eq!(codes(often.clone(), window(1.0, 4.0)), []);
    assert_eq!(codes(often, window(2.2, 2.6)), [WarningCode::NoSamples, WarningCode::RoughEnergy]);
    // Three updates and more, but none after the half.
    let short = read("u", &[energy(1), energy(2), energy(3), energy(4), energy(5)]);
    assert_eq!(codes(short.clone(), window(1.0, 5.0)), []);
    assert_eq!(codes(short, window(1.0, 9.0)), [WarningCode::RoughEnergy]);
    let strange = read("u", &["<html>\nup 1\n".to_owned()]);
    assert_eq!(codes(strange, window(0.0, 2.0)), [WarningCode::BadLines, WarningCode::NoGpus]);
}

#[test]
fn memory_is_bounded_and_the_borders_kept() {
    let mut samples = PageSamples::new("u", PageKind::Gpu(Arc::new(GpuFields::default())), 20_000);
    let mut push = |scrape: u64, border: bool| {
        // No short decimals, so that they cost their eight bytes.
        let page = line("DCGM_FI_DEV_POWER_USAGE", 0, "n", &format!("{:?}", 100.0 + (scrape as f64).sqrt()))
            + &line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", &(scrape * 1_000_000).to_string());
        let at = scrape * SECOND;
        if border { samples.push_border(at, at, &page) } else { samples.push(at, at, &page) }
    };
    for scrape in 0..20_000 {
        push(scrape, scrape == 4_321);
    }
    push(20_000, true);
    // Memory is counted now and then, so it may be somewhat more.
    assert!(samples.bytes() < 30_000, "{}", samples.bytes());
    assert!(samples.stride() >= 8, "{}", samples.stride());
    let kept: Vec<u64> = samples.scrapes().map(|(before_ns, _)| before_ns / SECOND).collect();
    assert!(kept.contains(&4_321) && kept.contains(&20_000), "{kept:?}");
    let summary = summarise(&[samples], window(4_321.0, 20_000.0));
    assert_eq!(summary.gpus[0].energy.unwrap().joules, (20_000.0 - 4_321.0) * 1_000.0);
    assert_eq!(summary.warnings[0].code, WarningCode::Thinned);
    let statistics = summary.gpus[0].metric("gpu_power_usage").unwrap().statistics.unwrap();
    // The mean of 100 + √n over the window is about that of its integral.
    let mean = 100.0 + 2.0 / 3.0 * (20_000f64.powf(1.5) - 4_321f64.powf(1.5)) / (20_000.0 - 4_321.0);
    assert!((statistics.avg - mean).abs() < 0.5, "{} {mean}", statistics.avg);
}

#[test]
fn a_day_of_eight_gpus_fits() {
    let mut samples = page_samples("u");
    let scrapes = 2_000u64;
    for scrape in 0..scrapes {
        // The exporter reads its GPUs once a second, the page is read three times.
        let update = scrape / 3;
        let mut page = String::new();
        for gpu in 0..8 {
            let noise = (update * 7_919 + u64::from(gpu) * 104_729) % 1_000;
            for (field, value) in [
                ("DCGM_FI_DEV_POWER_USAGE", format!("{}.{noise:03}000", 400 + noise % 250)),
                ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", (48_211_903_377 + update * 400_000 + noise).to_string()),
                ("DCGM_FI_DEV_GPU_UTIL", (90 + noise % 10).to_string()),
                ("DCGM_FI_DEV_MEM_COPY_UTIL", (40 + noise % 20).to_string()),
                ("DCGM_FI_DEV_FB_USED", "131298".to_owned()),
                ("DCGM_FI_DEV_FB_FREE", "11873".to_owned()),
                ("DCGM_FI_DEV_SM_CLOCK", (1_700 + noise % 100).to_string()),
                ("DCGM_FI_DEV_GPU_TEMP", (50 + update / 100 % 5).to_string()),
                ("DCGM_FI_PROF_SM_ACTIVE", format!("0.{noise:03}114")),
                ("DCGM_FI_PROF_PCIE_TX_BYTES", (184_551_220 + noise * 1_000_003).to_string()),
            ] {
                page += &line(field, gpu, "n", &value);
            }
        }
        samples.push(scrape * SECOND / 3, scrape * SECOND / 3 + 2_000_000, &page);
    }
    let of_a_day = samples.bytes() as u64 * (3 * 86_400) / scrapes;
    assert!(of_a_day < 32 << 20, "{of_a_day} bytes");
    assert_eq!(samples.stride(), 1);
}

#[test]
fn a_summary_survives_being_written_down() {
    let page = line("DCGM_FI_DEV_POWER_USAGE", 0, "n", "100.5")
        + &line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 0, "n", "12345");
    let (_, summary) = one(read("u", &[page.clone(), page]), window(1.0, 2.0));
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<TelemetrySummary>(&text).unwrap(), summary);
    assert!(text.contains("\"unit\":\"W\"") && text.contains("\"basis\":\"power_integral\""), "{text}");
}
