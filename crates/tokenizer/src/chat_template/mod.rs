//! Chat templates: how a model's conversation becomes one text, written in Jinja and meant for Python's Jinja2 with the
//! extras that the transformers library gives it.

mod json;
mod python;

use std::fmt;
use std::sync::OnceLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, ErrorKind, context};
use regex::Regex;
use serde_json::Map;

/// Why a conversation cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The tokenizer has no chat template.
    #[error(
        "tokenizer `{name}` has no chat template; leave --apply-chat-template out, or give --tokenizer one that has"
    )]
    Missing {
        /// Name of the tokenizer.
        name: String,
    },
    /// The template is not valid.
    #[error(
        "the chat template of `{name}` is not valid: {reason}; leave --apply-chat-template out, or correct the template"
    )]
    Syntax {
        /// Name of the tokenizer.
        name: String,
        /// The reason, with the line.
        reason: String,
    },
    /// The template refuses the conversation.
    #[error("the chat template of `{name}` refuses the messages: {reason}")]
    Render {
        /// Name of the tokenizer.
        name: String,
        /// The reason; often one that the template's author wrote.
        reason: String,
    },
}

/// The chat template of a tokenizer. It is compiled when it is first used.
pub struct ChatTemplate {
    name: String,
    /// By the name of the template; the ordinary one is `default`.
    sources: Vec<(String, String)>,
    /// Variables of the template: `bos_token` and its like.
    tokens: Vec<(String, String)>,
    compiled: OnceLock<Result<Environment<'static>, String>>,
}

/// The template that is used where tools are given, if there is one of its own for that.
const WITH_TOOLS: &str = "tool_use";
const DEFAULT: &str = "default";

impl ChatTemplate {
    /// None if there are no templates.
    pub(crate) fn new(name: &str, sources: Vec<(String, String)>, tokens: Vec<(String, String)>) -> Option<Self> {
        (!sources.is_empty()).then(|| Self { name: name.to_owned(), sources, tokens, compiled: OnceLock::new() })
    }

    /// The text of a conversation. `messages` is what a request has under that name: a list of objects with `role` and
    /// `content`. The generation prompt is what makes the model answer rather than go on with the last message.
    ///
    /// # Errors
    /// [`TemplateError::Syntax`] if the template is not valid, [`TemplateError::Render`] if it refuses the conversation.
    pub fn render(
        &self,
        messages: &serde_json::Value,
        tools: Option<&serde_json::Value>,
        add_generation_prompt: bool,
    ) -> Result<String, TemplateError> {
        let syntax = |reason| TemplateError::Syntax { name: self.name.clone(), reason };
        let render = |error: Error| TemplateError::Render { name: self.name.clone(), reason: describe(&error) };
        let environment =
            self.compiled.get_or_init(|| self.compile()).as_ref().map_err(|reason| syntax(reason.clone()))?;
        let template = [WITH_TOOLS, DEFAULT]
            .into_iter()
            .filter(|&name| name == DEFAULT || tools.is_some())
            .find_map(|name| environment.get_template(name).ok())
            .ok_or_else(|| syntax(format!("it has no template called {DEFAULT}")))?;
        let tokens = self.tokens.iter().map(|(name, token)| (name.as_str(), Value::from(token.as_str())));
        let tokens = Value::from_pairs(tokens);
        let variables = context! {
            messages => Value::from(Serde(normalized(messages))),
            tools => tools.map_or(Value::from(()), |tools| Value::from(Serde(tools))),
            documents => Value::from(()),
            add_generation_prompt => add_generation_prompt,
            ..tokens
        };
        template.render(variables).map_err(render)
    }

    fn compile(&self) -> Result<Environment<'static>, String> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| describe(&error))?);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_formatter(python::format);
        environment.set_unknown_method_callback(python::method);
        environment.add_filter("tojson", json::to_json);
        environment.add_filter("string", python::to_string);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", python::strftime_now);
        for (name, source) in &self.sources {
            let source = without_generation_marks(source)?;
            environment.add_template_owned(name.clone(), source).map_err(|error| describe(&error))?;
        }
        Ok(environment)
    }
}

impl fmt::Debug for ChatTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatTemplate").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The marks around what the model says, which training needs, as a block that changes nothing.
fn without_generation_marks(source: &str) -> Result<String, String> {
    let begin = Regex::new(r"\{%([-+]?)\s*generation\s*([-+]?)%\}").map_err(|error| error.to_string())?;
    let end = Regex::new(r"\{%([-+]?)\s*endgeneration\s*([-+]?)%\}").map_err(|error| error.to_string())?;
    let source = begin.replace_all(source, "{%$1 if true $2%}");
    Ok(end.replace_all(&source, "{%$1 endif $2%}").into_owned())
}

/// Messages as templates are written for: what is null is absent, and reasoning is found under each of its names.
fn normalized(messages: &serde_json::Value) -> serde_json::Value {
    let Some(messages) = messages.as_array() else { return messages.clone() };
    let message = |message: &serde_json::Value| {
        let Some(fields) = message.as_object() else { return message.clone() };
        let present = fields.iter().filter(|(_, value)| !value.is_null());
        let mut fields: Map<_, _> = present.map(|(name, value)| (name.clone(), value.clone())).collect();
        let names = ["reasoning_content", "thinking", "reasoning"];
        if let Some(reasoning) = names.iter().find_map(|name| fields.get(*name)).cloned() {
            fields.entry("thinking").or_insert_with(|| reasoning.clone());
            fields.insert("reasoning_content".to_owned(), reasoning);
        }
        serde_json::Value::Object(fields)
    };
    messages.iter().map(message).collect()
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// The reason of an error with its line.
fn describe(error: &Error) -> String {
    let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    match error.line() {
        Some(line) => format!("{reason} (line {line})"),
        None => reason,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(source: &str) -> ChatTemplate {
        let tokens = vec![("bos_token".to_owned(), "<s>".to_owned())];
        ChatTemplate::new("t", vec![("default".to_owned(), source.to_owned())], tokens).unwrap()
    }

    fn render(source: &str, messages: serde_json::Value) -> String {
        template(source).render(&messages, None, true).unwrap()
    }

    #[test]
    fn a_conversation_becomes_a_text() {
        let source = "{{ bos_token }}{% for m in messages %}\n<{{ m['role'] }}>{{ m.content | trim }}\n{% endfor %}\n\
                      {%- if add_generation_prompt %}<assistant>{% endif %}";
        let messages = json!([{"role": "user", "content": " hi "}, {"role": "assistant", "content": "yo"}]);
        assert_eq!(render(source, messages), "<s><user>hi\n<assistant>yo\n<assistant>");
    }

    #[test]
    fn values_are_written_as_python_writes_them() {
        let messages = json!([{"a": ["x'y", 1, 2.0, true, null, {"k": "é\n"}]}]);
        assert_eq!(
            render(
                "{{ messages[0].a }} {{ true }} {{ none }} {{ 1.0 }} {{ x }} {{ 'a' ~ 1 }} {{ false | string }}",
                messages
            ),
            "[\"x'y\", 1, 2.0, True, None, {'k': 'é\\n'}] True None 1.0  a1 False"
        );
    }

    #[test]
    fn json_is_written_as_python_writes_it() {
        let messages = json!([{"b": 1, "a": ["é<&'", {}, []]}]);
        assert_eq!(render("{{ messages[0] | tojson }}", messages.clone()), r#"{"b": 1, "a": ["é<&'", {}, []]}"#);
        assert_eq!(
            render("{{ messages[0] | tojson(indent=2, sort_keys=true) }}", messages.clone()),
            "{\n  \"a\": [\n    \"é<&'\",\n    {},\n    []\n  ],\n  \"b\": 1\n}"
        );
        assert_eq!(
            render("{{ messages[0] | tojson(separators=(',', ':'), ensure_ascii=true) }}", messages),
            r#"{"b":1,"a":["\u00e9<&'",{},[]]}"#
        );
    }

    #[test]
    fn python_methods_and_loop_controls_work() {
        let source = "{% for m in messages %}{% if loop.index0 == 1 %}{% continue %}{% endif %}{% if loop.index0 == 3 %}\
                      {% break %}{% endif %}{{ m.content.strip().split('-')[-1].upper() }}{% endfor %}\
                      {{ messages[0].get('no', 'd') }}{% for k, v in messages[0].items() %}{{ k }}={{ v }}{% endfor %}\
                      {{ messages[::-1][0].content }}";
        let messages = json!(["a-b ", "c", "d", "e"].map(|text| json!({"content": text})));
        assert_eq!(render(source, messages), "BDdcontent=a-b e");
    }

    #[test]
    fn what_is_null_is_absent_and_reasoning_has_all_its_names() {
        let source =
            "{{ messages[0].content is defined }}{{ messages[0].reasoning_content }}{{ messages[0].thinking }}";
        assert_eq!(render(source, json!([{"content": null, "reasoning": "r"}])), "Falserr");
    }

    #[test]
    fn generation_marks_change_nothing() {
        assert_eq!(render("a {%- generation %} b {% endgeneration -%} c", json!([])), "a b c");
    }

    #[test]
    fn tools_have_a_template_of_their_own() {
        let sources = [("default", "d{{ tools is none }}"), ("tool_use", "t{{ tools | length }}")];
        let sources = sources.map(|(name, source)| (name.to_owned(), source.to_owned())).to_vec();
        let template = ChatTemplate::new("t", sources, vec![]).unwrap();
        assert_eq!(template.render(&json!([]), None, false).unwrap(), "dTrue");
        assert_eq!(template.render(&json!([]), Some(&json!([{}])), false).unwrap(), "t1");
    }

    #[test]
    fn errors_say_where_and_why() {
        let error = template("a\n{% if %}").render(&json!([]), None, true).unwrap_err();
        assert!(matches!(&error, TemplateError::Syntax { reason, .. } if reason.ends_with("(line 2)")), "{error}");
        let error = template("{{ raise_exception('only user') }}").render(&json!([]), None, true).unwrap_err();
        assert_eq!(error.to_string(), "the chat template of `t` refuses the messages: only user (line 1)");
    }

    #[test]
    fn dates_are_written_as_asked() {
        let year = render("{{ strftime_now('%Y') }}", json!([]));
        assert!(year.len() == 4 && year.parse::<u32>().is_ok_and(|year| year >= 2024), "{year}");
        assert_eq!(render("{{ strftime_now('a%%b') }}", json!([])), "a%b");
    }
}
