//! Lengths that count the chat template.

use std::fs;

use serde_json::{Value, json};
use tokamark_conversation::Conversation;
use tokamark_plan::{Corpus, Plan, SystemPrompt};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::{Workload, WorkloadError};

use crate::plans::{plan, synthetic_of, text_of, wide, workload_of};
use crate::vocabularies::bpe_json;

/// A tokenizer with a chat template.
fn with_template(json: &Value, template: &str) -> Tokenizer {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokenizer.json");
    fs::write(&file, json.to_string()).unwrap();
    fs::write(folder.path().join("tokenizer_config.json"), json!({"chat_template": template}).to_string()).unwrap();
    Tokenizer::from_file("templated", &file).unwrap()
}

const PLAIN: &str =
    "{% for m in messages %}<{{ m.role }}>{{ m.content }};\n{% endfor %}{% if add_generation_prompt %}<a>{% endif %}";

fn counted(length: f64) -> Plan {
    let mut plan = plan(length, 0.0, 8);
    synthetic_of(&mut plan).counts_template = true;
    plan
}

/// Tokens of all messages of a conversation's first turn.
fn rendered(tokenizer: &Tokenizer, conversation: &Conversation) -> usize {
    let system = conversation.system.iter().map(|text| json!({"role": "system", "content": text}));
    let context = conversation.context.iter().map(|text| json!({"role": "user", "content": text}));
    let user = json!({"role": "user", "content": text_of(&conversation.turns[0])});
    tokenizer.count_chat(&system.chain(context).chain([user]).collect(), None).unwrap()
}

#[test]
fn the_rendered_prompt_has_the_length() {
    let tokenizer = with_template(&bpe_json(&["able", "about", "river"]), PLAIN);
    for length in [40.0, 41.0, 200.0] {
        let workload = workload_of(&counted(length), &tokenizer);
        for number in 0..10 {
            assert_eq!(rendered(&tokenizer, &workload.conversation(number)) as f64, length);
        }
    }
}

#[test]
fn a_template_whose_cost_depends_on_the_text_is_fitted() {
    // One more sign for every third length of the content.
    let template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if m.content|length % 3 == 0 %}!{% endif %}{% endfor %}<a>";
    let tokenizer = with_template(&bpe_json(&[]), template);
    for length in [61.0, 62.0] {
        let workload = workload_of(&counted(length), &tokenizer);
        for number in 0..20 {
            assert_eq!(rendered(&tokenizer, &workload.conversation(number)) as f64, length);
        }
    }
}

#[test]
fn prefixes_and_system_prompts_come_on_top() {
    let tokenizer = with_template(&bpe_json(&["able", "about", "river"]), PLAIN);
    let mut plan = counted(90.0);
    plan.workload.prefix.system = vec![SystemPrompt::Tokens(30)];
    plan.workload.prefix.user_context_tokens = 20;
    (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (2, 25);
    for corpus in [Corpus::Words, Corpus::Prose] {
        synthetic_of(&mut plan).corpus = corpus;
        let workload = workload_of(&plan, &tokenizer);
        for number in 0..10 {
            assert_eq!(rendered(&tokenizer, &workload.conversation(number)), 90 + 30 + 20 + 25);
        }
    }
}

#[test]
fn later_turns_count_their_own_wrap() {
    let tokenizer = with_template(&bpe_json(&[]), "{% for m in messages %}<{{ m.content }}>{% endfor %}");
    let mut plan = counted(30.0);
    synthetic_of(&mut plan).turns.mean = 2.0;
    let conversation = workload_of(&plan, &tokenizer).conversation(0);
    // A wrap of two signs, each a token.
    assert_eq!([0, 1].map(|turn| conversation.turns[turn].input_tokens), [Some(28), Some(28)]);
}

#[test]
fn prompts_are_counted_as_the_template_renders_them_if_asked() {
    let tokenizer = with_template(&bpe_json(&[]), PLAIN);
    let mut plan = plan(30.0, 0.0, 8);
    plan.workload.tokenizer.apply_chat_template = true;
    let conversation = workload_of(&plan, &tokenizer).conversation(0);
    assert_eq!(tokenizer.count(&text_of(&conversation.turns[0])), 30);
    assert_eq!(conversation.turns[0].input_tokens, Some(rendered(&tokenizer, &conversation) as u64));
    let without = workload_of(&plan, &wide()).conversation(0);
    assert_eq!(without.turns[0].input_tokens, Some(30));
}

#[test]
fn special_tokens_are_counted_without_a_template() {
    let mut json = bpe_json(&[]);
    let id = json["model"]["vocab"].as_object().unwrap().len();
    json["model"]["vocab"]["<s>"] = id.into();
    json["added_tokens"] = json!([{"id": id, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}]);
    json["post_processor"] = json!({
        "type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [id], "tokens": ["<s>"]}},
    });
    let tokenizer = Tokenizer::from_json("bos", json.to_string().as_bytes()).unwrap();
    assert_eq!(tokenizer.special_tokens_added(), 1);
    let turn = workload_of(&counted(20.0), &tokenizer).turn(0);
    assert_eq!((tokenizer.count(&text_of(&turn)), turn.input_tokens), (19, Some(19)));
}

#[test]
fn a_template_that_refuses_messages_is_an_error() {
    let tokenizer = with_template(&bpe_json(&[]), "{{ raise_exception('no') }}");
    let resolved = tokamark_tokenizer::Resolved { tokenizer, is_fallback: false };
    let error = Workload::with_tokenizer(&counted(20.0), resolved).unwrap_err();
    assert!(matches!(error, WorkloadError::Template(_)), "{error}");
}
