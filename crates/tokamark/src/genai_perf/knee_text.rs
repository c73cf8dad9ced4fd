//! Where the knee is, in words.

use tokamark_genai_perf::SweepMark;
use tokamark_sweep::{GROWTH, Knee, Parameter};

/// The knee, one rule on each line.
pub(super) fn knee(knee: &Knee, parameter: Parameter, slo_ms: f64) -> String {
    let name = parameter.name();
    let growth = GROWTH * 100.0;
    let within = match knee.within_slo {
        Some(load) => format!("p99 TTFT stays within {slo_ms} ms up to {name} {load}"),
        None => format!("p99 TTFT is above {slo_ms} ms at every measured {name}"),
    };
    let doubled = match knee.latency_doubled_at {
        Some(load) => format!("p99 TTFT has doubled against the lowest load at {name} {load}"),
        None => "p99 TTFT has nowhere doubled against the lowest load".to_owned(),
    };
    let stopped = match knee.throughput_stopped_at {
        Some(load) => format!("throughput grows by no more than {growth} % beyond {name} {load}"),
        None => "throughput still grew at the highest load".to_owned(),
    };
    let mut text = format!("Knee\n  {within}\n  {doubled}\n  {stopped}\n");
    if knee.ended_early {
        text.push_str(&format!(
            "warning: the sweep ended before the server was saturated; go on to a higher {name} to find its limit\n"
        ));
    }
    text
}

/// The loads that the rules name, for a plot.
pub(super) fn marks(knee: &Knee, parameter: Parameter) -> Vec<SweepMark> {
    let name = parameter.name();
    let growth = GROWTH * 100.0;
    let rules = [
        (knee.within_slo, "last within the limit"),
        (knee.latency_doubled_at, "p99 has doubled"),
        (knee.throughput_stopped_at, &*format!("throughput grows by no more than {growth} % beyond")),
    ];
    let mark = |(load, rule): (Option<f64>, &str)| {
        let level = load?.to_string();
        Some(SweepMark { name: format!("knee, {rule}: {name} {level}"), level })
    };
    rules.into_iter().filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_the_loads_that_the_sweep_shows() {
        let found = Knee {
            within_slo: Some(16.0),
            latency_doubled_at: None,
            throughput_stopped_at: Some(8.0),
            ended_early: false,
        };
        let marks = marks(&found, Parameter::Concurrency);
        let found: Vec<_> = marks.iter().map(|mark| (mark.level.as_str(), mark.name.as_str())).collect();
        assert_eq!(
            found,
            [
                ("16", "knee, last within the limit: concurrency 16"),
                ("8", "knee, throughput grows by no more than 5 % beyond: concurrency 8")
            ]
        );
    }

    #[test]
    fn every_rule_has_its_line() {
        let found = Knee {
            within_slo: Some(16.0),
            latency_doubled_at: Some(8.0),
            throughput_stopped_at: Some(32.0),
            ended_early: false,
        };
        assert_eq!(
            knee(&found, Parameter::Concurrency, 500.0),
            "Knee\n  p99 TTFT stays within 500 ms up to concurrency 16\n  p99 TTFT has doubled against the lowest load at \
             concurrency 8\n  throughput grows by no more than 5 % beyond concurrency 32\n"
        );
        let open = Knee { ended_early: true, ..Knee::default() };
        assert!(knee(&open, Parameter::RequestRate, 200.0).contains("go on to a higher request_rate"));
    }
}
