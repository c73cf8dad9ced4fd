//! The first tier: deltas.

use crate::members::{Role, Seen, one_text, plain, skip_other, text};
use crate::scan::{RawStr, Scanner};
use crate::{Answer, EventInfo};

/// Reads a delta, or leaves the answer as it was and gives nothing.
pub(crate) fn read(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let event = std::str::from_utf8(data).ok()?;
    let mut scanner = Scanner::new(event);
    let mut seen = Seen::default();
    let mut delta = Delta::default();
    scanner.object(|scanner, key| match plain(key)? {
        b"type" => {
            seen.first(0)?;
            (plain(scanner.string()?)? == b"content_block_delta").then_some(())
        }
        b"delta" => {
            seen.first(1)?;
            delta.read(scanner)
        }
        b"usage" => None,
        key => skip_other(scanner, key),
    })?;
    if !scanner.is_at_end() || !seen.has(0) || !seen.has(1) {
        return None;
    }
    match delta.kind? {
        b"text_delta" => one_text(Role::Content, delta.text, answer),
        b"thinking_delta" => one_text(Role::Reasoning, delta.thinking, answer),
        b"input_json_delta" => one_text(Role::Tool, delta.partial_json, answer),
        _ => None,
    }
}

#[derive(Default)]
struct Delta<'a> {
    kind: Option<&'a [u8]>,
    text: Option<RawStr<'a>>,
    thinking: Option<RawStr<'a>>,
    partial_json: Option<RawStr<'a>>,
}

impl<'a> Delta<'a> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let mut seen = Seen::default();
        scanner.object(|scanner, key| {
            match plain(key)? {
                b"type" => {
                    seen.first(0)?;
                    self.kind = Some(plain(scanner.string()?)?);
                }
                b"text" => {
                    seen.first(1)?;
                    self.text = text(scanner)?;
                }
                b"thinking" => {
                    seen.first(2)?;
                    self.thinking = text(scanner)?;
                }
                b"partial_json" => {
                    seen.first(3)?;
                    self.partial_json = text(scanner)?;
                }
                _ => scanner.skip_value()?,
            }
            Some(())
        })
    }
}
