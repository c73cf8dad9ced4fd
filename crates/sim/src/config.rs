//! What a simulated server is like.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::options::{self, SimOptionError};

/// Counts the tokens of a text. The binary plugs a real tokenizer in here.
pub type TokenCounter = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// Gives the ids of the tokens of a text.
pub type TokenEncoder = Arc<dyn Fn(&str) -> Vec<u32> + Send + Sync>;

/// What the tokens of a prompt are.
#[derive(Clone)]
pub enum PromptTokens {
    /// They are only counted; blocks of the prefix cache are pieces of text.
    Counted(TokenCounter),
    /// They are told apart, so that blocks of the prefix cache are exactly so many tokens.
    Encoded(TokenEncoder),
}

/// How the tokens of a prompt are counted where no tokenizer is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// A token for every four bytes, rounded up.
    #[default]
    Bytes,
    /// A token for every word between white space.
    Words,
}

/// How tokens come to be due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A batching engine decides, by its cost model.
    #[default]
    Batch,
    /// Each stream ticks on its own, an event every `gap_ns`, whatever the load.
    PerStream {
        /// Nanoseconds from one event to the next.
        gap_ns: u64,
    },
    /// All tokens are due with the first one: as fast as the connection takes them.
    Unpaced,
}

/// Where the ticks of paced streams lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first event exactly the time to first token after the request's arrival.
    #[default]
    Arrival,
    /// As `arrival`, and later by a share of the gap that spreads streams evenly.
    Staggered,
    /// All streams tick together, on multiples of the gap.
    Synchronous,
}

/// When the response head and the role event of a stream are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Head {
    /// As soon as the request has come.
    #[default]
    Early,
    /// With the first token.
    Token,
}

/// Output tokens of an answer whose request sets no maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLength {
    /// Always as many.
    Constant(u32),
    /// Evenly distributed between two numbers, both included.
    Uniform {
        /// The fewest.
        min: u32,
        /// The most.
        max: u32,
    },
    /// Normally distributed, at least 1.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
}

impl fmt::Display for OutputLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(tokens) => write!(f, "{tokens}"),
            Self::Uniform { min, max } => write!(f, "{min}-{max}"),
            Self::Normal { mean, std } => write!(f, "{mean}:{std}"),
        }
    }
}

impl FromStr for OutputLength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected N, MIN-MAX or MEAN:STD, with at least one token".to_owned();
        if let Some((min, max)) = text.split_once('-') {
            let (min, max) = (min.parse().map_err(|_| wrong())?, max.parse().map_err(|_| wrong())?);
            return if 1 <= min && min <= max { Ok(Self::Uniform { min, max }) } else { Err(wrong()) };
        }
        if let Some((mean, std)) = text.split_once(':') {
            let (mean, std): (f64, f64) = (mean.parse().map_err(|_| wrong())?, std.parse().map_err(|_| wrong())?);
            let ok = (1.0..=1e9).contains(&mean) && (0.0..=1e9).contains(&std);
            return if ok { Ok(Self::Normal { mean, std }) } else { Err(wrong()) };
        }
        match text.parse() {
            Ok(tokens) if tokens >= 1 => Ok(Self::Constant(tokens)),
            _ => Err(wrong()),
        }
    }
}

/// Faults that are put into answers on purpose. Each rate is the share of requests that suffer it; no request suffers
/// two. Which ones do depends on the seed and the request's number alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// Answered with an error status.
    pub error_rate: f64,
    /// That status.
    pub error_status: u16,
    /// The connection is reset halfway through the answer.
    pub reset_rate: f64,
    /// The answer ends cleanly halfway, with no end mark.
    pub truncate_rate: f64,
    /// An error event comes halfway and ends the answer.
    pub stream_error_rate: f64,
    /// One event (or the body) is not valid JSON.
    pub malformed_rate: f64,
    /// The answer pauses halfway.
    pub stall_rate: f64,
    /// For so long.
    pub stall_ns: u64,
    /// The response head comes late.
    pub slow_head_rate: f64,
    /// By so much.
    pub slow_head_ns: u64,
    /// Idle connections are closed after so long; 0 is never.
    pub close_idle_ns: u64,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            error_rate: 0.0,
            error_status: 500,
            reset_rate: 0.0,
            truncate_rate: 0.0,
            stream_error_rate: 0.0,
            malformed_rate: 0.0,
            stall_rate: 0.0,
            stall_ns: 1_000_000_000,
            slow_head_rate: 0.0,
            slow_head_ns: 1_000_000_000,
            close_idle_ns: 0,
        }
    }
}

impl Faults {
    /// The share of requests that suffer any fault.
    #[must_use]
    pub fn total_rate(&self) -> f64 {
        self.error_rate
            + self.reset_rate
            + self.truncate_rate
            + self.stream_error_rate
            + self.malformed_rate
            + self.stall_rate
            + self.slow_head_rate
    }
}

/// A simulated server. Rates of 0 mean "without limit".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimConfig {
    /// Models that are served; empty: whatever a request names.
    pub models: Vec<String>,
    /// Server threads. Each is an engine of its own, with its own batch and caches; connections take turns.
    pub threads: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Most tokens of prompt and answer together.
    pub context_tokens: u32,
    /// Output tokens of an answer whose request sets no maximum.
    pub output: OutputLength,
    /// Share of requests with a maximum (and without `ignore_eos`) that stop before it.
    pub stop_early: f64,
    /// First part of a chat answer that is reasoning.
    pub reasoning_share: f64,
    /// Tokens in each event, as with speculative decoding.
    pub tokens_per_event: u32,
    /// How prompts are counted.
    pub count: Counting,
    /// When heads are sent.
    pub head: Head,
    /// Numbers in an embedding.
    pub embedding_dimensions: u32,
    /// How tokens come to be due.
    pub pace: Pace,
    /// Paced streams: from the request's arrival to the first token.
    pub ttft_ns: u64,
    /// Paced streams: where ticks lie.
    pub phase: Phase,
    /// Batch: from a request's arrival to its place in the queue.
    pub overhead_ns: u64,
    /// Batch: prompt tokens read per second, shared by all requests.
    pub prefill_rate: f64,
    /// Batch: most prompt tokens read in one step; 0 is without limit.
    pub prefill_chunk: u32,
    /// Batch: tokens per second of a stream that is alone.
    pub decode_rate: f64,
    /// Batch: what each further sequence adds to a step.
    pub sequence_ns: u64,
    /// Batch: most sequences at once.
    pub max_batch: u32,
    /// Batch: tokens that fit into the KV cache.
    pub kv_tokens: u64,
    /// Tokens that fit into the prefix cache; 0 is none.
    pub prefix_cache_tokens: u64,
    /// Faults on purpose.
    pub faults: Faults,
    /// File for the truth log.
    pub log: Option<PathBuf>,
}

impl Default for SimConfig {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            threads: 1,
            seed: 0,
            context_tokens: 131_072,
            output: OutputLength::Constant(64),
            stop_early: 0.0,
            reasoning_share: 0.0,
            tokens_per_event: 1,
            count: Counting::Bytes,
            head: Head::Early,
            embedding_dimensions: 64,
            pace: Pace::Batch,
            ttft_ns: 100_000_000,
            phase: Phase::Arrival,
            overhead_ns: 1_000_000,
            prefill_rate: 50_000.0,
            prefill_chunk: 8_192,
            decode_rate: 1_000.0,
            sequence_ns: 50_000,
            max_batch: 256,
            kv_tokens: 1_000_000,
            prefix_cache_tokens: 262_144,
            faults: Faults::default(),
            log: None,
        }
    }
}

impl SimConfig {
    /// Sets an option of [`OPTIONS`](crate::OPTIONS) by its name or an alias; `_` and `-` are the same.
    ///
    /// # Errors
    /// When there is no such option, or it does not take the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SimOptionError> {
        options::set(self, name, value)
    }

    /// Says what does not fit together.
    ///
    /// # Errors
    /// When the rates of faults add up to more than 1.
    pub fn check(&self) -> Result<(), SimOptionError> {
        let rate = self.faults.total_rate();
        // The sum of decimal fractions may exceed 1 by a rounding error.
        if rate > 1.0 + 1e-9 { Err(SimOptionError::TooManyFaults { rate }) } else { Ok(()) }
    }

    /// Most tokens of prompt and answer together that can ever be served.
    #[must_use]
    pub fn longest(&self) -> u64 {
        let context = u64::from(self.context_tokens);
        if self.pace == Pace::Batch { context.min(self.kv_tokens) } else { context }
    }
}

/// Reads `sim:` and `sim:?option=value&…`.
impl FromStr for SimConfig {
    type Err = SimOptionError;

    fn from_str(url: &str) -> Result<Self, SimOptionError> {
        let not_sim = || SimOptionError::NotSim { url: url.to_owned() };
        let scheme = url.get(..4).ok_or_else(not_sim)?;
        if !scheme.eq_ignore_ascii_case("sim:") {
            return Err(not_sim());
        }
        let rest = url[4..].trim_start_matches('/');
        let query = match rest.strip_prefix('?') {
            Some(query) => query,
            None if rest.is_empty() => "",
            None => return Err(not_sim()),
        };
        let mut config = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            config.set(name, &percent_decoded(value))?;
        }
        config.check()?;
        Ok(config)
    }
}

/// The text with its `%XX` decoded; what is not a valid escape stays as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = escape.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_sets_options_by_name_and_alias() {
        let config: SimConfig = "sim:?prefill=20000&decode=50&max_batch=64&models=a%2Cb".parse().unwrap();
        assert_eq!(config.prefill_rate, 20_000.0);
        assert_eq!(config.decode_rate, 50.0);
        assert_eq!(config.max_batch, 64);
        assert_eq!(config.models, ["a", "b"]);
    }

    #[test]
    fn a_bare_url_is_the_default() {
        for url in ["sim:", "SIM:", "sim://", "sim:?"] {
            assert_eq!(url.parse::<SimConfig>().unwrap(), SimConfig::default(), "{url}");
        }
    }

    #[test]
    fn wrong_urls_say_why() {
        let error = |url: &str| url.parse::<SimConfig>().unwrap_err().to_string();
        assert!(error("http://x").contains("http://x"));
        assert!(error("sim:8000").contains("sim:8000"));
        assert!(error("sim:?max_btch=3").contains("max_btch"));
        assert!(error("sim:?max_batch=some").contains("max-batch"));
        assert!(error("sim:?error_rate=0.7&reset_rate=0.7").contains("1.4"));
    }

    #[test]
    fn a_config_survives_json() {
        let config: SimConfig = "sim:?per_stream=50&output=10:3&reset_rate=0.5&log=x".parse().unwrap();
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<SimConfig>(&json).unwrap(), config);
    }

    #[test]
    fn lengths_are_read_in_their_three_forms() {
        assert_eq!("7".parse(), Ok(OutputLength::Constant(7)));
        assert_eq!("3-9".parse(), Ok(OutputLength::Uniform { min: 3, max: 9 }));
        assert_eq!("20:2.5".parse(), Ok(OutputLength::Normal { mean: 20.0, std: 2.5 }));
        for wrong in ["0", "", "9-3", "0-3", "x", "5:-1", "nan:1", "-4"] {
            assert!(wrong.parse::<OutputLength>().is_err(), "{wrong}");
        }
    }
}
