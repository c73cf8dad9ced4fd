//! `name:value` pairs, as `--extra-inputs` and `--header` take them.

use serde_json::{Map, Number, Value};
use thiserror::Error;

/// A pair that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PairError {
    /// No colon.
    #[error("`{0}` has no value: write name:value")]
    NoValue(String),
    /// Nothing in front of the colon.
    #[error("`{0}` has no name: write name:value")]
    NoName(String),
    /// Begins like JSON, but is not.
    #[error("`{text}` is not valid JSON: {reason}")]
    Json {
        /// What was given.
        text: String,
        /// What the parser says.
        reason: String,
    },
    /// The same name again.
    #[error("`{0}` is given more than once")]
    Duplicate(String),
    /// A header's value in JSON that is no text, number or truth value.
    #[error("the value of header `{0}` is not text")]
    NotText(String),
    /// A header's name that HTTP does not allow.
    #[error("`{0}` is not a header name")]
    HeaderName(String),
    /// A header's value with control characters. The value may be secret and is not repeated.
    #[error("the value of header `{0}` has control characters in it")]
    HeaderValue(String),
}

/// Adds one argument of `--extra-inputs` to `into`: a JSON object, or `name:value`, where only the first colon splits.
///
/// Values that are JSON are read as JSON: numbers (also `-3`, `1e-3`, `.5`), `true`, `false` (in any case), `null`,
/// quoted texts, objects and lists. Anything else is text as it stands.
///
/// # Errors
/// Why the argument cannot be read.
pub fn add_extra_input(into: &mut Map<String, Value>, argument: &str) -> Result<(), PairError> {
    let trimmed = argument.trim();
    if trimmed.starts_with('{') {
        for (name, value) in object(trimmed)? {
            add(into, name, value)?;
        }
        return Ok(());
    }
    let (name, text) = split(trimmed)?;
    if text.is_empty() {
        return Err(PairError::NoValue(argument.to_owned()));
    }
    let value = value(text)?;
    add(into, name.to_owned(), value)
}

/// Reads one argument of `--header`: `Name: value`, where only the first colon splits, or a JSON object.
///
/// # Errors
/// Why the argument cannot be read.
pub fn headers(argument: &str) -> Result<Vec<(String, String)>, PairError> {
    let trimmed = argument.trim();
    let pairs = if trimmed.starts_with('{') {
        object(trimmed)?
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                Value::Number(number) => Ok((name, number.to_string())),
                Value::Bool(truth) => Ok((name, truth.to_string())),
                _ => Err(PairError::NotText(name)),
            })
            .collect::<Result<Vec<_>, _>>()?
    } else {
        let (name, value) = split(trimmed)?;
        vec![(name.to_owned(), value.trim().to_owned())]
    };
    for (name, value) in &pairs {
        if !is_token(name) {
            return Err(PairError::HeaderName(name.clone()));
        }
        if !is_header_value(value) {
            return Err(PairError::HeaderValue(name.clone()));
        }
    }
    Ok(pairs)
}

/// True if a text can stand in a header's value.
#[must_use]
pub fn is_header_value(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || !c.is_control())
}

/// RFC 9110 §5.6.2.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn split(argument: &str) -> Result<(&str, &str), PairError> {
    match argument.split_once(':') {
        None => Err(PairError::NoValue(argument.to_owned())),
        Some((name, _)) if name.trim().is_empty() => Err(PairError::NoName(argument.to_owned())),
        Some((name, value)) => Ok((name.trim(), value)),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, PairError> {
    serde_json::from_str(text).map_err(|reason| PairError::Json { text: text.to_owned(), reason: reason.to_string() })
}

fn add(into: &mut Map<String, Value>, name: String, value: Value) -> Result<(), PairError> {
    if into.contains_key(&name) {
        return Err(PairError::Duplicate(name));
    }
    into.insert(name, value);
    Ok(())
}

fn value(text: &str) -> Result<Value, PairError> {
    let trimmed = text.trim();
    match serde_json::from_str::<Value>(trimmed) {
        Ok(value) => return Ok(value),
        Err(reason) if trimmed.starts_with(['{', '[']) => {
            return Err(PairError::Json { text: trimmed.to_owned(), reason: reason.to_string() });
        }
        Err(_) => {}
    }
    if trimmed.eq_ignore_ascii_case("true") {
        return Ok(Value::Bool(true));
    }
    if trimmed.eq_ignore_ascii_case("false") {
        return Ok(Value::Bool(false));
    }
    if let Some(number) = loose_number(trimmed) {
        return Ok(Value::Number(number));
    }
    Ok(Value::String(text.to_owned()))
}

/// Decimals that JSON spells otherwise: `.5`, `5.`, `+1.5`. Leading zeros stay text, as in `007`.
fn loose_number(text: &str) -> Option<Number> {
    let digits = text.trim_start_matches(['+', '-']);
    let numeric = digits.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if !numeric || padded || !digits.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Number::from(whole));
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn extra(arguments: &[&str]) -> Result<Value, PairError> {
        let mut into = Map::new();
        for argument in arguments {
            add_extra_input(&mut into, argument)?;
        }
        Ok(Value::Object(into))
    }

    #[test]
    fn values_become_what_they_look_like() {
        for (argument, expected) in [
            ("k:5", json!({"k": 5})),
            ("k:-5", json!({"k": -5})),
            ("k:0", json!({"k": 0})),
            ("k:0.7", json!({"k": 0.7})),
            ("k:-0.25", json!({"k": -0.25})),
            ("k:1e-3", json!({"k": 0.001})),
            ("k:2E5", json!({"k": 200_000.0})),
            ("k:.5", json!({"k": 0.5})),
            ("k:5.", json!({"k": 5.0})),
            ("k:+3", json!({"k": 3})),
            ("k: 7", json!({"k": 7})),
            ("k:true", json!({"k": true})),
            ("k:False", json!({"k": false})),
            ("k:null", json!({"k": null})),
            ("k:text", json!({"k": "text"})),
            ("k:two words", json!({"k": "two words"})),
            ("k:\"5\"", json!({"k": "5"})),
            ("k:\"open", json!({"k": "\"open"})),
            ("k:007", json!({"k": "007"})),
            ("k:1.2.3", json!({"k": "1.2.3"})),
            ("k:e", json!({"k": "e"})),
            ("k:-", json!({"k": "-"})),
            ("k:nan", json!({"k": "nan"})),
            ("k:inf", json!({"k": "inf"})),
            ("k:a:b:c", json!({"k": "a:b:c"})),
            ("k:http://h:1/p", json!({"k": "http://h:1/p"})),
            ("k:12:30", json!({"k": "12:30"})),
            ("k:{\"a\":1}", json!({"k": {"a": 1}})),
            ("k:[1,2]", json!({"k": [1, 2]})),
            ("k:{\"a\":{\"b\":[true,null]}}", json!({"k": {"a": {"b": [true, null]}}})),
            ("{\"a\":1,\"b\":{\"c\":2}}", json!({"a": 1, "b": {"c": 2}})),
            ("{}", json!({})),
        ] {
            assert_eq!(extra(&[argument]).unwrap(), expected, "{argument}");
        }
    }

    #[test]
    fn several_arguments_add_up_in_order() {
        let all = extra(&["b:1", "a:2", "{\"c\":3}"]).unwrap();
        assert_eq!(all.to_string(), r#"{"b":1,"a":2,"c":3}"#);
    }

    #[test]
    fn arguments_that_cannot_be_read_say_why() {
        assert_eq!(extra(&["k"]), Err(PairError::NoValue("k".into())));
        assert_eq!(extra(&["k:"]), Err(PairError::NoValue("k:".into())));
        assert_eq!(extra(&[":v"]), Err(PairError::NoName(":v".into())));
        assert_eq!(extra(&["k:1", "{\"k\":2}"]), Err(PairError::Duplicate("k".into())));
        assert!(matches!(extra(&["k:{a}"]), Err(PairError::Json { .. })));
        assert!(matches!(extra(&["k:[1,"]), Err(PairError::Json { .. })));
        assert!(matches!(extra(&["{k:1}"]), Err(PairError::Json { .. })));
    }

    #[test]
    fn headers_are_split_at_the_first_colon() {
        let one = |text: &str| headers(text).unwrap();
        let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(one("Authorization: Bearer key"), pair("Authorization", "Bearer key"));
        assert_eq!(one("X-Url:http://h:1"), pair("X-Url", "http://h:1"));
        assert_eq!(one("X-Empty:"), pair("X-Empty", ""));
        assert_eq!(one("{\"X-A\":\"1\",\"X-B\":2}"), [pair("X-A", "1"), pair("X-B", "2")].concat());
        assert_eq!(headers("X A: 1"), Err(PairError::HeaderName("X A".into())));
        assert_eq!(headers("X-A: a\nb"), Err(PairError::HeaderValue("X-A".into())));
        assert_eq!(headers("nothing"), Err(PairError::NoValue("nothing".into())));
        assert_eq!(headers("{\"X-A\":[1]}"), Err(PairError::NotText("X-A".into())));
    }
}
