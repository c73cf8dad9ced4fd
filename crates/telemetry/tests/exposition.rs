//! Reading pages of metrics, against examples and against a slow reader that goes character by character.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

use proptest::prelude::*;
use tokamark_telemetry::exposition::{FamilyKind, Line, LineError, Sample, lines, parse_line};

fn sample(line: &str) -> Sample<'_> {
    match parse_line(line) {
        Ok(Line::Sample(sample)) => sample,
        other => panic!("{line:?} gave {other:?}"),
    }
}

fn labels<'a>(sample: &'a Sample<'_>) -> Vec<(&'a str, &'a str)> {
    sample.labels.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect()
}

#[test]
fn a_sample_in_every_form() {
    let plain = sample("up 1");
    assert_eq!((plain.name.as_ref(), plain.value, plain.timestamp, plain.series), ("up", 1.0, None, "up"));
    let full = sample("  http:requests_total{ method = \"post\" , code=\"200\", } \t 1.027e+3 1395066363000 ");
    assert_eq!(full.name, "http:requests_total");
    assert_eq!(labels(&full), [("method", "post"), ("code", "200")]);
    assert_eq!((full.value, full.timestamp), (1027.0, Some(1_395_066_363_000.0)));
    assert_eq!(full.series, "http:requests_total{ method = \"post\" , code=\"200\", }");
    assert_eq!(full.label("code"), Some("200"));
    assert_eq!(full.label("le"), None);
    assert_eq!(labels(&sample("a{} 2")), []);
    assert_eq!(sample("a {b=\"c\"} 2").series, "a {b=\"c\"}");
}

#[test]
fn numbers_of_every_kind() {
    for (text, value) in [("+Inf", f64::INFINITY), ("-Inf", f64::NEG_INFINITY), ("1.7560473e+09", 1_756_047_300.0)] {
        assert_eq!(sample(&format!("a {text}")).value, value);
    }
    assert_eq!(sample("a 9223372036854775794").value, 9_223_372_036_854_775_808.0);
    assert_eq!(sample("a -3").value, -3.0);
    assert!(sample("a NaN").value.is_nan());
}

#[test]
fn escapes_in_labels() {
    let line = r#"a{path="C:\\DIR\\",error="no \"file\"\nfound",odd="\q\""} 1"#;
    assert_eq!(labels(&sample(line)), [("path", "C:\\DIR\\"), ("error", "no \"file\"\nfound"), ("odd", "\\q\"")]);
    let braces = sample(r#"a{b="} 5 # {c=\"d\"} 6",e="ü → ∞"} 7"#);
    assert_eq!(labels(&braces), [("b", "} 5 # {c=\"d\"} 6"), ("e", "ü → ∞")]);
    assert_eq!(braces.value, 7.0);
}

#[test]
fn quoted_names() {
    let line = sample(r#"{"my.metric", "a.b"="c",d="e"} 3"#);
    assert_eq!(line.name, "my.metric");
    assert_eq!(labels(&line), [("a.b", "c"), ("d", "e")]);
    assert_eq!(parse_line(r#"bare{"quoted"} 3"#), Err(LineError::Name));
    assert_eq!(parse_line(r#"{a="b"} 3"#), Err(LineError::Name));
    assert_eq!(parse_line(r#"{a="b","late"} 3"#), Err(LineError::Labels));
}

#[test]
fn exemplars() {
    let line = sample(r#"foo_bucket{le="0.1"} 8 # {trace_id="a b"} 0.054 1520879607.7"#);
    let exemplar = line.exemplar.as_ref().unwrap();
    assert_eq!(exemplar.labels, [("trace_id".into(), "a b".into())]);
    assert_eq!((exemplar.value, exemplar.timestamp), (0.054, Some(1_520_879_607.7)));
    let stamped = sample(r"foo_total 17.0 1520879607.789 # {} 1");
    assert_eq!((stamped.value, stamped.timestamp), (17.0, Some(1_520_879_607.789)));
    assert_eq!(stamped.exemplar.unwrap().timestamp, None);
    assert_eq!(parse_line("foo_total 17 # {a} 1"), Err(LineError::Exemplar));
    assert_eq!(parse_line("foo_total 17 # {} 1 2 3"), Err(LineError::Exemplar));
}

#[test]
fn comments() {
    assert_eq!(
        parse_line(r"# HELP  a  Two \\ words\nand more"),
        Ok(Line::Help { name: "a".into(), text: "Two \\ words\nand more".into() })
    );
    assert_eq!(parse_line("# HELP a"), Ok(Line::Help { name: "a".into(), text: "".into() }));
    assert_eq!(parse_line("#\tTYPE a:b histogram"), Ok(Line::Type { name: "a:b".into(), kind: FamilyKind::Histogram }));
    assert_eq!(parse_line("# TYPE a untyped"), Ok(Line::Type { name: "a".into(), kind: FamilyKind::Unknown }));
    assert_eq!(parse_line(r#"# TYPE "a.b" counter"#), Ok(Line::Type { name: "a.b".into(), kind: FamilyKind::Counter }));
    assert_eq!(parse_line("# UNIT a_seconds seconds"), Ok(Line::Unit { name: "a_seconds".into(), unit: "seconds" }));
    assert_eq!(parse_line("# EOF"), Ok(Line::Eof));
    for comment in ["", "   ", "#", "# anything else", "#TYPES a gauge", "# EOF is not this"] {
        assert_eq!(parse_line(comment), Ok(Line::Comment), "{comment:?}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (line, error) in [
        ("1a 2", LineError::Name),
        ("a", LineError::Value),
        ("a b", LineError::Value),
        ("a-b 1", LineError::Value),
        ("a 1 x", LineError::Timestamp),
        ("a 1 2 3", LineError::Exemplar),
        ("a{b=\"c\" 1", LineError::Labels),
        ("a{b=\"c} 1", LineError::OpenQuote),
        ("a{b=c} 1", LineError::Labels),
        ("a{b:c=\"d\"} 1", LineError::Labels),
        ("a{b=\"1\",b=\"2\"} 1", LineError::TwiceLabel),
        ("a{,} 1", LineError::Labels),
        ("<html>", LineError::Name),
        ("# TYPE a table", LineError::Type),
        ("# TYPE a", LineError::Type),
        ("# TYPE 1 gauge", LineError::Name),
    ] {
        assert_eq!(parse_line(line), Err(error), "{line:?}");
    }
}

#[test]
fn a_page_ends_at_its_end_and_a_bad_line_spoils_no_other() {
    let page = "a 1\r\nbad\nb 2\n# EOF\nc 3\n";
    let read: Vec<_> =
        lines(page).map(|(number, line)| (number, line.map(|line| matches!(line, Line::Sample(_))))).collect();
    assert_eq!(read, [(1, Ok(true)), (2, Err(LineError::Value)), (3, Ok(true))]);
}

type Pairs = Vec<(String, String)>;
type Read = (String, Pairs, f64, Option<f64>, Option<(Pairs, f64, Option<f64>)>);

/// The slow reader: no slices, no borrowed text, one character after another.
struct Slow {
    rest: Vec<char>,
}

impl Slow {
    fn new(line: &str) -> Self {
        Self { rest: line.chars().rev().collect() }
    }

    fn peek(&self) -> Option<char> {
        self.rest.last().copied()
    }

    fn blanks(&mut self) -> usize {
        let before = self.rest.len();
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.rest.pop();
        }
        before - self.rest.len()
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        (self.rest.pop()? == wanted).then_some(())
    }

    fn name(&mut self, colons: bool) -> String {
        let mut name = String::new();
        while let Some(next) = self.peek() {
            let letter = next.is_ascii_alphabetic() || next == '_' || (colons && next == ':');
            if !(letter || (next.is_ascii_digit() && !name.is_empty())) {
                break;
            }
            name.push(next);
            self.rest.pop();
        }
        name
    }

    fn quoted(&mut self) -> Option<String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.rest.pop()? {
                '"' => return Some(text),
                '\\' => match self.rest.pop()? {
                    'n' => text.push('\n'),
                    '"' => text.push('"'),
                    '\\' => text.push('\\'),
                    other => {
                        text.push('\\');
                        text.push(other);
                    }
                },
                other => text.push(other),
            }
        }
    }

    fn braces(&mut self) -> Option<(Option<String>, Pairs)> {
        self.expect('{')?;
        let (mut metric, mut labels) = (None, Pairs::new());
        for item in 0.. {
            self.blanks();
            if self.peek() == Some('}') {
                break;
            }
            let in_quotes = self.peek() == Some('"');
            let label = if in_quotes { self.quoted()? } else { self.name(false) };
            if label.is_empty() && !in_quotes {
                return None;
            }
            self.blanks();
            if self.peek() == Some('=') {
                self.rest.pop();
                self.blanks();
                let value = self.quoted()?;
                if labels.iter().any(|(known, _)| *known == label) {
                    return None;
                }
                labels.push((label, value));
            } else if in_quotes && item == 0 {
                metric = Some(label);
            } else {
                return None;
            }
            self.blanks();
            match self.peek()? {
                ',' => self.rest.pop(),
                '}' => None,
                _ => return None,
            };
        }
        self.expect('}')?;
        Some((metric, labels))
    }

    fn number(&mut self) -> Option<f64> {
        self.blanks();
        let mut token = String::new();
        while let Some(next) = self.peek() {
            if matches!(next, ' ' | '\t') {
                break;
            }
            token.push(next);
            self.rest.pop();
        }
        self.blanks();
        token.parse().ok()
    }

    fn stamp(&mut self) -> Option<Option<f64>> {
        match self.peek() {
            None | Some('#') => Some(None),
            Some(_) => self.number().map(Some),
        }
    }

    fn sample(mut self) -> Option<Read> {
        self.blanks();
        let mut name = self.name(true);
        let blanks = self.blanks();
        let mut labels = Pairs::new();
        if self.peek() == Some('{') {
            let (quoted, found) = self.braces()?;
            labels = found;
            name = match quoted {
                Some(quoted) if name.is_empty() => quoted,
                None if !name.is_empty() => name,
                _ => return None,
            };
        } else if name.is_empty() || blanks == 0 {
            return None;
        }
        let value = self.number()?;
        let stamp = self.stamp()?;
        let mut exemplar = None;
        if self.peek() == Some('#') {
            self.rest.pop();
            self.blanks();
            let (quoted, labels) = self.braces()?;
            let value = self.number()?;
            let stamp = self.stamp()?;
            if quoted.is_some() {
                return None;
            }
            exemplar = Some((labels, value, stamp));
        }
        self.rest.is_empty().then_some((name, labels, value, stamp, exemplar))
    }
}

fn owned(sample: Sample<'_>) -> Read {
    let pairs = |labels: &[(std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)]| {
        labels.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Pairs>()
    };
    let exemplar = sample.exemplar.map(|exemplar| (pairs(&exemplar.labels), exemplar.value, exemplar.timestamp));
    (sample.name.to_string(), pairs(&sample.labels), sample.value, sample.timestamp, exemplar)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn written(labels: &[(String, String)]) -> String {
    let labels: Vec<_> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", labels.join(","))
}

fn label_set() -> impl Strategy<Value = Pairs> {
    prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,5}", "[ -~\n\"\\\\äß∞]{0,8}", 0..4)
        .prop_map(|labels| labels.into_iter().collect())
}

prop_compose! {
    fn sample_parts()(
        name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,8}",
        labels in label_set(),
        value in any::<f64>().prop_filter("NaN equals nothing", |value| !value.is_nan()),
        stamp in prop::option::of(-1e12..1e12f64),
        exemplar in prop::option::of((label_set(), -1e9..1e9f64, prop::option::of(0.0..1e10f64))),
    ) -> Read {
        (name, labels, value, stamp, exemplar)
    }
}

fn line_of((name, labels, value, stamp, exemplar): &Read) -> String {
    let mut line = format!("{name}{} {value:?}", written(labels));
    if let Some(stamp) = stamp {
        line += &format!(" {stamp:?}");
    }
    if let Some((labels, value, stamp)) = exemplar {
        line += &format!(" # {} {value:?}", written(labels));
        if let Some(stamp) = stamp {
            line += &format!(" {stamp:?}");
        }
    }
    line
}

proptest! {
    #[test]
    fn what_is_written_is_read(parts in sample_parts()) {
        let line = line_of(&parts);
        prop_assert_eq!(owned(sample(&line)), parts.clone());
        prop_assert_eq!(Slow::new(&line).sample(), Some(parts));
    }

    #[test]
    fn a_damaged_line_is_read_as_the_slow_reader_does(
        parts in sample_parts(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, prop::sample::select(vec![
            ' ', '\t', '{', '}', '"', '\\', ',', '=', '#', 'n', 'a', '1', '.', '-', ':', 'é',
        ])), 1..4),
    ) {
        let mut line: Vec<char> = line_of(&parts).chars().collect();
        for (at, what, character) in damage {
            let at = at.index(line.len() + 1);
            match what {
                0 => line.insert(at, character),
                1 if at < line.len() => line[at] = character,
                _ if at < line.len() => { line.remove(at); }
                _ => {}
            }
        }
        let line: String = line.into_iter().collect();
        let fast = match parse_line(&line) {
            Ok(Line::Sample(sample)) => Some(owned(sample)),
            Ok(_) => return Ok(()),
            Err(_) => None,
        };
        prop_assert_eq!(format!("{fast:?}"), format!("{:?}", Slow::new(&line).sample()), "{:?}", line);
    }

    #[test]
    fn nothing_makes_it_panic(page in "(\\PC|[\n\r{}\"\\\\#=, ]){0,80}") {
        prop_assert!(lines(&page).count() <= page.split('\n').count());
    }
}
