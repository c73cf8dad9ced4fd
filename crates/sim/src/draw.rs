//! What chance decides about a request: a function of the seed and the request's number.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use crate::config::{Faults, OutputLength, SimConfig};

/// A fault that a request suffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An error status.
    Error,
    /// A reset halfway.
    Reset,
    /// A clean end halfway.
    Truncate,
    /// An error event halfway.
    StreamError,
    /// Something that is not JSON.
    Malformed,
    /// A pause halfway.
    Stall,
    /// A late head.
    SlowHead,
}

/// What a request asks of its answer's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LengthWish {
    pub(crate) max: Option<u64>,
    pub(crate) min: u64,
    pub(crate) ignore_eos: bool,
}

/// How long an answer becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) tokens: u64,
    /// It ends because the maximum is reached.
    pub(crate) at_max: bool,
}

/// The source of chance of one request.
#[derive(Debug)]
pub(crate) struct Draw {
    rng: ChaCha8Rng,
}

impl Draw {
    pub(crate) fn new(seed: u64, request: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(request);
        Self { rng }
    }

    /// To be drawn first.
    pub(crate) fn fault(&mut self, faults: &Faults) -> Option<Fault> {
        let mut at: f64 = self.rng.random();
        for (rate, fault) in [
            (faults.error_rate, Fault::Error),
            (faults.reset_rate, Fault::Reset),
            (faults.truncate_rate, Fault::Truncate),
            (faults.stream_error_rate, Fault::StreamError),
            (faults.malformed_rate, Fault::Malformed),
            (faults.stall_rate, Fault::Stall),
            (faults.slow_head_rate, Fault::SlowHead),
        ] {
            if at < rate {
                return Some(fault);
            }
            at -= rate;
        }
        None
    }

    /// The length of an answer for which `room` tokens are left.
    pub(crate) fn length(&mut self, config: &SimConfig, wish: LengthWish, room: u64) -> Length {
        let Some(max) = wish.max else {
            let tokens = self.output(config.output).max(wish.min);
            return Length { tokens: tokens.clamp(1, room), at_max: tokens > room };
        };
        let max = max.min(room);
        let shortest = wish.min.max(1);
        let early = !wish.ignore_eos && shortest < max && self.rng.random::<f64>() < config.stop_early;
        if early {
            return Length { tokens: self.rng.random_range(shortest..max), at_max: false };
        }
        Length { tokens: max, at_max: true }
    }

    fn output(&mut self, output: OutputLength) -> u64 {
        match output {
            OutputLength::Constant(tokens) => u64::from(tokens),
            OutputLength::Uniform { min, max } => u64::from(self.rng.random_range(min..=max.max(min))),
            OutputLength::Normal { mean, std } => {
                let drawn = Normal::new(mean, std).map_or(mean, |normal| normal.sample(&mut self.rng));
                // A float cast saturates.
                (drawn.round() as u64).max(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_request_draws_the_same() {
        let config = SimConfig { output: OutputLength::Normal { mean: 100.0, std: 20.0 }, ..SimConfig::default() };
        let lengths = |seed| -> Vec<u64> {
            (0..1_000).map(|n| Draw::new(seed, n).length(&config, LengthWish::default(), 10_000).tokens).collect()
        };
        assert_eq!(lengths(1), lengths(1));
        assert_ne!(lengths(1), lengths(2));
        let mean = lengths(1).iter().sum::<u64>() as f64 / 1_000.0;
        assert!((mean - 100.0).abs() < 2.5, "{mean}");
    }

    #[test]
    fn faults_come_at_their_rates_and_never_two() {
        let faults = Faults { error_rate: 0.2, reset_rate: 0.3, slow_head_rate: 0.5, ..Faults::default() };
        let count = |wanted| (0..10_000).filter(|n| Draw::new(3, *n).fault(&faults) == Some(wanted)).count() as f64;
        assert!((count(Fault::Error) / 2_000.0 - 1.0).abs() < 0.06);
        assert!((count(Fault::Reset) / 3_000.0 - 1.0).abs() < 0.06);
        assert!((count(Fault::SlowHead) / 5_000.0 - 1.0).abs() < 0.06);
        assert_eq!(count(Fault::Error) + count(Fault::Reset) + count(Fault::SlowHead), 10_000.0);
        assert_eq!(Draw::new(3, 0).fault(&Faults::default()), None);
    }

    #[test]
    fn wishes_are_honoured() {
        let length = |config: &SimConfig, wish, room| Draw::new(0, 0).length(config, wish, room);
        let plain = SimConfig::default();
        let wish = LengthWish { max: Some(40), ..LengthWish::default() };
        assert_eq!(length(&plain, wish, 1_000), Length { tokens: 40, at_max: true });
        assert_eq!(length(&plain, wish, 30), Length { tokens: 30, at_max: true });
        assert_eq!(length(&plain, LengthWish::default(), 1_000), Length { tokens: 64, at_max: false });
        assert_eq!(length(&plain, LengthWish::default(), 50), Length { tokens: 50, at_max: true });
        let longer = LengthWish { min: 200, ..LengthWish::default() };
        assert_eq!(length(&plain, longer, 1_000), Length { tokens: 200, at_max: false });

        let early = SimConfig { stop_early: 1.0, ..plain };
        for request in 0..200 {
            let wish = LengthWish { max: Some(40), min: 30, ignore_eos: false };
            let drawn = Draw::new(0, request).length(&early, wish, 1_000);
            assert!((30..40).contains(&drawn.tokens) && !drawn.at_max);
        }
        let all = LengthWish { max: Some(40), min: 0, ignore_eos: true };
        assert_eq!(length(&early, all, 1_000), Length { tokens: 40, at_max: true });
    }
}
