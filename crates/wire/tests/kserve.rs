//! Messages over gRPC, as a library that makes them writes them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use bytes::Bytes;
use proptest::prelude::*;
use prost::Message;
use tokamark_kserve::FINAL_RESPONSE;
use tokamark_kserve::messages::{
    InferParameter, InferTensor, InferTensorContents, ModelInferResponse, ModelStreamInferResponse,
};
use tokamark_wire::kserve::read_message;
use tokamark_wire::{Answer, EventFlags, EventInfo, ServerError};

fn tensor(name: &str, datatype: &str, contents: Option<InferTensorContents>) -> InferTensor {
    InferTensor { name: name.to_owned(), datatype: datatype.to_owned(), shape: vec![1], contents }
}

fn raw_text(texts: &[&str]) -> Bytes {
    let each = texts.iter().map(|text| [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat());
    each.flatten().collect()
}

/// An answer with a text among other outputs.
fn response(text: &str) -> ModelInferResponse {
    ModelInferResponse {
        model_name: "m".to_owned(),
        model_version: "1".to_owned(),
        id: "7".to_owned(),
        outputs: vec![tensor("cum_log_probs", "FP32", None), tensor("text_output", "BYTES", None)],
        raw_output_contents: vec![Bytes::from_static(&[0, 0, 0, 0]), raw_text(&[text])],
        ..ModelInferResponse::default()
    }
}

fn streamed(response: ModelInferResponse) -> Vec<u8> {
    ModelStreamInferResponse { error_message: String::new(), infer_response: Some(response) }.encode_to_vec()
}

fn read(message: &[u8], answer: &mut Answer) -> EventInfo {
    read_message(message, answer)
}

#[test]
fn the_text_is_the_output_of_that_name() {
    let mut answer = Answer::default();
    let info = read(&streamed(response(" wörld")), &mut answer);
    assert_eq!((info.flags, info.content_len), (EventFlags::CONTENT, 7));
    assert_eq!(answer.text, " wörld".as_bytes());
    assert!(!answer.done);
}

#[test]
fn a_text_may_come_among_the_tensors_own_elements() {
    let contents = InferTensorContents { bytes: vec![b"a".to_vec(), b"b".to_vec()], ..InferTensorContents::default() };
    let outputs = vec![tensor("text_output", "BYTES", Some(contents))];
    let mut answer = Answer::default();
    let info = read(&streamed(ModelInferResponse { outputs, ..ModelInferResponse::default() }), &mut answer);
    assert_eq!((info.flags, answer.text.as_slice()), (EventFlags::CONTENT, &b"ab"[..]));
}

#[test]
fn the_last_response_says_so_with_a_text_or_without() {
    let mut last = response("!");
    last.parameters.insert(FINAL_RESPONSE.to_owned(), InferParameter::bool(true));
    let mut answer = Answer::default();
    let info = read(&streamed(last.clone()), &mut answer);
    assert_eq!(info.flags, EventFlags::CONTENT | EventFlags::DONE);
    assert!(answer.done);

    let empty = ModelInferResponse { outputs: Vec::new(), raw_output_contents: Vec::new(), ..last.clone() };
    let mut answer = Answer::default();
    assert_eq!(read(&streamed(empty.clone()), &mut answer).flags, EventFlags::DONE);
    assert!(answer.done);

    let mut more = empty;
    more.parameters.insert(FINAL_RESPONSE.to_owned(), InferParameter::bool(false));
    let mut answer = Answer::default();
    assert_eq!(read(&streamed(more), &mut answer).flags, EventFlags::EMPTY);
    assert!(!answer.done);
}

#[test]
fn an_error_message_is_the_servers_error() {
    let error = ModelStreamInferResponse { error_message: "out of memory".to_owned(), infer_response: None };
    let mut answer = Answer::default();
    assert_eq!(read(&error.encode_to_vec(), &mut answer).flags, EventFlags::ERROR);
    let expected = ServerError { message: "out of memory".to_owned(), ..ServerError::default() };
    assert_eq!(answer.error, Some(expected));
}

#[test]
fn counts_and_the_finish_reason_are_read_where_they_are_sent() {
    let outputs = vec![
        tensor("text_output", "BYTES", None),
        tensor("finish_reason", "BYTES", None),
        tensor("num_input_tokens", "UINT32", None),
        tensor("num_output_tokens", "UINT32", None),
    ];
    let with = |text: &str, reason: &str, new: u32| ModelInferResponse {
        outputs: outputs.clone(),
        raw_output_contents: vec![
            raw_text(&[text]),
            raw_text(&[reason]),
            Bytes::copy_from_slice(&300_u32.to_le_bytes()),
            Bytes::copy_from_slice(&new.to_le_bytes()),
        ],
        ..ModelInferResponse::default()
    };
    let mut answer = Answer::default();
    let flags = read(&streamed(with("a", "None", 2)), &mut answer).flags;
    assert_eq!(flags, EventFlags::CONTENT | EventFlags::USAGE);
    let flags = read(&streamed(with("b", "length", 3)), &mut answer).flags;
    assert_eq!(flags, EventFlags::CONTENT | EventFlags::USAGE | EventFlags::FINISH);
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt, usage.completion), (Some(300), Some(5)));
    assert_eq!(answer.finish_reason.as_deref(), Some("length"));

    let contents = InferTensorContents { uints: vec![300], ..InferTensorContents::default() };
    let outputs = vec![tensor("num_input_tokens", "UINT32", Some(contents))];
    let mut answer = Answer::default();
    read(&streamed(ModelInferResponse { outputs, ..ModelInferResponse::default() }), &mut answer);
    assert_eq!(answer.usage.unwrap().prompt, Some(300));
}

#[test]
fn what_is_no_such_message_leaves_no_trace() {
    let whole = streamed(response("text"));
    let mut short = response("text");
    short.raw_output_contents.pop();
    let mut torn = response("text");
    torn.raw_output_contents[1] = Bytes::from_static(b"\x09\0\0\0text");
    for message in [b"\xff\xff\xff".to_vec(), whole[..whole.len() - 1].to_vec(), streamed(short), streamed(torn)] {
        let mut answer = Answer::default();
        assert_eq!(read(&message, &mut answer).flags, EventFlags::UNKNOWN, "{message:?}");
        assert!(answer.text.is_empty());
    }
    // Nothing at all is a message with nothing in it.
    assert_eq!(read(b"", &mut Answer::default()).flags, EventFlags::EMPTY);
    // Broken characters are replaced, not lost.
    let mut broken = response("");
    broken.raw_output_contents[1] = Bytes::from_static(b"\x02\0\0\0a\xff");
    let mut answer = Answer::default();
    read(&streamed(broken), &mut answer);
    assert_eq!((String::from_utf8(answer.text).unwrap().as_str(), answer.replaced), ("a\u{fffd}", 1));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic_and_as_the_library_reads_them(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let mut answer = Answer::default();
        let info = read(&bytes, &mut answer);
        prop_assert_eq!(answer.text.len(), info.content_len as usize);
        if !info.flags.has(EventFlags::UNKNOWN)
            && let Ok(message) = ModelStreamInferResponse::decode(bytes.as_slice())
        {
            prop_assert_eq!(answer.error.map(|error| error.message).unwrap_or_default(), message.error_message);
        }
    }

    #[test]
    fn texts_are_what_the_library_wrote(texts in prop::collection::vec(".{0,20}", 1..5), behind in any::<bool>()) {
        let parts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut sent = response("");
        sent.raw_output_contents[1] = raw_text(&parts);
        if behind {
            sent.outputs.swap(0, 1);
            sent.raw_output_contents.swap(0, 1);
        }
        let mut answer = Answer::default();
        read(&streamed(sent), &mut answer);
        prop_assert_eq!(String::from_utf8(answer.text).unwrap(), texts.concat());
    }
}
