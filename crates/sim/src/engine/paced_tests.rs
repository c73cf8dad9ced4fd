use super::*;
use tokamark_clock::MILLISECOND;

const MS: u64 = MILLISECOND;

fn engine(phase: Phase, gap_ns: Option<u64>) -> PacedEngine {
    PacedEngine::new(&SimConfig { ttft_ns: 100 * MS, phase, ..SimConfig::default() }, gap_ns)
}

fn sequence(key: usize, output_tokens: u64) -> NewSequence {
    NewSequence { key, prompt_tokens: 10, cached_tokens: 0, output_tokens }
}

fn play(engine: &mut PacedEngine, now_ns: u64) -> Vec<(u64, usize, u64, bool)> {
    let mut out = Vec::new();
    engine.advance(now_ns, &mut out);
    out.iter().map(|e| (e.due_ns, e.key, e.tokens, e.is_last)).collect()
}

#[test]
fn streams_tick_on_their_own() {
    let mut engine = engine(Phase::Arrival, Some(20 * MS));
    engine.submit(5, sequence(0, 3));
    engine.submit(30 * MS, sequence(1, 1));
    assert_eq!(engine.next_deadline(), Some(100 * MS + 5));
    assert_eq!(play(&mut engine, 100 * MS + 4), []);
    assert_eq!(
        play(&mut engine, 1_000 * MS),
        [(100 * MS + 5, 0, 1, false), (120 * MS + 5, 0, 1, false), (130 * MS, 1, 1, true), (140 * MS + 5, 0, 1, true)]
    );
    assert_eq!((engine.next_deadline(), engine.running(), engine.kv_used()), (None, 0, 0));
}

#[test]
fn synchronous_streams_tick_on_multiples_of_the_gap() {
    let mut engine = engine(Phase::Synchronous, Some(20 * MS));
    engine.submit(1, sequence(0, 2));
    engine.submit(19 * MS, sequence(1, 2));
    engine.submit(20 * MS, sequence(2, 2));
    let due: Vec<_> = play(&mut engine, 1_000 * MS).iter().map(|e| (e.0 / MS, e.1)).collect();
    assert_eq!(due, [(120, 0), (120, 1), (120, 2), (140, 0), (140, 1), (140, 2)]);
}

#[test]
fn staggered_streams_spread_over_the_gap() {
    let mut engine = engine(Phase::Staggered, Some(20 * MS));
    for key in 0..100 {
        engine.submit(0, sequence(key, 1));
    }
    let due: Vec<_> = play(&mut engine, 1_000 * MS).iter().map(|e| e.0 - 100 * MS).collect();
    for fifth in 0..5 {
        let (from, to) = (fifth * 4 * MS, (fifth + 1) * 4 * MS);
        let inside = due.iter().filter(|due| (from..to).contains(*due)).count();
        assert!((18..=22).contains(&inside), "{inside} of 100 in fifth {fifth}");
    }
}

#[test]
fn without_a_gap_all_tokens_are_due_at_once() {
    let mut engine = engine(Phase::Arrival, None);
    engine.submit(0, sequence(3, 500));
    assert_eq!(play(&mut engine, 100 * MS), [(100 * MS, 3, 500, true)]);
}

#[test]
fn a_key_that_is_used_again_is_not_taken_for_the_old_stream() {
    let mut engine = engine(Phase::Arrival, Some(20 * MS));
    engine.submit(0, sequence(0, 10));
    engine.cancel(0);
    assert_eq!(engine.running(), 0);
    engine.submit(10 * MS, sequence(0, 1));
    assert_eq!(play(&mut engine, 1_000 * MS), [(110 * MS, 0, 1, true)]);
}

#[test]
fn a_prompt_without_an_answer_ends_at_once() {
    let mut engine = engine(Phase::Arrival, Some(20 * MS));
    engine.submit(0, sequence(0, 0));
    assert_eq!(play(&mut engine, 1_000 * MS), [(100 * MS, 0, 0, true)]);
}
