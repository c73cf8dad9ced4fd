//! Latency against throughput over the points of a sweep.

use tokamark_plot::{Axis, Content, Curve, Figure, Limit, Mark, Point, Series, Style, show};

use crate::{AnalyzePoint, Metric};

/// A point of the sweep to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepMark {
    /// What it says in the legend.
    pub name: String,
    /// The value of the swept parameter.
    pub level: String,
}

/// The figures of a sweep over `parameter`: one for time to first token, one for request latency, as far as there are values.
/// The limit is that for the 99th percentile of time to first token, milliseconds.
#[must_use]
pub fn sweep_figures(
    points: &[AnalyzePoint],
    parameter: &str,
    limit_ms: Option<f64>,
    marks: &[SweepMark],
) -> Vec<Figure> {
    let figures = [("Time to First Token", Metric::TimeToFirstToken), ("Request Latency", Metric::RequestLatency)];
    // Where answers are not streamed the limit and the knee are those of the latency.
    let has_ttft = points.iter().any(|point| p99(point, Metric::TimeToFirstToken).is_some());
    let each = figures.into_iter().filter_map(|(name, metric)| {
        let is_judged = has_ttft == (metric == Metric::TimeToFirstToken);
        figure(points, parameter, (name, metric), limit_ms.filter(|_| is_judged), marks)
    });
    each.collect()
}

fn p99(point: &AnalyzePoint, metric: Metric) -> Option<f64> {
    point.summary.values.get(metric).and_then(|value| value.stat("p99"))
}

fn figure(
    points: &[AnalyzePoint],
    parameter: &str,
    (name, metric): (&str, Metric),
    limit_ms: Option<f64>,
    marks: &[SweepMark],
) -> Option<Figure> {
    let avg = |point: &AnalyzePoint, metric| point.summary.values.get(metric).map(crate::Value::avg);
    let has_tokens = points.iter().any(|point| avg(point, Metric::OutputTokenThroughput).is_some());
    let (throughput, title, unit) = match has_tokens {
        true => (Metric::OutputTokenThroughput, "Output Token Throughput", "tokens/sec"),
        false => (Metric::RequestThroughput, "Request Throughput", "requests/sec"),
    };
    let (mut line, mut labels) = (Vec::new(), Vec::new());
    for point in points {
        let (Some(x), Some(y)) = (avg(point, throughput), p99(point, metric)) else { continue };
        let tip = format!("{parameter} {}: {} {unit}, {} ms", point.level, show(x), show(y));
        line.push(Point { x, y, tip });
        labels.push(point.level.clone());
    }
    if line.is_empty() {
        return None;
    }
    let marks = marks.iter().filter_map(|mark| {
        let at = labels.iter().position(|label| *label == mark.level)?;
        Some(Mark { name: mark.name.clone(), x: line[at].x, y: line[at].y })
    });
    let marks = marks.collect();
    let limits = limit_ms.map(|y| Limit { name: format!("limit: {} ms", show(y)), y });
    Some(Figure {
        title: format!("{name} vs Throughput"),
        note: format!("99th percentile at each point of the sweep; the numbers are the {parameter}"),
        x: Axis::new(title, unit),
        y: Axis::new(&format!("{name}, p99"), "ms"),
        content: Content::Curve(Curve {
            series: vec![Series { name: String::new(), style: Style::Line, points: line, labels }],
            limits: limits.into_iter().collect(),
            marks,
        }),
    })
}
