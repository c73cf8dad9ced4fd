//! Folders of files: which vocabulary is read, what is added to a text, and chat templates.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tokamark_plan::TokenizerPlan;
use tokamark_tokenizer::{HubCache, TemplateError, Tokenizer, resolve_with};

use crate::vocabularies::bpe_json;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

fn load(folder: &Path) -> Tokenizer {
    let plan = TokenizerPlan { name: Some(folder.to_str().unwrap().to_owned()), ..TokenizerPlan::builtin() };
    resolve_with(&plan, &[], &HubCache::default()).unwrap().tokenizer
}

/// A `tokenizer.json` with `<s>` put before each text, `</s>` after it, and `<x>`, which is not special.
fn with_ends() -> String {
    let mut tokenizer = bpe_json(&["river"]);
    let token = |id: u32, content: &str, special: bool| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": special})
    };
    let size = tokenizer["model"]["vocab"].as_object().unwrap().len() as u32;
    tokenizer["added_tokens"] =
        json!([token(size, "<s>", true), token(size + 1, "</s>", true), token(size + 2, "<x>", false)]);
    let special = |content: &str, id: u32| json!({"id": content, "ids": [id], "tokens": [content]});
    tokenizer["post_processor"] = json!({
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": special("<s>", size), "</s>": special("</s>", size + 1)},
    });
    tokenizer.to_string()
}

#[test]
fn what_the_post_processor_adds_is_known() {
    let tokenizer = load(folder(&[("tokenizer.json", &with_ends())]).path());
    let (bos, eos) = (tokenizer.id_of("<s>").unwrap(), tokenizer.id_of("</s>").unwrap());
    assert_eq!((tokenizer.special_tokens_added(), tokenizer.bos(), tokenizer.eos()), (2, Some(bos), Some(eos)));
    assert_eq!(tokenizer.count("a river"), 2);
    assert_eq!(tokenizer.encode_with_special("<s>a</s>"), [bos, tokenizer.id_of("a").unwrap(), eos]);
    assert!(tokenizer.is_special(bos) && !tokenizer.is_special(tokenizer.id_of("<x>").unwrap()));
    let ids = tokenizer.ordinary_ids();
    assert_eq!(ids.len(), tokenizer.vocabulary_size() - 2);
    assert!(ids.is_sorted() && !ids.contains(&bos));
    let plain = load(folder(&[("tokenizer.json", &bpe_json(&[]).to_string())]).path());
    assert_eq!((plain.special_tokens_added(), plain.bos(), plain.eos()), (0, None, None));
}

#[test]
fn the_configuration_names_the_ends() {
    let config = json!({"eos_token": {"content": "<x>"}}).to_string();
    let tokenizer = load(folder(&[("tokenizer.json", &with_ends()), ("tokenizer_config.json", &config)]).path());
    assert_eq!((tokenizer.bos(), tokenizer.eos()), (tokenizer.id_of("<s>"), tokenizer.id_of("<x>")));
}

fn messages() -> Value {
    json!([{"role": "user", "content": "a river"}])
}

#[test]
fn a_conversation_is_counted_as_it_is_rendered() {
    let template = "{{ bos_token }}{{ messages[0].content }}{% if add_generation_prompt %}<x>{% endif %}";
    let config = json!({"bos_token": "<s>", "chat_template": template}).to_string();
    let tokenizer = load(folder(&[("tokenizer.json", &with_ends()), ("tokenizer_config.json", &config)]).path());
    // <s>, a, ▁river, <x>.
    assert_eq!(tokenizer.count_chat(&messages(), None), Ok(4));
    let template = tokenizer.chat_template().unwrap();
    assert_eq!(template.render(&messages(), None, false).unwrap(), "<s>a river");
}

#[test]
fn templates_in_files_of_their_own_go_first() {
    let vocabulary = bpe_json(&[]).to_string();
    let config = json!({"chat_template": "config"}).to_string();
    let files = [
        ("tokenizer.json", vocabulary.as_str()),
        ("tokenizer_config.json", &config),
        ("chat_template.json", r#"{"chat_template": "json"}"#),
        ("chat_template.jinja", "jinja"),
        ("additional_chat_templates/tool_use.jinja", "tools"),
    ];
    for (count, tools, expected) in [(2, None, "config"), (3, None, "json"), (5, None, "jinja"), (5, Some(()), "tools")]
    {
        let folder = folder(&files[..count]);
        let tokenizer = load(folder.path());
        let tools = tools.map(|()| json!([{}]));
        let text = tokenizer.chat_template().unwrap().render(&messages(), tools.as_ref(), true);
        assert_eq!(text.as_deref(), Ok(expected));
    }
}

#[test]
fn a_broken_template_is_an_error_only_where_it_is_used() {
    let config = json!({"chat_template": "{% for %}"}).to_string();
    let tokenizer =
        load(folder(&[("tokenizer.json", &bpe_json(&[]).to_string()), ("tokenizer_config.json", &config)]).path());
    assert_eq!(tokenizer.count("ab"), 2);
    assert!(matches!(tokenizer.count_chat(&messages(), None), Err(TemplateError::Syntax { .. })));
    let error = Tokenizer::builtin().count_chat(&messages(), None).unwrap_err();
    assert_eq!(error, TemplateError::Missing { name: "builtin".to_owned() });
}

#[test]
fn gpt2_files_are_read_as_a_pair() {
    // Ġ is how GPT-2 writes a space.
    let vocabulary = json!({"a": 0, "b": 1, "Ġ": 2, "ab": 3, "Ġab": 4, "<|endoftext|>": 5}).to_string();
    let merges = "#version: 0.2\na b\nĠ ab\n";
    let folder = folder(&[("vocab.json", &vocabulary), ("merges.txt", merges)]);
    for tokenizer in [
        load(folder.path()),
        Tokenizer::from_file("v", &folder.path().join("vocab.json")).unwrap(),
        Tokenizer::from_file("m", &folder.path().join("merges.txt")).unwrap(),
    ] {
        assert_eq!(tokenizer.encode("ab aba"), [3, 4, 0]);
        assert_eq!(tokenizer.encode_with_special("ab<|endoftext|>"), [3, 5]);
        assert_eq!(tokenizer.decode(&[3, 4, 0]), "ab aba");
        assert!(tokenizer.is_special(5));
        assert_eq!(tokenizer.special_tokens_added(), 0);
    }
    fs::remove_file(folder.path().join("merges.txt")).unwrap();
    assert!(Tokenizer::from_file("v", &folder.path().join("vocab.json")).is_err());
}

#[test]
fn the_class_of_gpt2_files_says_how_they_are_read() {
    let vocabulary = json!({"<s>": 0, "</s>": 1, "1": 2, "2": 3, "12": 4, "Ã©": 5, "Ã": 6, "©": 7}).to_string();
    let merges = "1 2\nÃ ©\n";
    let files = [("vocab.json", vocabulary.as_str()), ("merges.txt", merges)];
    let with = |config: Value| {
        let config = config.to_string();
        load(folder(&[files[0], files[1], ("tokenizer_config.json", &config)]).path())
    };
    let qwen = with(json!({"tokenizer_class": "Qwen2Tokenizer"}));
    // Each digit for itself, and composed.
    assert_eq!((qwen.encode("12"), qwen.encode("e\u{301}"), qwen.special_tokens_added()), (vec![2, 3], vec![5], 0));
    let roberta = with(json!({"tokenizer_class": "RobertaTokenizer", "bos_token": "<s>", "eos_token": "</s>"}));
    assert_eq!((roberta.encode("12"), roberta.special_tokens_added()), (vec![4], 2));
    assert_eq!((roberta.bos(), roberta.eos()), (Some(0), Some(1)));
}

#[test]
fn tokenizer_json_goes_before_the_others() {
    let folder = folder(&[("tokenizer.json", &with_ends()), ("tokenizer.model", "broken"), ("tekken.json", "broken")]);
    assert_eq!(load(folder.path()).count("a river"), 2);
}

#[test]
fn threads_may_share_a_tokenizer() {
    let tokenizer = load(folder(&[("tokenizer.json", &with_ends())]).path());
    let texts: Vec<String> = (0..64).map(|number| format!("a river {number}").repeat(number)).collect();
    let alone: Vec<usize> = texts.iter().map(|text| tokenizer.count(text)).collect();
    std::thread::scope(|scope| {
        let count = || texts.iter().map(|text| tokenizer.count(text)).collect::<Vec<_>>();
        let together: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
        for counts in together {
            assert_eq!(counts.join().unwrap(), alone);
        }
    });
}
