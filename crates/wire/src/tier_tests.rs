//! The two tiers of each reader of streams give the same, whatever the event; and the common shapes stay in the first.
//! (Those of `openai` have tests of their own.)

use proptest::prelude::*;
use proptest::sample::select;

use crate::{Answer, EventInfo, huggingface, messages, responses, triton};

/// A reader's two tiers.
#[derive(Clone, Copy)]
struct Tiers {
    fast: fn(&[u8], &mut Answer) -> Option<EventInfo>,
    tree: fn(&[u8], &mut Answer) -> Option<EventInfo>,
}

const MESSAGES: Tiers =
    Tiers { fast: messages::read_fast, tree: |data, answer| messages::read_tree(b"some_name", data, answer) };
const RESPONSES: Tiers =
    Tiers { fast: responses::read_fast, tree: |data, answer| responses::read_tree(b"some_name", data, answer) };
const HUGGING_FACE: Tiers = Tiers { fast: huggingface::read_fast, tree: huggingface::read_tree };
const TRITON: Tiers = Tiers { fast: triton::read_fast, tree: triton::read_tree };

/// Everything that reading an event can change.
fn state(answer: &Answer) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        String::from_utf8(answer.text.clone()).unwrap(),
        answer.usage,
        answer.finish_reason.clone(),
        answer.error.clone(),
        (answer.done, answer.is_data, answer.replaced),
    )
}

fn before(has_text: bool) -> Answer {
    let text = if has_text { b"before".to_vec() } else { Vec::new() };
    Answer { text, finish_reason: Some("earlier".to_owned()), ..Answer::default() }
}

impl Tiers {
    /// Reads with both; where the first has an answer it must be the second's. Says whether it has one.
    fn agree(self, event: &[u8], has_text: bool) -> bool {
        let (mut fast_answer, mut tree_answer) = (before(has_text), before(has_text));
        let fast = (self.fast)(event, &mut fast_answer);
        let tree = (self.tree)(event, &mut tree_answer);
        let shown = String::from_utf8_lossy(event);
        if fast.is_some() {
            assert_eq!(fast, tree, "{shown}");
            assert_eq!(state(&fast_answer), state(&tree_answer), "{shown}");
        } else {
            assert_eq!(state(&fast_answer), state(&before(has_text)), "gave up, but left a trace: {shown}");
        }
        fast.is_some()
    }
}

#[test]
fn common_shapes_stay_in_the_first_tier() {
    for (tiers, event) in [
        (
            MESSAGES,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" caf\u00e9 😀\n"}}"#,
        ),
        (MESSAGES, r#"{"index": 0, "delta": {"type": "text_delta", "text": "a"}, "type": "content_block_delta"}"#),
        (MESSAGES, r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#),
        (
            MESSAGES,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}"#,
        ),
        (MESSAGES, r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":""}}"#),
        (
            RESPONSES,
            r#"{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":" a","sequence_number":4,"logprobs":[],"obfuscation":"x"}"#,
        ),
        (RESPONSES, r#"{"output_index": 0, "delta": "a", "type": "response.reasoning_summary_text.delta"}"#),
        (RESPONSES, r#"{"type":"response.reasoning_text.delta","delta":"a"}"#),
        (RESPONSES, r#"{"type":"response.function_call_arguments.delta","delta":"{\"a\":"}"#),
        (RESPONSES, r#"{"type":"response.refusal.delta","delta":""}"#),
        (
            HUGGING_FACE,
            r#"{"index":1,"token":{"id":7,"text":" a","logprob":-0.5,"special":false},"generated_text":null,"details":null}"#,
        ),
        (HUGGING_FACE, r#"{"token":{"id":2,"text":"</s>","special":true},"top_tokens":[{"id":1,"text":"x"}]}"#),
        (TRITON, r#"{"model_name":"m","model_version":"1","text_output":" a"}"#),
        (
            TRITON,
            r#"{"cum_log_probs":0.0,"output_log_probs":[0.0,-1.5],"sequence_end":false,"text_output":"a\tb","finish_reason":null}"#,
        ),
    ] {
        assert!(tiers.agree(event.as_bytes(), true), "{event}");
    }
}

#[test]
fn doubtful_shapes_do_not() {
    for (tiers, event) in [
        (MESSAGES, r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a","text":"b"}}"#),
        (MESSAGES, r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":["a"]}}"#),
        (MESSAGES, r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"a"}}"#),
        (
            MESSAGES,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"},"error":{"message":"x"}}"#,
        ),
        (
            MESSAGES,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"},"usage":{"output_tokens":1}}"#,
        ),
        (MESSAGES, r#"{"type":"message_stop"}"#),
        (MESSAGES, r#"{"delta":{"type":"text_delta","text":"a"}}"#),
        (RESPONSES, r#"{"type":"response.output_text.done","text":"a"}"#),
        (RESPONSES, r#"{"type":"response.output_text.delta","delta":{"a":1}}"#),
        (RESPONSES, r#"{"type":"response.output_text.delta","delta":"\ud800"}"#),
        (RESPONSES, r#"{"type":"response.output_text.delta","delta":"a","message":"x"}"#),
        (RESPONSES, r#"{"delta":"a"}"#),
        (HUGGING_FACE, r#"{"token":{"text":"a"},"generated_text":"a"}"#),
        (HUGGING_FACE, r#"{"token":{"text":"a"},"details":{"finish_reason":"length"}}"#),
        (HUGGING_FACE, r#"{"token":null}"#),
        (HUGGING_FACE, r#"{"error":"x","error_type":"generation"}"#),
        (TRITON, r#"{"text_output":["a"]}"#),
        (TRITON, r#"{"text_output":"a","finish_reason":"stop"}"#),
        (TRITON, r#"{"text_output":"a","num_output_tokens":1}"#),
        (TRITON, r#"{"text_output":"a"}{}"#),
        (TRITON, r#"{"model_name":"m"}"#),
    ] {
        assert!(!tiers.agree(event.as_bytes(), true), "{event}");
    }
}

fn strings() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(vec!["a", " ", "\\n", "\\\"", "\\u00e9", "\\ud83d\\ude00", "é", "😀", "{", "0123456789abcdef"]),
        1 => select(vec!["\\ud800", "\\x", "\\u12", "\t"]),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// A value as it should not be.
fn odd() -> impl Strategy<Value = String> {
    select(vec![
        "null",
        "true",
        "1",
        "-0.5",
        "1e5",
        "[]",
        "{}",
        "[\"a\"]",
        "{\"message\":\"x\"}",
        "{\"type\":\"text_delta\"}",
        "nul",
        "{\"text\":\"a\",\"text\":\"b\"}",
        "\"error\"",
        "{\"output_tokens\":3,\"input_tokens\":2}",
    ])
    .prop_map(str::to_owned)
}

fn one_of(values: &'static [&'static str]) -> BoxedStrategy<String> {
    select(values).prop_map(str::to_owned).boxed()
}

/// An object with its members in any order, each with its own kind of value or an odd one; sometimes with some left out and
/// some twice.
fn object(members: Members) -> BoxedStrategy<String> {
    let most = members.len();
    let written = |(key, value): (&'static str, BoxedStrategy<String>)| {
        let space = select(vec!["", "", "", "", " ", "\n"]);
        (prop_oneof![20 => value, 1 => odd()], space)
            .prop_map(move |(value, s)| format!("{s}\"{key}\"{s}:{s}{value}{s}"))
            .boxed()
    };
    let members: Vec<_> = members.into_iter().map(written).collect();
    let each_once = members.clone().prop_shuffle();
    let any = (0..most).prop_flat_map(move |index| members[index].clone());
    let some = prop::collection::vec(any, 1..=most);
    prop_oneof![3 => each_once, 1 => some].prop_map(|members| format!("{{{}}}", members.join(","))).boxed()
}

/// Members that any event may have.
fn common() -> Members {
    vec![
        ("index", one_of(&["0", "1", "null"])),
        ("extra", odd().boxed()),
        ("usage", one_of(&["null", "{\"output_tokens\":3}", "{\"input_tokens\":1,\"cache_read_input_tokens\":2}"])),
        (
            "error",
            one_of(&["null", "{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}", "\"no\"", "\"\"", "false"]),
        ),
        ("t\\u0079pe", one_of(&["\"x\""])),
    ]
}

type Members = Vec<(&'static str, BoxedStrategy<String>)>;

/// Events with the members that make up almost all of a stream, with those of its ends, and with any.
fn with_common(core: Members, ends: Members) -> BoxedStrategy<String> {
    let more: Members = core.iter().cloned().chain(ends).collect();
    let all: Members = more.iter().cloned().chain(common()).collect();
    prop_oneof![3 => object(core), 2 => object(more), 1 => object(all)].boxed()
}

fn message_events() -> BoxedStrategy<String> {
    let delta = object(vec![
        (
            "type",
            one_of(&["\"text_delta\"", "\"thinking_delta\"", "\"input_json_delta\"", "\"signature_delta\"", "\"x\""]),
        ),
        ("text", strings().boxed()),
        ("thinking", strings().boxed()),
        ("partial_json", strings().boxed()),
        ("stop_reason", one_of(&["\"end_turn\"", "null"])),
    ]);
    let kind = one_of(&[
        "\"content_block_delta\"",
        "\"content_block_delta\"",
        "\"content_block_delta\"",
        "\"content_block_start\"",
        "\"message_delta\"",
        "\"message_stop\"",
        "\"ping\"",
        "\"error\"",
    ]);
    let block = one_of(&["{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{}}", "{\"type\":\"text\",\"text\":\"\"}"]);
    with_common(vec![("type", kind), ("delta", delta)], vec![("content_block", block)])
}

fn response_events() -> BoxedStrategy<String> {
    let kind = one_of(&[
        "\"response.output_text.delta\"",
        "\"response.output_text.delta\"",
        "\"response.reasoning_text.delta\"",
        "\"response.function_call_arguments.delta\"",
        "\"response.output_text.done\"",
        "\"response.output_item.added\"",
        "\"response.completed\"",
        "\"response.failed\"",
        "\"response.audio.delta\"",
        "\"error\"",
    ]);
    let response = one_of(&[
        "{\"status\":\"completed\",\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}",
        "{\"status\":\"failed\",\"error\":{\"code\":\"c\",\"message\":\"m\"}}",
        "{\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"late\"}]}]}",
    ]);
    let item = one_of(&["{\"type\":\"function_call\",\"name\":\"f\"}", "{\"type\":\"message\"}"]);
    with_common(
        vec![("type", kind), ("delta", strings().boxed())],
        vec![("text", strings().boxed()), ("response", response), ("item", item)],
    )
}

fn token_events() -> BoxedStrategy<String> {
    let token = object(vec![
        ("text", strings().boxed()),
        ("special", one_of(&["false", "true"])),
        ("id", one_of(&["1", "22"])),
        ("logprob", one_of(&["-0.5", "null"])),
    ]);
    let details = one_of(&["null", "null", "{\"finish_reason\":\"length\",\"generated_tokens\":4}"]);
    with_common(
        vec![("token", token), ("generated_text", one_of(&["null"]))],
        vec![("generated_text", one_of(&["null", "\"all\""])), ("details", details)],
    )
}

fn output_events() -> BoxedStrategy<String> {
    with_common(
        vec![
            ("text_output", strings().boxed()),
            ("model_name", one_of(&["\"m\""])),
            ("sequence_end", one_of(&["false", "true"])),
        ],
        vec![
            ("finish_reason", one_of(&["null", "\"stop\"", "\"None\""])),
            ("num_output_tokens", one_of(&["1", "null"])),
        ],
    )
}

fn events() -> BoxedStrategy<(usize, String)> {
    prop_oneof![
        message_events().prop_map(|event| (0, event)),
        response_events().prop_map(|event| (1, event)),
        token_events().prop_map(|event| (2, event)),
        output_events().prop_map(|event| (3, event)),
    ]
    .boxed()
}

const ALL: [Tiers; 4] = [MESSAGES, RESPONSES, HUGGING_FACE, TRITON];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn both_tiers_agree_on_events((which, event) in events(), has_text in any::<bool>()) {
        ALL[which].agree(event.as_bytes(), has_text);
        // No reader stumbles over another's events.
        for tiers in ALL {
            tiers.agree(event.as_bytes(), has_text);
        }
    }

    #[test]
    fn both_tiers_agree_on_broken_events(
        (which, event) in events(),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), select(b"\"\\{}[]:,u0n \xC3".to_vec())],
        kind in 0..3u8,
    ) {
        let mut bytes = event.into_bytes();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, byte),
        }
        ALL[which].agree(&bytes, true);
    }

    #[test]
    fn any_text_survives_the_way_through_json(text in any::<String>()) {
        for (tiers, event) in [
            (MESSAGES, serde_json::json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}})),
            (RESPONSES, serde_json::json!({"type": "response.output_text.delta", "delta": text})),
            (HUGGING_FACE, serde_json::json!({"token": {"text": text}})),
            (TRITON, serde_json::json!({"text_output": text})),
        ] {
            let event = event.to_string();
            prop_assert!(tiers.agree(event.as_bytes(), false));
            let mut answer = Answer::default();
            let info = (tiers.fast)(event.as_bytes(), &mut answer).unwrap();
            prop_assert_eq!(info.content_len as usize, text.len());
            prop_assert_eq!(String::from_utf8(answer.text).unwrap(), &*text);
        }
    }
}

/// The generators make enough of what they are for.
#[test]
fn generated_events_reach_both_tiers() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut reached = [(0, 0); 4];
    for _ in 0..4000 {
        let (which, event) = events().new_tree(&mut runner).unwrap().current();
        if ALL[which].agree(event.as_bytes(), true) {
            reached[which].0 += 1;
        } else if serde_json::from_str::<serde_json::Value>(&event).is_ok() {
            reached[which].1 += 1;
        }
    }
    assert!(reached.iter().all(|(fast, tree)| *fast > 40 && *tree > 40), "{reached:?}");
}
