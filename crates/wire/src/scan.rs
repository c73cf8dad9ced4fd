//! A pull scanner for JSON that builds nothing. It accepts a subset of what `serde_json` accepts and gives up (`None`) at
//! anything else: its user then parses the text properly.

/// Deeper nesting is left to the parser.
const MAX_DEPTH: u32 = 32;
/// Longer numbers are left to the parser, which knows what is out of range.
const MAX_NUMBER: usize = 32;

/// A position in a text that is known to be UTF-8.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A string as it stands in the text, without its quotes. Its escapes are known to be valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawStr<'a> {
    pub(crate) raw: &'a [u8],
    pub(crate) has_escapes: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    /// Steps over a `null`, if there is one.
    pub(crate) fn eat_null(&mut self) -> bool {
        self.literal(b"null").is_some()
    }

    /// Walks an object; `member` gets each key and must step over its value.
    pub(crate) fn object(&mut self, mut member: impl FnMut(&mut Self, RawStr<'a>) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        self.skip_space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.skip_space();
            self.eat(b':')?;
            self.skip_space();
            member(self, key)?;
            self.skip_space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
            self.skip_space();
        }
    }

    /// Walks a list; `item` must step over each item.
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        self.skip_space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_space();
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
            self.skip_space();
        }
    }

    /// Steps over a value of any kind.
    pub(crate) fn skip_value(&mut self) -> Option<()> {
        self.skip_nested(0)
    }

    /// Steps over a value and gives its text.
    pub(crate) fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_value()?;
        self.bytes.get(start..self.at)
    }

    fn skip_nested(&mut self, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' => self.object(|scanner, _| scanner.skip_nested(depth + 1)),
            b'[' => self.list(|scanner| scanner.skip_nested(depth + 1)),
            b'n' => self.literal(b"null"),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            _ => self.number(),
        }
    }

    /// Steps over a whole number that is not negative and not big, and gives it.
    pub(crate) fn count(&mut self) -> Option<u64> {
        const MOST_DIGITS: usize = 15;
        let start = self.at;
        self.number()?;
        let text = self.bytes.get(start..self.at)?;
        if text.len() > MOST_DIGITS {
            return None;
        }
        text.iter().try_fold(0, |count, digit| digit.is_ascii_digit().then(|| count * 10 + u64::from(digit - b'0')))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// A number without an exponent.
    fn number(&mut self) -> Option<()> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        let leads_with_zero = self.peek()? == b'0';
        let whole = self.digits();
        if whole == 0 || (leads_with_zero && whole > 1) {
            return None;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        let has_exponent = matches!(self.peek(), Some(b'e' | b'E'));
        (!has_exponent && self.at - start <= MAX_NUMBER).then_some(())
    }

    /// A string, quotes included.
    pub(crate) fn string(&mut self) -> Option<RawStr<'a>> {
        self.eat(b'"')?;
        let start = self.at;
        let mut has_escapes = false;
        loop {
            self.skip_plain();
            match self.peek()? {
                b'"' => {
                    let raw = self.bytes.get(start..self.at)?;
                    self.at += 1;
                    return Some(RawStr { raw, has_escapes });
                }
                b'\\' => {
                    has_escapes = true;
                    self.escape()?;
                }
                _ => return None,
            }
        }
    }

    /// Steps over bytes that are neither a quote, a backslash nor a control character, eight at a time.
    #[inline]
    fn skip_plain(&mut self) {
        const ONES: u64 = u64::MAX / 255;
        const HIGHS: u64 = ONES * 128;
        while let Some(chunk) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*chunk);
            // A byte of these has its high bit set if it is the one looked for; bytes above the first such one may err.
            let quote = word ^ (ONES * u64::from(b'"'));
            let slash = word ^ (ONES * u64::from(b'\\'));
            let hits = (quote.wrapping_sub(ONES) & !quote)
                | (slash.wrapping_sub(ONES) & !slash)
                | (word.wrapping_sub(ONES * 0x20) & !word);
            let hits = hits & HIGHS;
            if hits != 0 {
                self.at += (hits.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
        while self.peek().is_some_and(|b| b >= 0x20 && b != b'"' && b != b'\\') {
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let (_, len) = unicode_escape(self.bytes.get(self.at..)?)?;
                self.at += len;
            }
            _ => return None,
        }
        Some(())
    }
}

/// The character of the `\uXXXX`, or the pair of them, that `text` begins with, and their length. None for a lone surrogate.
fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let unit = code_unit(text)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, 6));
    }
    let low = code_unit(text.get(6..)?)?;
    if !(0xD800..0xDC00).contains(&unit) || !(0xDC00..0xE000).contains(&low) {
        return None;
    }
    char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)).map(|character| (character, 12))
}

fn code_unit(text: &[u8]) -> Option<u32> {
    let [b'\\', b'u', hex @ ..] = text.first_chunk::<6>()? else { return None };
    hex.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}

impl RawStr<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Appends the decoded text.
    pub(crate) fn decode_into(&self, out: &mut Vec<u8>) -> Option<()> {
        if !self.has_escapes {
            out.extend_from_slice(self.raw);
            return Some(());
        }
        let mut rest = self.raw;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            out.extend_from_slice(&rest[..at]);
            rest = &rest[at..];
            let (byte, len) = match rest.get(1)? {
                b'b' => (0x08, 2),
                b'f' => (0x0C, 2),
                b'n' => (b'\n', 2),
                b'r' => (b'\r', 2),
                b't' => (b'\t', 2),
                b'u' => {
                    let (character, len) = unicode_escape(rest)?;
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = rest.get(len..)?;
                    continue;
                }
                other => (*other, 2),
            };
            out.push(byte);
            rest = &rest[len..];
        }
        out.extend_from_slice(rest);
        Some(())
    }
}
