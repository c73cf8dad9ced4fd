//! Texts of exactly so many tokens.

mod coding;
mod compose;
mod pool;
mod prose;
mod template;
mod unit;
mod windows;
mod words;

use tokamark_plan::Corpus;
use tokamark_tokenizer::Tokenizer;

use compose::{adjust, compose};
use pool::Pool;
use windows::{Window, Windows};
use words::Words;

use crate::random::{Stream, Streams};

/// A text and the tokens that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) text: String,
    pub(crate) tokens: u64,
    /// It ends so that nothing appended behind a space changes its tokens.
    ends_plain: bool,
}

impl Made {
    /// A text as it is.
    pub(crate) fn given(tokenizer: &Tokenizer, text: String) -> Self {
        let tokens = tokenizer.count(&text) as u64;
        Self { text, tokens, ends_plain: false }
    }

    /// Appends a text of words behind a space, if anything stands before it.
    pub(crate) fn push(&mut self, words: &str, tokens: u64) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        self.text.push_str(words);
        self.tokens += tokens;
        self.ends_plain = true;
    }
}

/// Makes texts for a tokenizer.
#[derive(Clone, Debug)]
pub(crate) struct Maker {
    tokenizer: Tokenizer,
    pool: Pool,
    /// The running text that takes the place of random words.
    windows: Option<Windows>,
    /// First words, in an order of the seed's.
    first: Vec<u32>,
    /// Where the second words begin for each first one.
    second: Vec<u32>,
}

impl Maker {
    /// Random words.
    pub(crate) fn words(tokenizer: Tokenizer, seed: u64) -> Self {
        let pool = Pool::new(&tokenizer);
        let heads = Streams::new(seed, "heads");
        let words = pool.words.len() as u32;
        let (first, second) = (heads.row(0).shuffled(words), heads.row(1).shuffled(words));
        Self { tokenizer, pool, windows: None, first, second }
    }

    /// What a corpus has; a text of the user's takes the place of the prose. Of the random corpus these are the words that
    /// fill up.
    pub(crate) fn new(tokenizer: Tokenizer, corpus: Corpus, text: Option<String>, seed: u64) -> Self {
        let mut maker = Self::words(tokenizer, seed);
        let text = match corpus {
            Corpus::Words | Corpus::Random => None,
            Corpus::Prose => Some(text.unwrap_or_else(prose::text)),
            Corpus::Coding => Some(coding::text()),
        };
        maker.windows = text.map(|text| Windows::new(text, &maker.tokenizer, &maker.pool.crossings));
        maker
    }

    /// The tokenizer that counts.
    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Whether it is random words that are made.
    pub(crate) fn is_words(&self) -> bool {
        self.windows.is_none()
    }

    /// A text of `wanted` tokens in all that goes on from what is there. It has one token more than that at least.
    ///
    /// Of random words, those of the head come first: a code of a number. No two texts begin with the same two words
    /// until all pairs (over a million with most vocabularies) are used up. That makes them distinct however short they
    /// are and keeps them from sharing a prefix that a server could have cached.
    pub(crate) fn text(&self, beginning: &Made, wanted: u64, head: Option<[u32; 2]>, stream: &mut Stream) -> Made {
        let wanted = wanted.max(beginning.tokens + 1);
        let can_join = beginning.text.is_empty() || beginning.ends_plain || self.joins(beginning);
        let pool = &self.pool;
        match &self.windows {
            None => {
                let head = head.map_or_else(Vec::new, |head| head.to_vec()).into_iter();
                let trusted = pool.is_additive && can_join;
                compose(&self.tokenizer, pool, beginning, wanted, &mut Words { pool, head }, trusted, stream)
            }
            Some(windows) => {
                let trusted = pool.is_additive && windows.is_additive && can_join;
                let mut window = Window { windows, tokenizer: &self.tokenizer, at: None };
                compose(&self.tokenizer, pool, beginning, wanted, &mut window, trusted, stream)
            }
        }
    }

    /// A text that another is appended to, whose words are not to change.
    pub(crate) fn joined(&self, first: Made, words: &Made) -> Made {
        if words.text.is_empty() {
            return first;
        }
        let can_join = words.ends_plain && self.joins(&first);
        let mut joined = first;
        joined.push(&words.text, words.tokens);
        if can_join { joined } else { Made::given(&self.tokenizer, joined.text) }
    }

    /// Whether words behind a text add up with it, whichever they are.
    fn joins(&self, beginning: &Made) -> bool {
        let space = if beginning.text.ends_with('\n') { "" } else { " " };
        let sample = self.pool.words.iter().step_by(self.pool.words.len().div_ceil(8).max(1));
        self.pool.is_additive
            && sample.take(8).all(|word| {
                let joined = format!("{}{space}{}", beginning.text, word.text);
                self.tokenizer.count(&joined) as u64 == beginning.tokens + 1
            })
    }

    /// Brings a text to a length by its end.
    pub(crate) fn adjusted(&self, text: &str, wanted: u64) -> Made {
        adjust(&self.tokenizer, &self.pool, text, wanted)
    }

    /// A text with the tokens that it has, brought to a length by its end if they are others.
    pub(crate) fn checked(&self, text: String, wanted: u64) -> Made {
        let made = Made::given(&self.tokenizer, text);
        if made.tokens == wanted { made } else { self.adjusted(&made.text, wanted) }
    }

    /// Whether random words add up token by token, wherever they stand.
    pub(crate) fn adds_up(&self) -> bool {
        self.pool.is_additive && self.windows.is_none()
    }

    /// A word as text.
    pub(crate) fn anchor(&self) -> Made {
        let word = self.pool.words.first().map_or("a", |word| word.text);
        Made::given(&self.tokenizer, word.to_owned())
    }

    /// The head of the `number`th text, counted from the front or from the back of all heads.
    pub(crate) fn head(&self, number: u64, from_back: bool) -> [u32; 2] {
        let words = self.first.len() as u64;
        let pairs = words * words;
        let pair = if from_back { pairs - 1 - number % pairs } else { number % pairs };
        let (round, word) = (pair / words, (pair % words) as usize);
        [self.first[word], ((u64::from(self.second[word]) + round) % words) as u32]
    }
}
