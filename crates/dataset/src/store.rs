//! Where conversations lie: each is one JSON text, or several if its rows come apart in the file. Only where the texts
//! lie is kept in memory.

use std::collections::HashMap;
use std::io::{self, Write};

use sha2::{Digest, Sha256};
use tokamark_conversation::Conversation;

use crate::pages::{IN_MEMORY, Pages};

/// What the JSON text of a conversation begins with.
const NAME: &[u8] = br#"{"id":"#;
/// Names beyond this are not told.
const LONGEST_NAME: usize = 4_096;

/// The name of a conversation, shortened so that many fit into memory.
type Key = [u8; 16];

fn key(name: &str) -> Key {
    let digest = Sha256::digest(name.as_bytes());
    std::array::from_fn(|index| digest[index])
}

/// A part of a conversation.
#[derive(Clone, Copy, Debug)]
struct Part {
    conversation: u32,
    length: u32,
    offset: u64,
    /// Its place among the parts of its conversation; equal ones keep the order in which they came.
    order: i64,
    /// When its first turn is due, or NaN.
    start_ms: f64,
}

/// Takes conversations in.
#[derive(Debug)]
pub(crate) struct Writer {
    pages: Pages,
    roots: List,
    children: List,
    digest: Sha256,
}

/// The conversations of one kind.
#[derive(Debug, Default)]
struct List {
    parts: Vec<Part>,
    names: HashMap<Key, u32>,
    count: u32,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self::with_limit(IN_MEMORY)
    }

    pub(crate) fn with_limit(in_memory: usize) -> Self {
        Self { pages: Pages::new(in_memory), roots: List::default(), children: List::default(), digest: Sha256::new() }
    }

    /// Conversations that are played by themselves.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.roots.count)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.roots.names.contains_key(&key(name))
    }

    /// Whether any conversation so far has a name, so that rows that follow may belong to it.
    pub(crate) fn has_names(&self) -> bool {
        !self.roots.names.is_empty()
    }

    /// Keeps a conversation, or more turns of one whose name has been there before.
    pub(crate) fn push(&mut self, conversation: &Conversation, order: i64) -> io::Result<()> {
        self.keep(conversation, order, false)
    }

    /// Keeps a conversation that only others begin.
    pub(crate) fn push_child(&mut self, conversation: &Conversation) -> io::Result<()> {
        self.keep(conversation, 0, true)
    }

    fn keep(&mut self, conversation: &Conversation, order: i64, is_child: bool) -> io::Result<()> {
        let offset = self.pages.len();
        let tail = self.pages.tail();
        let from = tail.len();
        serde_json::to_writer(&mut *tail, conversation)?;
        let text = &tail[from..];
        let length = u32::try_from(text.len())
            .map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "a conversation is longer than 4 GiB"))?;
        let list = if is_child { &mut self.children } else { &mut self.roots };
        let number = match conversation.id.as_str() {
            "" => None,
            name => Some(*list.names.entry(key(name)).or_insert(list.count)),
        }
        .unwrap_or(list.count);
        if number == list.count {
            list.count = list
                .count
                .checked_add(1)
                .ok_or_else(|| io::Error::new(io::ErrorKind::FileTooLarge, "there are 2^32 conversations or more"))?;
        }
        let start_ms = conversation.start_ms.unwrap_or(f64::NAN);
        list.parts.push(Part { conversation: number, length, offset, order, start_ms });
        self.digest.update([u8::from(is_child)]);
        self.digest.update(number.to_le_bytes());
        self.digest.update(order.to_le_bytes());
        self.digest.update(length.to_le_bytes());
        self.digest.update(text);
        self.pages.settle()
    }

    pub(crate) fn finish(self) -> Store {
        let starts_ms = self.roots.starts_ms();
        Store {
            pages: self.pages,
            digest: self.digest.finalize().into(),
            child_names: self.children.names.clone(),
            children: Spans::new(self.children),
            roots: Spans::new(self.roots),
            starts_ms,
        }
    }
}

impl List {
    /// When each conversation begins, if that is known of all.
    fn starts_ms(&self) -> Option<Vec<f64>> {
        let mut starts = vec![(i64::MAX, f64::NAN); self.count as usize];
        for part in self.parts.iter().rev() {
            let start = &mut starts[part.conversation as usize];
            if part.order <= start.0 {
                *start = (part.order, part.start_ms);
            }
        }
        let starts: Vec<f64> = starts.into_iter().map(|(_, start)| start).collect();
        (!starts.is_empty() && starts.iter().all(|start| !start.is_nan())).then_some(starts)
    }
}

/// Where the parts of conversations lie.
#[derive(Debug)]
struct Spans {
    /// The first part of each conversation, and the end; absent if each has one part.
    firsts: Option<Vec<u32>>,
    parts: Vec<(u64, u32)>,
}

impl Spans {
    fn new(list: List) -> Self {
        let List { mut parts, count, .. } = list;
        // Stable, so equal orders keep theirs.
        parts.sort_by_key(|part| (part.conversation, part.order));
        let firsts = (parts.len() != count as usize).then(|| {
            let mut firsts = Vec::with_capacity(count as usize + 1);
            for (index, part) in parts.iter().enumerate() {
                if firsts.len() == part.conversation as usize {
                    firsts.push(index as u32);
                }
            }
            firsts.push(parts.len() as u32);
            firsts
        });
        Self { firsts, parts: parts.iter().map(|part| (part.offset, part.length)).collect() }
    }

    fn len(&self) -> u64 {
        self.firsts.as_ref().map_or(self.parts.len(), |firsts| firsts.len() - 1) as u64
    }

    fn parts(&self, number: u64) -> &[(u64, u32)] {
        let Ok(number) = usize::try_from(number) else { return &[] };
        match &self.firsts {
            None => self.parts.get(number..=number).unwrap_or_default(),
            Some(firsts) => match firsts.get(number..) {
                Some([first, end, ..]) => &self.parts[*first as usize..*end as usize],
                _ => &[],
            },
        }
    }
}

/// Conversations that can be read again, from any thread.
#[derive(Debug)]
pub(crate) struct Store {
    pages: Pages,
    roots: Spans,
    children: Spans,
    child_names: HashMap<Key, u32>,
    starts_ms: Option<Vec<f64>>,
    digest: [u8; 32],
}

impl Store {
    /// Conversations that are played by themselves.
    pub(crate) fn len(&self) -> u64 {
        self.roots.len()
    }

    /// When each conversation begins, if that is known of all.
    pub(crate) fn starts_ms(&self) -> Option<&[f64]> {
        self.starts_ms.as_deref()
    }

    /// SHA-256 of everything that was kept.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    pub(crate) fn conversation(&self, number: u64) -> Result<Conversation, String> {
        self.read(self.roots.parts(number))
    }

    /// The name of a conversation: what its JSON text begins with.
    pub(crate) fn name(&self, number: u64) -> Option<String> {
        let &(offset, length) = self.roots.parts(number).first()?;
        let mut head = vec![0; (length as usize).min(LONGEST_NAME)];
        self.pages.read(offset, &mut head).ok()?;
        let name = head.strip_prefix(NAME)?;
        serde_json::Deserializer::from_slice(name).into_iter::<String>().next()?.ok()
    }

    /// The child of a name.
    pub(crate) fn child(&self, name: &str) -> Option<Result<Conversation, String>> {
        let number = *self.child_names.get(&key(name))?;
        Some(self.read(self.children.parts(number.into())))
    }

    fn read(&self, parts: &[(u64, u32)]) -> Result<Conversation, String> {
        let mut whole: Option<Conversation> = None;
        let mut text = Vec::new();
        for &(offset, length) in parts {
            text.resize(length as usize, 0);
            self.pages.read(offset, &mut text).map_err(|error| error.to_string())?;
            let part: Conversation = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            match &mut whole {
                Some(whole) => whole.turns.extend(part.turns),
                None => whole = Some(part),
            }
        }
        whole.ok_or_else(|| "there is none with this number".to_owned())
    }
}

/// Writes the digits of a digest.
pub(crate) fn hexadecimal(digest: [u8; 32]) -> String {
    let mut text = Vec::with_capacity(64);
    for byte in digest {
        // A vector takes any bytes.
        let _ = write!(text, "{byte:02x}");
    }
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tokamark_conversation::Turn;

    use super::*;

    fn part(id: &str, text: &str, start_ms: Option<f64>) -> Conversation {
        Conversation { start_ms, ..Conversation::single(id.to_owned(), Turn::text(0, text)) }
    }

    fn texts(store: &Store, number: u64) -> Vec<String> {
        let conversation = store.conversation(number).unwrap();
        conversation.turns.iter().flat_map(Turn::texts).map(str::to_owned).collect()
    }

    #[test]
    fn rows_of_one_session_come_together_wherever_they_lie() {
        for limit in [0, 1 << 20] {
            let mut writer = Writer::with_limit(limit);
            for (id, text, start, order) in [
                ("a", "a2", Some(20.0), 2),
                ("", "x", Some(5.0), 0),
                ("b", "b1", Some(7.0), 0),
                ("a", "a1", Some(10.0), 1),
                ("b", "b2", None, 0),
                ("", "y", Some(9.0), 0),
            ] {
                writer.push(&part(id, text, start), order).unwrap();
            }
            let store = writer.finish();
            assert_eq!(store.len(), 4);
            assert_eq!(texts(&store, 0), ["a1", "a2"]);
            assert_eq!(texts(&store, 1), ["x"]);
            assert_eq!(texts(&store, 2), ["b1", "b2"]);
            assert_eq!(texts(&store, 3), ["y"]);
            assert_eq!(store.starts_ms(), Some(&[10.0, 5.0, 7.0, 9.0][..]));
            assert!(store.conversation(4).is_err());
        }
    }

    #[test]
    fn one_conversation_without_a_time_leaves_no_schedule() {
        let mut writer = Writer::new();
        writer.push(&part("", "x", Some(0.0)), 0).unwrap();
        writer.push(&part("", "y", None), 0).unwrap();
        assert_eq!(writer.finish().starts_ms(), None);
        assert_eq!(Writer::new().finish().starts_ms(), None);
    }

    #[test]
    fn children_have_names_only() {
        let mut writer = Writer::new();
        writer.push_child(&part("c", "child", None)).unwrap();
        writer.push(&part("r", "root", None), 0).unwrap();
        let store = writer.finish();
        assert_eq!(store.len(), 1);
        assert_eq!(store.child("c").unwrap().unwrap().id, "c");
        assert!(store.child("r").is_none());
    }

    #[test]
    fn the_digest_is_that_of_the_content() {
        let digest = |texts: &[&str]| {
            let mut writer = Writer::new();
            for text in texts {
                writer.push(&part("", text, None), 0).unwrap();
            }
            hexadecimal(writer.finish().digest())
        };
        assert_eq!(digest(&["a", "b"]), digest(&["a", "b"]));
        assert_ne!(digest(&["a", "b"]), digest(&["b", "a"]));
        assert_eq!(digest(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
