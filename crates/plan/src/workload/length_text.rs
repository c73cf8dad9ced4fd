//! Lengths as people write them: `lognormal:mean=512,median=300`, `128,64:25;512|20,128|10:75`.

use std::str::FromStr;

use super::lengths::{LengthBounds, LengthDistribution, LengthPair, LengthShape};

/// Longer than any context; a slip of the finger rather than a wish.
const MOST: f64 = 1e9;
/// Percentages may miss 100 by the rounding of their decimals.
const SLACK: f64 = 0.01;

/// A text that is no length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LengthTextError {
    /// No distribution has this name.
    #[error(
        "`{0}` is no distribution: write fixed:512, normal:512,64, lognormal:mean=512,median=300, uniform:128-1024, \
         empirical:128@0.7;1024@0.3 or multimodal:normal:128,16@0.7;fixed:1024@0.3"
    )]
    Name(String),
    /// A parameter is missing, superfluous or no number.
    #[error("`{text}` does not fit {name}: {reason}")]
    Parameters {
        /// The distribution.
        name: &'static str,
        /// What was given.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// A pair is not of the form that pairs have.
    #[error("`{0}` is no pair of lengths with a share: write ISL,OSL:PERCENT, such as 128,64:25 or 512|20,128|10:75")]
    Pair(String),
    /// The shares do not make a whole.
    #[error("the shares add up to {0}, not to 100")]
    Shares(String),
    /// The JSON form is not as it should be.
    #[error("the JSON is no list of pairs ({0}): write {{\"pairs\": [{{\"isl\": 128, \"osl\": 64, \"prob\": 100}}]}}")]
    Json(String),
}

impl FromStr for LengthDistribution {
    type Err = LengthTextError;

    /// A number, or a name and its parameters: by position, or as `key=value`; `min=` and `max=` bound any of them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Ok(value) = text.parse::<f64>()
            && is_length(value)
        {
            return Ok(Self::fixed(value));
        }
        let (name, rest) = text.split_once(':').ok_or_else(|| LengthTextError::Name(text.to_owned()))?;
        match name.trim().to_ascii_lowercase().as_str() {
            "fixed" => Parameters::read("fixed", rest, &["value"])?.finish(|values| match values {
                [Some(value)] => Ok(LengthShape::Fixed { value: *value }),
                _ => Err("it needs a length"),
            }),
            "normal" => Parameters::read("normal", rest, &["mean", "stddev"])?.finish(|values| match values {
                [Some(mean), stddev] => Ok(LengthShape::Normal { mean: *mean, stddev: stddev.unwrap_or(0.0) }),
                _ => Err("it needs a mean"),
            }),
            "lognormal" => Parameters::read("lognormal", rest, &["mean", "median"])?.finish(|values| match values {
                [Some(mean), Some(median)] if *median > 0.0 && median <= mean => {
                    Ok(LengthShape::Lognormal { mean: *mean, median: *median })
                }
                [Some(_), Some(_)] => Err("the median must be above 0 and not above the mean"),
                _ => Err("it needs a mean and a median"),
            }),
            "uniform" => uniform(rest),
            "empirical" => empirical(rest),
            "multimodal" => multimodal(rest),
            _ => Err(LengthTextError::Name(text.to_owned())),
        }
    }
}

fn is_length(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

/// Parameters of a distribution, in the order of their names.
struct Parameters<'a> {
    name: &'static str,
    text: &'a str,
    values: Vec<Option<f64>>,
    bounds: LengthBounds,
}

impl<'a> Parameters<'a> {
    fn read(name: &'static str, text: &'a str, names: &[&str]) -> Result<Self, LengthTextError> {
        let wrong = |reason: String| LengthTextError::Parameters { name, text: text.to_owned(), reason };
        let mut read = Self { name, text, values: vec![None; names.len()], bounds: LengthBounds::default() };
        for (position, item) in text.split(',').map(str::trim).filter(|item| !item.is_empty()).enumerate() {
            let (key, value) = match item.split_once('=') {
                Some((key, value)) => (Some(key.trim()), value.trim()),
                None => (None, item),
            };
            let number: f64 = value.parse().map_err(|_| wrong(format!("`{value}` is not a number")))?;
            if !is_length(number) {
                return Err(wrong(format!("{value} is not between 0 and 1e9")));
            }
            let place = match key {
                Some("min") => {
                    read.bounds.min = Some(whole(number));
                    continue;
                }
                Some("max") => {
                    read.bounds.max = Some(whole(number));
                    continue;
                }
                Some(key) => names.iter().position(|name| *name == key),
                None => Some(position),
            };
            match place.and_then(|place| read.values.get_mut(place)) {
                Some(slot) if slot.is_none() => *slot = Some(number),
                Some(_) => return Err(wrong(format!("`{item}` is given twice"))),
                None => return Err(wrong(format!("`{item}` is too much: it takes {}", names.join(", ")))),
            }
        }
        Ok(read)
    }

    fn finish(
        self,
        shape: impl FnOnce(&[Option<f64>]) -> Result<LengthShape, &'static str>,
    ) -> Result<LengthDistribution, LengthTextError> {
        let wrong =
            |reason: String| LengthTextError::Parameters { name: self.name, text: self.text.to_owned(), reason };
        let shape = shape(&self.values).map_err(|reason| wrong(reason.to_owned()))?;
        if let LengthBounds { min: Some(min), max: Some(max) } = self.bounds
            && min > max
        {
            return Err(wrong("min is above max".to_owned()));
        }
        Ok(LengthDistribution { shape, bounds: self.bounds })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths are from 0 to 1e9")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

fn uniform(text: &str) -> Result<LengthDistribution, LengthTextError> {
    let wrong = |reason: &str| LengthTextError::Parameters {
        name: "uniform",
        text: text.to_owned(),
        reason: reason.to_owned(),
    };
    let plain = text.replace("min=", "").replace("max=", "");
    let (min, max) = plain.split_once(['-', ',']).ok_or_else(|| wrong("it needs two ends, such as 128-1024"))?;
    let end = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong("its ends are not whole numbers"));
    let (min, max) = (end(min)?, end(max)?);
    if min == 0 || min > max {
        return Err(wrong("it must go up, and from 1 at least"));
    }
    Ok(LengthDistribution { shape: LengthShape::Uniform { min, max }, bounds: LengthBounds::default() })
}

/// `VALUE@WEIGHT;VALUE@WEIGHT`; a weight that is left out is 1.
fn weighted<'a>(name: &'static str, text: &'a str) -> Result<Vec<(&'a str, f64)>, LengthTextError> {
    let wrong = |reason: String| LengthTextError::Parameters { name, text: text.to_owned(), reason };
    let items = text.split(';').map(str::trim).filter(|item| !item.is_empty());
    let items = items.map(|item| match item.rsplit_once('@') {
        None => Ok((item, 1.0)),
        Some((value, weight)) => match weight.trim().parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok((value.trim(), weight)),
            _ => Err(wrong(format!("`{}` is no weight", weight.trim()))),
        },
    });
    let items: Vec<(&str, f64)> = items.collect::<Result<_, _>>()?;
    if items.iter().map(|(_, weight)| weight).sum::<f64>() <= 0.0 {
        return Err(wrong("its weights add up to nothing".to_owned()));
    }
    Ok(items)
}

fn empirical(text: &str) -> Result<LengthDistribution, LengthTextError> {
    let points = weighted("empirical", text)?.into_iter().map(|(value, weight)| match value.parse::<u64>() {
        Ok(value) if value >= 1 => Ok((value, weight)),
        _ => Err(LengthTextError::Parameters {
            name: "empirical",
            text: text.to_owned(),
            reason: format!("`{value}` is not a whole number of at least 1"),
        }),
    });
    let points = points.collect::<Result<_, _>>()?;
    Ok(LengthDistribution { shape: LengthShape::Empirical { points }, bounds: LengthBounds::default() })
}

fn multimodal(text: &str) -> Result<LengthDistribution, LengthTextError> {
    let modes = weighted("multimodal", text)?.into_iter().map(|(mode, weight)| {
        let mode: LengthDistribution = mode.parse()?;
        Ok((mode.shape, weight))
    });
    let modes = modes.collect::<Result<_, LengthTextError>>()?;
    Ok(LengthDistribution { shape: LengthShape::Multimodal { modes }, bounds: LengthBounds::default() })
}

/// Pairs in any of the forms of `--sequence-distribution`: `ISL,OSL:PERCENT;…` with `|SD` behind a length,
/// `[(ISL,OSL):PERCENT,…]`, or JSON `{"pairs": [{"isl", "osl", "prob", "isl_stddev", "osl_stddev"}]}`.
///
/// # Errors
/// [`LengthTextError`].
pub fn parse_pairs(text: &str) -> Result<Vec<LengthPair>, LengthTextError> {
    let text = text.trim();
    let pairs = if text.starts_with('{') {
        json_pairs(text)?
    } else if let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let items = list.split('(').map(|item| item.trim().trim_end_matches(',')).filter(|item| !item.is_empty());
        items.map(|item| pair(&item.replacen(')', "", 1))).collect::<Result<_, _>>()?
    } else {
        let items = text.split(';').map(str::trim).filter(|item| !item.is_empty());
        items.map(pair).collect::<Result<Vec<_>, _>>()?
    };
    if pairs.is_empty() {
        return Err(LengthTextError::Pair(text.to_owned()));
    }
    let sum: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if (sum - 100.0).abs() > SLACK {
        return Err(LengthTextError::Shares(format!("{}", (sum * 1e6).round() / 1e6)));
    }
    Ok(pairs)
}

fn pair(text: &str) -> Result<LengthPair, LengthTextError> {
    let wrong = || LengthTextError::Pair(text.trim().to_owned());
    let (lengths, share) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (input, output) = lengths.split_once(',').ok_or_else(wrong)?;
    let weight: f64 = share.trim().trim_end_matches('%').parse().map_err(|_| wrong())?;
    if !(0.0..=100.0).contains(&weight) {
        return Err(wrong());
    }
    let length = |text: &str| {
        let (mean, stddev) = text.split_once('|').unwrap_or((text, "0"));
        let mean = mean.trim().parse::<f64>().ok().filter(|mean| is_length(*mean) && *mean >= 1.0)?;
        let stddev = stddev.trim().parse::<f64>().ok().filter(|stddev| is_length(*stddev))?;
        Some(LengthDistribution::normal(mean, stddev))
    };
    let (input, output) = (length(input).ok_or_else(wrong)?, length(output).ok_or_else(wrong)?);
    Ok(LengthPair { input, output, weight })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonPairs {
    pairs: Vec<JsonPair>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonPair {
    isl: f64,
    osl: f64,
    prob: f64,
    #[serde(default)]
    isl_stddev: f64,
    #[serde(default)]
    osl_stddev: f64,
}

fn json_pairs(text: &str) -> Result<Vec<LengthPair>, LengthTextError> {
    let read: JsonPairs = serde_json::from_str(text).map_err(|error| LengthTextError::Json(error.to_string()))?;
    let pairs = read.pairs.into_iter().map(|pair| {
        let JsonPair { isl, osl, prob, isl_stddev, osl_stddev } = pair;
        let is_good = [isl, osl].into_iter().all(|mean| is_length(mean) && mean >= 1.0)
            && [isl_stddev, osl_stddev].into_iter().all(is_length)
            && (0.0..=100.0).contains(&prob);
        is_good
            .then(|| LengthPair {
                input: LengthDistribution::normal(isl, isl_stddev),
                output: LengthDistribution::normal(osl, osl_stddev),
                weight: prob,
            })
            .ok_or_else(|| LengthTextError::Json(format!("isl {isl}, osl {osl}, prob {prob} are no lengths and share")))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> LengthShape {
        text.parse::<LengthDistribution>().unwrap().shape
    }

    fn said(text: &str) -> String {
        text.parse::<LengthDistribution>().unwrap_err().to_string()
    }

    #[test]
    fn distributions_are_read_by_name() {
        assert_eq!(shape("512"), LengthShape::Fixed { value: 512.0 });
        assert_eq!(shape("fixed:512"), LengthShape::Fixed { value: 512.0 });
        assert_eq!(shape("Normal: 512 , 64"), LengthShape::Normal { mean: 512.0, stddev: 64.0 });
        assert_eq!(shape("normal:stddev=64,mean=512"), LengthShape::Normal { mean: 512.0, stddev: 64.0 });
        assert_eq!(shape("lognormal:mean=512,median=300"), LengthShape::Lognormal { mean: 512.0, median: 300.0 });
        assert_eq!(shape("uniform:128-1024"), LengthShape::Uniform { min: 128, max: 1024 });
        assert_eq!(shape("uniform:min=1,max=2"), LengthShape::Uniform { min: 1, max: 2 });
        assert_eq!(
            shape("empirical:128@0.7;1024@0.3"),
            LengthShape::Empirical { points: vec![(128, 0.7), (1024, 0.3)] }
        );
        let modes =
            vec![(LengthShape::Normal { mean: 128.0, stddev: 16.0 }, 0.7), (LengthShape::Fixed { value: 1024.0 }, 0.3)];
        assert_eq!(shape("multimodal:normal:128,16@0.7;fixed:1024@0.3"), LengthShape::Multimodal { modes });
        let bounded: LengthDistribution = "normal:512,64,min=10,max=900".parse().unwrap();
        assert_eq!(bounded.bounds, LengthBounds { min: Some(10), max: Some(900) });
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(said("gauss:1").contains("`gauss:1` is no distribution"));
        assert!(said("lognormal:mean=300,median=512").contains("the median must be above 0"));
        assert!(said("lognormal:300").contains("a mean and a median"));
        assert!(said("normal:x").contains("`x` is not a number"));
        assert!(said("normal:-5").contains("-5 is not between 0 and 1e9"));
        assert!(said("normal:5,1,2").contains("`2` is too much"));
        assert!(said("normal:5,mean=3").contains("given twice"));
        assert!(said("normal:5,1,min=9,max=3").contains("min is above max"));
        assert!(said("uniform:9-3").contains("must go up"));
        assert!(said("empirical:0@1").contains("`0` is not a whole number"));
        assert!(said("empirical:5@0").contains("add up to nothing"));
    }

    #[test]
    fn pairs_are_read_in_three_forms() {
        let expected = vec![
            LengthPair {
                input: LengthDistribution::fixed(128.0),
                output: LengthDistribution::fixed(64.0),
                weight: 25.0,
            },
            LengthPair {
                input: LengthDistribution::normal(512.0, 20.0),
                output: LengthDistribution::normal(128.0, 10.0),
                weight: 75.0,
            },
        ];
        for text in [
            "128,64:25;512|20,128|10:75",
            "[(128,64):25,(512|20,128|10):75]",
            r#"{"pairs":[{"isl":128,"osl":64,"prob":25},{"isl":512,"osl":128,"prob":75,"isl_stddev":20,"osl_stddev":10}]}"#,
        ] {
            assert_eq!(parse_pairs(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn pairs_must_make_a_whole() {
        let said = |text: &str| parse_pairs(text).unwrap_err().to_string();
        assert_eq!(said("128,64:25;512,128:70"), "the shares add up to 95, not to 100");
        assert!(said("128:100").contains("`128:100` is no pair"));
        assert!(said("0,5:100").contains("`0,5:100` is no pair"));
        assert!(said("").contains("is no pair"));
        assert!(said(r#"{"pairs":[{"isl":1}]}"#).contains("is no list of pairs"));
    }
}
