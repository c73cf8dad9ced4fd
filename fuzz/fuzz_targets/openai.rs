//! An event means the same to the fast reader as to the JSON tree, which alone reads whole bodies.
//! `cargo +nightly fuzz run openai`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokamark_wire::openai::{error_in_body, read_body, read_embeddings_body, read_event};
use tokamark_wire::{Answer, EventFlags};

fuzz_target!(|data: &[u8]| {
    let mut event = Answer::default();
    let info = read_event(data, &mut event);
    assert!(std::str::from_utf8(&event.text).is_ok());
    let lens = [info.reasoning_len, info.content_len, info.tool_len];
    assert_eq!(lens.iter().sum::<u32>() as usize, event.text.len());

    let mut body = Answer::default();
    match read_body(data, &mut body) {
        Ok(expected) => {
            assert_eq!(info, expected);
            assert_eq!(event.text, body.text);
            assert_eq!(event.usage, body.usage);
            assert_eq!(event.finish_reason, body.finish_reason);
            assert_eq!(event.error, body.error);
            assert_eq!(event.replaced, body.replaced);
        }
        Err(_) => assert!(info.flags.has(EventFlags::UNKNOWN | EventFlags::EMPTY | EventFlags::DONE)),
    }
    if let Some(error) = error_in_body(data) {
        assert!(!error.message.is_empty());
    }
    let _ = read_embeddings_body(data, &mut body);
});
