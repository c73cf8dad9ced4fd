//! The two tiers give the same, whatever the event; and the common shapes stay in the first.

use proptest::prelude::*;
use proptest::sample::select;

use super::{fast, tree};
use crate::{Answer, EventInfo};

/// Everything that reading an event can change.
fn state(answer: &Answer) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        String::from_utf8(answer.text.clone()).unwrap(),
        answer.usage,
        answer.finish_reason.clone(),
        answer.error.clone(),
        answer.replaced,
    )
}

fn previous() -> Answer {
    Answer { text: b"before".to_vec(), finish_reason: Some("earlier".to_owned()), ..Answer::default() }
}

/// Reads with both tiers; where the first has an answer it must be the second's.
fn read_both(event: &[u8]) -> (Option<EventInfo>, Option<EventInfo>) {
    let (mut fast_answer, mut tree_answer) = (previous(), previous());
    let fast = fast::read(event, &mut fast_answer);
    let tree = tree::read(event, &mut tree_answer);
    match fast {
        Some(_) => {
            assert_eq!(fast, tree, "{}", String::from_utf8_lossy(event));
            assert_eq!(state(&fast_answer), state(&tree_answer), "{}", String::from_utf8_lossy(event));
        }
        None => assert_eq!(state(&fast_answer), state(&previous()), "gave up, but left a trace"),
    }
    (fast, tree)
}

#[test]
fn common_shapes_stay_in_the_first_tier() {
    let head = r#""id":"chatcmpl-1","object":"chat.completion.chunk","created":1754000000,"model":"m","#;
    let choice = |inner: &str| format!(r#"{{{head}"choices":[{{"index":0,{inner}}}],"usage":null}}"#);
    let events = [
        choice(r#""delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null"#),
        choice(r#""delta":{"role":"assistant","content":null}"#),
        choice(
            r#""delta":{"content":" caf\u00e9 \ud83d\ude00\n"},"logprobs":null,"finish_reason":null,"token_ids":null"#,
        ),
        choice(r#""delta":{"content":"é"},"logprobs":{"content":[{"token":"a","logprob":-0.5,"bytes":[97]}]}"#),
        choice(r#""delta":{"reasoning_content":"hm","content":null}"#),
        choice(r#""delta":{"reasoning":"hm","reasoning_content":"hm"}"#),
        choice(r#""delta":{"content":"x"},"finish_reason":"length","stop_reason":null"#),
        choice(r#""delta":{},"finish_reason":"stop""#),
        choice(r#""delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}"#),
        choice(r#""text":"completion","logprobs":null,"finish_reason":null"#),
        format!(
            r#"{{{head}"choices":[],"usage":{{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":null}}}}"#
        ),
        format!("{{ {head} \"choices\" : [ {{ \"delta\" : {{ \"content\" : \"a\" }} }} ] }} "),
    ];
    for event in events {
        assert!(read_both(event.trim().as_bytes()).0.is_some(), "{event}");
    }
}

#[test]
fn doubtful_shapes_do_not() {
    for event in [
        r#"{"choices":[{"delta":{"content":"a","content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"cont\u0065nt":"a"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"\ud800"}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"}}],"error":{"message":"x"}}"#,
        r#"{"choices":[{"delta":{"content":"a"},"text":"b"}]}"#,
        r#"{"choices":[{"message":{"content":"a"}}]}"#,
        r#"{"choices":[{"delta":{"content":"a"}}]}{}"#,
        r#"{"choices":[{"delta":{"content":"a"}}],"n":1e5}"#,
        r#"{"object":"error","choices":[]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":01}}"#,
    ] {
        assert!(read_both(event.as_bytes()).0.is_none(), "{event}");
    }
}

fn strings() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => select(vec![
            "a", " ", "content", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0041", "\\ud83d\\ude00", "é", "😀", "{", "}",
            "[", ":", ",", "0123456789abcdef", "\\b\\f\\r\\t", "\u{7f}", "\u{2028}",
        ]),
        1 => select(vec!["\\ud800", "\\udc00", "\\ud83d\\ud83d", "\\x", "\\u12", "\t", "\u{0}"]),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn good_strings() -> impl Strategy<Value = String> {
    select(vec![
        "\"\"",
        "\"a\"",
        "\" two words\"",
        "\"\\u00e9\\n\"",
        "\"error\"",
        "\"stop\"",
        "\"chat.completion.chunk\"",
    ])
    .prop_map(str::to_owned)
}

fn scalars() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        good_strings(),
        strings(),
        select(vec![
            "0",
            "-0",
            "12",
            "-3.25",
            "1e3",
            "01",
            "-",
            "1.",
            ".5",
            "1e999",
            "123456789012345678901234567890",
            "true",
            "false",
            "nul",
            "NaN",
            "18446744073709551616",
            "2.0",
        ])
        .prop_map(str::to_owned),
    ]
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![12 => Just(""), 1 => select(vec![" ", "\n", "\t\r", "  ", "\u{c}"])]
}

fn object_of(keys: Vec<&'static str>, value: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let member =
        (select(keys), value, space(), space()).prop_map(|(key, value, a, b)| format!("{a}\"{key}\"{b}:{a}{value}{b}"));
    (prop::collection::vec(member, 0..5), space()).prop_map(|(members, s)| format!("{{{s}{}{s}}}", members.join(",")))
}

fn list_of(item: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    (prop::collection::vec(item, 0..=most), space())
        .prop_map(|(items, s)| format!("[{s}{}]", items.join(&format!(",{s}"))))
}

fn anything() -> impl Strategy<Value = String> {
    scalars().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            list_of(inner.clone(), 3),
            object_of(vec!["a", "content", "text", "type", "message", "code", "embedding"], inner),
        ]
    })
}

fn usages() -> impl Strategy<Value = String> {
    let details = object_of(vec!["cached_tokens", "reasoning_tokens", "accepted_prediction_tokens"], scalars());
    object_of(
        vec![
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "input_tokens",
            "cache_read_input_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
        ],
        prop_oneof![3 => select(vec!["0", "5", "2.0", "null", "-1"]).prop_map(str::to_owned), 1 => details],
    )
}

fn deltas() -> impl Strategy<Value = String> {
    let function = object_of(vec!["name", "arguments"], prop_oneof![3 => good_strings(), 1 => anything()]);
    let calls = list_of(function.prop_map(|f| format!("{{\"index\":0,\"function\":{f}}}")), 2);
    let parts = list_of(object_of(vec!["type", "text", "thinking"], prop_oneof![good_strings(), strings()]), 2);
    object_of(
        vec![
            "content",
            "content",
            "content",
            "role",
            "reasoning_content",
            "reasoning",
            "tool_calls",
            "refusal",
            "function_call",
            "extra",
            "cont\\u0065nt",
        ],
        prop_oneof![6 => good_strings(), 3 => Just("null".to_owned()), 2 => strings(), 1 => calls, 1 => parts, 1 => anything()],
    )
}

fn events() -> impl Strategy<Value = String> {
    let choice = || {
        object_of(
            vec![
                "delta",
                "delta",
                "delta",
                "message",
                "text",
                "finish_reason",
                "index",
                "logprobs",
                "usage",
                "f\\u0069nish_reason",
            ],
            prop_oneof![5 => deltas(), 3 => Just("null".to_owned()), 3 => good_strings(), 1 => usages(), 1 => anything()],
        )
    };
    let choices = prop_oneof![8 => list_of(choice(), 1), 1 => list_of(choice(), 3)];
    let member = prop_oneof![
        5 => choices.prop_map(|v| format!("\"choices\":{v}")),
        2 => usages().prop_map(|v| format!("\"usage\":{v}")),
        1 => Just("\"usage\":null".to_owned()),
        2 => Just("\"object\":\"chat.completion.chunk\"".to_owned()),
        1 => (select(vec!["error", "detail", "message", "type", "code", "object", "x_groq", "usage"]), anything())
            .prop_map(|(key, value)| format!("\"{key}\":{value}")),
        1 => (select(vec!["id", "model", "created", "\\u0075sage"]), anything())
            .prop_map(|(key, value)| format!("\"{key}\":{value}")),
    ];
    (prop::collection::vec(member, 0..5), space())
        .prop_map(|(members, s)| format!("{{{s}{}{s}}}{s}", members.join(&format!("{s},{s}"))))
}

/// An event with some bytes changed, dropped or added.
fn mutations() -> impl Strategy<Value = Vec<u8>> {
    let change =
        (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), select(b"\"\\{}[]:,u0n \xC3".to_vec())], 0..3u8);
    (events(), prop::collection::vec(change, 1..4)).prop_map(|(event, changes)| {
        let mut bytes = event.into_bytes();
        for (index, byte, kind) in changes {
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_tiers_agree_on_events(event in events()) {
        read_both(event.as_bytes());
    }

    #[test]
    fn both_tiers_agree_on_broken_events(event in mutations()) {
        read_both(&event);
    }

    #[test]
    fn both_tiers_agree_on_noise(event in prop::collection::vec(any::<u8>(), 0..40)) {
        read_both(&event);
    }

    #[test]
    fn any_text_survives_the_way_through_json(content in any::<String>(), reasoning in any::<String>()) {
        let event = serde_json::json!({"choices": [{"delta": {"content": content, "reasoning": reasoning}}]}).to_string();
        let (fast, _) = read_both(event.as_bytes());
        let info = fast.unwrap();
        prop_assert_eq!(info.content_len as usize, content.len());
        prop_assert_eq!(info.reasoning_len as usize, reasoning.len());
        let mut answer = Answer::default();
        super::read_event(event.as_bytes(), &mut answer);
        prop_assert_eq!(String::from_utf8(answer.text).unwrap(), format!("{reasoning}{content}"));
    }
}

/// The generators make enough of what they are for.
#[test]
fn generated_events_reach_both_tiers() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut fast, mut tree, mut invalid) = (0, 0, 0);
    for _ in 0..1000 {
        let event = events().new_tree(&mut runner).unwrap().current();
        match read_both(event.as_bytes()) {
            (Some(_), _) => fast += 1,
            (None, Some(_)) => tree += 1,
            (None, None) => invalid += 1,
        }
    }
    assert!(fast > 100 && tree > 100 && invalid > 20, "{fast} {tree} {invalid}");
}
