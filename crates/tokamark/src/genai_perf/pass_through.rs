//! What stands behind `--`: options of perf_analyzer, which did GenAI-Perf's measuring.

use crate::problems::Problems;

/// How the measurement ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeasurementMode {
    /// After so many requests.
    Requests,
    /// After windows of time that agree.
    Windows,
}

/// The options that mean something here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PassThrough {
    pub(super) concurrency: Option<String>,
    pub(super) request_rate: Option<String>,
    pub(super) distribution: Option<String>,
    pub(super) request_count: Option<String>,
    pub(super) warmup_request_count: Option<String>,
    pub(super) mode: Option<MeasurementMode>,
    pub(super) measurement_interval: Option<String>,
    pub(super) stability_percentage: Option<String>,
    pub(super) max_trials: Option<String>,
    pub(super) max_threads: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Vec<String>,
    pub(super) fixed_schedule: bool,
    pub(super) is_verbose: bool,
}

/// Options without a value that ask for what is done anyway.
const ALWAYS: [&str; 3] = ["--async", "--streaming", "-a"];

impl PassThrough {
    /// Reads the words behind `--`. Options that would do nothing here are refused by name.
    pub(super) fn read(words: &[String], problems: &mut Problems) -> Self {
        let mut passed = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, attached) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if ALWAYS.contains(&name) {
                continue;
            }
            match name {
                "--fixed-schedule" => passed.fixed_schedule = true,
                "-v" | "--verbose" => passed.is_verbose = true,
                _ if takes_value(name) => match attached.or_else(|| words.next().cloned()) {
                    Some(value) => passed.set(name, value, problems),
                    None => problems.add(name, "needs a value (behind `--`)"),
                },
                _ if name.starts_with('-') => problems.add(
                    name,
                    "is an option of perf_analyzer that means nothing here: leave it out, or see what is passed through in \
                     docs/migrating-from-genai-perf.md",
                ),
                _ => problems.add_general(format!("unexpected `{word}` behind `--`")),
            }
        }
        passed
    }

    fn set(&mut self, name: &str, value: String, problems: &mut Problems) {
        match name {
            "--concurrency-range" => self.concurrency = single(name, value, problems),
            "--request-rate-range" => self.request_rate = single(name, value, problems),
            "--request-distribution" => self.distribution = Some(value),
            "--request-count" | "--measurement-request-count" => self.request_count = Some(value),
            "--warmup-request-count" => self.warmup_request_count = Some(value),
            "--measurement-mode" => match value.as_str() {
                "count_windows" => self.mode = Some(MeasurementMode::Requests),
                "time_windows" => self.mode = Some(MeasurementMode::Windows),
                _ => problems.add(name, format!("`{value}` is not known: it must be count_windows or time_windows")),
            },
            "--measurement-interval" | "-p" => self.measurement_interval = Some(value),
            "--stability-percentage" | "-s" => self.stability_percentage = Some(value),
            "--max-trials" | "-r" => self.max_trials = Some(value),
            "--max-threads" => self.max_threads = Some(value),
            "-u" => self.url = Some(value),
            "-H" => self.headers.push(value),
            _ => {}
        }
    }
}

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "--concurrency-range"
            | "--request-rate-range"
            | "--request-distribution"
            | "--request-count"
            | "--measurement-request-count"
            | "--warmup-request-count"
            | "--measurement-mode"
            | "--measurement-interval"
            | "-p"
            | "--stability-percentage"
            | "-s"
            | "--max-trials"
            | "-r"
            | "--max-threads"
            | "-u"
            | "-H"
    )
}

/// `8`, `8:8` or `8:8:1`: one load; a range is what `analyze` is for.
fn single(name: &str, value: String, problems: &mut Problems) -> Option<String> {
    let mut parts = value.split(':');
    let start = parts.next().unwrap_or_default().to_owned();
    if parts.next().is_some_and(|end| end != start) {
        problems.add(name, format!("`{value}` is a range: use `analyze --sweep-range` for several loads"));
        return None;
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (PassThrough, String) {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let mut problems = Problems::default();
        let passed = PassThrough::read(&words, &mut problems);
        (passed, if problems.is_empty() { String::new() } else { problems.to_string() })
    }

    #[test]
    fn what_makes_sense_is_taken_over() {
        let (passed, said) = read(
            "--async --request-rate-range 5.5 --request-distribution poisson --max-threads=4 -H a:b -v -p 2000 -s 20 \
             --measurement-mode time_windows",
        );
        assert_eq!(said, "");
        let expected = PassThrough {
            request_rate: Some("5.5".into()),
            distribution: Some("poisson".into()),
            max_threads: Some("4".into()),
            headers: vec!["a:b".into()],
            is_verbose: true,
            measurement_interval: Some("2000".into()),
            stability_percentage: Some("20".into()),
            mode: Some(MeasurementMode::Windows),
            ..PassThrough::default()
        };
        assert_eq!(passed, expected);
        assert_eq!(read("--concurrency-range 8:8:1").0.concurrency.as_deref(), Some("8"));
    }

    #[test]
    fn the_rest_is_refused_by_name() {
        assert!(read("--shared-memory system").1.contains("--shared-memory"));
        assert!(read("--concurrency-range 1:8").1.contains("analyze --sweep-range"));
        assert!(read("--measurement-mode x").1.contains("count_windows or time_windows"));
        assert!(read("--max-threads").1.contains("needs a value"));
        assert!(read("word").1.contains("unexpected `word`"));
    }
}
