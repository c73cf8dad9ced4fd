//! An event stream gives the same events however it is cut. `cargo +nightly fuzz run sse`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokamark_wire::sse::{SseDecoder, SseEvent};

type Owned = (Vec<u8>, Vec<u8>, bool, bool, u32);

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut decoder = SseDecoder::new();
    let mut out = Vec::new();
    let mut take = |e: SseEvent<'_, ()>| {
        out.push((e.data.to_vec(), e.name.to_vec(), e.is_comment, e.is_terminated, e.wire_len));
    };
    pieces.for_each(|piece| decoder.feed(piece, (), &mut take));
    decoder.finish(&mut take);
    out
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else { return };
    let whole = decode(std::iter::once(stream));
    assert_eq!(whole, decode(stream.chunks(1)));
    assert_eq!(whole, decode(stream.chunks(usize::from(size).max(1))));
});
