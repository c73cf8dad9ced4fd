//! Time to make one conversation, as it goes into requests: `cargo bench -p tokamark-workload`.

use std::sync::atomic::{AtomicU64, Ordering};

use divan::Bencher;
use divan::counter::ItemsCount;
use tokamark_plan::{Corpus, Plan};
use tokamark_tokenizer::{Resolved, Tokenizer};
use tokamark_workload::Workload;

#[path = "../tests/workload/plans.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod plans;
#[path = "../../tokenizer/tests/tokenizer/vocabularies.rs"]
mod vocabularies;

fn main() {
    divan::main();
}

/// Makes conversations of the numbers from 0 on; items are tokens.
fn measure(bencher: Bencher, length: u32, tokenizer: Tokenizer, change: impl Fn(&mut Plan)) {
    let mut plan = plans::plan(f64::from(length), 0.0, 1);
    change(&mut plan);
    let next = AtomicU64::new(0);
    match Workload::with_tokenizer(&plan, Resolved { tokenizer, is_fallback: false }) {
        Ok(workload) => {
            bencher.counter(ItemsCount::new(length)).bench(|| workload.make(next.fetch_add(1, Ordering::Relaxed)))
        }
        Err(error) => eprintln!("{error}"),
    }
}

const LENGTHS: [u32; 4] = [16, 1_024, 8_192, 131_072];

#[divan::bench(args = LENGTHS)]
fn words(bencher: Bencher, length: u32) {
    measure(bencher, length, Tokenizer::builtin(), |_| {});
}

#[divan::bench(args = LENGTHS)]
fn words_of_a_unigram_vocabulary(bencher: Bencher, length: u32) {
    measure(bencher, length, plans::wide(), |_| {});
}

#[divan::bench(args = LENGTHS)]
fn words_behind_a_prefix(bencher: Bencher, length: u32) {
    measure(bencher, length, Tokenizer::builtin(), |plan| {
        (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (10, 2_048);
    });
}

#[divan::bench(args = LENGTHS, consts = [0, 1])]
fn windows<const KIND: usize>(bencher: Bencher, length: u32) {
    let corpus = [Corpus::Prose, Corpus::Coding][KIND];
    measure(bencher, length, Tokenizer::builtin(), |plan| plans::synthetic_of(plan).corpus = corpus);
}

#[divan::bench(args = [16, 1_024])]
fn random_ids(bencher: Bencher, length: u32) {
    measure(bencher, length, Tokenizer::builtin(), |plan| plans::synthetic_of(plan).corpus = Corpus::Random);
}

/// What stands before the first conversation.
#[divan::bench(consts = [0, 1, 2])]
fn build<const KIND: usize>(bencher: Bencher) {
    let mut plan = plans::plan(550.0, 0.0, 1);
    plans::synthetic_of(&mut plan).corpus = [Corpus::Words, Corpus::Prose, Corpus::Coding][KIND];
    bencher.bench(|| {
        Workload::with_tokenizer(&plan, Resolved { tokenizer: Tokenizer::builtin(), is_fallback: false }).is_ok()
    });
}
