//! JSON as Python's `json.dump` writes it: its numbers, its escapes, and its spaces.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, PrettyFormatter, Serializer};

use crate::number_text::repr;

/// Writes a value, with an indent of two spaces or in one line.
pub(crate) fn write<W: Write>(out: W, value: &impl Serialize, is_pretty: bool) -> io::Result<()> {
    let formatter = Python { pretty: is_pretty.then(PrettyFormatter::new) };
    value.serialize(&mut Serializer::with_formatter(out, formatter)).map_err(Into::into)
}

struct Python {
    pretty: Option<PrettyFormatter<'static>>,
}

/// Passes a call on to the indenting formatter, or writes the text of the one-line form.
macro_rules! layout {
    ($($name:ident($($argument:ident: $kind:ty),*) => $text:expr;)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W, $($argument: $kind),*) -> io::Result<()> {
            match &mut self.pretty {
                Some(pretty) => pretty.$name(writer, $($argument),*),
                None => writer.write_all($text.as_bytes()),
            }
        })*
    };
}

impl Formatter for Python {
    layout! {
        begin_array() => "[";
        end_array() => "]";
        begin_object() => "{";
        end_object() => "}";
        begin_array_value(is_first: bool) => if is_first { "" } else { ", " };
        begin_object_key(is_first: bool) => if is_first { "" } else { ", " };
        begin_object_value() => ": ";
        end_array_value() => "";
        end_object_value() => "";
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(repr(value).as_bytes())
    }

    /// Everything beyond ASCII is escaped, as UTF-16.
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|character: char| !character.is_ascii()) {
            let (plain, from) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let mut characters = from.chars();
            if let Some(character) = characters.next() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
            rest = characters.as_str();
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::AsciiControl(byte) => write!(writer, "\\u{byte:04x}"),
            CharEscape::Quote => writer.write_all(b"\\\""),
            CharEscape::ReverseSolidus => writer.write_all(b"\\\\"),
            CharEscape::Solidus => writer.write_all(b"/"),
            CharEscape::Backspace => writer.write_all(b"\\b"),
            CharEscape::FormFeed => writer.write_all(b"\\f"),
            CharEscape::LineFeed => writer.write_all(b"\\n"),
            CharEscape::CarriageReturn => writer.write_all(b"\\r"),
            CharEscape::Tab => writer.write_all(b"\\t"),
        }
    }
}
