//! Converts arguments that a model writes as bare text to the types of the function's schema.

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

use super::literal;
use super::scan::Quotes;
use crate::schema::fit::{Fit, HOPS_MAX};
use crate::schema::{Document, Form, Node};

/// The value of the argument `name` of `function`, written as `text`: a string if the schema allows
/// one, otherwise the value that the text is a literal of. Without a schema, every literal except a
/// string is read as its value.
pub(super) fn value(text: &str, function: &str, name: &str, offered: &[FunctionSpec]) -> Value {
    let spec = offered.iter().find(|spec| spec.name == function);
    if let Some(spec) = spec {
        let fit = Fit::new(Document::new(&spec.input_schema));
        let node = argument(&fit, name);
        let as_text = Value::from(text);
        if let Some(node) = node.filter(|node| !matches!(node.form, Form::Any)) {
            let is_null = text.trim() == "null" && node.takes_null();
            return match fit.fits(&node, &as_text, 0) && !is_null {
                true => as_text,
                false => read(text).unwrap_or(as_text),
            };
        }
    }
    guess(text)
}

/// The JSON value of `text`, unless it is a string.
pub(super) fn guess(text: &str) -> Value {
    read(text)
        .filter(|value| !value.is_string())
        .unwrap_or_else(|| text.into())
}

fn read(text: &str) -> Option<Value> {
    literal::value(text.trim(), Quotes::Either).ok()
}

/// The schema of an argument.
fn argument<'a>(fit: &Fit<'a>, name: &str) -> Option<Node<'a>> {
    let mut node = fit.document.root();
    for _ in 0..HOPS_MAX {
        match node.form {
            Form::Ref(target) => node = fit.definition(target)?,
            Form::Object(members, _) => {
                let mut members = members.into_iter();
                return members.find(|member| member.name == name).map(|it| it.node);
            }
            _ => return None,
        }
    }
    None
}
