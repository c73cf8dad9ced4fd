//! The knee of the batching engine, on a simulated clock: exact, and without a socket.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use tokamark_clock::{MILLISECOND, SECOND};
use tokamark_sim::SimConfig;
use tokamark_sim::engine::{BatchEngine, NewSequence};

/// Prompts of no tokens to be read, so that every step of n sequences takes 9 + n ms.
const PROMPT: u64 = 10;
const OUTPUT: u64 = 50;

/// What a closed loop comes to in its steady state.
#[derive(Debug, PartialEq, Eq)]
struct Steady {
    /// Tokens that come at the end of each step, and how long a step takes.
    tokens: u64,
    step_ns: u64,
    /// The longest from a request's arrival to its last token.
    latency_ns: u64,
}

fn config(kv_tokens: u64) -> SimConfig {
    SimConfig {
        overhead_ns: 0,
        decode_rate: 100.0,
        sequence_ns: MILLISECOND,
        prefill_rate: 0.0,
        prefill_chunk: 0,
        max_batch: 64,
        kv_tokens,
        ..SimConfig::default()
    }
}

/// So many requests in flight, each followed by the next as soon as it ends; measured in the last of 12 rounds.
fn steady(concurrency: u64, kv_tokens: u64) -> Steady {
    let mut engine = BatchEngine::new(&config(kv_tokens));
    let sequence = |key| NewSequence { key, prompt_tokens: PROMPT, cached_tokens: 0, output_tokens: OUTPUT };
    let mut arrivals = vec![0; concurrency as usize];
    (0..arrivals.len()).for_each(|key| engine.submit(0, sequence(key)));
    let (mut out, mut done, mut last_due) = (Vec::new(), 0, 0);
    let mut steady = Steady { tokens: 0, step_ns: 0, latency_ns: 0 };
    while done < 12 * concurrency {
        engine.advance(engine.next_deadline().unwrap(), &mut out);
        let Some(due_ns) = out.first().map(|emission| emission.due_ns) else { continue };
        steady.tokens = out.iter().map(|emission| emission.tokens).sum();
        steady.step_ns = due_ns - last_due;
        last_due = due_ns;
        for emission in out.drain(..).filter(|emission| emission.is_last) {
            if done >= 11 * concurrency {
                steady.latency_ns = steady.latency_ns.max(due_ns - arrivals[emission.key]);
            }
            done += 1;
            arrivals[emission.key] = due_ns;
            engine.submit(due_ns, sequence(emission.key));
        }
    }
    steady
}

/// A batch of `batch` that is always full, with `concurrency` a multiple of it.
fn expected(concurrency: u64, batch: u64) -> Steady {
    let step_ns = (9 + batch) * MILLISECOND;
    Steady { tokens: batch, step_ns, latency_ns: OUTPUT * step_ns * (concurrency / batch) }
}

fn rate(steady: &Steady) -> f64 {
    steady.tokens as f64 * SECOND as f64 / steady.step_ns as f64
}

#[test]
fn throughput_rises_to_the_batch_limit_and_is_flat_beyond_while_latency_goes_on_rising() {
    let loads: Vec<u64> = (0..10).map(|power| 1 << power).collect();
    let found: Vec<Steady> = loads.iter().map(|load| steady(*load, 1_000_000)).collect();
    for (load, steady) in loads.iter().zip(&found) {
        assert_eq!(*steady, expected(*load, (*load).min(64)), "{load}");
    }
    for (pair, load) in found.windows(2).zip(&loads) {
        assert!(pair[1].latency_ns > pair[0].latency_ns, "{load}");
        if *load < 64 {
            assert!(rate(&pair[1]) > rate(&pair[0]), "{load}");
        } else {
            assert_eq!(rate(&pair[1]), rate(&pair[0]), "{load}");
        }
    }
}

#[test]
fn a_small_kv_cache_moves_the_knee_to_what_fits_into_it() {
    // A request needs 60 tokens; with room for 16 of them and a half, the batch of 64 is never reached.
    let kv_tokens = 16 * (PROMPT + OUTPUT) + 30;
    for load in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
        assert_eq!(steady(load, kv_tokens), expected(load, load.min(16)), "{load}");
    }
}
