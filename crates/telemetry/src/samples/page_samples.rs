//! The samples of one page over time.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::column::Column;
use super::instants::Instants;
use super::series::Series;
use crate::exposition::{self, FamilyKind, Line, LineError, Sample};
use crate::gpu::{GpuFields, identity_labels, is_blank};

/// Series of one page beyond these are not kept: a server whose labels never end must not fill the memory.
const MAX_SERIES: usize = 20_000;
/// How often, in scrapes, the memory is counted.
const COUNT_EVERY: usize = 64;

/// What a page is about.
#[derive(Clone, Debug)]
pub enum PageKind {
    /// GPUs, as DCGM-exporter shows them: these fields are kept, by GPU.
    Gpu(Arc<GpuFields>),
    /// Anything a server says of itself: everything is kept.
    Server,
}

/// The two readings of the clock around a scrape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scrape {
    /// Before the request.
    pub(crate) before_ns: u64,
    /// After the page was read.
    pub(crate) after_ns: u64,
}

impl Scrape {
    /// The instant that the page is taken to speak of.
    pub(crate) fn at_ns(self) -> u64 {
        self.before_ns + (self.after_ns - self.before_ns) / 2
    }
}

/// What HELP, TYPE and UNIT said of a family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Family {
    pub(crate) kind: FamilyKind,
    pub(crate) help: Box<str>,
    pub(crate) unit: Box<str>,
}

/// Lines that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLines {
    /// How many, over all scrapes.
    pub count: u64,
    /// The line number of the first, in its page.
    pub line: usize,
    /// What was wrong with it.
    pub error: LineError,
}

/// What one page said, scrape after scrape. Memory is bounded: when the limit is reached, every second scrape is let go,
/// and from then on only every second one is kept.
#[derive(Clone, Debug)]
pub struct PageSamples {
    url: String,
    kind: PageKind,
    max_bytes: usize,
    instants: Instants,
    series: Vec<Series>,
    /// Series by their text in the page; `None` is not kept.
    by_text: FxHashMap<Box<str>, Option<u32>>,
    /// Series by what they are, whatever the order of their labels.
    by_key: FxHashMap<Box<str>, u32>,
    families: FxHashMap<Box<str>, Family>,
    bad_lines: Option<BadLines>,
    offered: u64,
    stride: u64,
    /// Scrapes that are kept whatever the stride.
    borders: Vec<usize>,
}

impl PageSamples {
    /// No samples yet. `url` names the page in reports, so it must hold no password.
    #[must_use]
    pub fn new(url: impl Into<String>, kind: PageKind, max_bytes: usize) -> Self {
        Self {
            url: url.into(),
            kind,
            max_bytes,
            instants: Instants::default(),
            series: Vec::new(),
            by_text: FxHashMap::default(),
            by_key: FxHashMap::default(),
            families: FxHashMap::default(),
            bad_lines: None,
            offered: 0,
            stride: 1,
            borders: Vec::new(),
        }
    }

    /// Takes a page in. `before_ns` and `after_ns` are the readings of the monotonic clock around its request.
    pub fn push(&mut self, before_ns: u64, after_ns: u64, page: &str) {
        let due = self.offered.is_multiple_of(self.stride);
        self.offered += 1;
        if due {
            self.take(Scrape { before_ns, after_ns }, page);
        }
    }

    /// Takes a page in that marks a border of a phase: it is kept however thin the others are.
    pub fn push_border(&mut self, before_ns: u64, after_ns: u64, page: &str) {
        self.borders.push(self.instants.len());
        self.take(Scrape { before_ns, after_ns }, page);
    }

    fn take(&mut self, scrape: Scrape, page: &str) {
        let index = self.instants.len();
        self.instants.push(scrape);
        for (number, line) in exposition::lines(page) {
            match line {
                Ok(Line::Sample(sample)) => self.take_sample(index, &sample),
                Ok(Line::Type { name, kind }) => self.note(&name, |family| family.kind = kind),
                Ok(Line::Help { name, text }) => self.note(&name, |family| {
                    if family.help.is_empty() {
                        family.help = text.into();
                    }
                }),
                Ok(Line::Unit { name, unit }) => self.note(&name, |family| {
                    if *family.unit != *unit {
                        family.unit = unit.into();
                    }
                }),
                Ok(Line::Comment | Line::Eof) => {}
                Err(error) => {
                    self.bad_lines.get_or_insert(BadLines { count: 0, line: number, error }).count += 1;
                }
            }
        }
        if index % COUNT_EVERY == COUNT_EVERY - 1 && self.bytes() > self.max_bytes {
            self.thin();
        }
    }

    /// Notes what a line says of a family.
    fn note(&mut self, name: &str, note: impl FnOnce(&mut Family)) {
        if let Some(family) = self.families.get_mut(name) {
            note(family);
        } else if self.families.len() < MAX_SERIES {
            let mut family = Family::default();
            note(&mut family);
            self.families.insert(name.into(), family);
        }
    }

    fn take_sample(&mut self, index: usize, sample: &Sample<'_>) {
        let known = match self.by_text.get(sample.series) {
            Some(known) => *known,
            None => self.find_series(sample),
        };
        let Some(series) = known.and_then(|known| self.series.get_mut(known as usize)) else { return };
        if matches!(self.kind, PageKind::Gpu(_)) && is_blank(sample.value) {
            return;
        }
        // A page may show one GPU several times, once for each pod on it: the first counts.
        if series.column.len() <= index {
            series.column.pad(index);
            series.column.push(Some(sample.value));
        }
    }

    /// The series of a text that is new, made if there is none.
    fn find_series(&mut self, sample: &Sample<'_>) -> Option<u32> {
        if self.by_text.len() > 4 * MAX_SERIES {
            self.by_text.clear();
        }
        let key = match &self.kind {
            PageKind::Gpu(fields) if fields.find(&sample.name).is_none() => None,
            PageKind::Gpu(_) => Some(key(sample, &identity_labels(sample))),
            PageKind::Server => {
                let mut labels: Vec<_> =
                    sample.labels.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
                labels.sort_unstable();
                Some(key(sample, &labels))
            }
        };
        let found = key.and_then(|key| match self.by_key.get(key.as_str()) {
            Some(known) => Some(*known),
            None if self.series.len() < MAX_SERIES => {
                let number = u32::try_from(self.series.len()).ok()?;
                self.series.push(Series {
                    name: sample.name.as_ref().into(),
                    labels: sample
                        .labels
                        .iter()
                        .map(|(name, value)| (name.as_ref().into(), value.as_ref().into()))
                        .collect(),
                    column: Column::default(),
                });
                self.by_key.insert(key.into(), number);
                Some(number)
            }
            None => None,
        });
        self.by_text.insert(sample.series.into(), found);
        found
    }

    /// Memory of the values and instants.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.instants.bytes() + self.series.iter().map(|series| series.column.bytes()).sum::<usize>()
    }

    fn thin(&mut self) {
        let mut keep: Vec<bool> = (0..self.instants.len()).map(|at| at % 2 == 0).collect();
        for border in &self.borders {
            if let Some(keep) = keep.get_mut(*border) {
                *keep = true;
            }
        }
        for border in &mut self.borders {
            *border = keep.iter().take(*border).filter(|kept| **kept).count();
        }
        self.instants = self.instants.only(&keep);
        for series in &mut self.series {
            series.column = series.column.only(&keep);
        }
        self.stride *= 2;
    }

    /// The page's name.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the page is about.
    #[must_use]
    pub fn kind(&self) -> &PageKind {
        &self.kind
    }

    /// Its series, in the order in which they appeared.
    #[must_use]
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Lines that could not be read, if any.
    #[must_use]
    pub fn bad_lines(&self) -> Option<BadLines> {
        self.bad_lines
    }

    /// Scrapes for one that is kept: 1 unless memory ran short.
    #[must_use]
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Scrapes kept: the readings of the monotonic clock before and after each.
    pub fn scrapes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.instants.iter().map(|scrape| (scrape.before_ns, scrape.after_ns))
    }

    pub(crate) fn scrape_list(&self) -> Vec<Scrape> {
        self.instants.iter().collect()
    }

    pub(crate) fn family_of(&self, name: &str) -> Option<&Family> {
        self.families.get(name)
    }
}

/// A text that two series share only if they are one.
fn key(sample: &Sample<'_>, labels: &[(&str, &str)]) -> String {
    let mut key = sample.name.to_string();
    for (name, value) in labels {
        // Lengths keep apart what separators could not.
        let _ = write!(key, "\n{}:{name}{}:{value}", name.len(), value.len());
    }
    key
}
