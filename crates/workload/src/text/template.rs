//! Text from rules: `{name}` in a rule's alternative stands for any alternative of that name's rule.

use crate::random::{Stream, Streams};

/// Rules refer to others so deep at most; what would lie deeper is left out.
const DEPTH: u32 = 16;

/// Rules by their names, each with its alternatives.
pub(super) type Rules = &'static [(&'static str, &'static [&'static str])];

/// Writes texts, the same ones for the same purpose.
#[derive(Debug)]
pub(super) struct Writer {
    rules: Rules,
    stream: Stream,
}

impl Writer {
    pub(super) fn new(purpose: &str, rules: Rules) -> Self {
        Self { rules, stream: Streams::new(0, purpose).row(0) }
    }

    /// The text of a template.
    pub(super) fn write(&mut self, template: &str) -> String {
        let mut text = String::new();
        self.append(template, DEPTH, &mut text);
        text
    }

    /// Uniform in `0..limit`.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.stream.below(limit)
    }

    fn append(&mut self, template: &str, depth: u32, text: &mut String) {
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((name, behind)) = after.split_once('}') else { break };
            match name {
                // Code has braces of its own.
                "open" => text.push('{'),
                "close" => text.push('}'),
                "digit" => text.push(char::from(b'0' + self.stream.below(10) as u8)),
                "hex" => text.push_str(&format!("{:08x}", self.stream.below(u32::MAX))),
                _ => {
                    let rule = self.rules.iter().find(|(rule, _)| *rule == name);
                    let alternatives = rule.map_or(&[][..], |(_, alternatives)| alternatives);
                    let drawn = self.stream.below(alternatives.len() as u32) as usize;
                    if let Some(alternative) = alternatives.get(drawn).filter(|_| depth > 0) {
                        self.append(alternative, depth - 1, text);
                    }
                }
            }
            rest = behind;
        }
        text.push_str(rest);
    }
}
