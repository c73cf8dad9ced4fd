//! Prompts of random ids, drawn as the random datasets of vLLM and SGLang draw them with the same seed.
//!
//! vLLM takes all prompt lengths, then all answer lengths, then all offsets from one generator; after them come its
//! prefixes, and for each prompt in turn the ids that make up for those that were merged when its text was encoded again. So a
//! prompt depends on those before it: the generator's state before each is kept when it has been found. Where vLLM gives up on
//! a length, the end of the text is adjusted until it fits.

use std::sync::{Arc, Mutex, PoisonError};

use tokamark_plan::RandomStyle;

use crate::random::numpy::{Integers, Mt19937, Pcg64};
use crate::random::{Place, Streams};
use crate::text::{Made, Maker};
use crate::turn_lengths::Windows;

/// Rounds after which vLLM gives up on a length.
const ROUNDS: u32 = 10;

/// What all prompts of random ids have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub(crate) style: RandomStyle,
    pub(crate) seed: u64,
    /// Conversations whose draws are made beforehand; those behind them have draws of their own.
    pub(crate) rows: u64,
    pub(crate) windows: Option<Windows>,
    /// Prefixes and the tokens of each.
    pub(crate) prefixes: (u64, u64),
}

/// Makes prompts of random ids.
#[derive(Debug)]
pub(crate) struct Ids {
    maker: Arc<Maker>,
    allowed: Vec<u32>,
    /// Limit of the offsets.
    vocabulary: u64,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    offsets: Vec<u64>,
    prefixes: Vec<Made>,
    /// vLLM's generator before each prompt, as far as that has been found; none for SGLang, which draws nothing more.
    chain: Option<Mutex<Vec<Pcg64>>>,
    others: Streams,
}

impl Ids {
    pub(crate) fn new(maker: Arc<Maker>, spec: Spec) -> Self {
        let tokenizer = maker.tokenizer();
        let ordinary = tokenizer.ordinary_ids();
        let size = tokenizer.vocabulary_size() as u64;
        let count = usize::try_from(spec.rows).unwrap_or(usize::MAX);
        let vocabulary = base_size(&ordinary, size);
        let is_base = |id: &u32| u64::from(*id) < vocabulary;
        let (allowed, mut vllm, mut sglang): (Vec<u32>, _, _) = match spec.style {
            RandomStyle::Vllm => (ordinary.into_iter().filter(is_base).collect(), Some(Pcg64::new(spec.seed)), None),
            RandomStyle::Sglang => ((0..vocabulary as u32).collect(), None, Some(Mt19937::new(spec.seed))),
        };
        let mut draw = |low, high, count| match (&mut vllm, &mut sglang) {
            (Some(generator), _) => generator.integers(low, high, count),
            (_, Some(generator)) => generator.integers(low, high, count),
            _ => Vec::new(),
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        if let Some(windows) = spec.windows {
            let less = |length: u64| length.saturating_sub(windows.subtracted);
            inputs = draw(windows.input.low, windows.input.high, count).into_iter().map(less).collect();
            outputs = windows.output.map_or_else(Vec::new, |output| draw(output.low, output.high, count));
        }
        let offsets = draw(0, vocabulary.saturating_sub(1), count);
        let others = Streams::new(spec.seed, "random ids");
        let mut ids =
            Self { maker, allowed, vocabulary, inputs, outputs, offsets, prefixes: Vec::new(), chain: None, others };
        let (pool, tokens) = spec.prefixes;
        for entry in 0..if tokens == 0 { 0 } else { pool } {
            let mut draws = |count| match &mut vllm {
                Some(generator) => ids.drawn(generator, count),
                None => ids.own(Place::turn(u64::MAX / 2 + entry, 0), count),
            };
            let first = draws(usize::try_from(tokens).unwrap_or(0));
            let made = ids.fit(first, tokens, &mut draws);
            ids.prefixes.push(made);
        }
        ids.chain = vllm.map(|generator| Mutex::new(vec![generator]));
        ids
    }

    /// Tokens of a conversation's first prompt, if they were drawn beforehand.
    pub(crate) fn input(&self, place: Place) -> Option<u64> {
        self.drawn_beforehand(place, &self.inputs)
    }

    /// Tokens of its answer.
    pub(crate) fn output(&self, place: Place) -> Option<u64> {
        self.drawn_beforehand(place, &self.outputs)
    }

    /// A prefix of the pool.
    pub(crate) fn prefix(&self, entry: u64) -> Option<&Made> {
        self.prefixes.get(usize::try_from(entry).ok()?)
    }

    /// The text of `wanted` tokens in all that goes on from what is there, with ids from the place's offset on. `job` tells
    /// what is there and what is wanted of any conversation's first turn, if that depends on nothing but its row.
    pub(crate) fn text(&self, place: Place, job: &dyn Fn(u64) -> (Made, u64), is_first: bool) -> Made {
        let row = usize::try_from(place.row).ok().filter(|_| is_first && place.turn == 0 && place.text == 0);
        if let (Some(chain), Some(row)) = (&self.chain, row.filter(|row| *row < self.offsets.len())) {
            let lock = || chain.lock().unwrap_or_else(PoisonError::into_inner);
            let mut known = lock();
            while known.len() <= row {
                let at = known.len() - 1;
                let mut generator = known[at].clone();
                self.one(Place::turn(at as u64, 0), job(at as u64), &mut |count| self.drawn(&mut generator, count));
                known.push(generator);
            }
            let mut generator = known[row].clone();
            let is_newest = known.len() == row + 1;
            if !is_newest {
                drop(known);
                return self.one(place, job(place.row), &mut |count| self.drawn(&mut generator, count));
            }
            let made = self.one(place, job(place.row), &mut |count| self.drawn(&mut generator, count));
            known.push(generator);
            return made;
        }
        // Those that come later are drawn from behind the offset's own number.
        let mut calls = 0;
        self.one(place, job(place.row), &mut |count| {
            calls += 1;
            self.own(Place { text: place.text + (calls << 10), ..place }, count)
        })
    }

    fn one(&self, place: Place, (beginning, wanted): (Made, u64), draws: &mut dyn FnMut(usize) -> Vec<u32>) -> Made {
        let offset = self
            .drawn_beforehand(place, &self.offsets)
            .unwrap_or_else(|| self.others.at(place).below_long(self.vocabulary));
        let count = self.allowed.len().max(1) as u64;
        let own = wanted.saturating_sub(beginning.tokens);
        let mut ids =
            if beginning.text.is_empty() { Vec::new() } else { self.maker.tokenizer().encode(&beginning.text) };
        let first = (offset % count).wrapping_add(place.row % count);
        ids.extend((0..own).map(|at| self.allowed[((first + at) % count) as usize]));
        self.fit(ids, wanted, draws)
    }

    /// The text of some ids, with the ids that it is encoded to again made more or fewer until they are as many as wanted.
    fn fit(&self, mut ids: Vec<u32>, wanted: u64, draws: &mut dyn FnMut(usize) -> Vec<u32>) -> Made {
        let tokenizer = self.maker.tokenizer();
        let wanted_length = usize::try_from(wanted).unwrap_or(usize::MAX);
        let mut text = String::new();
        for round in 0..=ROUNDS {
            text = tokenizer.decode(&ids);
            ids = tokenizer.encode(&text);
            if ids.len() == wanted_length || round == ROUNDS {
                break;
            }
            if ids.len() < wanted_length {
                ids.extend(draws(wanted_length - ids.len()));
            } else {
                ids.truncate(wanted_length);
            }
        }
        self.maker.checked(text, wanted)
    }

    fn drawn(&self, generator: &mut Pcg64, count: usize) -> Vec<u32> {
        let indices = generator.integers(0, self.allowed.len().saturating_sub(1) as u64, count);
        indices.into_iter().filter_map(|index| self.allowed.get(index as usize).copied()).collect()
    }

    fn own(&self, place: Place, count: usize) -> Vec<u32> {
        let mut stream = self.others.at(place);
        (0..count).filter_map(|_| self.allowed.get(stream.below(self.allowed.len() as u32) as usize).copied()).collect()
    }

    fn drawn_beforehand(&self, place: Place, drawn: &[u64]) -> Option<u64> {
        if place.turn != 0 || place.text != 0 {
            return None;
        }
        drawn.get(usize::try_from(place.row).ok()?).copied()
    }
}

/// The vocabulary without tokens that were added behind it, which those tools do not draw from: up to the first special token,
/// if ordinary ones come before it. Where special tokens come first, all of it.
fn base_size(ordinary: &[u32], size: u64) -> u64 {
    let in_a_row = ordinary.iter().zip(0..).take_while(|(id, at)| **id == *at).count() as u64;
    if in_a_row > 0 { in_a_row } else { size }
}
