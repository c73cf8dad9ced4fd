//! When the scrapes were.

use super::page_samples::Scrape;
use super::varint;

/// The instants of the scrapes, as the time between them and the time each took.
#[derive(Clone, Debug, Default)]
pub(super) struct Instants {
    bytes: Vec<u8>,
    last_ns: u64,
    len: usize,
}

impl Instants {
    /// Appends a scrape. Scrapes of one page follow each other, so an earlier start is taken for the last end.
    pub(super) fn push(&mut self, scrape: Scrape) {
        let before = scrape.before_ns.max(self.last_ns);
        let after = scrape.after_ns.max(before);
        varint::write(&mut self.bytes, before - self.last_ns);
        varint::write(&mut self.bytes, after - before);
        self.last_ns = after;
        self.len += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Scrape> + '_ {
        let mut bytes = self.bytes.as_slice();
        let mut last = 0;
        (0..self.len).map(move |_| {
            let before_ns = last + varint::read(&mut bytes);
            last = before_ns + varint::read(&mut bytes);
            Scrape { before_ns, after_ns: last }
        })
    }

    pub(super) fn only(&self, keep: &[bool]) -> Self {
        let mut kept = Self::default();
        self.iter().zip(keep).filter(|(_, keep)| **keep).for_each(|(scrape, _)| kept.push(scrape));
        kept
    }
}
