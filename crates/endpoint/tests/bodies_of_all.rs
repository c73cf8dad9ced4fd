//! The bodies of the dialects beside OpenAI's older ones, byte for byte.

use serde_json::{Map, Value, json};
use tokamark_conversation::{Audio, Image, Prompt, TextGroup, Turn, Video};
use tokamark_endpoint::{BodyOptions, Request, TemplateError, check_template, dialect};
use tokamark_plan::EndpointKind;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn options(streaming: bool, extra: Value) -> BodyOptions {
    BodyOptions { model: "m".to_owned(), streaming, legacy_max_tokens: false, extra: map(extra) }
}

fn turn(texts: &[&str]) -> Turn {
    Turn { prompt: Prompt::Texts(texts.iter().map(|&text| text.to_owned()).collect()), ..Turn::default() }
}

fn image(uri: &str) -> Image {
    Image { uri: uri.into(), uuid: None }
}

fn said<'a>(kind: EndpointKind, request: impl Into<Request<'a>>, streaming: bool, extra: Value) -> String {
    let body = dialect(kind).body(request.into(), &options(streaming, extra));
    String::from_utf8_lossy(&body).into_owned()
}

fn body(kind: EndpointKind, turn: &Turn, extra: Value) -> String {
    said(kind, turn, false, extra)
}

#[test]
fn a_given_body_is_sent_as_it_is_by_all() {
    let text = "{ \"any\" :\n1}";
    let turn = Turn { prompt: Prompt::Body(text.to_owned()), output_tokens: Some(3), ..Turn::default() };
    for kind in EndpointKind::ALL {
        assert_eq!(body(kind, &turn, json!({"a": 1})), text, "{kind:?}");
    }
}

fn ranking() -> Turn {
    let group = |name: &str, texts: &[&str]| TextGroup {
        name: name.to_owned(),
        texts: texts.iter().map(|&text| text.to_owned()).collect(),
    };
    Turn {
        prompt: Prompt::Groups(vec![group("passages", &["one", "two"]), group("query", &["which?"])]),
        output_tokens: Some(5),
        ..Turn::default()
    }
}

#[test]
fn rankings_bodies() {
    use EndpointKind::{CohereRankings, HfTeiRankings, NimRankings};
    let turn = ranking();
    assert_eq!(
        body(NimRankings, &turn, json!({"truncate": "END"})),
        r#"{"model":"m","query":{"text":"which?"},"passages":[{"text":"one"},{"text":"two"}],"truncate":"END"}"#
    );
    assert_eq!(
        body(CohereRankings, &turn, json!({"top_n": 1})),
        r#"{"model":"m","query":"which?","documents":["one","two"],"top_n":1}"#
    );
    assert_eq!(
        body(HfTeiRankings, &turn, json!({"raw_scores": true})),
        r#"{"query":"which?","texts":["one","two"],"raw_scores":true}"#
    );
}

#[test]
fn a_ranking_knows_its_query_by_name_or_by_place() {
    let of = |prompt| body(EndpointKind::HfTeiRankings, &Turn { prompt, ..Turn::default() }, json!({}));
    let group = |name: &str, text: &str| TextGroup { name: name.to_owned(), texts: vec![text.to_owned()] };
    let expected = r#"{"query":"q","texts":["p"]}"#;
    assert_eq!(of(Prompt::Groups(vec![group("passage", "p"), group("queries", "q"), group("other", "x")])), expected);
    assert_eq!(of(Prompt::Texts(vec!["q".to_owned(), "p".to_owned()])), expected);
    assert_eq!(of(Prompt::Groups(vec![group("a", "q"), group("b", "p")])), expected);
    assert_eq!(of(Prompt::Texts(Vec::new())), r#"{"query":"","texts":[]}"#);
}

#[test]
fn embeddings_of_texts_and_images() {
    use EndpointKind::{ChatEmbeddings, ImageRetrieval, NimEmbeddings, Nvclip};
    let both = Turn { images: vec![image("data:a"), image("data:b")], ..turn(&["one", "two"]) };
    let odd = Turn { images: vec![image("data:a")], ..turn(&["one", "two"]) };
    let input_type = json!({"input_type": "query"});
    for (kind, turn, expected) in [
        (NimEmbeddings, &both, r#"{"model":"m","input":["one data:a","two data:b"],"input_type":"query"}"#),
        (NimEmbeddings, &odd, r#"{"model":"m","input":["one","two","data:a"],"input_type":"query"}"#),
        (NimEmbeddings, &turn(&["one"]), r#"{"model":"m","input":["one"],"input_type":"query"}"#),
        (Nvclip, &both, r#"{"model":"m","input":["one","two","data:a","data:b"],"input_type":"query"}"#),
        (
            ChatEmbeddings,
            &odd,
            r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"},{"type":"image_url","image_url":{"url":"data:a"}}]}],"input_type":"query"}"#,
        ),
        (
            ImageRetrieval,
            &both,
            r#"{"input":[{"type":"image_url","url":"data:a"},{"type":"image_url","url":"data:b"}],"input_type":"query"}"#,
        ),
    ] {
        assert_eq!(body(kind, turn, input_type.clone()), expected);
    }
    let images = Turn { images: vec![image("data:a")], ..turn(&[]) };
    assert_eq!(body(NimEmbeddings, &images, json!({})), r#"{"model":"m","input":["data:a"]}"#);
}

#[test]
fn generate_bodies() {
    let turn = Turn { output_tokens: Some(5), ..turn(&["hi"]) };
    assert_eq!(
        said(EndpointKind::Generate, &turn, true, json!({"temperature": 0})),
        r#"{"text_input":["hi"],"stream":true,"max_tokens":5,"temperature":0}"#
    );
    assert_eq!(body(EndpointKind::Generate, &turn, json!({})), r#"{"text_input":["hi"],"max_tokens":5}"#);
    let past = [json!({"role": "user", "content": "a"}), json!({"role": "assistant", "content": "b"})];
    let request = Request { past: &past, tools: None, turn: &turn };
    let sent = said(EndpointKind::Generate, request, false, json!({}));
    assert_eq!(sent, "{\"text_input\":[\"a\\n\\nb\\n\\nhi\"],\"max_tokens\":5}");
}

#[test]
fn the_extras_of_text_generation_inference_are_parameters() {
    let kind = EndpointKind::HuggingfaceGenerate;
    let turn = Turn { output_tokens: Some(5), ..turn(&["a", "b"]) };
    assert_eq!(said(kind, &turn, true, json!({})), r#"{"inputs":"a b","parameters":{"max_new_tokens":5}}"#);
    assert_eq!(
        body(kind, &turn, json!({"do_sample": true, "stream": true, "model": "m", "parameters": {"top_k": 1}})),
        r#"{"inputs":"a b","parameters":{"max_new_tokens":5,"do_sample":true,"top_k":1},"stream":true,"model":"m"}"#
    );
    assert_eq!(body(kind, &Turn::text(0, "a"), json!({})), r#"{"inputs":"a","parameters":{}}"#);
}

#[test]
fn responses_bodies() {
    let kind = EndpointKind::Responses;
    let turn = Turn { output_tokens: Some(8), ..turn(&["hi"]) };
    assert_eq!(
        said(kind, &turn, true, json!({"temperature": 0})),
        r#"{"input":[{"role":"user","content":"hi","type":"message"}],"model":"m","stream":true,"max_output_tokens":8,"temperature":0}"#
    );
    let media = Turn {
        images: vec![image("data:a")],
        audios: vec![Audio { format: "wav".to_owned(), data: "AA".into(), seconds: None }],
        ..turn.clone()
    };
    assert_eq!(
        body(kind, &media, json!({})),
        r#"{"input":[{"role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_image","image_url":"data:a"},{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}],"type":"message"}],"model":"m","stream":false,"max_output_tokens":8}"#
    );
}

fn spoken() -> Vec<Value> {
    vec![
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "system", "content": [{"type": "text", "text": "Be kind."}]}),
        json!({"role": "user", "content": "what?"}),
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"a\":1}"}}]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "seen"}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "that"}]}),
    ]
}

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "look", "description": "looks", "parameters": {"type": "object"}}}])
}

#[test]
fn responses_repeat_what_was_said_in_items() {
    let (past, tools, turn) = (spoken(), tools(), turn(&["hi"]));
    let request = Request { past: &past, tools: Some(&tools), turn: &turn };
    let sent: Value = serde_json::from_str(&said(EndpointKind::Responses, request, false, json!({}))).unwrap();
    assert_eq!(
        sent,
        json!({
            "input": [
                {"role": "user", "content": "what?", "type": "message"},
                {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"a\":1}"},
                {"type": "function_call_output", "call_id": "c1", "output": "seen"},
                {"role": "assistant", "content": [{"type": "output_text", "text": "that"}], "type": "message"},
                {"role": "user", "content": "hi", "type": "message"},
            ],
            "model": "m",
            "stream": false,
            "instructions": "Be brief.\n\nBe kind.",
            "tools": [{"type": "function", "name": "look", "description": "looks", "parameters": {"type": "object"}}],
        })
    );
}

#[test]
fn messages_bodies() {
    let kind = EndpointKind::Messages;
    let limited = Turn { output_tokens: Some(8), ..turn(&["hi"]) };
    assert_eq!(
        said(kind, &limited, true, json!({"temperature": 0})),
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":8,"stream":true,"temperature":0}"#
    );
    assert_eq!(
        body(kind, &turn(&["hi"]), json!({})),
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":1024}"#
    );
    let shown = Turn { images: vec![image("data:image/png;base64,AAAA"), image("https://h/i.png")], ..limited };
    assert_eq!(
        body(kind, &shown, json!({})),
        r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://h/i.png"}}]}],"max_tokens":8}"#
    );
}

#[test]
fn messages_repeat_what_was_said_in_blocks() {
    let (past, tools, turn) = (spoken(), tools(), turn(&["hi"]));
    let request = Request { past: &past, tools: Some(&tools), turn: &turn };
    let sent: Value = serde_json::from_str(&said(EndpointKind::Messages, request, false, json!({}))).unwrap();
    assert_eq!(
        sent,
        json!({
            "model": "m",
            "messages": [
                {"role": "user", "content": "what?"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "seen"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "that"}]},
                {"role": "user", "content": "hi"},
            ],
            "max_tokens": 1024,
            "system": "Be brief.\n\nBe kind.",
            "tools": [{"name": "look", "description": "looks", "input_schema": {"type": "object"}}],
        })
    );
}

#[test]
fn solido_and_raw_bodies() {
    assert_eq!(
        body(EndpointKind::SolidoRag, &turn(&["a", "b"]), json!({"top_k": 2})),
        r#"{"query":["a","b"],"filters":{"family":"Solido","tool":"SDE"},"inference_model":"m","top_k":2}"#
    );
    let turn = turn(&["hi"]);
    assert_eq!(body(EndpointKind::Raw, &turn, json!({})), body(EndpointKind::Chat, &turn, json!({})));
}

#[test]
fn a_template_makes_the_body() {
    let kind = EndpointKind::Template;
    let odd = Turn { output_tokens: Some(7), ..turn(&["a \"b\" <c>", "d"]) };
    let made = |template: &str| body(kind, &odd, json!({"payload_template": template}));
    assert_eq!(made(r#"{"text": {{ texts|tojson }}}"#), r#"{"text":["a \"b\" <c>","d"]}"#);
    assert_eq!(made("nv-embedqa"), r#"{"text":["a \"b\" <c>","d"]}"#);
    assert_eq!(
        made(
            r#"{"m": "{{ model }}", "n": {{ max_tokens }}, "s": {{ stream|tojson }}, "r": "{{ role }}", "t": {{ text|tojson }}}"#
        ),
        r#"{"m":"m","n":7,"s":false,"r":"user","t":"a \"b\" <c>"}"#
    );
    let turn = Turn {
        images: vec![image("data:i")],
        videos: vec![Video { uri: "data:v".into() }],
        audios: vec![Audio { format: "wav".to_owned(), data: "AA".into(), seconds: None }],
        ..ranking()
    };
    let template = r#"{"q": {{ query|tojson }}, "p": {{ passages|tojson }}, "by": {{ texts_by_name.query[0]|tojson }},
        "i": {{ image|tojson }}, "v": {{ videos|tojson }}, "a": {{ audio|tojson }}, "t": {{ turns[0].texts|length }}}"#;
    assert_eq!(
        body(kind, &turn, json!({"payload_template": template, "response_field": "x", "k": 1})),
        r#"{"q":"which?","p":["one","two"],"by":"which?","i":"data:i","v":["data:v"],"a":"wav,AA","t":3,"k":1}"#
    );
    // What is no object is sent as it was made.
    assert_eq!(body(kind, &turn, json!({"payload_template": "[{{ max_tokens }}] "})), "[5] ");
}

#[test]
fn a_template_is_checked_before_the_run() {
    let check = |extra: Value| check_template(&map(extra));
    assert_eq!(check(json!({"payload_template": "nv-embedqa"})), Ok(()));
    assert_eq!(check(json!({"payload_template": r#"{"a": {{ text|tojson }}}"#})), Ok(()));
    assert_eq!(check(json!({})), Err(TemplateError::Missing));
    assert!(matches!(check(json!({"payload_template": "{{ text"})), Err(TemplateError::Syntax(_))));
    assert!(matches!(
        check(json!({"payload_template": "{{ text|nothing }}"})),
        Err(TemplateError::Syntax(_) | TemplateError::Render(_))
    ));
    let unquoted = check(json!({"payload_template": r#"{"a": "{{ text }}"}"#})).unwrap_err();
    assert!(unquoted.to_string().contains("write texts as {{ text|tojson }}"), "{unquoted}");
}
