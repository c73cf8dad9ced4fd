//! Conversations of datasets, completed.

use std::fs;
use std::path::Path;

use serde_json::json;
use tokamark_conversation::{Conversation, Prompt};
use tokamark_plan::{
    CacheBust, DatasetFormat, DatasetPlan, LengthDistribution, Plan, PublicPlan, Sampling, Source, SystemPrompt,
    TracePlan,
};
use tokamark_workload::{Workload, WorkloadError};

use crate::plans::{plan, text_of, texts};

fn plan_for(folder: &Path, format: DatasetFormat, content: &str) -> Plan {
    let path = folder.join("input.jsonl");
    fs::write(&path, content).unwrap();
    let mut plan = plan(1.0, 0.0, 1);
    plan.workload.source = Source::File(DatasetPlan::of(path, Some(format)));
    plan
}

fn built(format: DatasetFormat, content: &str, change: impl Fn(&mut Plan)) -> Workload {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan_for(folder.path(), format, content);
    change(&mut plan);
    Workload::build(&plan).unwrap()
}

fn single(content: &str) -> Workload {
    built(DatasetFormat::SingleTurn, content, |_| {})
}

#[test]
fn rows_come_in_order_and_again_from_the_first() {
    let workload =
        single("{\"text\":\"one\"}\n{\"text\":\"two words\",\"output_length\":4}\n{\"text\":\"caf\\u00e9\"}\n");
    assert_eq!((workload.rows(), workload.conversations()), (Some(3), Some(3)));
    let texts: Vec<String> = (0..6).map(|number| text_of(&workload.turn(number))).collect();
    assert_eq!(texts, ["one", "two words", "café", "one", "two words", "café"]);
    assert_eq!((workload.turn(1).output_tokens, workload.turn(1).input_tokens), (Some(4), Some(2)));
    assert_eq!((workload.turn(3).row, workload.row_of(4)), (0, 1));
    assert_eq!(workload.turn(0).output_tokens, None);
    assert_eq!(workload.wanted_input_tokens(0), None);
    assert!(!workload.are_distinct() && !workload.has_conversations() && !workload.is_trace());
    assert_eq!(workload.warmup_turn(0), workload.turn(0));
    assert!(workload.starts_ms().is_none() && workload.child("x").is_none() && workload.failure().is_none());
}

#[test]
fn rows_without_an_output_length_draw_one() {
    let content = "{\"text\":\"a\"}\n{\"text\":\"b\",\"output_length\":3}";
    let workload = built(DatasetFormat::SingleTurn, content, |plan| {
        plan.workload.output_tokens = Some(LengthDistribution::fixed(50.0));
        plan.workload.entries = Some(100);
    });
    assert_eq!([0, 1, 2].map(|number| workload.turn(number).output_tokens), [Some(50), Some(3), Some(50)]);
    let first = built(DatasetFormat::SingleTurn, content, |plan| plan.workload.entries = Some(1));
    assert_eq!(texts(&first.turn(1)), ["a"]);
}

#[test]
fn faults_are_errors_of_the_workload() {
    let folder = tempfile::tempdir().unwrap();
    let error = Workload::build(&plan_for(folder.path(), DatasetFormat::SingleTurn, "{\"text\":\"\"}")).unwrap_err();
    assert!(error.to_string().contains("`text` is empty"), "{error}");
    let mut plan = plan(1.0, 0.0, 1);
    let public = |path| PublicPlan {
        name: "aimo".into(),
        subset: None,
        filters: Vec::new(),
        repository: None,
        path,
        trace: TracePlan::default(),
    };
    plan.workload.source = Source::Public(PublicPlan { name: "nope".into(), ..public(None) });
    let error = Workload::build(&plan).unwrap_err();
    assert!(matches!(error, WorkloadError::Dataset(_)) && error.to_string().contains("`nope`"), "{error}");
    let file = folder.path().join("p.jsonl");
    fs::write(&file, "{\"problem\":\"here\"}").unwrap();
    plan.workload.source = Source::Public(public(Some(file)));
    assert_eq!(text_of(&Workload::build(&plan).unwrap().turn(0)), "here");
}

#[test]
fn conversations_keep_their_turns_and_get_what_the_plan_adds() {
    let content = json!({"session_id": "a", "turns": [
        {"role": "system", "text": "be kind"}, {"text": "one"}, {"text": "two three", "delay": 5},
    ]});
    let workload = built(DatasetFormat::MultiTurn, &content.to_string(), |plan| {
        plan.workload.prefix.system = vec![SystemPrompt::Text("be short".into()), SystemPrompt::Tokens(7)];
        plan.workload.prefix.user_context_tokens = 9;
        plan.workload.cache_bust = CacheBust::FirstTurnPrefix;
        plan.workload.output_tokens = Some(LengthDistribution::fixed(5.0));
    });
    assert!(workload.has_conversations());
    assert_eq!((workload.rows(), workload.conversations()), (None, Some(1)));
    let conversation = workload.conversation(0);
    let system = conversation.system.as_deref().unwrap();
    let parts: Vec<&str> = system.split("\n\n").collect();
    assert!(parts.len() == 3 && parts[0] == "be short" && parts[2] == "be kind", "{system}");
    assert_eq!(workload.tokenizer().count(parts[1]), 7);
    assert_eq!(workload.tokenizer().count(conversation.context.as_deref().unwrap()), 9);
    assert_eq!(conversation.turns.len(), 2);
    let first = text_of(&conversation.turns[0]);
    assert!(first.starts_with("[rid:") && first.ends_with("]\n\none"), "{first}");
    assert_eq!(conversation.turns[0].input_tokens, Some(workload.tokenizer().count(&first) as u64));
    assert_eq!(text_of(&conversation.turns[1]), "two three");
    assert_eq!((conversation.turns[1].input_tokens, conversation.turns[1].output_tokens), (Some(2), Some(5)));
    assert_ne!(text_of(&workload.turn(0)), text_of(&workload.turn(1)), "each time another mark");
    assert_ne!(text_of(&workload.turn(0)), text_of(&workload.warmup_turn(0)));
    assert_eq!(workload.conversation(1).turns[1], conversation.turns[1]);
}

#[test]
fn marks_and_system_prompts_go_into_messages() {
    let user = json!([{"type": "text", "text": "hi"}]);
    let row = json!({"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": user}]});
    let with = |bust| {
        built(DatasetFormat::MooncakeTrace, &row.to_string(), |plan| {
            plan.workload.prefix.system = vec![SystemPrompt::Text("be short".into())];
            plan.workload.cache_bust = bust;
        })
        .conversation(0)
    };
    let messages = |conversation: &Conversation| match &conversation.turns[0].prompt {
        Prompt::Messages(messages) => messages.clone(),
        other => panic!("{other:?}"),
    };
    let first_turn = with(CacheBust::FirstTurnSuffix);
    assert_eq!(first_turn.system, None);
    let messages_of_first = messages(&first_turn);
    assert_eq!(messages_of_first[0]["content"], "be short\n\nbe kind");
    assert_eq!(messages_of_first[1]["content"][0], user[0]);
    assert!(messages_of_first[1]["content"][1]["text"].as_str().unwrap().starts_with("[rid:"));
    let system = messages(&with(CacheBust::SystemSuffix))[0]["content"].as_str().unwrap().to_owned();
    assert!(system.starts_with("be short\n\nbe kind\n\n[rid:"), "{system}");
}

#[test]
fn media_are_loaded_and_their_absence_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";
    fs::write(folder.path().join("dot.png"), png).unwrap();
    let content = "{\"text\":\"a\",\"image\":\"dot.png\"}\n{\"text\":\"c\",\"image\":\"https://x.y/z.png\"}";
    let workload = Workload::build(&plan_for(folder.path(), DatasetFormat::SingleTurn, content)).unwrap();
    assert!(workload.turn(0).images[0].uri.starts_with("data:image/png;base64,"));
    assert_eq!(&*workload.turn(1).images[0].uri, "https://x.y/z.png");
    assert!(workload.failure().is_none());
    fs::write(folder.path().join("text.png"), "hello").unwrap();
    let content = "{\"text\":\"a\",\"image\":\"dot.png\"}\n{\"text\":\"b\",\"image\":\"none.png\"}\n{\"text\":\"b\",\"image\":\"text.png\"}";
    let error = Workload::build(&plan_for(folder.path(), DatasetFormat::SingleTurn, content)).unwrap_err().to_string();
    for part in ["has 2 faults", "line 2: `image`", "none.png` cannot be read", "line 3: `image`", "text.png"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn times_of_traces_pass_through() {
    let content = "{\"timestamp\":1000,\"input_length\":5,\"output_length\":2}\n{\"timestamp\":1500,\"input_length\":6,\"output_length\":2}";
    let workload = built(DatasetFormat::MooncakeTrace, content, |_| {});
    assert!(workload.is_trace());
    assert_eq!(workload.starts_ms(), Some(&[1000.0, 1500.0][..]));
    assert_eq!((workload.turn(0).input_tokens, workload.turn(1).input_tokens), (Some(5), Some(6)));
    assert_ne!(text_of(&workload.turn(0)).split(' ').next(), text_of(&workload.turn(1)).split(' ').next());
}

#[test]
fn the_order_is_what_the_plan_says() {
    let content: Vec<String> = (0..20).map(|number| format!("{{\"text\":\"t{number}\"}}")).collect();
    let with = |sampling| {
        let workload = built(DatasetFormat::SingleTurn, &content.join("\n"), |plan| plan.workload.sampling = sampling);
        (0..40).map(|number| text_of(&workload.turn(number))).collect::<Vec<_>>()
    };
    let shuffled = with(Sampling::Shuffle);
    assert!(shuffled[..20] != shuffled[20..] && shuffled != with(Sampling::Sequential));
    let mut all = shuffled[..20].to_vec();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 20);
    assert_ne!(with(Sampling::Random), shuffled);
}
