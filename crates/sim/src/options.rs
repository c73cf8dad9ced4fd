//! The options of a simulated server: one table for URLs, command line and help.

use std::str::FromStr;

use crate::config::{Counting, Head, Pace, Phase, SimConfig};

/// An option could not be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimOptionError {
    /// No option has this name.
    #[error("the simulated server has no option `{name}`; it has: {known}")]
    Unknown {
        /// The name given.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The option does not take this value.
    #[error("`{value}` is no value for the simulated server's `{name}`: {reason}")]
    Value {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Not a `sim:` URL.
    #[error("`{url}` is not a URL of a simulated server; write `sim:` or `sim:?option=value&option=value`")]
    NotSim {
        /// The URL given.
        url: String,
    },
    /// More faults than requests.
    #[error("the rates of faults add up to {rate}, which is more than 1; no request can suffer two")]
    TooManyFaults {
        /// The sum of the rates.
        rate: f64,
    },
}

/// An option of the simulated server.
#[derive(Debug)]
pub struct SimOption {
    /// Its name, lower case with hyphens.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What a value is, for help texts.
    pub value_name: &'static str,
    /// The value it has if not set, in the form in which it is set.
    pub default: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
    setter: fn(&mut SimConfig, &str) -> Result<(), String>,
}

impl SimOption {
    /// Sets this option.
    ///
    /// # Errors
    /// When it does not take the value.
    pub fn set(&self, config: &mut SimConfig, value: &str) -> Result<(), SimOptionError> {
        (self.setter)(config, value.trim()).map_err(|reason| SimOptionError::Value {
            name: self.name,
            value: value.to_owned(),
            reason,
        })
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Sets the option with this name or alias; `_` and `-` are the same, and so are capital and small letters.
///
/// # Errors
/// When there is no such option, or it does not take the value.
pub fn set(config: &mut SimConfig, name: &str, value: &str) -> Result<(), SimOptionError> {
    let wanted = name.trim().to_ascii_lowercase().replace('_', "-");
    match OPTIONS.iter().find(|option| option.is_called(&wanted)) {
        Some(option) => option.set(config, value),
        None => Err(SimOptionError::Unknown {
            name: name.to_owned(),
            known: OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

macro_rules! options {
    ($($name:literal $aliases:expr, $value:literal = $default:literal, $help:literal, $setter:expr;)*) => {
        /// Every option of the simulated server.
        pub const OPTIONS: &[SimOption] = &[$(SimOption {
            name: $name,
            aliases: &$aliases,
            value_name: $value,
            default: $default,
            help: $help,
            setter: $setter,
        },)*];
    };
}

options! {
    "models" ["model"], "NAMES" = "",
        "Models that are served, separated by commas; empty: whatever a request names",
        |c, v| { c.models = v.split(',').map(str::trim).filter(|m| !m.is_empty()).map(str::to_owned).collect(); Ok(()) };
    "threads" [], "N" = "1",
        "Server threads, each with an engine of its own; connections are handed to them in turn",
        |c, v| { c.threads = at_least_one(v)?; Ok(()) };
    "seed" [], "N" = "0", "Seed of output lengths and faults",
        |c, v| { c.seed = number(v)?; Ok(()) };
    "context" ["context-tokens", "max-model-len"], "TOKENS" = "131072", "Most tokens of prompt and answer together",
        |c, v| { c.context_tokens = at_least_one(v)?; Ok(()) };
    "output" ["output-tokens"], "TOKENS" = "64",
        "Output tokens where a request sets no maximum: N, MIN-MAX or MEAN:STD",
        |c, v| { c.output = v.parse()?; Ok(()) };
    "stop-early" [], "SHARE" = "0",
        "Share of requests that stop before their maximum (never with ignore_eos, never before min_tokens)",
        |c, v| { c.stop_early = share(v)?; Ok(()) };
    "reasoning" ["reasoning-share"], "SHARE" = "0", "First part of a chat answer that is sent as reasoning",
        |c, v| { c.reasoning_share = share(v)?; Ok(()) };
    "tokens-per-event" [], "N" = "1", "Tokens in each event, as with speculative decoding",
        |c, v| { c.tokens_per_event = at_least_one(v)?; Ok(()) };
    "count" [], "HOW" = "bytes",
        "How prompt tokens are counted without a tokenizer: bytes (one for every four) or words",
        |c, v| { c.count = one_of(v, &[("bytes", Counting::Bytes), ("words", Counting::Words)])?; Ok(()) };
    "head" [], "WHEN" = "early", "When response head and role event are sent: early (at once) or token (with the first)",
        |c, v| { c.head = one_of(v, &[("early", Head::Early), ("token", Head::Token)])?; Ok(()) };
    "dimensions" ["embedding-dimensions"], "N" = "64", "Numbers in an embedding",
        |c, v| { c.embedding_dimensions = at_least_one(v)?; Ok(()) };
    "event-rate" ["per-stream"], "RATE" = "0",
        "Events per second of each stream, each on its own, whatever the load; 0: the batching engine decides; inf: as fast as they are taken",
        |c, v| { c.pace = pace(v)?; Ok(()) };
    "ttft" ["ttft-ms"], "MS" = "100", "With event-rate: from a request's arrival to its first token",
        |c, v| { c.ttft_ns = duration(v)?; Ok(()) };
    "phase" [], "WHICH" = "arrival",
        "With event-rate: ticks count from arrival, are staggered (spread evenly over a gap), or synchronous",
        |c, v| {
            c.phase = one_of(v, &[
                ("arrival", Phase::Arrival),
                ("staggered", Phase::Staggered),
                ("synchronous", Phase::Synchronous),
            ])?;
            Ok(())
        };
    "overhead" ["overhead-ms"], "MS" = "1", "From a request's arrival to its place in the engine's queue",
        |c, v| { c.overhead_ns = duration(v)?; Ok(()) };
    "prefill-rate" ["prefill"], "RATE" = "50000", "Prompt tokens per second, shared by all requests; 0 or inf: without limit",
        |c, v| { c.prefill_rate = rate(v)?; Ok(()) };
    "prefill-chunk" [], "TOKENS" = "8192", "Most prompt tokens in one step of the engine; 0: whole prompts",
        |c, v| { c.prefill_chunk = number(v)?; Ok(()) };
    "decode-rate" ["decode"], "RATE" = "1000", "Steps per second of the engine with one sequence; 0 or inf: without limit",
        |c, v| { c.decode_rate = rate(v)?; Ok(()) };
    "sequence" ["sequence-ms", "seq-ms"], "MS" = "0.05", "What each further sequence adds to a step of the engine",
        |c, v| { c.sequence_ns = duration(v)?; Ok(()) };
    "max-batch" ["max-num-seqs"], "N" = "256", "Most sequences that the engine works on at once",
        |c, v| { c.max_batch = at_least_one(v)?; Ok(()) };
    "kv-tokens" ["kv"], "TOKENS" = "1000000", "Tokens that fit into the engine's KV cache",
        |c, v| { c.kv_tokens = u64::from(at_least_one::<u32>(v)?); Ok(()) };
    "prefix-cache" ["prefix-cache-tokens"], "TOKENS" = "262144", "Tokens that fit into the prefix cache; 0: none",
        |c, v| { c.prefix_cache_tokens = u64::from(number::<u32>(v)?); Ok(()) };
    "error-rate" [], "SHARE" = "0", "Share of requests answered with an error status",
        |c, v| { c.faults.error_rate = share(v)?; Ok(()) };
    "error-status" [], "STATUS" = "500", "That status, 400 to 599",
        |c, v| {
            c.faults.error_status = number(v)?;
            if (400..600).contains(&c.faults.error_status) { Ok(()) } else { Err("expected 400 to 599".into()) }
        };
    "reset-rate" [], "SHARE" = "0", "Share of answers whose connection is reset halfway",
        |c, v| { c.faults.reset_rate = share(v)?; Ok(()) };
    "truncate-rate" [], "SHARE" = "0", "Share of answers that end cleanly halfway, with no end mark",
        |c, v| { c.faults.truncate_rate = share(v)?; Ok(()) };
    "stream-error-rate" [], "SHARE" = "0", "Share of answers that an error event ends halfway",
        |c, v| { c.faults.stream_error_rate = share(v)?; Ok(()) };
    "malformed-rate" [], "SHARE" = "0", "Share of answers with an event (or body) that is not valid JSON",
        |c, v| { c.faults.malformed_rate = share(v)?; Ok(()) };
    "stall-rate" [], "SHARE" = "0", "Share of answers that pause halfway",
        |c, v| { c.faults.stall_rate = share(v)?; Ok(()) };
    "stall" ["stall-ms"], "MS" = "1000", "How long they pause",
        |c, v| { c.faults.stall_ns = duration(v)?; Ok(()) };
    "slow-head-rate" [], "SHARE" = "0", "Share of answers whose response head comes late",
        |c, v| { c.faults.slow_head_rate = share(v)?; Ok(()) };
    "slow-head" ["slow-head-ms"], "MS" = "1000", "How late",
        |c, v| { c.faults.slow_head_ns = duration(v)?; Ok(()) };
    "close-idle" ["close-idle-ms"], "MS" = "0", "Close connections that have been idle for so long; 0: never",
        |c, v| { c.faults.close_idle_ns = duration(v)?; Ok(()) };
    "log" [], "FILE" = "", "Write what was sent, and when, to this file; empty: nowhere",
        |c, v| { c.log = if v.is_empty() { None } else { Some(v.into()) }; Ok(()) };
}

fn number<T: FromStr>(value: &str) -> Result<T, String> {
    value.parse().map_err(|_| "expected a whole number".to_owned())
}

fn at_least_one<T: FromStr + PartialOrd + From<u8>>(value: &str) -> Result<T, String> {
    match value.parse::<T>() {
        Ok(number) if number >= T::from(1) => Ok(number),
        _ => Err("expected a whole number, at least 1".to_owned()),
    }
}

fn share(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share between 0 and 1".to_owned()),
    }
}

/// A rate in 1/s; infinity becomes 0, which stands for "without limit" (JSON has no infinity).
fn rate(value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(rate) if rate == f64::INFINITY => Ok(0.0),
        Ok(rate) if rate == 0.0 || (1e-3..=1e12).contains(&rate) => Ok(rate),
        _ => Err("expected a rate per second, 0 or inf".to_owned()),
    }
}

/// How tokens come to be due, from a rate of events.
fn pace(value: &str) -> Result<Pace, String> {
    match value.parse::<f64>() {
        Ok(0.0) => Ok(Pace::Batch),
        Ok(rate) if rate == f64::INFINITY => Ok(Pace::Unpaced),
        Ok(rate) if (1e-3..=1e9).contains(&rate) => {
            Ok(Pace::PerStream { gap_ns: tokamark_clock::from_seconds(1.0 / rate).max(1) })
        }
        _ => Err("expected events per second, 0 or inf".to_owned()),
    }
}

/// A duration in milliseconds, or with a unit (`us`, `ms`, `s`), as nanoseconds.
fn duration(value: &str) -> Result<u64, String> {
    let (number, per_second) = if let Some(number) = value.strip_suffix("us") {
        (number, 1e6)
    } else if let Some(number) = value.strip_suffix("ms") {
        (number, 1e3)
    } else if let Some(number) = value.strip_suffix('s') {
        (number, 1.0)
    } else {
        (value, 1e3)
    };
    match number.trim().parse::<f64>() {
        Ok(number) if (0.0..=1e9).contains(&number) => Ok(tokamark_clock::from_seconds(number / per_second)),
        _ => Err("expected milliseconds, or a number with us, ms or s".to_owned()),
    }
}

fn one_of<T: Copy>(value: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(value));
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        format!("expected {}", names.join(" or "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_in_the_table_is_the_default() {
        for option in OPTIONS {
            let mut config = SimConfig::default();
            option.set(&mut config, option.default).unwrap();
            assert_eq!(config, SimConfig::default(), "{}", option.name);
        }
    }

    #[test]
    fn no_name_is_taken_twice() {
        let mut names: Vec<_> = OPTIONS.iter().flat_map(|o| o.aliases.iter().chain([&o.name])).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn values_are_read_with_their_units() {
        let mut config = SimConfig::default();
        for (value, ns) in [("5", 5_000_000), ("5ms", 5_000_000), ("250us", 250_000), ("1.5s", 1_500_000_000)] {
            set(&mut config, "TTFT_ms", value).unwrap();
            assert_eq!(config.ttft_ns, ns, "{value}");
        }
        set(&mut config, "event-rate", "50").unwrap();
        assert_eq!(config.pace, Pace::PerStream { gap_ns: 20_000_000 });
        set(&mut config, "event-rate", "inf").unwrap();
        assert_eq!(config.pace, Pace::Unpaced);
        set(&mut config, "decode", "inf").unwrap();
        assert_eq!(config.decode_rate, 0.0);
    }

    #[test]
    fn wrong_values_are_refused() {
        let mut config = SimConfig::default();
        for (name, value) in [
            ("threads", "0"),
            ("error-rate", "1.5"),
            ("error-rate", "nan"),
            ("error-status", "200"),
            ("prefill", "-1"),
            ("phase", "random"),
            ("ttft", "1h"),
        ] {
            let error = set(&mut config, name, value).unwrap_err();
            assert!(matches!(error, SimOptionError::Value { .. }), "{name}={value}");
        }
    }
}
