//! A stream of gRPC messages gives the same messages however it is cut, and any message can be read.
//! `cargo +nightly fuzz run grpc`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokamark_wire::Answer;
use tokamark_wire::grpc::GrpcDecoder;
use tokamark_wire::kserve::read_message;

/// The messages up to the first that is too long, and whether there is one.
fn decode<'a>(mut pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<(Vec<u8>, bool)>, bool) {
    let mut decoder = GrpcDecoder::default();
    let mut out = Vec::new();
    let is_spoilt = pieces.any(|piece| {
        decoder.feed(piece, (), |message| out.push((message.data.to_vec(), message.is_compressed))).is_err()
    });
    (out, is_spoilt)
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else { return };
    let whole = decode(std::iter::once(stream));
    assert_eq!(whole, decode(stream.chunks(1)));
    assert_eq!(whole, decode(stream.chunks(usize::from(size).max(1))));
    let mut answer = Answer::default();
    for (message, _) in whole.0 {
        let before = answer.text.len();
        let info = read_message(&message, &mut answer);
        assert_eq!(answer.text.len() - before, info.content_len as usize);
    }
    read_message(stream, &mut answer);
    assert!(std::str::from_utf8(&answer.text).is_ok());
});
