//! `input_config.input`: what is sent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::Blank;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct InputSection {
    pub batch_size: u64,
    pub extra: Blank<Map<String, Value>>,
    pub goodput: Blank<Map<String, Value>>,
    pub header: Blank<Vec<String>>,
    pub file: Blank<String>,
    pub num_dataset_entries: u64,
    pub random_seed: i64,
    pub audio: AudioConfig,
    pub image: ImageConfig,
    pub output_tokens: OutputTokens,
    pub synthetic_tokens: SyntheticTokens,
    pub prefix_prompt: PrefixPrompt,
    pub sessions: Sessions,
    pub prompt_source: String,
    pub synthetic_files: Vec<String>,
    pub payload_file: Blank<String>,
}

impl InputSection {
    /// Names and limits of the service-level objectives.
    #[must_use]
    pub fn objectives(&self) -> Vec<(String, f64)> {
        let given = self.goodput.0.iter().flatten();
        given.filter_map(|(name, limit)| Some((name.clone(), limit.as_f64()?))).collect()
    }
}

/// Clips of sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct AudioConfig {
    pub batch_size: u64,
    pub length: Length,
    pub format: String,
    pub depths: Vec<Number>,
    pub sample_rates: Vec<Number>,
    pub num_channels: u64,
}

/// Pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct ImageConfig {
    pub width: Length,
    pub height: Length,
    pub batch_size: u64,
    pub format: String,
}

/// A length that is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct Length {
    pub mean: Number,
    pub stddev: Number,
}

impl Length {
    /// Of whole numbers.
    #[must_use]
    pub fn whole(mean: u64, stddev: u64) -> Self {
        Self { mean: mean.into(), stddev: stddev.into() }
    }
}

/// Lengths of answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct OutputTokens {
    pub mean: Blank<u64>,
    pub deterministic: bool,
    pub stddev: Number,
}

/// Lengths of prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct SyntheticTokens {
    pub mean: u64,
    pub stddev: Number,
}

/// Prefixes that prompts share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct PrefixPrompt {
    pub num: u64,
    pub length: u64,
}

/// Conversations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct Sessions {
    pub num: u64,
    pub turns: Length,
    pub turn_delay: TurnDelay,
}

/// Waits between the turns of a conversation, milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the options of the command line")]
pub struct TurnDelay {
    pub mean: Number,
    pub ratio: Number,
    pub stddev: Number,
}

impl Default for InputSection {
    fn default() -> Self {
        Self {
            batch_size: 1,
            extra: Blank(None),
            goodput: Blank(None),
            header: Blank(None),
            file: Blank(None),
            num_dataset_entries: 100,
            random_seed: 0,
            audio: AudioConfig {
                batch_size: 1,
                length: Length::whole(0, 0),
                format: "wav".to_owned(),
                depths: vec![16.into()],
                sample_rates: vec![16.into()],
                num_channels: 1,
            },
            image: ImageConfig {
                width: Length::whole(0, 0),
                height: Length::whole(0, 0),
                batch_size: 1,
                format: "png".to_owned(),
            },
            output_tokens: OutputTokens { mean: Blank(None), deterministic: false, stddev: 0.into() },
            synthetic_tokens: SyntheticTokens { mean: 550, stddev: 0.into() },
            prefix_prompt: PrefixPrompt { num: 0, length: 100 },
            sessions: Sessions {
                num: 0,
                turns: Length::whole(1, 0),
                turn_delay: TurnDelay {
                    mean: 0.into(),
                    ratio: Number::from_f64(1.0).unwrap_or_else(|| 1.into()),
                    stddev: 0.into(),
                },
            },
            prompt_source: "synthetic".to_owned(),
            synthetic_files: Vec::new(),
            payload_file: Blank(None),
        }
    }
}
