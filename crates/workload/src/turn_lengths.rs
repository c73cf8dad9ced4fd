//! The lengths of each turn's prompt and answer.

use tokamark_plan::{LengthDistribution, RandomStyle, RangeRatio, SyntheticPlan};

use crate::WorkloadError;
use crate::lengths::{Lengths, Pairs};
use crate::random::{Place, Streams};

/// Lengths of answers where the source says nothing.
#[derive(Clone, Debug)]
pub(crate) struct OutputLengths {
    lengths: Lengths,
    streams: Streams,
}

impl OutputLengths {
    pub(crate) fn new(plan: &LengthDistribution, seed: u64) -> Result<Self, WorkloadError> {
        let lengths = Lengths::new(plan).map_err(WorkloadError::OutputLength)?;
        Ok(Self { lengths, streams: Streams::new(seed, "output length") })
    }

    pub(crate) fn at(&self, place: Place) -> u64 {
        self.lengths.draw(&mut self.streams.at(place))
    }
}

/// Whole numbers of which each is as likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Window {
    fn lengths(self) -> Result<Lengths, crate::LengthError> {
        let shape = tokamark_plan::LengthShape::Uniform { min: self.low.max(1), max: self.high.max(1) };
        Lengths::new(&LengthDistribution { shape, bounds: tokamark_plan::LengthBounds::default() })
    }
}

/// The windows about the lengths of prompts and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    /// Of the text that is made; what a server adds to it is subtracted already.
    pub(crate) input: Window,
    pub(crate) output: Option<Window>,
    /// What is to be subtracted from a prompt's length after the draw.
    pub(crate) subtracted: u64,
}

impl Windows {
    /// vLLM: `[⌊m(1−r)⌋, ⌈m(1+r)⌉]` about the length m without what the server adds. SGLang: from `max(1, ⌊l·r⌋)` to the
    /// length l, from which it is subtracted after the draw.
    ///
    /// # Errors
    /// The ratio is out of range, or the window reaches below one token and no prefix makes up for it.
    pub(crate) fn new(
        style: RandomStyle,
        ratio: RangeRatio,
        lengths: (f64, Option<f64>),
        added: u64,
        has_prefix: bool,
    ) -> Result<Self, WorkloadError> {
        for r in [ratio.input, ratio.output] {
            let reason = match style {
                RandomStyle::Vllm if !(0.0..1.0).contains(&r) => "it must be at least 0 and below 1",
                RandomStyle::Sglang if !(0.0..=1.0).contains(&r) => "it must be from 0 to 1",
                _ => continue,
            };
            return Err(WorkloadError::RangeRatio { ratio: r, reason });
        }
        let (input, output) = (lengths.0.round().max(0.0), lengths.1.map(|output| output.round().max(0.0)));
        let windows = match style {
            RandomStyle::Vllm => {
                let about = |length: f64, r: f64| Window {
                    low: (length * (1.0 - r)).floor() as u64,
                    high: (length * (1.0 + r)).ceil() as u64,
                };
                let output = output.map(|output| about(output, ratio.output));
                Self {
                    input: about((input - added as f64).max(0.0), ratio.input),
                    output: output.map(|window| Window { low: window.low.max(1), high: window.high.max(1) }),
                    subtracted: 0,
                }
            }
            RandomStyle::Sglang => {
                let below =
                    |length: f64, r: f64| Window { low: ((length * r) as u64).max(1), high: (length as u64).max(1) };
                Self {
                    input: below(input, ratio.input),
                    output: output.map(|output| below(output, ratio.output)),
                    subtracted: added,
                }
            }
        };
        if windows.input.low.saturating_sub(windows.subtracted) < 1 && !has_prefix {
            let reason =
                "prompts of no tokens could be drawn; make it or the prompt length such that at least 1 is left";
            return Err(WorkloadError::RangeRatio { ratio: ratio.input, reason });
        }
        Ok(windows)
    }

    /// The windows of lengths from which what the server adds is yet to be subtracted.
    pub(crate) fn with_added(self, added: u64) -> Self {
        let more = added.saturating_sub(self.subtracted);
        let Window { low, high } = self.input;
        Self { input: Window { low: low + more, high: high + more }, subtracted: added, ..self }
    }
}

/// Draws the lengths of each turn.
#[derive(Clone, Debug)]
pub(crate) struct TurnLengths {
    kind: Kind,
    inputs: Streams,
    outputs: Streams,
}

#[derive(Clone, Debug)]
enum Kind {
    Separate(Lengths, Option<Lengths>),
    Pairs(Pairs),
}

impl TurnLengths {
    /// Windows take the place of distributions, and pairs that of both.
    pub(crate) fn new(
        plan: &SyntheticPlan,
        output: Option<&LengthDistribution>,
        windows: Option<Windows>,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        let kind = if !plan.pairs.is_empty() {
            Kind::Pairs(Pairs::new(&plan.pairs, seed).map_err(WorkloadError::InputLength)?)
        } else if let Some(windows) = windows {
            let output = windows.output.map(Window::lengths).transpose().map_err(WorkloadError::OutputLength)?;
            Kind::Separate(windows.input.lengths().map_err(WorkloadError::InputLength)?, output)
        } else {
            let output = output.map(Lengths::new).transpose().map_err(WorkloadError::OutputLength)?;
            Kind::Separate(Lengths::new(&plan.input_tokens).map_err(WorkloadError::InputLength)?, output)
        };
        Ok(Self { kind, inputs: Streams::new(seed, "input length"), outputs: Streams::new(seed, "output length") })
    }

    /// Tokens of a text.
    pub(crate) fn input(&self, place: Place) -> u64 {
        let stream = &mut self.inputs.at(place);
        match &self.kind {
            Kind::Separate(input, _) => input.draw(stream),
            // The texts of one turn have one pair.
            Kind::Pairs(pairs) => pairs.pair(Place { text: 0, ..place }).0.draw(stream),
        }
    }

    /// Tokens of a turn's answer.
    pub(crate) fn output(&self, place: Place) -> Option<u64> {
        let stream = &mut self.outputs.at(place);
        match &self.kind {
            Kind::Separate(_, output) => output.as_ref().map(|output| output.draw(stream)),
            Kind::Pairs(pairs) => Some(pairs.pair(place).1.draw(stream)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(style: RandomStyle, input: f64, r: f64, added: u64) -> Result<Windows, WorkloadError> {
        Windows::new(style, RangeRatio { input: r, output: r }, (input, Some(100.0)), added, false)
    }

    #[test]
    fn windows_are_those_of_each_tool() {
        let vllm = windows(RandomStyle::Vllm, 1_025.0, 0.3, 1).unwrap();
        assert_eq!(vllm.input, Window { low: 716, high: 1_332 });
        assert_eq!((vllm.output, vllm.subtracted), (Some(Window { low: 70, high: 130 }), 0));
        let sglang = windows(RandomStyle::Sglang, 1_025.0, 0.3, 1).unwrap();
        assert_eq!(sglang.input, Window { low: 307, high: 1_025 });
        assert_eq!((sglang.output, sglang.subtracted), (Some(Window { low: 30, high: 100 }), 1));
    }

    #[test]
    fn windows_that_may_be_empty_are_refused() {
        for (style, input, r, added) in [
            (RandomStyle::Vllm, 10.0, 1.0, 0),
            (RandomStyle::Vllm, 10.0, f64::NAN, 0),
            (RandomStyle::Vllm, 1.0, 0.5, 0),
            (RandomStyle::Vllm, 1.0, 0.0, 1),
            (RandomStyle::Sglang, 10.0, 1.5, 0),
            (RandomStyle::Sglang, 10.0, 0.1, 1),
        ] {
            assert!(windows(style, input, r, added).is_err(), "{style:?} {input} {r} {added}");
        }
        assert!(windows(RandomStyle::Sglang, 10.0, 1.0, 1).is_ok());
        let ratio = RangeRatio { input: 0.5, output: 0.5 };
        assert!(Windows::new(RandomStyle::Vllm, ratio, (1.0, None), 0, true).is_ok());
    }
}
