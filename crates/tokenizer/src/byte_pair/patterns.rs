//! The splitting patterns of the families of tokenizers, and what tells a family: the size of its vocabulary.

/// GPT-2, GPT-3 and the Codex models.
pub(super) const R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s++$|\s+(?!\S)|\s";

/// GPT-3.5 and GPT-4.
pub(super) const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
);

/// GPT-4o and later; Llama 4.
pub(super) const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// Llama 3.
pub(super) const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// Qwen: each digit for itself.
pub(crate) const QWEN: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// Kimi: Han characters for themselves, else as GPT-4o.
pub(super) const KIMI: &str = concat!(
    r"[\p{Han}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

/// A family of tokenizers whose files are alike but for what they leave out: the splitting pattern and special tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// `r50k_base`, `gpt2`, `p50k_base`.
    Gpt2,
    /// `cl100k_base`, and what is not known otherwise.
    Cl100k,
    /// `o200k_base`.
    O200k,
    /// Llama 3.
    Llama3,
    /// Llama 4.
    Llama4,
    /// Qwen, before its files were `tokenizer.json`.
    Qwen,
    /// Kimi.
    Kimi,
}

impl Family {
    /// By the number of ordinary tokens, which differs from family to family.
    pub(super) fn of_size(tokens: usize) -> Self {
        match tokens {
            50_256 | 50_280 => Self::Gpt2,
            199_998 => Self::O200k,
            128_000 => Self::Llama3,
            200_000 => Self::Llama4,
            151_643 => Self::Qwen,
            163_584 => Self::Kimi,
            _ => Self::Cl100k,
        }
    }

    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Gpt2 => R50K,
            Self::Cl100k => CL100K,
            Self::O200k | Self::Llama4 => O200K,
            Self::Llama3 => LLAMA3,
            Self::Qwen => QWEN,
            Self::Kimi => KIMI,
        }
    }

    /// The special tokens, which follow the ordinary ones in this order; for those families whose files do not name
    /// them.
    pub(super) fn special_tokens(self) -> Vec<String> {
        match self {
            Self::Llama3 => llama3_specials(),
            Self::Llama4 => llama4_specials(),
            Self::Qwen => {
                let named = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"].map(str::to_owned);
                named.into_iter().chain((0..205).map(|number| format!("<|extra_{number}|>"))).collect()
            }
            Self::Gpt2 | Self::Cl100k | Self::O200k | Self::Kimi => Vec::new(),
        }
    }

    /// The special tokens that begin and end a text, and whether a server puts the first before every prompt.
    pub(super) fn ends(self) -> (Option<&'static str>, Option<&'static str>, bool) {
        match self {
            Self::Llama3 | Self::Llama4 => (Some("<|begin_of_text|>"), Some("<|end_of_text|>"), true),
            Self::Kimi => (Some("[BOS]"), Some("[EOS]"), false),
            Self::Gpt2 | Self::Cl100k | Self::O200k | Self::Qwen => (None, Some("<|endoftext|>"), false),
        }
    }
}

/// The first two are followed by what the release at hand uses; the names changed, the number (256) did not.
fn llama3_specials() -> Vec<String> {
    let named = [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|reserved_special_token_0|>",
        "<|reserved_special_token_1|>",
        "<|finetune_right_pad_id|>",
        "<|step_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|python_tag|>",
        "<|image|>",
    ];
    let reserved = (2..2 + 256 - named.len()).map(|number| format!("<|reserved_special_token_{number}|>"));
    named.into_iter().map(str::to_owned).chain(reserved).collect()
}

fn llama4_specials() -> Vec<String> {
    let reserved = |part: &'static str, numbers: std::ops::Range<usize>| {
        numbers.map(move |number| format!("<|{part}_reserved_special_token_{number}|>"))
    };
    let named = |names: &[&str]| names.iter().map(|name| format!("<|{name}|>")).collect::<Vec<_>>();
    let mut tokens = named(&["begin_of_text", "end_of_text", "fim_prefix", "fim_middle", "fim_suffix"]);
    tokens.extend(named(&["header_start", "header_end", "eom", "eot", "step"]));
    tokens.extend(reserved("text_post_train", 0..6));
    tokens.extend(named(&["python_start", "python_end", "finetune_right_pad"]));
    tokens.extend(reserved("text_post_train", 8..69));
    tokens.extend(named(&["image_start", "image_end"]));
    tokens.extend(reserved("vision", 0..2));
    tokens.extend(named(&["tile_x_separator", "tile_y_separator"]));
    tokens.extend(reserved("vision", 2..6));
    tokens.extend(named(&["image"]));
    tokens.extend(reserved("vision", 6..7));
    tokens.extend(named(&["patch"]));
    tokens.extend(reserved("vision", 7..1048));
    tokens.extend(reserved("reasoning", 0..8));
    tokens.extend(named(&["reasoning_thinking_start", "reasoning_thinking_end"]));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_special_tokens_are_as_many_as_the_models_have() {
        assert_eq!(Family::Llama3.special_tokens().len(), 256);
        assert_eq!(Family::Llama3.special_tokens()[9], "<|eot_id|>");
        assert_eq!(Family::Llama3.special_tokens()[255], "<|reserved_special_token_245|>");
        let llama4 = Family::Llama4.special_tokens();
        assert_eq!(llama4.len(), 1144);
        assert_eq!((llama4[8].as_str(), llama4[18].as_str()), ("<|eot|>", "<|finetune_right_pad|>"));
        assert_eq!((llama4[90].as_str(), llama4[92].as_str()), ("<|image|>", "<|patch|>"));
        assert_eq!(llama4[1143], "<|reasoning_thinking_end|>");
        assert_eq!(Family::Qwen.special_tokens().len(), 208);
    }
}
