//! Which responses count, when and with how many tokens: odd answers, by hand.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use common::{assert_near, avg, chat, chats, chunk, export, request, stat};
use proptest::prelude::*;
use serde_json::json;
use tokamark_genai_perf::Fidelity::{Right, Same};
use tokamark_genai_perf::{EndpointType, Metric, Options, Recorded, read_export};
use tokamark_tokenizer::Tokenizer;

/// Sent at 0; role at 20, tokens at 30, 40 and 60, finish at 65, end mark at 70.
/// TTFT 30, TTST 40 − 30 = 10, latency 60, 3 tokens, ITL (60 − 30) / 2 = 15, per user 1000 / 15.
#[test]
fn a_plain_stream() {
    let role = r#"data: {"object":"chat.completion.chunk","choices":[{"delta":{"role":"assistant","content":""}}]}

"#;
    let finish = r#"data: {"object":"chat.completion.chunk","choices":[{"delta":{},"finish_reason":"stop"}]}

"#;
    let (the, king, and) = (chunk(" the"), chunk(" king"), chunk(" and"));
    let reads = [(20, role), (30, the.as_str()), (40, &king), (60, &and), (65, finish), (70, "data: [DONE]\n\n")];
    let run = chats(&[chat(0, &reads)]);
    for fidelity in [Same, Right] {
        let recorded = run.read(fidelity);
        assert!(recorded.streaming);
        assert_eq!(recorded.endpoint_type, EndpointType::Chat);
        assert_eq!(recorded.models, ["m"]);
        for (metric, expected) in [
            (Metric::TimeToFirstToken, 30.0),
            (Metric::TimeToSecondToken, 10.0),
            (Metric::RequestLatency, 60.0),
            (Metric::InterTokenLatency, 15.0),
            (Metric::OutputTokenThroughputPerUser, 1000.0 / 15.0),
            (Metric::OutputSequenceLength, 3.0),
            (Metric::InputSequenceLength, 2.0),
            (Metric::RequestCount, 1.0),
            (Metric::RequestThroughput, 1.0 / 0.06),
            (Metric::OutputTokenThroughput, 3.0 / 0.06),
        ] {
            assert_near(avg(&recorded, metric), expected);
        }
    }
}

/// Three events in two reads, the second event cut in two: GenAI-Perf gives it the time of its first part,
/// while it was not there before its last.
#[test]
fn an_event_in_two_reads() {
    let second = chunk(" king");
    let (head, tail) = second.split_at(40);
    let first = chunk(" the") + head;
    let last = tail.to_owned() + &chunk(" and");
    let run = chats(&[chat(0, &[(30, &first), (50, &last)])]);
    // One record with two events at 30 and one with one at 50.
    let same = run.read(Same);
    assert_near(avg(&same, Metric::TimeToFirstToken), 30.0);
    assert_near(avg(&same, Metric::TimeToSecondToken), 20.0);
    assert_eq!(avg(&same, Metric::OutputSequenceLength), 3.0);
    // Events at 30, 50 and 50.
    let right = run.read(Right);
    assert_near(avg(&right, Metric::TimeToFirstToken), 30.0);
    assert_near(avg(&right, Metric::TimeToSecondToken), 20.0);
    assert_eq!(avg(&right, Metric::OutputSequenceLength), 3.0);

    let run = chats(&[chat(0, &[(30, head), (50, tail), (60, &chunk(" and"))])]);
    assert_near(avg(&run.read(Same), Metric::TimeToFirstToken), 30.0);
    assert_near(avg(&run.read(Right), Metric::TimeToFirstToken), 50.0);
}

/// An event in three reads ends GenAI-Perf with an error; here it is whole when its last part came.
#[test]
fn an_event_in_three_reads() {
    let event = chunk(" king");
    let reads = [(10, &event[..20]), (20, &event[20..40]), (30, &event[40..])];
    for fidelity in [Same, Right] {
        let recorded = chats(&[chat(0, &reads)]).read(fidelity);
        assert_near(avg(&recorded, Metric::TimeToFirstToken), 30.0);
        assert_eq!(avg(&recorded, Metric::OutputSequenceLength), 1.0);
    }
}

/// A cut within a character: GenAI-Perf drops both halves of it, and with them nothing else.
#[test]
fn a_character_in_two_reads() {
    let event = chunk(" é");
    let at = event.find('é').unwrap() + 1;
    let mut file = chats(&[chat(0, &[(10, "HEAD"), (20, "TAIL")])]);
    let text = std::fs::read_to_string(&file.path).unwrap();
    let escape = |bytes: &[u8]| {
        let mut escaped = Vec::new();
        for byte in bytes {
            match byte {
                b'"' => escaped.extend_from_slice(b"\\\""),
                b'\n' => escaped.extend_from_slice(b"\\n"),
                other => escaped.push(*other),
            }
        }
        escaped
    };
    let (head, rest) = text.split_once("HEAD").unwrap();
    let (between, end) = rest.split_once("TAIL").unwrap();
    let (first, last) = event.as_bytes().split_at(at);
    let bytes = [head.as_bytes(), &escape(first), between.as_bytes(), &escape(last), end.as_bytes()].concat();
    assert!(std::str::from_utf8(&bytes).is_err());
    file.path = file.folder.path().join("cut.json");
    std::fs::write(&file.path, bytes).unwrap();
    // " " is one token, and so is " é".
    for (fidelity, first) in [(Same, 10.0), (Right, 20.0)] {
        let recorded = file.read(fidelity);
        assert_near(avg(&recorded, Metric::TimeToFirstToken), first);
        assert_eq!(avg(&recorded, Metric::OutputSequenceLength), 1.0);
    }
}

/// A usage event has no choice: GenAI-Perf ends with an error, here it is no token.
#[test]
fn a_usage_event_is_no_token() {
    let usage = r#"data: {"object":"chat.completion.chunk","choices":[],"usage":{"completion_tokens":9}}

"#;
    let (the, king) = (chunk(" the"), chunk(" king"));
    let reads = [(10, the.as_str()), (20, &king), (90, usage), (95, "data: [DONE]\n\n")];
    for fidelity in [Same, Right] {
        let recorded = chats(&[chat(0, &reads)]).read(fidelity);
        assert_near(avg(&recorded, Metric::RequestLatency), 20.0);
        assert_eq!(avg(&recorded, Metric::OutputSequenceLength), 2.0);
    }
}

/// Reasoning at 10 and 20, text at 50 and 60. GenAI-Perf sees the text alone.
#[test]
fn reasoning_counts_for_us() {
    let thought = |text: &str| {
        format!(
            "data: {}\n\n",
            json!({"object": "chat.completion.chunk", "choices": [{"delta": {"reasoning_content": text}}]})
        )
    };
    let (a, b, c, d) = (thought(" the"), thought(" king"), chunk(" and"), chunk(" his"));
    let run = chats(&[chat(0, &[(10, &a), (20, &b), (50, &c), (60, &d)])]);
    let same = run.read(Same);
    assert_near(avg(&same, Metric::TimeToFirstToken), 50.0);
    assert_eq!(avg(&same, Metric::OutputSequenceLength), 2.0);
    let right = run.read(Right);
    assert_near(avg(&right, Metric::TimeToFirstToken), 10.0);
    assert_eq!(avg(&right, Metric::OutputSequenceLength), 4.0);
    // (60 − 10) / 3, to whole nanoseconds.
    assert_near(avg(&right, Metric::InterTokenLatency), 16.666_667);
}

/// `data:` without a space: GenAI-Perf takes all events for one, which ends with its first read.
#[test]
fn data_without_a_space() {
    let bare = |text: &str| chunk(text).replace("data: ", "data:");
    let (a, b) = (bare(" the"), bare(" king"));
    let run = chats(&[chat(0, &[(10, &a), (30, &b)])]);
    let same = run.read(Same);
    assert_near(avg(&same, Metric::RequestLatency), 10.0);
    assert_eq!(avg(&same, Metric::OutputSequenceLength), 2.0);
    assert!(same.summary.values.get(Metric::InterTokenLatency).is_none());
    let right = run.read(Right);
    assert_near(avg(&right, Metric::RequestLatency), 30.0);
    assert_near(avg(&right, Metric::InterTokenLatency), 20.0);
}

/// Of three requests one is empty. GenAI-Perf divides all three by the time of the other two: 0 to 120.
#[test]
fn an_empty_answer() {
    let the = chunk(" the");
    let run = chats(&[chat(0, &[(20, &the)]), chat(50, &[(60, "data: [DONE]\n\n")]), chat(100, &[(120, &the)])]);
    let same = run.read(Same);
    assert_eq!(avg(&same, Metric::RequestCount), 2.0);
    assert_near(avg(&same, Metric::RequestThroughput), 3.0 / 0.12);
    let right = run.read(Right);
    assert_near(avg(&right, Metric::RequestThroughput), 2.0 / 0.12);
    assert_eq!(right.summary.counts.empty, 1);
}

/// Nothing at all was answered: GenAI-Perf reports zeros and leaves all else out.
#[test]
fn only_empty_answers() {
    let recorded = chats(&[chat(50, &[(60, "data: [DONE]\n\n")])]).read(Same);
    let values: Vec<_> = recorded.summary.values.iter().map(|(metric, value)| (metric, value.avg())).collect();
    let zeros = [Metric::RequestThroughput, Metric::RequestCount, Metric::OutputTokenThroughput];
    assert_eq!(values, zeros.map(|metric| (metric, 0.0)));
    assert!(values.iter().all(|(_, value)| value.is_sign_positive()));
}

/// An error within a stream loses GenAI-Perf its whole report; here that request is a failure.
#[test]
fn an_error_event_is_a_failure() {
    let the = chunk(" the");
    let error = "event: error\ndata: {\"error\":{\"message\":\"out of memory\"}}\n\n";
    for fidelity in [Same, Right] {
        let recorded = chats(&[chat(0, &[(20, &the)]), chat(5, &[(30, &the), (40, error)])]).read(fidelity);
        assert_eq!(recorded.summary.counts.failed, 1);
        assert_eq!(recorded.summary.failures, ["out of memory"]);
        assert_near(avg(&recorded, Metric::RequestThroughput), 1.0 / 0.02);
    }
}

/// Answers of one token have no inter-token latency. GenAI-Perf then judges requests by the figures of others: of the lists
/// TTFT 90, 10, 10 and ITL 10, 10 it takes the pairs (90, 10) and (10, 10).
#[test]
fn goodput_judges_each_request_by_its_own_figures() {
    let (the, king) = (chunk(" the"), chunk(" king"));
    let run =
        chats(&[chat(0, &[(90, &the)]), chat(0, &[(10, &the), (20, &king)]), chat(0, &[(10, &the), (20, &king)])]);
    let goodput = vec![("time_to_first_token".to_owned(), 50.0), ("inter_token_latency".to_owned(), 10.0)];
    for (fidelity, good) in [(Same, 1.0), (Right, 2.0)] {
        let recorded = run.read_with(&Options { fidelity, goodput: goodput.clone(), ..Options::default() });
        // The run lasts 90 ms.
        assert_near(avg(&recorded, Metric::RequestGoodput), good / 0.09);
    }
    let unknown = vec![("nonsense".to_owned(), 1.0)];
    let recorded = run.read_with(&Options { goodput: unknown, ..Options::default() });
    assert_eq!(avg(&recorded, Metric::RequestGoodput), -1.0);
}

/// Two tokens at one instant: GenAI-Perf divides by zero.
#[test]
fn tokens_at_one_instant() {
    let (the, king) = (chunk(" the"), chunk(" king"));
    let recorded = chats(&[chat(0, &[(10, &the), (10, &king)])]).read(Same);
    assert_near(avg(&recorded, Metric::TimeToSecondToken), 0.0);
    assert!(recorded.summary.values.get(Metric::InterTokenLatency).is_none());
    assert!(recorded.summary.values.get(Metric::OutputTokenThroughputPerUser).is_none());
}

/// A completion as one body; the plain prompt is taken for a list of characters by GenAI-Perf.
#[test]
fn a_completion_at_once() {
    let body = json!({"object": "text_completion", "choices": [{"text": " the king and"}]}).to_string();
    let payload = json!({"model": "m", "prompt": " the king"});
    let run = export("openai", "v1/completions", &[request(0, &payload, &[(40, &body)])]);
    let same = run.read(Same);
    assert!(!same.streaming);
    assert_near(avg(&same, Metric::TimeToFirstToken), 40.0);
    assert_eq!(avg(&same, Metric::OutputSequenceLength), 3.0);
    assert!(avg(&same, Metric::InputSequenceLength) > 2.0);
    let right = run.read(Right);
    assert_eq!(avg(&right, Metric::InputSequenceLength), 2.0);
    assert!(right.summary.values.get(Metric::TimeToFirstToken).is_none());
    assert!(right.summary.values.get(Metric::TimeToSecondToken).is_none());
}

/// A prompt of three token ids, and two prompts with three between them.
#[test]
fn prompts_of_token_ids() {
    let body = json!({"object": "text_completion", "choices": [{"text": " the"}]}).to_string();
    for prompt in [json!([5, 6, 7]), json!([[5, 6], [7]])] {
        let payload = json!({"model": "m", "prompt": prompt});
        let run = export("openai", "v1/completions", &[request(0, &payload, &[(40, &body)])]);
        assert_eq!(avg(&run.read(Same), Metric::InputSequenceLength), 3.0);
    }
}

/// Triton over gRPC: the empty last message counts as a response and ends the request.
#[test]
fn text_tensors() {
    let mut one = request(0, &json!({}), &[(10, ""), (20, ""), (25, "")]);
    one["request_inputs"] = json!({"text_input": " the king", "stream": true});
    one["response_outputs"] = json!([{"text_output": " the"}, {"text_output": " king"}, {"text_output": ""}]);
    let recorded = export("triton", "", &[one]).read(Same);
    assert_eq!(recorded.endpoint_type, EndpointType::Kserve);
    assert!(recorded.streaming);
    assert_near(avg(&recorded, Metric::RequestLatency), 25.0);
    assert_near(avg(&recorded, Metric::InterTokenLatency), 15.0);
    assert_eq!(avg(&recorded, Metric::OutputSequenceLength), 2.0);
}

/// Token ids: lists count by their length, everything else as one.
#[test]
fn token_ids() {
    let mut one = request(0, &json!({}), &[(10, ""), (20, ""), (30, "")]);
    one["request_inputs"] = json!({"input_ids": [5, 6, 7], "streaming": true});
    one["response_outputs"] = json!([{"output_ids": [1, 2]}, {"output_ids": 3}, {"output_ids": ""}]);
    let recorded = export("triton_c_api", "", &[one]).read(Same);
    assert_eq!(avg(&recorded, Metric::InputSequenceLength), 3.0);
    assert_eq!(avg(&recorded, Metric::OutputSequenceLength), 4.0);
    assert_near(avg(&recorded, Metric::InterTokenLatency), 6.666_667);
}

/// Two images in 50 ms: 40 per second, 25 ms each.
#[test]
fn images() {
    let payload = json!({"input": [{"type": "image_url", "url": "a"}, {"type": "image_url", "url": "b"}]});
    let recorded = export("openai", "v1/infer", &[request(0, &payload, &[(50, "{}")])]).read(Same);
    assert_near(avg(&recorded, Metric::ImageThroughput), 40.0);
    assert_near(avg(&recorded, Metric::ImageLatency), 25.0);
}

/// Embeddings have a latency and no tokens.
#[test]
fn embeddings() {
    let payload = json!({"model": "m", "input": [" the"]});
    let requests = [request(0, &payload, &[(10, "{}")]), request(10, &payload, &[(40, "{}")])];
    let recorded = export("openai", "v1/embeddings", &requests).read(Same);
    assert_near(stat(&recorded, Metric::RequestLatency, "max"), 30.0);
    // Of 10 and 30: mean 20, population deviation 10, p90 = 10 + 0.9 × 20.
    assert_near(avg(&recorded, Metric::RequestLatency), 20.0);
    assert_near(stat(&recorded, Metric::RequestLatency, "std"), 10.0);
    assert_near(stat(&recorded, Metric::RequestLatency, "p90"), 28.0);
    assert!(recorded.summary.values.get(Metric::OutputTokenThroughput).is_none());
}

/// Conversations have figures of their own, in the order in which they began.
#[test]
fn conversations() {
    let the = chunk(" the");
    let mut requests = [chat(0, &[(20, &the)]), chat(30, &[(40, &the)]), chat(50, &[(100, &the)])];
    for (request, session) in requests.iter_mut().zip(["b", "a", "b"]) {
        request["request_inputs"]["session_id"] = session.into();
    }
    let recorded = chats(&requests).read(Same);
    let names: Vec<&str> = recorded.summary.sessions.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    let rate = |place: usize| recorded.summary.sessions[place].1.get(Metric::RequestThroughput).unwrap().avg();
    assert_near(rate(0), 2.0 / 0.1);
    assert_near(rate(1), 1.0 / 0.01);
}

/// Of two load levels the first one counts; all can be had.
#[test]
fn load_levels() {
    let the = chunk(" the");
    let run = chats(&[chat(0, &[(20, &the)])]);
    let text = std::fs::read_to_string(&run.path).unwrap();
    let mut whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut second = whole["experiments"][0].clone();
    second["requests"] = json!([chat(0, &[(30, &the)]), chat(0, &[(50, &the)])]);
    let mut third = second.clone();
    third["requests"] = json!([]);
    whole["experiments"].as_array_mut().unwrap().extend([second, third]);
    std::fs::write(&run.path, whole.to_string()).unwrap();
    assert_near(avg(&run.read(Same), Metric::RequestLatency), 20.0);
    let export = read_export(&run.path).unwrap();
    let all = Recorded::each(&export, &Tokenizer::builtin(), &Options::default()).unwrap();
    assert_eq!(all.iter().map(|level| level.summary.counts.answered).collect::<Vec<_>>(), [1, 2, 0]);
    assert_near(avg(&all[1], Metric::RequestLatency), 40.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Wherever reads cut a stream, its text is the same, and it ends with the read that brought the last word whole.
    #[test]
    fn the_borders_of_reads_change_no_text(words in prop::collection::vec("[a-zé😀\"]{1,6}", 1..8), cuts in prop::collection::vec(1_usize..900, 0..12)) {
        let events: String = words.iter().map(|word| chunk(word)).collect();
        let stream = events.clone() + "data: [DONE]\n\n";
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < stream.len() && stream.is_char_boundary(*cut)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let reads: Vec<(u64, &str)> =
            cuts.windows(2).enumerate().map(|(at, cut)| (10 * (at as u64 + 1), &stream[cut[0]..cut[1]])).collect();
        let recorded = chats(&[chat(0, &reads)]).read(Right);
        let text: String = words.concat();
        prop_assert_eq!(avg(&recorded, Metric::OutputSequenceLength), Tokenizer::builtin().count(&text) as f64);
        // Its line was whole before the two line feeds that end the event.
        let end = events.len() - 2;
        let read = cuts.iter().skip(1).position(|cut| *cut >= end).unwrap();
        assert_near(avg(&recorded, Metric::RequestLatency), 10.0 * (read as f64 + 1.0));
    }

    /// Whatever a server answers, there is a report by either rules.
    #[test]
    fn nothing_makes_it_panic(
        reads in prop::collection::vec("(data: ?|event: error\n|: |\\{\"choices\":\\[|\\{\"object\":\"chat.completion.chunk\"|\\]\\}|\n|\\PC){0,6}", 0..5),
        endpoint in prop::sample::select(vec!["v1/chat/completions", "v1/completions", "huggingface/generate", "v1/embeddings"]),
        payload in prop::sample::select(vec!["{}", "[]", r#"{"messages":[{"content":7}],"prompt":{},"inputs":[[]]}"#, "x"]),
    ) {
        let reads: Vec<(u64, &str)> = reads.iter().map(|read| (5, read.as_str())).collect();
        let mut one = request(0, &json!({}), &reads);
        one["request_inputs"]["payload"] = payload.into();
        let run = export("openai", endpoint, &[one]);
        for fidelity in [Same, Right] {
            let counts = run.read(fidelity).summary.counts;
            prop_assert_eq!(counts.answered + counts.empty + counts.failed, 1);
        }
    }
}
