//! What scripted pages of servers come to.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

use tokamark_telemetry::{
    Meaning, PageKind, PageSamples, ServerMetric, ServerValue, TelemetrySummary, Window, summarise,
};

const SECOND: u64 = 1_000_000_000;

/// The metrics of pages read at whole seconds from 1 on.
fn metrics(pages: &[&str], start_s: f64, end_s: f64) -> Vec<ServerMetric> {
    let mut samples = PageSamples::new("http://s/metrics", PageKind::Server, 1 << 20);
    for (page, second) in pages.iter().zip(1u64..) {
        samples.push(second * SECOND, second * SECOND, page);
    }
    let window = Window { start_ns: (start_s * 1e9) as u64, end_ns: (end_s * 1e9) as u64 };
    let summary = summarise(&[samples], window);
    let text = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<TelemetrySummary>(&text).unwrap(), summary);
    summary.servers.into_iter().next().unwrap().metrics
}

fn value<'a>(metrics: &'a [ServerMetric], name: &str, label: &str) -> &'a ServerValue {
    let metric =
        metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no {name} in {metrics:#?}"));
    &metric
        .series
        .iter()
        .find(|series| label.is_empty() || series.labels.values().any(|value| value == label))
        .unwrap()
        .value
}

#[test]
fn gauges_have_statistics_of_the_window() {
    let page = |running: u32| {
        format!(
            "# HELP vllm:num_requests_running Requests\n# TYPE vllm:num_requests_running gauge\n\
             vllm:num_requests_running{{model_name=\"m\",engine=\"0\"}} {running}.0\n"
        )
    };
    let pages: Vec<String> = [100, 2, 4, 9, 100].map(page).into();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let metrics = metrics(&pages, 2.0, 4.0);
    let metric = &metrics[0];
    assert_eq!((metric.help.as_str(), metric.meaning), ("Requests", Some(Meaning::RunningRequests)));
    assert_eq!(metric.series[0].labels["model_name"], "m");
    let ServerValue::Gauge(gauge) = &metric.series[0].value else { panic!("{metric:?}") };
    let all = gauge.statistics;
    assert_eq!((all.count, all.avg, all.min, all.max, all.p50), (3, 5.0, 2.0, 9.0, 4.0));
}

#[test]
fn counters_rise_between_the_scrapes_that_enclose_the_window() {
    let page = |tokens: u32, late: Option<u32>| {
        let late = late.map(|late| format!("requests_total{{reason=\"stop\"}} {late}\n")).unwrap_or_default();
        format!("# TYPE vllm:generation_tokens counter\nvllm:generation_tokens_total{{m=\"a\"}} {tokens}\n{late}")
    };
    let pages: Vec<String> = [(7, None), (10, None), (110, Some(1)), (310, Some(3)), (999, Some(50))]
        .map(|(all, late)| page(all, late))
        .into();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let found = metrics(&pages, 2.25, 3.5);
    let ServerValue::Counter(tokens) = value(&found, "vllm:generation_tokens", "") else { panic!() };
    assert_eq!((tokens.increase.amount, tokens.increase.span_s, tokens.rate, tokens.last), (300.0, 2.0, 150.0, 310.0));
    assert_eq!(found[0].meaning, Some(Meaning::GeneratedTokens));
    // No type is declared, so the name tells; and a series that appears counts from nothing.
    let ServerValue::Counter(requests) = value(&found, "requests_total", "stop") else { panic!() };
    assert_eq!((requests.increase.amount, requests.last), (3.0, 3.0));
    // Without a scrape before and after, what there is.
    let ServerValue::Counter(tokens) = value(&metrics(&pages, 0.0, 99.0), "vllm:generation_tokens", "").clone() else {
        panic!()
    };
    assert_eq!((tokens.increase.amount, tokens.increase.span_s), (992.0, 4.0));
}

#[test]
fn a_server_that_starts_again_counts_on() {
    let pages = ["# TYPE a_total counter\na_total 50\n", "a_total 60\n", "a_total 4\n", "a_total 9\n"];
    let ServerValue::Counter(all) = value(&metrics(&pages, 1.0, 4.0), "a_total", "").clone() else { panic!() };
    assert_eq!((all.increase.amount, all.increase.resets, all.rate), (19.0, 1, 19.0 / 3.0));
}

const HISTOGRAM: &str = "# TYPE trtllm_time_to_first_token_seconds histogram\n";

fn histogram(model: &str, counts: [u32; 3], sum: f64) -> String {
    let name = "trtllm_time_to_first_token_seconds";
    // The sum before the buckets and the bound first, as one engine has it.
    format!(
        "{HISTOGRAM}{name}_sum{{model_name=\"{model}\"}} {sum:?}\n\
         {name}_bucket{{le=\"0.1\",model_name=\"{model}\"}} {}\n{name}_bucket{{le=\"+Inf\",model_name=\"{model}\"}} {}\n\
         {name}_bucket{{le=\"0.5\",model_name=\"{model}\"}} {}\n{name}_count{{model_name=\"{model}\"}} {}\n",
        counts[0], counts[2], counts[1], counts[2]
    )
}

#[test]
fn histograms_are_the_observations_of_the_window() {
    let pages = [
        histogram("a", [5, 5, 5], 0.25) + &histogram("b", [1, 1, 1], 0.0),
        histogram("a", [15, 25, 25], 3.25) + &histogram("b", [1, 1, 1], 0.0),
    ];
    let found = metrics(&[&pages[0], &pages[1]], 1.0, 2.0);
    assert_eq!((found.len(), found[0].series.len()), (1, 2));
    assert_eq!((found[0].meaning, found[0].unit.as_deref()), (Some(Meaning::TimeToFirstToken), Some("seconds")));
    let ServerValue::Histogram(all) = value(&found, "trtllm_time_to_first_token_seconds", "a") else { panic!() };
    assert_eq!(
        (all.count, all.sum, all.avg, all.count_rate, all.sum_rate),
        (20.0, Some(3.0), Some(0.15), 20.0, Some(3.0))
    );
    let buckets: Vec<_> = all.buckets.iter().map(|bucket| (bucket.le.as_str(), bucket.count)).collect();
    assert_eq!(buckets, [("0.1", 10.0), ("0.5", 20.0), ("+Inf", 20.0)]);
    assert_eq!((all.percentiles.p25, all.percentiles.p50), (Some(0.05), Some(0.1)));
    assert!((all.percentiles.p90.unwrap() - 0.42).abs() < 1e-12);
    // Nothing was observed: no mean, no percentiles.
    let ServerValue::Histogram(none) = value(&found, "trtllm_time_to_first_token_seconds", "b") else { panic!() };
    assert_eq!((none.count, none.avg, none.percentiles.p50), (0.0, None, None));
}

#[test]
fn a_histogram_starts_again_as_a_whole() {
    // After the reset the first bucket and the sum have grown beyond where they were: only the others show that it began
    // anew.
    let pages = [histogram("a", [2, 50, 50], 0.25), histogram("a", [3, 4, 4], 0.5)];
    let found = metrics(&[&pages[0], &pages[1]], 1.0, 2.0);
    let ServerValue::Histogram(all) = value(&found, "trtllm_time_to_first_token_seconds", "a") else { panic!() };
    let counts: Vec<_> = all.buckets.iter().map(|bucket| bucket.count).collect();
    assert_eq!((all.count, all.sum, all.resets, counts), (4.0, Some(0.5), 1, vec![3.0, 4.0, 4.0]));
}

#[test]
fn summaries_keep_their_quantiles() {
    let page = |p50: &str, sum: f64, count: u32| {
        format!(
            "# TYPE rpc summary\nrpc{{quantile=\"0.5\"}} {p50}\nrpc{{quantile=\"0.99\"}} NaN\nrpc_sum {sum:?}\n\
             rpc_count {count}\n"
        )
    };
    let pages = [page("0.25", 1.5, 3), page("0.75", 4.0, 8)];
    let found = metrics(&[&pages[0], &pages[1]], 1.0, 2.0);
    let ServerValue::Summary(all) = value(&found, "rpc", "") else { panic!() };
    assert_eq!((all.count.unwrap().amount, all.sum.unwrap().amount), (5.0, 2.5));
    assert_eq!(all.quantiles.len(), 1);
    assert_eq!((all.quantiles[0].quantile.as_str(), all.quantiles[0].value), ("0.5", 0.75));
}

#[test]
fn open_metrics_and_what_measures_nothing() {
    let page = "# TYPE req counter\n# UNIT req things\nreq_total 3 # {trace=\"x\"} 1\nreq_created 1.7e9\n\
                # TYPE old_created gauge\nold_created 1.7e9\n# TYPE build info\nbuild_info{v=\"1\"} 1\n# EOF\nlate 1\n";
    let found = metrics(&[page, page], 1.0, 2.0);
    let names: Vec<_> = found.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["req", "build_info"]);
    assert_eq!(found[0].unit.as_deref(), Some("things"));
}

#[test]
fn labels_in_another_order_are_the_same_series() {
    let pages = ["# TYPE a_total counter\na_total{x=\"1\",y=\"2\"} 1\n", "a_total{y=\"2\", x=\"1\"} 5\n"];
    let found = metrics(&pages, 1.0, 2.0);
    assert_eq!(found[0].series.len(), 1);
    let ServerValue::Counter(all) = &found[0].series[0].value else { panic!() };
    assert_eq!(all.increase.amount, 4.0);
}

#[test]
fn values_that_are_no_numbers_are_left_out() {
    let pages = ["g NaN\nh +Inf\n", "g 4\nh NaN\n", "g 6\nh -Inf\n"];
    let found = metrics(&pages, 1.0, 3.0);
    assert_eq!(found.len(), 1);
    let ServerValue::Gauge(gauge) = &found[0].series[0].value else { panic!() };
    assert_eq!((gauge.statistics.count, gauge.statistics.avg), (2, 5.0));
}
