//! The decoder against the rules of the format, and against a slow decoder that sees the whole stream at once.

use proptest::prelude::*;
use tokamark_wire::sse::SseDecoder;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Owned {
    data: Vec<u8>,
    name: Vec<u8>,
    is_comment: bool,
    is_terminated: bool,
    tag: usize,
    wire_len: u32,
}

/// Decodes `stream` cut at `cuts`; the tag is the number of the piece.
fn decode_with(decoder: &mut SseDecoder<usize>, stream: &[u8], cuts: &[usize]) -> Vec<Owned> {
    let mut out = Vec::new();
    let mut take = |e: tokamark_wire::sse::SseEvent<'_, usize>| {
        out.push(Owned {
            data: e.data.to_vec(),
            name: e.name.to_vec(),
            is_comment: e.is_comment,
            is_terminated: e.is_terminated,
            tag: e.tag,
            wire_len: e.wire_len,
        });
    };
    let mut from = 0;
    for (piece, &cut) in cuts.iter().chain([&stream.len()]).enumerate() {
        decoder.feed(&stream[from..cut], piece, &mut take);
        from = cut;
    }
    decoder.finish(&mut take);
    out
}

fn decode(stream: &[u8], cuts: &[usize]) -> Vec<Owned> {
    decode_with(&mut SseDecoder::new(), stream, cuts)
}

/// The reference: lines first, then fields, with the position of each byte kept.
fn reference(stream: &[u8], cuts: &[usize]) -> Vec<Owned> {
    let piece_of = |at: usize| cuts.iter().filter(|&&cut| cut <= at).count();
    let mut lines = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        let end = (at..stream.len()).find(|&i| matches!(stream[i], b'\r' | b'\n'));
        let stop = end.unwrap_or(stream.len());
        let crlf = end.is_some() && stream[stop..].starts_with(b"\r\n");
        lines.push((at, stop, end.is_some(), crlf));
        at = stop + usize::from(end.is_some()) + usize::from(crlf);
    }

    let mut out = Vec::new();
    let (mut data, mut name): (Option<Vec<u8>>, Vec<u8>) = (None, Vec::new());
    let mut tag = 0;
    let mut len = 0;
    for (number, &(start, stop, ended, crlf)) in lines.iter().enumerate() {
        let mut line = &stream[start..stop];
        if number == 0 {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        let line_tag = piece_of(stop.max(1) - 1);
        let line_len = (stop - start) as u32 + u32::from(ended);
        if line.is_empty() {
            len += line_len;
            if let Some(data) = data.take() {
                out.push(Owned {
                    data,
                    name: name.clone(),
                    is_comment: false,
                    is_terminated: true,
                    tag,
                    wire_len: len,
                });
            }
            name.clear();
            len = u32::from(crlf);
            continue;
        }
        let (field, value) = match line.iter().position(|&b| b == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if field.is_empty() {
            out.push(Owned {
                data: value.to_vec(),
                name: Vec::new(),
                is_comment: true,
                is_terminated: ended,
                tag: line_tag,
                wire_len: line_len,
            });
            len += u32::from(crlf);
            continue;
        }
        len += line_len + u32::from(crlf);
        tag = line_tag;
        match field {
            b"data" => match &mut data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.to_vec()),
            },
            b"event" => name = value.to_vec(),
            _ => {}
        }
    }
    if let Some(data) = data {
        out.push(Owned { data, name, is_comment: false, is_terminated: false, tag, wire_len: len });
    }
    out
}

fn texts(stream: &[u8]) -> Vec<String> {
    decode(stream, &[]).into_iter().map(|e| String::from_utf8_lossy(&e.data).into_owned()).collect()
}

#[test]
fn lines_may_end_in_any_way() {
    for stream in [
        "data: A\n\ndata: B\n\n",
        "data: A\r\n\r\ndata: B\r\n\r\n",
        "data: A\r\rdata: B\r\r",
        "data: A\r\n\ndata: B\n\r\n",
        "data: A\r\n\r\n: ping\n\ndata: B\r\n\r\n",
    ] {
        let events = decode(stream.as_bytes(), &[]);
        let data: Vec<_> = events.iter().filter(|e| !e.is_comment).map(|e| e.data.clone()).collect();
        assert_eq!(data, [b"A", b"B"], "{stream:?}");
        assert!(events.iter().all(|e| e.is_terminated));
    }
}

#[test]
fn data_lines_are_joined_and_one_space_is_dropped() {
    assert_eq!(texts(b"data: YHOO\ndata: +2\ndata:10\n\n"), ["YHOO\n+2\n10"]);
    assert_eq!(texts(b"data:  two\n\ndata:\ttab\n\n"), [" two", "\ttab"]);
    assert_eq!(texts(b"data\n\ndata\ndata\n\ndata:\n\n"), ["", "\n", ""]);
}

#[test]
fn other_fields_are_ignored_and_events_without_data_are_not_events() {
    assert_eq!(texts(b"id: 7\nretry: 10\ndatum: x\ndata: A\nid: 8\n\n"), ["A"]);
    assert_eq!(texts(b"event: ping\n\nid: 1\n\n\n\ndata: A\n\n"), ["A"]);
    let events = decode(b"event: ping\n\ndata: A\n\nevent: x\nevent: error\ndata: B\n\n", &[]);
    assert_eq!(events[0].name, b"", "a name does not outlive its event");
    assert_eq!(events[1].name, b"error");
}

#[test]
fn a_byte_order_mark_is_dropped_once() {
    assert_eq!(texts(b"\xEF\xBB\xBFdata: A\n\n"), ["A"]);
    assert_eq!(texts(b"\xEF\xBB\xBF\ndata: A\n\n"), ["A"]);
    assert_eq!(decode(b"\xEF\xBB\xBFdata: A\n\n", &[1, 2, 3])[0].data, b"A");
    assert_eq!(texts(b"\n\xEF\xBB\xBFdata: A\n\n"), [""; 0], "only the very first bytes can be a mark");
    assert_eq!(texts(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: A\n\n"), [""; 0]);
}

#[test]
fn an_event_without_its_blank_line_is_handed_on_at_the_end() {
    let events = decode(b"data: A\n\ndata: B\n", &[]);
    assert_eq!((events[1].data.as_slice(), events[1].is_terminated), (b"B".as_slice(), false));
    let events = decode(b"data: A\n\ndata: B", &[12]);
    assert_eq!((events[1].data.as_slice(), events[1].is_terminated), (b"B".as_slice(), false));
}

#[test]
fn the_tag_is_that_of_the_last_byte_of_the_last_field_line() {
    //            0123456 7 8
    let stream = b"data: A\n\ndata: B\n\n";
    let tags = |cuts: &[usize]| decode(stream, cuts).iter().map(|e| e.tag).collect::<Vec<_>>();
    assert_eq!(tags(&[]), [0, 0]);
    assert_eq!(tags(&[6]), [1, 1], "its last byte came second");
    assert_eq!(tags(&[7]), [0, 1], "only its line end came second");
    assert_eq!(tags(&[8]), [0, 1], "only its blank line came second");
    assert_eq!(tags(&[8, 12]), [0, 2]);
}

#[test]
fn the_length_on_the_wire_covers_the_blank_line() {
    let lens = |stream: &[u8]| decode(stream, &[]).iter().map(|e| e.wire_len).collect::<Vec<_>>();
    assert_eq!(lens(b"data: A\n\ndata: BB\n\n"), [9, 10]);
    assert_eq!(lens(b"event: e\ndata: A\n: c\n\n"), [4, 18], "the comment first, and not in the event's count");
    assert_eq!(lens(b"data: A\r\n\r\ndata: B\r\n\r\n"), [10, 11], "the last LF may not have come yet");
}

#[test]
fn a_big_event_in_many_pieces() {
    let mut stream = b"data: ".to_vec();
    stream.extend(std::iter::repeat_n(b'a', 600_000));
    stream.extend_from_slice(b"\n\ndata: B\n\n");
    let cuts: Vec<usize> = (0..stream.len()).step_by(65_536).skip(1).collect();
    let mut decoder = SseDecoder::new();
    let events = decode_with(&mut decoder, &stream, &cuts);
    assert_eq!(events[0].data.len(), 600_000);
    assert_eq!(events[0].tag, cuts.len());
    assert_eq!(events[1].data, b"B");
    decoder.clear();
    assert_eq!(decode_with(&mut decoder, b"data: C\n\n", &[])[0].data, b"C");
}

#[test]
fn clear_forgets_whatever_was_in_progress() {
    for start in ["data: A\n", "data: A", "event: x\ndata", "\u{feff}da", "data: A\r", ": c"] {
        let mut decoder = SseDecoder::new();
        decoder.feed(start.as_bytes(), 0, |_| {});
        decoder.clear();
        let stream = "\u{feff}data: B\n\n".as_bytes();
        assert_eq!(decode_with(&mut decoder, stream, &[]), reference(stream, &[]), "{start:?}");
    }
}

/// Streams out of the pieces that matter, so that most of them contain events.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"data:".to_vec()),
        Just(b"data".to_vec()),
        Just(b"event: e".to_vec()),
        Just(b"event".to_vec()),
        Just(b"id: 1".to_vec()),
        Just(b":".to_vec()),
        Just(b" ".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just(b"\xEF\xBB".to_vec()),
        Just("{\"a\":\"ü\"}".as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn cut_stream() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    streams().prop_flat_map(|stream| {
        let len = stream.len();
        (Just(stream), prop::collection::vec(0..=len, 0..8)).prop_map(|(stream, mut cuts)| {
            cuts.sort_unstable();
            (stream, cuts)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_split_gives_what_the_reference_gives((stream, cuts) in cut_stream()) {
        prop_assert_eq!(decode(&stream, &cuts), reference(&stream, &cuts));
    }

    #[test]
    fn byte_by_byte_gives_what_the_reference_gives(stream in streams()) {
        let cuts: Vec<usize> = (1..stream.len()).collect();
        prop_assert_eq!(decode(&stream, &cuts), reference(&stream, &cuts));
    }

    #[test]
    fn a_reused_decoder_is_as_good_as_new(first in streams(), (stream, cuts) in cut_stream()) {
        let mut decoder = SseDecoder::new();
        decoder.feed(&first, 99, |_| {});
        decoder.clear();
        prop_assert_eq!(decode_with(&mut decoder, &stream, &cuts), reference(&stream, &cuts));
    }
}
