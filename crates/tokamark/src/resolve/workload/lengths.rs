//! Lengths in tokens.

use tokamark_plan::{LengthDistribution, LengthPair, RangeRatio};

use super::super::values::{Range, decimal, whole};
use crate::args::InputArgs;
use crate::problems::Problems;

/// As both ancestors have it.
const DEFAULT_INPUT_TOKENS: f64 = 550.0;
/// Longer than any context; a slip of the finger rather than a wish.
const MOST_TOKENS: u32 = 100_000_000;

/// Tokens of each synthetic prompt.
pub(super) fn input(args: &InputArgs, problems: &mut Problems) -> LengthDistribution {
    distribution("--isl", args.isl.as_ref(), "--isl-stddev", args.isl_stddev.as_ref(), problems)
        .unwrap_or_else(|| LengthDistribution::normal(DEFAULT_INPUT_TOKENS, deviation(args, problems)))
}

/// The deviation beside the default mean.
fn deviation(args: &InputArgs, problems: &mut Problems) -> f64 {
    if args.isl.is_some() {
        return 0.0;
    }
    decimal("--isl-stddev", args.isl_stddev.as_ref(), Range::NotNegative, problems).unwrap_or(0.0)
}

/// Output tokens to ask for.
pub(super) fn output(args: &InputArgs, problems: &mut Problems) -> Option<LengthDistribution> {
    if args.osl.is_none() && args.osl_stddev.is_some() {
        problems.add("--osl-stddev", "needs --osl: it is the deviation from that mean");
    }
    distribution("--osl", args.osl.as_ref(), "--osl-stddev", args.osl_stddev.as_ref(), problems)
}

fn distribution(
    flag: &str,
    text: Option<&String>,
    stddev_flag: &str,
    stddev: Option<&String>,
    problems: &mut Problems,
) -> Option<LengthDistribution> {
    let text = text?;
    let is_named = text.contains(|letter: char| letter.is_ascii_alphabetic()) && text.contains(':');
    if is_named {
        if stddev.is_some() {
            problems.add(stddev_flag, format!("conflicts with {flag} {text}: a distribution has its own spread"));
        }
        return text.parse().map_err(|error| problems.add(flag, format!("{error}"))).ok();
    }
    let stddev = decimal(stddev_flag, stddev, Range::NotNegative, problems).unwrap_or(0.0);
    let mean = whole(flag, Some(text), 1, MOST_TOKENS, problems)?;
    Some(LengthDistribution::normal(f64::from(mean), stddev))
}

/// `--sequence-distribution`.
pub(super) fn pairs(args: &InputArgs, problems: &mut Problems) -> Vec<LengthPair> {
    let Some(text) = &args.sequence_distribution else { return Vec::new() };
    for (flag, given) in [
        ("--isl", args.isl.is_some()),
        ("--isl-stddev", args.isl_stddev.is_some()),
        ("--osl", args.osl.is_some()),
        ("--osl-stddev", args.osl_stddev.is_some()),
    ] {
        if given {
            problems.add(flag, "conflicts with --sequence-distribution: its pairs say both lengths");
        }
    }
    tokamark_plan::parse_pairs(text).unwrap_or_else(|error| {
        problems.add("--sequence-distribution", format!("{error}"));
        Vec::new()
    })
}

/// `--random-range-ratio`: one ratio for both lengths, or one for each.
pub(super) fn range_ratio(args: &InputArgs, is_sglang: bool, problems: &mut Problems) -> Option<RangeRatio> {
    const FLAG: &str = "--random-range-ratio";
    let text = args.random_range_ratio.as_ref()?;
    if args.isl.is_none() || args.osl.is_none() {
        problems.add(FLAG, "needs --isl and --osl: the windows are about them");
    }
    for (flag, given) in [
        ("--isl-stddev", args.isl_stddev.is_some()),
        ("--osl-stddev", args.osl_stddev.is_some()),
        ("--sequence-distribution", args.sequence_distribution.is_some()),
    ] {
        if given {
            problems.add(FLAG, format!("conflicts with {flag}: both spread the lengths"));
        }
    }
    let (input, output) = if text.trim_start().starts_with('{') {
        if is_sglang {
            problems.add(FLAG, "takes one ratio with --random-corpus-style sglang");
        }
        let fields: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(text).ok();
        let field = |name: &str| fields.as_ref()?.get(name)?.as_f64();
        let is_known = fields.as_ref().is_some_and(|fields| fields.len() == 2);
        match (field("input"), field("output")) {
            (Some(input), Some(output)) if is_known => (input, output),
            _ => {
                problems.add(FLAG, format!("`{text}` is not {{\"input\": number, \"output\": number}}"));
                return None;
            }
        }
    } else {
        let ratio = decimal(FLAG, Some(text), Range::NotNegative, problems)?;
        (ratio, ratio)
    };
    let fits = |ratio: f64| (0.0..1.0).contains(&ratio) || (is_sglang && (0.0..=1.0).contains(&ratio));
    if !fits(input) || !fits(output) {
        let bound = if is_sglang { "from 0 to 1" } else { "from 0 to below 1" };
        problems.add(FLAG, format!("must be {bound}, not {text}"));
        return None;
    }
    Some(RangeRatio { input, output })
}
