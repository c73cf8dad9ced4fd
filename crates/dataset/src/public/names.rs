//! The table of public datasets.

/// What of a row is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    /// The text of a column.
    Text(&'static str),
    /// The texts of a list, one after the other.
    Turns(&'static str),
    /// The first text of a list.
    FirstTurn(&'static str),
    /// A change to be made to code.
    Edit,
    /// The text of a column, with the image of another.
    TextAndImage(&'static str, &'static str),
    /// A question with choices about a video.
    Video,
    /// The first question of a list of messages, with images of another column.
    Chat {
        /// The column with messages.
        messages: &'static str,
        /// The column with one image or several.
        images: &'static str,
    },
    /// A clip to transcribe, none longer than thirty seconds.
    Speech,
    /// Conversations of people with a model.
    Sharegpt,
    /// Traces of agents.
    Weka,
    /// Sessions of agents with their spans.
    Spans,
}

/// A public dataset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) name: &'static str,
    /// On the hub, or a whole URL. Empty if the user names it.
    pub(super) repository: &'static str,
    pub(super) subset: Option<&'static str>,
    /// Empty if there are none.
    pub(super) split: &'static str,
    pub(super) mapping: Mapping,
}

const fn source(
    name: &'static str,
    repository: &'static str,
    subset: Option<&'static str>,
    split: &'static str,
    mapping: Mapping,
) -> Source {
    Source { name, repository, subset, split, mapping }
}

const fn weka(name: &'static str, repository: &'static str) -> Source {
    source(name, repository, None, "", Mapping::Weka)
}

/// The dataset of a name; `-` and `_` are the same.
pub(super) fn find(name: &str) -> Option<&'static Source> {
    let plain = name.to_lowercase().replace('-', "_");
    ALL.iter().find(|source| source.name == plain)
}

const SHAREGPT: &str = "https://huggingface.co/datasets/anon8231489123/ShareGPT_Vicuna_unfiltered/resolve/main/ShareGPT_V3_unfiltered_cleaned_split.json";
const SPEC_BENCH: &str = "https://raw.githubusercontent.com/hemingkx/Spec-Bench/main/data/spec_bench/question.jsonl";

/// All of them.
pub(super) const ALL: [Source; 42] = [
    source("sharegpt", SHAREGPT, None, "", Mapping::Sharegpt),
    source("aimo", "AI-MO/NuminaMath-TIR", None, "train", Mapping::Text("problem")),
    source("aimo_aime", "AI-MO/aimo-validation-aime", None, "train", Mapping::Text("problem")),
    source("aimo_numina_cot", "AI-MO/NuminaMath-CoT", None, "train", Mapping::Text("problem")),
    source("aimo_numina_1_5", "AI-MO/NuminaMath-1.5", None, "train", Mapping::Text("problem")),
    source("spec_bench", SPEC_BENCH, None, "", Mapping::FirstTurn("turns")),
    source("spec_al_gsm8k", "openai/gsm8k", Some("main"), "test", Mapping::Text("question")),
    source("spec_al_math500", "HuggingFaceH4/MATH-500", None, "test", Mapping::Text("problem")),
    source("spec_al_humaneval", "openai/openai_humaneval", None, "test", Mapping::Text("prompt")),
    source("spec_al_mbpp", "google-research-datasets/mbpp", Some("full"), "test", Mapping::Text("text")),
    source("spec_al_mtbench", "HuggingFaceH4/mt_bench_prompts", None, "train", Mapping::Turns("prompt")),
    source("instruct_coder", "likaixin/InstructCoder", None, "train", Mapping::Text("instruction")),
    source("blazedit_5k", "vdaita/edit_5k_char", None, "train", Mapping::Edit),
    source("blazedit_10k", "vdaita/edit_10k_char", None, "train", Mapping::Edit),
    source("mmstar", "Lin-Chen/MMStar", None, "val", Mapping::TextAndImage("question", "image")),
    source("mmvu", "yale-nlp/MMVU", None, "validation", Mapping::Video),
    source(
        "vision_arena",
        "lmarena-ai/VisionArena-Chat",
        None,
        "train",
        Mapping::Chat { messages: "conversation", images: "images" },
    ),
    source(
        "llava_onevision",
        "lmms-lab/LLaVA-OneVision-Data",
        Some("sharegpt4o"),
        "train",
        Mapping::Chat { messages: "conversations", images: "image" },
    ),
    source("librispeech", "openslr/librispeech_asr", Some("clean"), "test", Mapping::Speech),
    source("voxpopuli", "facebook/voxpopuli", Some("en"), "test", Mapping::Speech),
    source("gigaspeech", "speechcolab/gigaspeech", Some("xs"), "test", Mapping::Speech),
    source("ami", "edinburghcstr/ami", Some("ihm"), "test", Mapping::Speech),
    source("spgispeech", "kensho/spgispeech", Some("test"), "test", Mapping::Speech),
    source("exgentic", "Exgentic/agent-llm-traces", None, "", Mapping::Spans),
    source("exgentic_v2", "Exgentic/agent-llm-traces-v2", None, "", Mapping::Spans),
    weka("semianalysis_cc_traces_weka", "semianalysisai/cc-traces-weka-no-subagents-051826"),
    weka("semianalysis_cc_traces_weka_no_subagents", "semianalysisai/cc-traces-weka-no-subagents-051826"),
    weka("semianalysis_cc_traces_weka_with_subagents", "semianalysisai/cc-traces-weka-062126"),
    weka("semianalysis_cc_traces_weka_with_subagents_256k", "semianalysisai/cc-traces-weka-062126-256k"),
    weka("semianalysis_cc_traces_weka_with_subagents_060226", "semianalysisai/cc-traces-weka-with-subagents-060226"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060226_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060226-256k",
    ),
    weka("semianalysis_cc_traces_weka_with_subagents_060526", "semianalysisai/cc-traces-weka-with-subagents-060526"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060526_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060526-256k",
    ),
    weka("semianalysis_cc_traces_weka_with_subagents_060826", "semianalysisai/cc-traces-weka-with-subagents-060826"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060826_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060826-256k",
    ),
    weka("semianalysis_cc_traces_weka_061326", "semianalysisai/cc-traces-weka-061326"),
    weka("semianalysis_cc_traces_weka_061326_256k", "semianalysisai/cc-traces-weka-061326-256k"),
    weka("semianalysis_cc_traces_weka_061526", "semianalysisai/cc-traces-weka-061526"),
    weka("semianalysis_cc_traces_weka_061526_256k", "semianalysisai/cc-traces-weka-061526-256k"),
    weka("semianalysis_cc_traces_weka_062126", "semianalysisai/cc-traces-weka-062126"),
    weka("semianalysis_cc_traces_weka_062126_256k", "semianalysisai/cc-traces-weka-062126-256k"),
    source("weka_hf", "", None, "", Mapping::Weka),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let names: HashSet<&str> = ALL.iter().map(|source| source.name).collect();
        assert_eq!(names.len(), 42);
        assert_eq!(find("Spec-AL-gsm8k").map(|source| source.repository), Some("openai/gsm8k"));
        assert!(find("nothing").is_none());
    }
}
