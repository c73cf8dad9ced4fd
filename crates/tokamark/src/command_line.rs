//! Splits a command line into flags and values by clap's own declarations.
//!
//! clap stops at the first thing that it does not like. Here everything is looked at, so that all unknown flags and
//! missing values are told together with all bad values; what is handed on to clap cannot fail any more.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command};

use crate::problems::Problems;

/// Names that are this close are suggested for one another.
const LIKENESS: f64 = 0.8;

/// A command line in plain form: main names, each value with its flag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    flags: Vec<(String, Option<String>)>,
    positionals: Vec<String>,
    /// Somebody asks for help.
    pub(crate) wants_help: bool,
}

impl CommandLine {
    /// The arguments as clap reads them without fail.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flags = self.flags.iter().map(|(name, value)| match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
        let positionals = std::iter::once("--".to_owned()).chain(self.positionals.iter().cloned());
        flags.chain(positionals).collect()
    }

    /// The arguments as they may be written to files: the values of keys and headers are left out.
    pub(crate) fn redacted(&self) -> Vec<String> {
        let flags = self.flags.iter().flat_map(|(name, value)| {
            let value = value.as_deref().map(|value| match name.as_str() {
                "api-key" => "<redacted>".to_owned(),
                "header" => match value.split_once(':') {
                    Some((header, _)) if !value.trim_start().starts_with('{') => format!("{header}:<redacted>"),
                    _ => "<redacted>".to_owned(),
                },
                _ => value.to_owned(),
            });
            std::iter::once(format!("--{name}")).chain(value)
        });
        flags.chain(self.positionals.iter().cloned()).collect()
    }
}

/// What a dialect allows beside our own ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ways {
    /// The beginning of a flag's name stands for the flag, if no other begins so.
    pub(crate) abbreviations: bool,
    /// Of a value that is given twice the last one counts.
    pub(crate) last_wins: bool,
}

/// Reads the arguments of `command` (those after its name), adding what is wrong with them to `problems`.
pub(crate) fn read(command: &Command, arguments: &[String], ways: Ways, problems: &mut Problems) -> CommandLine {
    let mut reader = Reader { command, ways, problems, line: CommandLine::default(), single: BTreeMap::new() };
    let mut rest = arguments;
    while let Some((argument, after)) = rest.split_first() {
        rest = if argument == "--" {
            after.iter().for_each(|positional| reader.positional(positional));
            &[]
        } else if let Some(long) = argument.strip_prefix("--") {
            reader.long(long, after)
        } else if looks_like_value(argument) {
            reader.positional(argument);
            after
        } else {
            reader.short(argument.trim_start_matches('-'), after)
        };
    }
    reader.line
}

struct Reader<'a> {
    command: &'a Command,
    ways: Ways,
    problems: &'a mut Problems,
    line: CommandLine,
    /// Flags that take one value, with the value that they have.
    single: BTreeMap<String, String>,
}

impl<'a> Reader<'a> {
    fn long<'r>(&mut self, text: &str, after: &'r [String]) -> &'r [String] {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        if name == "help" {
            self.line.wants_help = true;
            return after;
        }
        let found = self.command.get_arguments().find(|arg| {
            arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        });
        let found = found.or_else(|| self.abbreviated(name));
        match found {
            Some(arg) => self.flag(arg, &format!("--{name}"), value, after),
            None => {
                self.unknown(&format!("--{name}"));
                skip_values(after)
            }
        }
    }

    /// The only flag whose name begins so.
    fn abbreviated(&self, beginning: &str) -> Option<&'a Arg> {
        if !self.ways.abbreviations || beginning.is_empty() {
            return None;
        }
        let begins = |arg: &&Arg| {
            arg.get_long_and_visible_aliases().unwrap_or_default().iter().any(|name| name.starts_with(beginning))
        };
        let mut found = self.command.get_arguments().filter(begins);
        found.next().filter(|_| found.next().is_none())
    }

    /// `-v`, `-vv`, `-m name`, `-mname`, `-m=name`.
    fn short<'r>(&mut self, cluster: &str, after: &'r [String]) -> &'r [String] {
        let mut letters = cluster.chars();
        while let Some(letter) = letters.next() {
            if letter == 'h' {
                self.line.wants_help = true;
                continue;
            }
            let spelt = format!("-{letter}");
            let Some(arg) = self.command.get_arguments().find(|arg| arg.get_short() == Some(letter)) else {
                self.unknown(&spelt);
                return skip_values(after);
            };
            if takes_value(arg) {
                let attached = letters.as_str();
                let attached = attached.strip_prefix('=').unwrap_or(attached);
                return self.flag(arg, &spelt, Some(attached).filter(|text| !text.is_empty()), after);
            }
            self.flag(arg, &spelt, None, &[]);
        }
        after
    }

    fn flag<'r>(&mut self, arg: &Arg, spelt: &str, attached: Option<&str>, after: &'r [String]) -> &'r [String] {
        let Some(name) = arg.get_long().map(str::to_owned) else { return after };
        let main = format!("--{name}");
        self.problems.spelt(&main, spelt);
        if !takes_value(arg) {
            if attached.is_some() {
                self.problems.add(&main, "takes no value");
            }
            let again = self.line.flags.iter().any(|(other, _)| *other == name);
            if !again || matches!(arg.get_action(), ArgAction::Count) {
                self.line.flags.push((name, None));
            }
            return after;
        }
        if let Some(value) = attached {
            self.value(arg, name, value);
            return after;
        }
        let most = if takes_several(arg) { usize::MAX } else { 1 };
        let count = after.iter().take(most).take_while(|argument| looks_like_value(argument)).count();
        let (values, after) = after.split_at(count);
        if values.is_empty() && arg.get_num_args().is_some_and(|range| range.min_values() == 0) {
            self.line.flags.push((name, None));
            return after;
        }
        if values.is_empty() {
            self.problems.add(&main, format!("needs a value (write {spelt}=VALUE if it begins with a dash)"));
        }
        values.iter().for_each(|value| self.value(arg, name.clone(), value));
        after
    }

    fn value(&mut self, arg: &Arg, name: String, value: &str) {
        if !takes_several(arg)
            && let Some(earlier) = self.single.insert(name.clone(), value.to_owned())
        {
            if self.ways.last_wins {
                self.line.flags.retain(|(other, _)| *other != name);
                self.line.flags.push((name, Some(value.to_owned())));
                return;
            }
            if earlier != value {
                self.problems.add(&format!("--{name}"), format!("is given as `{earlier}` and as `{value}`"));
            }
            return;
        }
        self.line.flags.push((name, Some(value.to_owned())));
    }

    fn positional(&mut self, argument: &str) {
        let expected = self.command.get_positionals().count();
        if self.line.positionals.len() < expected {
            self.line.positionals.push(argument.to_owned());
        } else {
            self.problems.add_general(format!("unexpected argument `{argument}`"));
        }
    }

    fn unknown(&mut self, spelt: &str) {
        let like = self.suggestion(spelt.trim_start_matches('-'));
        let hint = like.map(|like| format!("; did you mean --{like}?")).unwrap_or_default();
        self.problems.add(spelt, format!("unknown flag{hint}"));
    }

    fn suggestion(&self, name: &str) -> Option<String> {
        let name = name.replace('_', "-").to_lowercase();
        self.command
            .get_arguments()
            .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
            .map(|known| (strsim::jaro_winkler(&name, known), known))
            .filter(|(likeness, _)| *likeness >= LIKENESS)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, known)| known.to_owned())
    }
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

fn takes_several(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// A dash begins a flag, unless it is all there is or begins a number.
fn looks_like_value(argument: &str) -> bool {
    !argument.starts_with('-') || argument == "-" || argument.parse::<f64>().is_ok()
}

fn skip_values(after: &[String]) -> &[String] {
    let values = after.iter().take_while(|argument| looks_like_value(argument)).count();
    after.get(values..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        Command::new("test")
            .arg(
                Arg::new("model")
                    .short('m')
                    .long("model")
                    .visible_alias("model-names")
                    .num_args(1..)
                    .action(ArgAction::Append),
            )
            .arg(Arg::new("rate").long("request-rate").action(ArgAction::Set))
            .arg(Arg::new("header").short('H').long("header").num_args(1..).action(ArgAction::Append))
            .arg(Arg::new("key").long("api-key").action(ArgAction::Set))
            .arg(Arg::new("streaming").long("streaming").action(ArgAction::SetTrue))
            .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count))
    }

    fn line(text: &[&str]) -> (Vec<String>, String) {
        let mut problems = Problems::default();
        let arguments: Vec<String> = text.iter().map(|&argument| argument.to_owned()).collect();
        let line = read(&command(), &arguments, Ways::default(), &mut problems);
        let said = if problems.is_empty() { String::new() } else { problems.to_string() };
        (line.arguments(), said)
    }

    #[test]
    fn every_way_to_write_a_flag_comes_to_the_same() {
        for (text, expected) in [
            (vec!["--model", "a"], vec!["--model=a", "--"]),
            (vec!["--model=a"], vec!["--model=a", "--"]),
            (vec!["--model-names", "a"], vec!["--model=a", "--"]),
            (vec!["-m", "a"], vec!["--model=a", "--"]),
            (vec!["-ma"], vec!["--model=a", "--"]),
            (vec!["-m=a"], vec!["--model=a", "--"]),
            (vec!["-m", "a", "b", "-m", "c"], vec!["--model=a", "--model=b", "--model=c", "--"]),
            (vec!["--request-rate", "-5"], vec!["--request-rate=-5", "--"]),
            (vec!["--request-rate", "5", "--request-rate", "5"], vec!["--request-rate=5", "--"]),
            (vec!["--streaming", "--streaming"], vec!["--streaming", "--"]),
            (vec!["-vv", "-v"], vec!["--verbose", "--verbose", "--verbose", "--"]),
            (vec!["-vm", "a"], vec!["--verbose", "--model=a", "--"]),
        ] {
            assert_eq!(
                line(&text),
                (expected.iter().map(|&text| text.to_owned()).collect(), String::new()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_dialect_may_abbreviate_and_repeat() {
        let ways = Ways { abbreviations: true, last_wins: true };
        let mut problems = Problems::default();
        let words = ["--mod", "a", "--req", "5", "--request-rate", "6", "--stream"].map(str::to_owned);
        let line = read(&command(), &words, ways, &mut problems);
        assert_eq!(line.arguments(), ["--model=a", "--request-rate=6", "--streaming", "--"]);
        assert!(problems.is_empty());
        read(&command(), &["--m".to_owned(), "--s".to_owned()], Ways::default(), &mut problems);
        assert!(problems.to_string().contains("--s: unknown flag"));
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let (_, said) =
            line(&["--streming", "--request-rate", "--api-key", "a", "--api-key=b", "--streaming=yes", "-x", "z"]);
        assert_eq!(
            said,
            "error: 5 problems with the command line\n  \
             --streming: unknown flag; did you mean --streaming?\n  \
             --request-rate: needs a value (write --request-rate=VALUE if it begins with a dash)\n  \
             --api-key: is given as `a` and as `b`\n  \
             --streaming: takes no value\n  \
             -x: unknown flag"
        );
        assert_eq!(line(&["--streaming", "true"]).1, "error: unexpected argument `true`");
        assert_eq!(
            line(&["--request_rate", "5"]).1,
            "error: --request_rate: unknown flag; did you mean --request-rate?"
        );
    }

    #[test]
    fn secrets_are_not_written_down() {
        let arguments =
            ["--api-key", "s3cret", "-H", "Authorization: Bearer s3cret", "-H", "{\"X-Key\":\"s3cret\"}", "-m", "a:b"];
        let mut problems = Problems::default();
        let line = read(&command(), &arguments.map(str::to_owned), Ways::default(), &mut problems);
        assert_eq!(
            line.redacted(),
            [
                "--api-key",
                "<redacted>",
                "--header",
                "Authorization:<redacted>",
                "--header",
                "<redacted>",
                "--model",
                "a:b"
            ]
        );
    }

    #[test]
    fn help_is_noticed_wherever_it_stands() {
        for text in [vec!["--model", "a", "--help"], vec!["-h"], vec!["-vh"]] {
            let arguments: Vec<String> = text.iter().map(|&argument| argument.to_owned()).collect();
            assert!(read(&command(), &arguments, Ways::default(), &mut Problems::default()).wants_help);
        }
    }
}
