//! Where a server begins to be overloaded, seen in a sweep over its load.

/// The limit for the 99th percentile of TTFT unless the user gives one, milliseconds.
pub const DEFAULT_TTFT_SLO_MS: f64 = 500.0;

/// Throughput that grows by no more than this share from one point to the next has stopped growing.
pub const GROWTH: f64 = 0.05;

/// What was measured at one load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPoint {
    /// The load.
    pub load: f64,
    /// 99th percentile of TTFT (of the request latency where nothing is streamed), milliseconds.
    pub latency_p99_ms: Option<f64>,
    /// Output tokens per second (requests per second where answers have no tokens).
    pub throughput: Option<f64>,
}

/// Where the knee is, by three rules. A load is absent where the sweep does not show it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Knee {
    /// The highest load up to which every point keeps the limit.
    pub within_slo: Option<f64>,
    /// The lowest load at which the 99th percentile is at least twice that at the lowest load.
    pub latency_doubled_at: Option<f64>,
    /// The load from which on throughput grows by no more than [`GROWTH`].
    pub throughput_stopped_at: Option<f64>,
    /// The sweep ended while throughput still grew: the server can do more than was asked of it.
    pub ended_early: bool,
}

/// Looks for the knee. Points may be in any order; those without a figure are passed over.
#[must_use]
pub fn find_knee(points: &[LoadPoint], slo_ms: f64) -> Knee {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.load.total_cmp(&b.load));
    let latencies: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((point.load, point.latency_p99_ms?))).collect();
    let throughputs: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((point.load, point.throughput?))).collect();
    let within_slo = latencies.iter().take_while(|(_, latency)| *latency <= slo_ms).last().map(|(load, _)| *load);
    let latency_doubled_at = latencies.first().and_then(|(_, least)| {
        latencies.iter().skip(1).find(|(_, latency)| *latency >= 2.0 * least).map(|(load, _)| *load)
    });
    let growing = |pair: &[(f64, f64)]| pair[1].1 > pair[0].1 * (1.0 + GROWTH);
    // The growth must have stopped for good: one slow point in the middle of a rise is no knee.
    let still = throughputs.windows(2).rev().take_while(|pair| !growing(pair)).count();
    let throughput_stopped_at =
        (still > 0).then(|| throughputs.get(throughputs.len() - 1 - still).map(|(load, _)| *load)).flatten();
    let ended_early = throughputs.len() > 1 && still == 0;
    Knee { within_slo, latency_doubled_at, throughput_stopped_at, ended_early }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rows: &[(f64, f64, f64)]) -> Vec<LoadPoint> {
        rows.iter()
            .map(|(load, latency, throughput)| LoadPoint {
                load: *load,
                latency_p99_ms: Some(*latency),
                throughput: Some(*throughput),
            })
            .collect()
    }

    #[test]
    fn each_rule_finds_its_load() {
        let rows = points(&[
            (1.0, 50.0, 100.0),
            (2.0, 60.0, 190.0),
            (4.0, 80.0, 370.0),
            (8.0, 100.0, 700.0),
            (16.0, 490.0, 720.0),
            (32.0, 900.0, 710.0),
        ]);
        let expected = Knee {
            within_slo: Some(16.0),
            latency_doubled_at: Some(8.0),
            throughput_stopped_at: Some(8.0),
            ended_early: false,
        };
        assert_eq!(find_knee(&rows, 500.0), expected);
        assert_eq!(find_knee(&rows, 489.0).within_slo, Some(8.0));
        assert_eq!(find_knee(&rows, 10.0).within_slo, None);
    }

    #[test]
    fn a_sweep_that_ends_too_early_says_so() {
        let knee = find_knee(&points(&[(2.0, 50.0, 200.0), (1.0, 50.0, 100.0)]), 500.0);
        let expected = Knee { within_slo: Some(2.0), ended_early: true, ..Knee::default() };
        assert_eq!(knee, expected);
    }

    /// A single slow point is passed over, and so is one within the limit behind one that is not.
    #[test]
    fn a_dent_is_no_knee() {
        let rows = points(&[(1.0, 50.0, 100.0), (2.0, 600.0, 100.0), (4.0, 90.0, 300.0)]);
        let knee = find_knee(&rows, 500.0);
        assert_eq!((knee.within_slo, knee.throughput_stopped_at, knee.ended_early), (Some(1.0), None, true));
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(find_knee(&[], 500.0), Knee::default());
        let one = [LoadPoint { load: 4.0, latency_p99_ms: None, throughput: Some(1.0) }];
        assert_eq!(find_knee(&one, 500.0), Knee::default());
    }
}
