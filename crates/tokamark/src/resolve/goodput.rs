//! Service-level objectives.

use tokamark_metrics::definitions::{Kind, Metric, find};
use tokamark_plan::{GoodputTarget, TargetPlan};

use crate::problems::Problems;

const FLAG: &str = "--goodput";
/// How many near names are suggested for an unknown one.
const SUGGESTIONS: usize = 3;

/// The objectives of every `metric:limit`; blanks and commas separate several in one text.
pub(crate) fn resolve(given: &[String], target: &TargetPlan, problems: &mut Problems) -> Vec<GoodputTarget> {
    let mut all: Vec<GoodputTarget> = Vec::new();
    let pairs = given.iter().flat_map(|text| text.split([' ', ',', '\t', '\n'])).filter(|pair| !pair.is_empty());
    for pair in pairs {
        match objective(pair, target) {
            Ok(objective) if all.iter().any(|other| other.tag == objective.tag) => {
                problems.add(FLAG, format!("`{}` has more than one limit", objective.tag));
            }
            Ok(objective) => all.push(objective),
            Err(message) => problems.add(FLAG, message),
        }
    }
    if all.is_empty() && given.iter().any(|text| text.trim().is_empty()) {
        problems.add(FLAG, "is empty: write metric:limit");
    }
    all
}

fn objective(pair: &str, target: &TargetPlan) -> Result<GoodputTarget, String> {
    let (name, limit) = pair.rsplit_once(':').ok_or_else(|| format!("`{pair}` has no limit: write metric:limit"))?;
    let limit = match limit.parse::<f64>() {
        Ok(limit) if limit.is_finite() && limit >= 0.0 => limit,
        _ => return Err(format!("the limit of `{pair}` is not a number of 0 or above")),
    };
    let metric = find(name).ok_or_else(|| format!("`{name}` is not a metric{}", suggestions(name)))?;
    let definition = metric.definition();
    if definition.kind != Kind::Record {
        return Err(format!(
            "`{name}` has no one value for a request: objectives are set for single requests, such as request_latency"
        ));
    }
    if definition.needs.tokens() && !target.endpoint.generates_tokens() {
        return Err(format!("`{name}` does not exist for {}", target.endpoint.name()));
    }
    if definition.needs.stream() && !target.streaming {
        return Err(format!("`{name}` needs --streaming"));
    }
    Ok(GoodputTarget { tag: definition.tag.to_owned(), limit })
}

fn suggestions(name: &str) -> String {
    let name = name.to_lowercase();
    let mut near: Vec<(f64, &str)> = Metric::per_request()
        .filter(|metric| metric.definition().kind == Kind::Record)
        .map(|metric| (strsim::jaro_winkler(&name, metric.tag()), metric.tag()))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<&str> = near.into_iter().take(SUGGESTIONS).map(|(_, tag)| tag).collect();
    format!("; the nearest are {}", names.join(", "))
}
