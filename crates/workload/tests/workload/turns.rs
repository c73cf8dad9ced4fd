//! Conversations of several turns.

use tokamark_conversation::History;
use tokamark_plan::{ImageFormat, ImagePlan, ImageSampling, ImageSource, MediaSpread, TurnsPlan};
use tokamark_workload::Workload;

use crate::plans::{plan, synthetic_of, text_of};

#[test]
fn turns_and_waits_are_drawn() {
    let mut plan = plan(30.0, 10.0, 4);
    synthetic_of(&mut plan).turns =
        TurnsPlan { mean: 4.0, stddev: 1.5, delay_mean_ms: 100.0, delay_stddev_ms: 60.0, delay_ratio: 0.5 };
    let workload = Workload::build(&plan).unwrap();
    assert!(workload.has_conversations());
    let all: Vec<_> = (0..600).map(|number| workload.conversation(number)).collect();
    let turns: usize = all.iter().map(|conversation| conversation.turns.len()).sum();
    // Cut at 0.5 the mean of N(4, 1.5²) is 4.0 + 1.5·φ(−7/3)/Φ(7/3) = 4.0397; five standard errors are 0.3.
    assert!((turns as f64 / 600.0 - 4.04).abs() < 0.3, "{turns}");
    assert!(all.iter().all(|conversation| !conversation.turns.is_empty() && conversation.history == History::Live));
    assert!(all.iter().all(|conversation| conversation.turns[0].delay_ms.is_none()));
    let waits: Vec<f64> =
        all.iter().flat_map(|conversation| &conversation.turns[1..]).map(|t| t.delay_ms.unwrap()).collect();
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    // Cut at 0 the mean is 100 + 60·φ(−5/3)/Φ(5/3) = 106.27, halved; five standard errors are 3.2.
    assert!(waits.iter().all(|wait| *wait >= 0.0) && (mean - 53.1).abs() < 3.2, "{mean}");
    let lengths: std::collections::HashSet<u64> = all[0].turns.iter().filter_map(|turn| turn.input_tokens).collect();
    assert!(lengths.len() > 1 && text_of(&all[0].turns[0]) != text_of(&all[0].turns[1]));
    assert_eq!(all[7].id, "session_000007");
    assert_ne!(workload.warmup_conversation(7).turns, all[7].turns);
}

#[test]
fn one_turn_is_the_rule() {
    let workload = Workload::build(&plan(30.0, 10.0, 4)).unwrap();
    assert!(!workload.has_conversations());
    assert!((0..50).all(|number| workload.conversation(number).turns.len() == 1));
}

#[test]
fn media_are_made_for_each_turn() {
    let mut plan = plan(10.0, 0.0, 4);
    let side = MediaSpread { mean: 8.0, stddev: 0.0 };
    plan.workload.media.image = Some(ImagePlan {
        batch: 2,
        width: side,
        height: side,
        format: ImageFormat::Png,
        source: ImageSource::Noise,
        sampling: ImageSampling::default(),
    });
    synthetic_of(&mut plan).turns.mean = 2.0;
    let workload = Workload::build(&plan).unwrap();
    let mut all = std::collections::HashSet::new();
    for conversation in [workload.conversation(0), workload.conversation(1), workload.warmup_conversation(0)] {
        for turn in &conversation.turns {
            assert_eq!(turn.images.len(), 2);
            assert!(turn.images.iter().all(|image| image.uri.starts_with("data:image/png;base64,")));
            all.extend(turn.images.iter().map(|image| image.uri.clone()));
        }
    }
    assert_eq!(all.len(), 12);
    assert_eq!(workload.conversation(0), workload.conversation(0));
}
