//! Converts messages (reasoning under each usual name) and JSON to template values; adds up sizes.

use indexmap::IndexMap;
use minijinja::Value as Read;
use serde_json::{Map, Value};

use super::error::TemplateError;
use super::value_limits::{VALUE_BYTES, VALUE_DEPTH_MAX};

/// The names under which reasoning comes, the usual one first.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// The members of a message without those that are null, which many templates would print. Its
/// reasoning is there under each name that templates know.
pub(super) fn members(message: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let given = message.iter().filter(|(_, value)| !value.is_null());
    let mut members: Vec<_> = given.map(|(name, value)| (name.as_str(), value)).collect();
    let mut reasoning = REASONING.iter().filter_map(|name| message.get(*name));
    if let Some(reasoning) = reasoning.find(|it| !it.is_null()) {
        let [content, thinking, _] = REASONING;
        for name in [content, thinking] {
            if !members.iter().any(|(known, _)| *known == name) {
                members.push((name, reasoning));
            }
        }
    }
    members
}

/// Makes values for templates, and adds up their sizes.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) bytes: usize,
}

impl Reader {
    pub(super) fn list(&mut self, items: Option<&[Value]>) -> Result<Read, TemplateError> {
        match items {
            Some(items) => self.items(items, 1),
            None => Ok(Read::from(())),
        }
    }

    pub(super) fn object<'a>(
        &mut self,
        members: impl Iterator<Item = (&'a str, &'a Value)>,
    ) -> Result<Read, TemplateError> {
        self.members(members, 1)
    }

    pub(super) fn value(&mut self, value: &Value) -> Result<Read, TemplateError> {
        self.nested(value, 0)
    }

    fn nested(&mut self, value: &Value, depth: usize) -> Result<Read, TemplateError> {
        self.bytes += VALUE_BYTES;
        if depth == VALUE_DEPTH_MAX {
            return Err(TemplateError::TooMuch {
                limit: "depth",
                value: VALUE_DEPTH_MAX,
            });
        }
        match value {
            Value::Null => Ok(Read::from(())),
            Value::Bool(flag) => Ok(Read::from(*flag)),
            Value::Number(number) => Ok(match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Read::from(number),
                (None, Some(number)) => Read::from(number),
                (None, None) => Read::from(number.as_f64().unwrap_or(f64::NAN)),
            }),
            Value::String(text) => Ok(self.text(text)),
            Value::Array(items) => self.items(items, depth + 1),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.as_str(), value));
                self.members(members, depth + 1)
            }
        }
    }

    fn items(&mut self, items: &[Value], depth: usize) -> Result<Read, TemplateError> {
        let items = items.iter().map(|item| self.nested(item, depth));
        Ok(Read::from(items.collect::<Result<Vec<_>, _>>()?))
    }

    fn members<'a>(
        &mut self,
        members: impl Iterator<Item = (&'a str, &'a Value)>,
        depth: usize,
    ) -> Result<Read, TemplateError> {
        let mut read = IndexMap::with_capacity(members.size_hint().0);
        for (name, value) in members {
            read.insert(self.text(name), self.nested(value, depth)?);
        }
        Ok(Read::from_object(read))
    }

    fn text(&mut self, text: &str) -> Read {
        self.bytes += text.len();
        Read::from(text)
    }
}
