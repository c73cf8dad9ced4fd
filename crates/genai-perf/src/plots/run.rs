//! The figures of one run, with GenAI-Perf's titles.

use tokamark_plot::{Axis, BoxRow, BoxStats, Content, Curve, Figure, HeatMap, Point, Series, Style, show};

use super::PlotData;
use crate::{Metric, Value, Values};

impl PlotData {
    /// The figures that the run has: those over time to first token and gaps only if answers were streamed. The boxes are those
    /// of the run's report.
    #[must_use]
    pub fn figures(&self, values: &Values) -> Vec<Figure> {
        let ttft: Vec<f64> = self.dots.kept().iter().filter_map(|dot| dot.ttft_ms).collect();
        let latency: Vec<f64> = self.dots.kept().iter().map(|dot| dot.latency_ms).collect();
        [
            self.boxes("Time to First Token", values.get(Metric::TimeToFirstToken), ttft),
            self.boxes("Request Latency", values.get(Metric::RequestLatency), latency),
            self.heat(),
            self.ttft_over_length(),
            self.gaps_over_position(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Says it if not all requests are drawn.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn of_all(&self) -> String {
        let (drawn, all) = (self.dots.kept().len() as u64, self.dots.seen());
        let (drawn, all) = (show(drawn as f64), show(all as f64));
        if drawn == all { format!("{all} requests") } else { format!("{drawn} of {all} requests, drawn evenly") }
    }

    fn boxes(&self, title: &str, value: Option<&Value>, dots: Vec<f64>) -> Option<Figure> {
        let value = value?;
        let stats = BoxStats {
            count: self.dots.seen(),
            min: value.stat("min")?,
            p1: value.stat("p1")?,
            p25: value.stat("p25")?,
            p50: value.stat("p50")?,
            p75: value.stat("p75")?,
            p99: value.stat("p99")?,
            max: value.stat("max")?,
            mean: value.avg(),
        };
        let note = format!("{}; box p25 to p75 with the median, whiskers p1 and p99, diamond mean", self.of_all());
        let row = BoxRow { name: String::new(), stats, dots };
        Some(Figure {
            title: title.to_owned(),
            note,
            x: Axis::new(title, "ms"),
            y: Axis::default(),
            content: Content::Boxes(vec![row]),
        })
    }

    fn heat(&self) -> Option<Figure> {
        let map = HeatMap::of(&self.lengths, self.cell, self.cell)?;
        let requests: u64 = self.lengths.values().sum();
        Some(Figure {
            title: "Distribution of Input Sequence Lengths to Output Sequence Lengths".to_owned(),
            note: format!("{requests} requests"),
            x: Axis::new("Input Sequence Length", "tokens").whole(),
            y: Axis::new("Output Sequence Length", "tokens").whole(),
            content: Content::Heat(map),
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^53")]
    fn ttft_over_length(&self) -> Option<Figure> {
        let points: Vec<Point> = self
            .dots
            .kept()
            .iter()
            .filter_map(|dot| {
                let (tokens, ttft) = (dot.input_tokens?, dot.ttft_ms?);
                Some(Point { x: tokens as f64, y: ttft, tip: format!("{tokens} tokens: {} ms", show(ttft)) })
            })
            .collect();
        (!points.is_empty()).then(|| Figure {
            title: "Time to First Token vs Input Sequence Lengths".to_owned(),
            note: self.of_all(),
            x: Axis::new("Input Sequence Length", "tokens").whole(),
            y: Axis::new("Time to First Token", "ms"),
            content: Content::Points(points),
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "positions are far below 2^53")]
    fn gaps_over_position(&self) -> Option<Figure> {
        if self.gaps.seen() == 0 {
            return None;
        }
        let tip = |position: f64, gap: f64| format!("position {position}: {} ms", show(gap));
        let dots = self.gaps.kept().iter().map(|gap| Point {
            x: gap.position as f64,
            y: gap.gap_ms,
            tip: tip(gap.position as f64, gap.gap_ms),
        });
        let means = self.positions.iter().map(|(place, gaps)| {
            // In the middle of the positions that stand together.
            let position = (place * self.step) as f64 + (self.step - 1) as f64 / 2.0;
            let mean = gaps.sum_ms / gaps.count as f64;
            Point { x: position, y: mean, tip: format!("mean at {}", tip(position, mean)) }
        });
        let series = |name: &str, style, points| Series { name: name.to_owned(), style, points, labels: Vec::new() };
        let (drawn, all) = (show(self.gaps.kept().len() as f64), show(self.gaps.seen() as f64));
        Some(Figure {
            title: "Token-to-Token Latency vs Output Token Position".to_owned(),
            note: "Gaps between responses with text, each of which may hold several tokens".to_owned(),
            x: Axis::new("Output Token Position", "").whole(),
            y: Axis::new("Token-to-Token Latency", "ms"),
            content: Content::Curve(Curve {
                series: vec![
                    series(&format!("{drawn} of {all} gaps"), Style::Dots, dots.collect()),
                    series("mean of all", Style::Line, means.collect()),
                ],
                ..Curve::default()
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::RequestFigures;
    use crate::plots::data::tests::request;
    use crate::{Accumulator, Fidelity, Figures};

    fn accumulated(requests: &[RequestFigures]) -> (Values, PlotData) {
        let mut accumulator = Accumulator::new(Figures::Llm, Fidelity::Right, &[]).with_plots();
        requests.iter().for_each(|request| accumulator.add(request));
        let data = accumulator.take_plots().expect("plots were asked for");
        (accumulator.finish(None).values, data)
    }

    fn titles(requests: &[RequestFigures]) -> Vec<String> {
        let (values, data) = accumulated(requests);
        data.figures(&values).into_iter().map(|figure| figure.title).collect()
    }

    #[test]
    fn a_streamed_run_has_all_five_figures() {
        let requests = [request(100, 3, &[10, 14, 20]), request(300, 2, &[30, 32])];
        assert_eq!(
            titles(&requests),
            [
                "Time to First Token",
                "Request Latency",
                "Distribution of Input Sequence Lengths to Output Sequence Lengths",
                "Time to First Token vs Input Sequence Lengths",
                "Token-to-Token Latency vs Output Token Position"
            ]
        );
        let (values, data) = accumulated(&requests);
        let figures = data.figures(&values);
        let Content::Boxes(rows) = &figures[0].content else { panic!("no boxes") };
        assert_eq!((rows[0].stats.min, rows[0].stats.p50, rows[0].stats.max), (10.0, 20.0, 30.0));
        let Content::Points(points) = &figures[3].content else { panic!("no points") };
        assert_eq!((points[1].x, points[1].y, points[1].tip.as_str()), (300.0, 30.0, "300 tokens: 30 ms"));
        let Content::Curve(curve) = &figures[4].content else { panic!("no curve") };
        let means: Vec<_> = curve.series[1].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(means, [(2.0, 3.0), (3.0, 6.0)]);
    }

    #[test]
    fn answers_that_come_whole_have_no_figure_over_tokens() {
        assert_eq!(
            titles(&[RequestFigures { first_ns: None, ..request(100, 3, &[]) }]),
            ["Request Latency", "Distribution of Input Sequence Lengths to Output Sequence Lengths"]
        );
        assert_eq!(titles(&[]), [] as [String; 0]);
    }

    #[test]
    fn the_boxes_of_a_long_run_are_those_of_its_report() {
        let requests: Vec<_> = (0..8_000_u64).map(|number| request(10, 2, &[number % 1_000, 2_000])).collect();
        let (values, data) = accumulated(&requests);
        let figures = data.figures(&values);
        let Content::Boxes(rows) = &figures[0].content else { panic!("no boxes") };
        let stats = rows[0].stats;
        assert_eq!((stats.count, stats.min, stats.p50, stats.max), (8_000, 0.0, 499.5, 999.0));
        assert_eq!(rows[0].dots.len(), 5_000);
        assert!(figures[0].note.starts_with("5,000 of 8,000 requests"), "{}", figures[0].note);
    }
}
