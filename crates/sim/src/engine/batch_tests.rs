use super::*;
use tokamark_clock::MILLISECOND;

const MS: u64 = MILLISECOND;

/// 10 ms a step, 1 ms for each further sequence, 1,000 prompt tokens per second.
fn config() -> SimConfig {
    SimConfig {
        overhead_ns: 0,
        decode_rate: 100.0,
        sequence_ns: MS,
        prefill_rate: 1_000.0,
        prefill_chunk: 0,
        max_batch: 4,
        kv_tokens: 1_000,
        ..SimConfig::default()
    }
}

fn sequence(key: usize, prompt_tokens: u64, output_tokens: u64) -> NewSequence {
    NewSequence { key, prompt_tokens, cached_tokens: 0, output_tokens }
}

/// (due in ms, key, tokens, last) of all that comes, moving from deadline to deadline.
fn play(engine: &mut BatchEngine) -> Vec<(u64, usize, u64, bool)> {
    let mut out = Vec::new();
    while let Some(deadline) = engine.next_deadline() {
        engine.advance(deadline, &mut out);
    }
    out.iter().map(|e| (e.due_ns / MS, e.key, e.tokens, e.is_last)).collect()
}

#[test]
fn a_sequence_alone_is_read_and_then_decoded_step_by_step() {
    let mut engine = BatchEngine::new(&SimConfig { overhead_ns: 5 * MS, ..config() });
    engine.submit(100 * MS, sequence(7, 20, 3));
    // 5 ms overhead, 10 ms step with 20 ms of reading, then steps of 10 ms.
    assert_eq!(play(&mut engine), [(135, 7, 1, false), (145, 7, 1, false), (155, 7, 1, true)]);
    assert_eq!((engine.running(), engine.waiting(), engine.kv_used()), (0, 0, 0));
}

#[test]
fn cached_tokens_are_not_read() {
    let mut engine = BatchEngine::new(&config());
    engine.submit(0, NewSequence { cached_tokens: 16, ..sequence(0, 20, 1) });
    assert_eq!(play(&mut engine), [(14, 0, 1, true)]);
}

#[test]
fn all_sequences_of_a_step_emit_together() {
    let mut engine = BatchEngine::new(&config());
    engine.submit(0, sequence(0, 10, 3));
    engine.submit(0, sequence(1, 20, 2));
    // 10 + 1 + 30 = 41 ms, then 11, then 10 for the one that is left.
    assert_eq!(
        play(&mut engine),
        [(41, 0, 1, false), (41, 1, 1, false), (52, 0, 1, false), (52, 1, 1, true), (62, 0, 1, true)]
    );
}

#[test]
fn who_comes_during_a_step_waits_for_its_end() {
    let mut engine = BatchEngine::new(&config());
    engine.submit(0, sequence(0, 10, 3));
    engine.submit(21 * MS, sequence(1, 10, 1));
    // Steps end at 20 and 30; the second sequence came at 21 and is read in the third step: 10 + 1 + 10.
    assert_eq!(play(&mut engine), [(20, 0, 1, false), (30, 0, 1, false), (51, 0, 1, true), (51, 1, 1, true)]);
}

#[test]
fn advancing_late_gives_the_same_schedule() {
    let schedule = |pause: u64| {
        let mut engine = BatchEngine::new(&config());
        for key in 0..6 {
            engine.submit(key as u64 * 7 * MS, sequence(key, 10 + key as u64, 5));
        }
        let (mut out, mut now) = (Vec::new(), 0);
        while engine.next_deadline().is_some() {
            now += pause;
            engine.advance(now, &mut out);
        }
        out
    };
    assert_eq!(schedule(1), schedule(97 * MS));
    assert_eq!(schedule(MS).len(), 30);
}

#[test]
fn a_chunk_limits_the_reading_in_a_step() {
    let mut engine = BatchEngine::new(&SimConfig { prefill_chunk: 16, ..config() });
    engine.submit(0, sequence(0, 40, 1));
    engine.submit(0, sequence(1, 8, 1));
    // 16 (one sequence: 26 ms), 16 (26 ms), then 8 and 8 together: 10 + 1 + 16 = 27 ms.
    assert_eq!(play(&mut engine), [(79, 0, 1, true), (79, 1, 1, true)]);
}

#[test]
fn several_tokens_a_step_end_with_what_is_left() {
    let mut engine = BatchEngine::new(&SimConfig { tokens_per_event: 3, ..config() });
    engine.submit(0, sequence(0, 10, 7));
    assert_eq!(play(&mut engine), [(20, 0, 3, false), (30, 0, 3, false), (40, 0, 1, true)]);
}

#[test]
fn a_prompt_without_an_answer_ends_with_its_reading() {
    let mut engine = BatchEngine::new(&config());
    engine.submit(0, sequence(0, 10, 0));
    assert_eq!(play(&mut engine), [(20, 0, 0, true)]);
}

#[test]
fn the_batch_has_a_limit_and_the_queue_is_in_order() {
    let mut engine = BatchEngine::new(&SimConfig { max_batch: 2, prefill_rate: 0.0, ..config() });
    for key in 0..4 {
        engine.submit(0, sequence(key, 1, 2));
    }
    engine.advance(0, &mut Vec::new());
    assert_eq!((engine.running(), engine.waiting()), (2, 2));
    let order: Vec<_> = play(&mut engine).iter().map(|(ms, key, ..)| (*ms, *key)).collect();
    assert_eq!(order, [(11, 0), (11, 1), (22, 0), (22, 1), (33, 2), (33, 3), (44, 2), (44, 3)]);
}

#[test]
fn a_full_kv_cache_makes_the_next_wait_even_if_a_later_one_would_fit() {
    let mut engine = BatchEngine::new(&SimConfig { prefill_rate: 0.0, kv_tokens: 100, ..config() });
    engine.submit(0, sequence(0, 58, 2));
    engine.submit(0, sequence(1, 58, 2));
    engine.submit(0, sequence(2, 9, 1));
    engine.advance(0, &mut Vec::new());
    assert_eq!((engine.running(), engine.waiting(), engine.kv_used()), (1, 2, 60));
    // The first is done at 20; then both others run.
    assert_eq!(
        play(&mut engine),
        [(10, 0, 1, false), (20, 0, 1, true), (31, 1, 1, false), (31, 2, 1, true), (41, 1, 1, true)]
    );
}

#[test]
fn a_cancelled_sequence_frees_its_place() {
    let mut engine = BatchEngine::new(&SimConfig { max_batch: 1, prefill_rate: 0.0, ..config() });
    for key in 0..3 {
        engine.submit(0, sequence(key, 1, 5));
    }
    engine.advance(0, &mut Vec::new());
    engine.cancel(0);
    engine.cancel(1);
    engine.cancel(9);
    assert_eq!((engine.running(), engine.waiting(), engine.kv_used()), (0, 1, 0));
    // The step in progress ends at 10 with nothing; the last sequence follows.
    let played = play(&mut engine);
    assert_eq!(played.first(), Some(&(20, 2, 1, false)));
    assert_eq!(played.len(), 5);
}

/// Tokens per second with so many streams, each starting anew when it ends.
fn throughput(streams: usize) -> f64 {
    let mut engine = BatchEngine::new(&SimConfig { max_batch: 8, kv_tokens: 100_000, ..config() });
    for key in 0..streams {
        engine.submit(0, sequence(key, 1, 50));
    }
    let (mut out, mut tokens, horizon) = (Vec::new(), 0, 600 * tokamark_clock::SECOND);
    while let Some(deadline) = engine.next_deadline().filter(|deadline| *deadline <= horizon) {
        engine.advance(deadline, &mut out);
        for emission in out.drain(..) {
            tokens += emission.tokens;
            if emission.is_last {
                engine.submit(emission.due_ns, sequence(emission.key, 1, 50));
            }
        }
    }
    tokens as f64 / 600.0
}

#[test]
fn throughput_has_its_knee_at_the_batch_limit() {
    let (one, four, eight, sixteen, many) =
        (throughput(1), throughput(4), throughput(8), throughput(16), throughput(64));
    // In a steady state: n tokens in 9 + n ms, and 1 ms of reading for each 50 tokens.
    let expected = |n: f64| n / (0.009 + n * 0.001 + n * 0.001 / 50.0);
    assert!((one - expected(1.0)).abs() < 0.1, "{one}");
    assert!((four - expected(4.0)).abs() < 0.5, "{four}");
    assert!((eight - expected(8.0)).abs() < 1.0, "{eight}");
    assert!((sixteen / eight - 1.0).abs() < 0.001, "{sixteen} {eight}");
    assert!((many / eight - 1.0).abs() < 0.001, "{many} {eight}");
}

proptest::proptest! {
    /// Whatever comes, each sequence gets all its tokens, limits hold, and time does not run back.
    #[test]
    fn every_sequence_gets_its_tokens_within_the_limits(
        loads in proptest::collection::vec((0u64..500, 1u64..120, 0u64..30, 0u64..8), 1..40),
        chunk in 0u32..64,
        tokens_per_event in 1u32..4,
        late in 0u64..40,
    ) {
        let config = SimConfig { prefill_chunk: chunk, tokens_per_event, kv_tokens: 200, ..config() };
        let mut engine = BatchEngine::new(&config);
        let mut loads = loads;
        loads.sort_unstable();
        let expected: Vec<u64> = loads.iter().map(|load| load.2).collect();
        let mut got = vec![0; loads.len()];
        let mut ended = vec![0; loads.len()];
        let (mut out, mut last_due, mut next) = (Vec::new(), 0, 0);
        loop {
            let arrival = loads.get(next).map(|load| load.0 * MS);
            let deadline = engine.next_deadline().map(|deadline| deadline + late * MS);
            let Some(now) = arrival.into_iter().chain(deadline).min() else { break };
            if arrival == Some(now) {
                let (_, prompt_tokens, output_tokens, cached) = loads[next];
                let cached_tokens = cached.min(prompt_tokens - 1);
                engine.submit(now, NewSequence { key: next, prompt_tokens, cached_tokens, output_tokens });
                next += 1;
            }
            engine.advance(now, &mut out);
            proptest::prop_assert!(engine.running() <= 4 && engine.kv_used() <= 200);
            for emission in out.drain(..) {
                proptest::prop_assert!(emission.due_ns >= last_due && emission.due_ns <= now);
                last_due = emission.due_ns;
                got[emission.key] += emission.tokens;
                ended[emission.key] += usize::from(emission.is_last);
            }
        }
        proptest::prop_assert_eq!(got, expected);
        proptest::prop_assert!(ended.iter().all(|times| *times == 1));
        proptest::prop_assert_eq!((engine.running(), engine.waiting(), engine.kv_used()), (0, 0, 0));
    }
}
