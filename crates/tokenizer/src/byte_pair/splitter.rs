//! Cuts text into the pieces that are merged one by one.
//!
//! Patterns of this family end in `\s+(?!\S)`, which looks ahead, and so needs a backtracking engine. What it says is
//! simple: a run of white space leaves its last character to the word after it. So the rest of the pattern goes to a
//! linear engine, and that rule is applied to what it finds; only patterns of another shape are left to the backtracking
//! one.

use super::patterns::{CL100K, KIMI, LLAMA3, O200K, QWEN, R50K};

/// A compiled pattern.
pub(crate) enum Splitter {
    /// Linear; runs of white space leave their last character to what follows.
    Linear {
        /// The pattern without its look-ahead.
        regex: regex::Regex,
        /// Runs that end in a newline stay whole, for the pattern has a rule for newlines.
        keeps_lines: bool,
    },
    /// Any pattern as it stands.
    Backtracking(Box<fancy_regex::Regex>),
}

/// An ending that is known, what stands for it without looking ahead, and whether it has a rule for newlines.
const ENDINGS: [(&str, &str, bool); 4] = [
    (r"|\s*[\r\n]+|\s+(?!\S)|\s+", r"|\s*[\r\n]+|\s+", true),
    (r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s", r"|\s+$|\s*[\r\n]|\s+", true),
    (r"|\s++$|\s+(?!\S)|\s", r"|\s+", false),
    (r"|\s+(?!\S)|\s+", r"|\s+", false),
];

impl Splitter {
    /// # Errors
    /// The pattern does not compile.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        // Some files have the characters themselves where others have their escapes.
        let escaped = pattern.replace('\r', r"\r").replace('\n', r"\n");
        if let Some((linear, keeps_lines)) = linear(&escaped)
            && let Ok(regex) = regex::Regex::new(&linear)
        {
            return Ok(Self::Linear { regex, keeps_lines });
        }
        match fancy_regex::Regex::new(pattern) {
            Ok(regex) => Ok(Self::Backtracking(Box::new(regex))),
            Err(error) => Err(format!("its splitting pattern does not compile: {error}")),
        }
    }

    /// Hands over the pieces in order, and what is between them as pieces too.
    pub(crate) fn for_each_and_between<'a>(&self, text: &'a str, mut piece: impl FnMut(&'a str)) {
        let mut end = 0;
        self.for_each(text, |found| {
            // Pieces are parts of the text, so that their addresses tell where they are.
            let start = found.as_ptr() as usize - text.as_ptr() as usize;
            if start > end {
                piece(&text[end..start]);
            }
            end = start + found.len();
            piece(found);
        });
        if end < text.len() {
            piece(&text[end..]);
        }
    }

    /// Hands over the pieces in order. What the pattern does not match is left out.
    pub(crate) fn for_each<'a>(&self, text: &'a str, mut piece: impl FnMut(&'a str)) {
        match self {
            Self::Linear { regex, keeps_lines } => {
                let mut start = 0;
                while let Some(found) = regex.find_at(text, start) {
                    let whole = found.as_str();
                    let left = left_for_the_next(whole, &text[found.end()..], *keeps_lines);
                    let end = found.end() - left;
                    // An empty match would come again for ever; known patterns have none.
                    if end == found.start() {
                        break;
                    }
                    piece(&text[found.start()..end]);
                    start = end;
                }
            }
            Self::Backtracking(regex) => {
                let mut end = 0;
                for found in regex.find_iter(text) {
                    // It gives up on texts that would take it too long.
                    let Ok(found) = found else {
                        piece(&text[end..]);
                        return;
                    };
                    if found.end() > found.start() {
                        piece(found.as_str());
                    }
                    end = found.end();
                }
            }
        }
    }
}

/// The pattern without its look-ahead and whether it has a rule for newlines, if it has one of the known shapes.
fn linear(pattern: &str) -> Option<(String, bool)> {
    let (head, ending, keeps_lines) = ENDINGS
        .iter()
        .find_map(|(ending, linear, keeps_lines)| Some((pattern.strip_suffix(ending)?, linear, *keeps_lines)))?;
    let is_known = [R50K, CL100K, O200K, LLAMA3, QWEN, KIMI].contains(&pattern);
    let is_plain = is_known || !has_possessive(head) && !matches_white_space(head);
    is_plain.then(|| (format!("{head}{ending}"), keeps_lines))
}

/// Whether a repetition is possessive: to the linear engine such a repetition is a repetition of a repetition.
fn has_possessive(pattern: &str) -> bool {
    let mut depth = 0;
    let mut after_repetition = false;
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if depth == 0 && after_repetition && character == '+' {
            return true;
        }
        after_repetition = depth == 0 && matches!(character, '?' | '*' | '+' | '}');
        // `\p{…}` is no repetition.
        let is_class = character == '\\' && matches!(characters.next(), Some('p' | 'P'));
        if is_class && characters.clone().next() == Some('{') {
            characters.by_ref().find(|&character| character == '}');
        }
        match character {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Whether the first part of a pattern matches white space alone, so that its matches could be taken for those of the
/// ending; and also if it does not compile.
fn matches_white_space(head: &str) -> bool {
    let Ok(head) = regex::Regex::new(&format!("^(?:{head})")) else { return true };
    let spaces = ('\0'..='\u{3000}').filter(|character| character.is_whitespace());
    let all: String = spaces.clone().flat_map(|space| [space, ' ', space, '\n', space]).collect();
    let runs = spaces.flat_map(|space| [1, 2, 3, 4].map(|length| String::from(space).repeat(length)));
    runs.chain([all]).any(|run| head.find(&run).is_some_and(|found| !found.is_empty()))
}

/// The length of the last character of a run of white space, if it belongs to what follows.
#[inline]
fn left_for_the_next(piece: &str, rest: &str, keeps_lines: bool) -> usize {
    let Some(last) = piece.chars().next_back() else { return 0 };
    let stays = rest.is_empty()
        || !last.is_whitespace()
        || keeps_lines && matches!(last, '\r' | '\n')
        || piece.len() == last.len_utf8()
        || !piece.chars().all(char::is_whitespace);
    if stays { 0 } else { last.len_utf8() }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn pieces<'a>(splitter: &Splitter, text: &'a str) -> Vec<&'a str> {
        let mut pieces = Vec::new();
        splitter.for_each(text, |piece| pieces.push(piece));
        pieces
    }

    fn backtracking(pattern: &str) -> Splitter {
        Splitter::Backtracking(Box::new(fancy_regex::Regex::new(pattern).unwrap()))
    }

    #[test]
    fn a_run_of_white_space_leaves_a_character_to_the_word() {
        let cl100k = Splitter::new(CL100K).unwrap();
        assert_eq!(pieces(&cl100k, "a  b\n\n  c \n "), ["a", " ", " b", "\n\n", " ", " c", " \n "]);
        let r50k = Splitter::new(R50K).unwrap();
        assert_eq!(pieces(&r50k, "a\n\nb\n"), ["a", "\n", "\n", "b", "\n"]);
        let qwen = Splitter::new(QWEN).unwrap();
        assert_eq!(pieces(&qwen, "12 \n "), ["1", "2", " \n", " "]);
    }

    #[test]
    fn patterns_of_another_shape_are_taken_as_they_stand() {
        for pattern in [
            r"\s+(?!\S)|.",
            r"\p{L}++|.|\s+(?!\S)|\s+",
            r"\s{2}|.|\s+(?!\S)|\s+",
            r"\p{N}{1,3}+|.|\s+(?!\S)|\s+",
            r"[^a]+|\s+(?!\S)|\s+",
        ] {
            assert!(matches!(Splitter::new(pattern).unwrap(), Splitter::Backtracking(_)), "{pattern}");
        }
        let splitter = Splitter::new(r"\p{L}++|.|\s+(?!\S)|\s+").unwrap();
        assert_eq!(pieces(&splitter, "ab c"), ["ab", " ", "c"]);
        let digits = Splitter::new(r"\p{N}{1,3}").unwrap();
        assert_eq!(pieces(&digits, "a1234b"), ["123", "4"]);
        let mut all = Vec::new();
        digits.for_each_and_between("a1234b", |piece| all.push(piece));
        assert_eq!(all, ["a", "123", "4", "b"]);
        assert!(Splitter::new("(").is_err());
    }

    /// That of DeepSeek, which is in its file.
    const DEEPSEEK: &str = concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    );

    /// Both ways for every pattern; compiling them takes long.
    static SPLITTERS: LazyLock<Vec<(Splitter, Splitter)>> = LazyLock::new(|| {
        let both = |pattern| (Splitter::new(pattern).unwrap(), backtracking(pattern));
        [CL100K, KIMI, LLAMA3, O200K, QWEN, R50K, DEEPSEEK].map(both).into_iter().collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_linear_engine_finds_what_the_pattern_says(
            text in "([a-cA-CéÉ中1-4'!/ſ]|re|ll|\\s|[ \n]{1,3}|\\PC){0,30}"
        ) {
            for (linear, backtracking) in SPLITTERS.iter() {
                prop_assert!(matches!(linear, Splitter::Linear { .. }), "it backtracks");
                prop_assert_eq!(pieces(linear, &text), pieces(backtracking, &text));
            }
        }
    }
}
