//! JSON texts that are kept as they are.

use serde_json::value::RawValue;

/// The text without white space between its tokens if it is written over several lines, as only indented files are;
/// else as it is. Whoever wrote such a file sent no indentation.
pub(crate) fn unindented(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let mut short = String::with_capacity(text.len() / 2);
    let (mut in_string, mut is_escaped) = (false, false);
    for character in text.chars() {
        if !in_string && matches!(character, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == '"' {
            in_string = !in_string;
        }
        short.push(character);
    }
    short
}

/// Whether a JSON text is an object.
pub(crate) fn is_object(text: &RawValue) -> bool {
    text.get().trim_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indentation_is_left_out() {
        assert_eq!(unindented("{\"a\": 1, \"b\":\t2}"), "{\"a\": 1, \"b\":\t2}");
        assert_eq!(
            unindented("{\n  \"a b\": [1.50, \"\\\" x \\\\\"],\r\n\t\"c\": { }\n}"),
            "{\"a b\":[1.50,\"\\\" x \\\\\"],\"c\":{}}"
        );
    }
}
