//! Figures as SVG.

mod boxes;
mod curve;
mod heat;
mod paper;
mod points;

use crate::figure::{Content, Figure};
use paper::Paper;
pub(crate) use paper::escaped;

/// Draws a figure. The text is whole by itself: it refers to no file and to no font but by name.
#[must_use]
pub fn svg(figure: &Figure) -> String {
    match &figure.content {
        Content::Boxes(rows) => boxes::draw(figure, rows),
        Content::Heat(map) => heat::draw(figure, map),
        Content::Points(points) => points::draw(figure, points),
        Content::Curve(curve) => curve::draw(figure, curve),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Axis, BoxRow, BoxStats, Curve, HeatMap, Limit, Mark, Point, Series, Style};

    fn figure(content: Content) -> Figure {
        Figure {
            title: "A < B & \"C\"".to_owned(),
            note: "a note".to_owned(),
            x: Axis::new("X", "tokens"),
            y: Axis::new("Y", "ms"),
            content,
        }
    }

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, tip: format!("<{x}>") }
    }

    /// The values of an attribute of all elements of a name and class.
    fn values(svg: &str, element: &str, class: &str, attribute: &str) -> Vec<f64> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let found = document.descendants().filter(|node| {
            node.has_tag_name(("http://www.w3.org/2000/svg", element)) && node.attribute("class") == Some(class)
        });
        found.map(|node| node.attribute(attribute).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn dots_lie_where_their_values_are() {
        let svg = svg(&figure(Content::Points(vec![point(0.0, 0.0), point(50.0, 5.0), point(100.0, 10.0)])));
        let (x, y) = (values(&svg, "circle", "dot", "cx"), values(&svg, "circle", "dot", "cy"));
        assert_eq!(x.len(), 3);
        assert!((x[1] - (x[0] + x[2]) / 2.0).abs() < 0.11 && (y[1] - (y[0] + y[2]) / 2.0).abs() < 0.11, "{x:?} {y:?}");
        assert!(x[0] < x[2] && y[0] > y[2], "up is more");
    }

    #[test]
    fn a_box_reaches_from_quartile_to_quartile() {
        let stats = BoxStats {
            p25: 25.0,
            p50: 50.0,
            p75: 75.0,
            p99: 99.0,
            max: 100.0,
            mean: 50.0,
            p1: 1.0,
            min: 0.0,
            count: 101,
        };
        let row = BoxRow { name: String::new(), stats, dots: vec![0.0, 100.0] };
        let svg = svg(&figure(Content::Boxes(vec![row])));
        let (left, width) = (values(&svg, "rect", "box", "x"), values(&svg, "rect", "box", "width"));
        let dots = values(&svg, "circle", "dot", "cx");
        let span = dots[1] - dots[0];
        assert!((width[0] / span - 0.5).abs() < 0.001 && ((left[0] - dots[0]) / span - 0.25).abs() < 0.001);
    }

    #[test]
    fn a_heat_map_has_a_cell_for_each_count() {
        let map = HeatMap::of(&BTreeMap::from([((0, 0), 1), ((3, 1), 4)]), 1, 1).unwrap();
        let svg = svg(&figure(Content::Heat(map)));
        assert_eq!(values(&svg, "rect", "cell", "x").len(), 2);
    }

    #[test]
    fn a_curve_has_its_points_limits_and_marks() {
        let series = Series {
            name: "one".to_owned(),
            style: Style::Line,
            points: vec![point(1.0, 1.0), point(2.0, 4.0)],
            labels: vec!["1".to_owned(), "2".to_owned()],
        };
        let curve = Curve {
            series: vec![series],
            limits: vec![Limit { name: "limit".to_owned(), y: 3.0 }],
            marks: vec![Mark { name: "knee".to_owned(), x: 2.0, y: 4.0 }],
        };
        let far = Curve { limits: vec![Limit { name: "limit".to_owned(), y: 500.0 }], ..curve.clone() };
        let far = super::svg(&figure(Content::Curve(far)));
        assert!(values(&far, "line", "limit", "y1").is_empty() && far.contains("limit (far above)"));
        let svg = svg(&figure(Content::Curve(curve)));
        assert_eq!(values(&svg, "circle", "dot", "cx").len(), 2);
        assert_eq!(values(&svg, "circle", "mark", "cx"), values(&svg, "circle", "dot", "cx")[1..]);
        assert_eq!(values(&svg, "line", "limit", "y1").len(), 1);
    }

    #[test]
    fn odd_values_and_texts_are_drawn() {
        for values in [vec![], vec![f64::NAN, 1.0], vec![0.0], vec![1e300, -1e300], vec![5.0; 3]] {
            let points = values.iter().map(|value| point(*value, *value)).collect();
            let rows = values.first().map(|&at| {
                let [min, p1, p25, p50, p75, p99, max, mean] = [at; 8];
                let stats = BoxStats { count: 1, min, p1, p25, p50, p75, p99, max, mean };
                BoxRow { name: "r".to_owned(), stats, dots: values.clone() }
            });
            for content in
                [Content::Points(points), Content::Boxes(rows.into_iter().collect()), Content::Curve(Curve::default())]
            {
                let svg = svg(&figure(content));
                let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(document.descendants().any(|node| node.text() == Some("A < B & \"C\"")));
            }
        }
    }
}
