//! Breaks text at spaces.

/// The lines of `text`, each at most `width` characters wide unless a single word is wider.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = word.chars().count();
        if used > 0 && used + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += wide;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn breaks_at_spaces_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible a", 5), ["incomprehensible", "a"]);
        assert!(wrap("  ", 5).is_empty());
    }
}
