//! The first tier: the common shapes of an event, read in one pass over its bytes.
//!
//! It gives up at whatever could make it differ from the tree: more than one choice, a key that is there twice or is written
//! with escapes, a value of an uncommon type, an error, an extension that carries counts, or invalid JSON.

use super::tree::{Marks, push_tool_calls};
use crate::members::{Seen, null, plain, text};
use crate::scan::{RawStr, Scanner};
use crate::{Answer, EventInfo, Usage, usage};

/// Reads an event, or leaves the answer as it was and gives nothing.
pub(crate) fn read(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let text = std::str::from_utf8(data).ok()?;
    let found = Found::in_event(text)?;
    let counts = match found.usage {
        Some(span) => match plain_usage(span) {
            Some(counts) => counts,
            None => usage::usage_in(&serde_json::from_slice(span).ok()?),
        },
        None => None,
    };
    let mut calls = String::new();
    if let Some(span) = found.delta.tool_calls {
        push_tool_calls(&serde_json::from_slice(span).ok()?, &mut calls);
    }

    let start = answer.text.len();
    let Some((reasoning_len, content_len)) = found.append_text(&mut answer.text) else {
        answer.text.truncate(start);
        return None;
    };
    answer.text.extend_from_slice(calls.as_bytes());
    if let Some(counts) = counts {
        answer.usage = Some(counts);
    }
    if let Some(reason) = found.finish {
        let mut reason_text = answer.finish_reason.take().unwrap_or_default();
        reason_text.clear();
        reason_text.push_str(reason);
        answer.finish_reason = Some(reason_text);
    }
    let marks = Marks { role: found.delta.has_role, finish: found.finish.is_some(), usage: counts.is_some() };
    Some(EventInfo::of_choices(reasoning_len, content_len, calls.len(), &marks, true))
}

/// Token counts of the usual three names and no more: what a server sends that counts on each event.
fn plain_usage(span: &[u8]) -> Option<Option<Usage>> {
    let mut scanner = Scanner::new(std::str::from_utf8(span).ok()?);
    let mut seen = Seen::default();
    let mut counts = Usage::default();
    scanner.object(|scanner, key| {
        match plain(key)? {
            b"prompt_tokens" => {
                seen.first(0)?;
                counts.prompt = Some(scanner.count()?);
            }
            b"completion_tokens" => {
                seen.first(1)?;
                counts.completion = Some(scanner.count()?);
            }
            b"total_tokens" => {
                seen.first(2)?;
                counts.total = Some(scanner.count()?);
            }
            // Anything else may be there if it is absent in meaning.
            _ => null(scanner)?,
        }
        Some(())
    })?;
    Some((counts != Usage::default()).then_some(counts))
}

/// What an event holds, as it stands in the text.
#[derive(Default)]
struct Found<'a> {
    usage: Option<&'a [u8]>,
    finish: Option<&'a str>,
    delta: Delta<'a>,
    /// The text of a choice of the completions endpoint.
    text: Option<RawStr<'a>>,
}

#[derive(Default)]
struct Delta<'a> {
    has_role: bool,
    content: Option<RawStr<'a>>,
    reasoning_content: Option<RawStr<'a>>,
    reasoning: Option<RawStr<'a>>,
    tool_calls: Option<&'a [u8]>,
}

impl<'a> Found<'a> {
    fn in_event(text: &'a str) -> Option<Self> {
        const CHOICES: u32 = 0;
        let mut scanner = Scanner::new(text);
        let mut found = Self::default();
        let mut seen = Seen::default();
        scanner.object(|scanner, key| match plain(key)? {
            b"choices" => {
                seen.first(CHOICES)?;
                let mut count = 0;
                scanner.list(|scanner| {
                    count += 1;
                    if count > 1 {
                        return None;
                    }
                    found.choice(scanner)
                })
            }
            b"usage" => {
                seen.first(1)?;
                found.usage = if scanner.eat_null() { None } else { Some(scanner.value()?) };
                Some(())
            }
            b"object" => {
                seen.first(2)?;
                let object = scanner.string()?;
                (plain(object)? != b"error").then_some(())
            }
            b"error" => {
                seen.first(3)?;
                null(scanner)
            }
            b"x_groq" => {
                seen.first(4)?;
                null(scanner)
            }
            _ => scanner.skip_value(),
        })?;
        (scanner.is_at_end() && seen.has(CHOICES)).then_some(found)
    }

    fn choice(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let mut seen = Seen::default();
        let mut has_delta = false;
        scanner.object(|scanner, key| match plain(key)? {
            b"delta" => {
                seen.first(0)?;
                has_delta = !scanner.eat_null();
                if has_delta { self.delta.read(scanner) } else { Some(()) }
            }
            b"text" => {
                seen.first(1)?;
                self.text = text(scanner)?;
                Some(())
            }
            b"finish_reason" => {
                seen.first(2)?;
                self.finish = match text(scanner)? {
                    Some(reason) => Some(std::str::from_utf8(plain(reason)?).ok()?),
                    None => None,
                };
                Some(())
            }
            b"message" => {
                seen.first(3)?;
                null(scanner)
            }
            b"usage" => {
                seen.first(4)?;
                null(scanner)
            }
            _ => scanner.skip_value(),
        })?;
        // The tree lets one of them go before the other.
        (!has_delta || self.text.is_none()).then_some(())
    }

    /// Appends reasoning and content; gives their lengths.
    fn append_text(&self, out: &mut Vec<u8>) -> Option<(usize, usize)> {
        let start = out.len();
        if let Some(reasoning) = self.delta.reasoning_content.or(self.delta.reasoning) {
            reasoning.decode_into(out)?;
        }
        let middle = out.len();
        if let Some(content) = self.delta.content.or(self.text) {
            content.decode_into(out)?;
        }
        Some((middle - start, out.len() - middle))
    }
}

impl<'a> Delta<'a> {
    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<()> {
        let mut seen = Seen::default();
        scanner.object(|scanner, key| {
            match plain(key)? {
                b"content" => {
                    seen.first(0)?;
                    self.content = text(scanner)?;
                }
                b"role" => {
                    seen.first(1)?;
                    self.has_role = text(scanner)?.is_some();
                }
                b"reasoning_content" => {
                    seen.first(2)?;
                    self.reasoning_content = text(scanner)?;
                }
                b"reasoning" => {
                    seen.first(3)?;
                    self.reasoning = text(scanner)?;
                }
                b"tool_calls" => {
                    seen.first(4)?;
                    self.tool_calls = if scanner.eat_null() { None } else { Some(scanner.value()?) };
                }
                b"refusal" => {
                    seen.first(5)?;
                    if text(scanner)?.is_some() {
                        return None;
                    }
                }
                b"function_call" => {
                    seen.first(6)?;
                    null(scanner)?;
                }
                _ => return scanner.skip_value(),
            }
            Some(())
        })
    }
}
