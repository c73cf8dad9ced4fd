//! `response_field`: where the user says the answer's text is, as a JMESPath expression.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use jmespath::{Expression, Variable};
use serde_json::{Map, Value};
use thiserror::Error;
use tokamark_plan::EndpointKind;
use tokamark_wire::any::{Picked, read_picked_body, read_picked_event};
use tokamark_wire::{Answer, EventInfo};

use crate::{BodyOptions, Dialect, Request, dialect};

/// The extra input that holds the expression. It is no part of a body.
pub const RESPONSE_FIELD: &str = "response_field";

/// An expression that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{expression}` is not a JMESPath expression: {reason}")]
pub struct ResponseFieldError {
    /// What was given.
    pub expression: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Checks the expression among the extra inputs, if there is one.
///
/// # Errors
/// What is wrong with it.
pub fn check_response_field(extra: &Map<String, Value>) -> Result<(), ResponseFieldError> {
    extra.get(RESPONSE_FIELD).and_then(Value::as_str).map_or(Ok(()), |expression| compile(expression).map(drop))
}

/// The dialect of an endpoint with the extra inputs: where those of `raw` and `template` say where the answer's text is, it is
/// read there. An expression that [`check_response_field`] refuses is not used.
#[must_use]
pub fn dialect_for(kind: EndpointKind, extra: &Map<String, Value>) -> &'static dyn Dialect {
    /// Dialects live as long as the program. Of each expression there is one.
    static KEPT: Mutex<BTreeMap<(&str, String), &Fielded>> = Mutex::new(BTreeMap::new());

    let inner = dialect(kind);
    let reads_anything = matches!(kind, EndpointKind::Raw | EndpointKind::Template);
    let Some(expression) = extra.get(RESPONSE_FIELD).and_then(Value::as_str).filter(|_| reads_anything) else {
        return inner;
    };
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (kind.name(), expression.to_owned());
    if let Some(fielded) = kept.get(&key) {
        return *fielded;
    }
    let Ok(expression) = compile(expression) else { return inner };
    let fielded: &'static Fielded = Box::leak(Box::new(Fielded { inner, expression }));
    kept.insert(key, fielded);
    fielded
}

fn compile(expression: &str) -> Result<Expression<'static>, ResponseFieldError> {
    jmespath::compile(expression)
        .map_err(|error| ResponseFieldError { expression: expression.to_owned(), reason: error.reason.to_string() })
}

/// A dialect whose answers' text is somewhere else.
#[derive(Debug)]
struct Fielded {
    inner: &'static dyn Dialect,
    expression: Expression<'static>,
}

impl Fielded {
    /// What the expression finds: texts, or anything else that is not `null`.
    fn pick(&self, value: &Value) -> Option<Picked> {
        let found = self.expression.search(value).ok()?;
        match &*found {
            Variable::Null => None,
            Variable::String(text) => Some(Picked::Text(text.clone())),
            Variable::Array(items) if items.iter().any(|item| item.is_string()) => {
                Some(Picked::Text(items.iter().filter_map(|item| item.as_string()).map(String::as_str).collect()))
            }
            _ => Some(Picked::Data),
        }
    }
}

impl Dialect for Fielded {
    fn kind(&self) -> EndpointKind {
        self.inner.kind()
    }

    fn marks_end(&self) -> bool {
        self.inner.marks_end()
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        self.inner.body(request, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_picked_event(name, data, answer, |value| self.pick(value))
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        let found = read_picked_body(body, answer, |value| self.pick(value));
        found.map_err(|reason| format!("{RESPONSE_FIELD} `{}`: {reason}", self.expression.as_str()))
    }
}
