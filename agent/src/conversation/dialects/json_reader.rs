//! Reads values in a conversation's JSON, with errors that name their path, and limits its size.

use std::fmt;

use serde_json::{Map, Value};

use super::error::MessageError;
use crate::conversation::message::{Content, Part};

/// The most messages, and the most parts, of a conversation.
pub(super) const MESSAGE_PARTS_MAX: usize = 100_000;

/// The length to which a wrong string is cut in a message, in characters.
const SHOWN_CHARACTERS_MAX: usize = 40;

type Object = Map<String, Value>;

/// The path to a value.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    from: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Member(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) fn root(name: &'a str) -> Self {
        Self {
            from: None,
            step: Step::Member(name),
        }
    }

    pub(super) fn member(&'a self, name: &'a str) -> Self {
        Self {
            from: Some(self),
            step: Step::Member(name),
        }
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self {
            from: Some(self),
            step: Step::Index(index),
        }
    }

    pub(super) fn unexpected(&self, expected: &'static str, found: Option<&Value>) -> MessageError {
        MessageError::Unexpected {
            path: self.to_string(),
            expected,
            found: found.map_or_else(|| "nothing".to_owned(), describe),
        }
    }

    pub(super) fn object<'v>(
        &self,
        value: &'v Value,
        expected: &'static str,
    ) -> Result<&'v Map<String, Value>, MessageError> {
        let object = value.as_object();
        object.ok_or_else(|| self.unexpected(expected, Some(value)))
    }

    /// The required string `name`.
    pub(super) fn text<'v>(
        &self,
        object: &'v Map<String, Value>,
        name: &str,
    ) -> Result<&'v str, MessageError> {
        match object.get(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.member(name).unexpected("a string", other)),
        }
    }

    /// The text that may be at `name`.
    pub(super) fn text_if_any(
        &self,
        object: &Map<String, Value>,
        name: &str,
    ) -> Result<Option<String>, MessageError> {
        match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(object, name).map(|text| Some(text.to_owned())),
        }
    }

    /// Arguments as an object, which may be written as a text.
    pub(super) fn arguments(
        &self,
        value: Option<&Value>,
    ) -> Result<Map<String, Value>, MessageError> {
        match value {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(arguments)) => Ok(arguments.clone()),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(Value::Object(arguments)) => Ok(arguments),
                Ok(other) => Err(self.unexpected("the JSON of an object", Some(&other))),
                Err(error) => Err(MessageError::Arguments {
                    path: self.to_string(),
                    message: error.to_string(),
                }),
            },
            other => Err(self.unexpected("the arguments as an object", other)),
        }
    }

    /// The parts of a content: none, a string, or an array whose items `part` reads.
    pub(super) fn contents(
        &self,
        value: Option<&Value>,
        expected: &'static str,
        part: impl Fn(&Value, &Path<'_>) -> Result<Part, MessageError>,
    ) -> Result<Vec<Part>, MessageError> {
        match value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![Content::Text(text.clone()).into()]),
            Some(Value::Array(items)) => {
                let items = items.iter().enumerate();
                items
                    .map(|(index, item)| part(item, &self.index(index)))
                    .collect()
            }
            other => Err(self.unexpected(expected, other)),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from {
            write!(f, "{from}")?;
        }
        match self.step {
            Step::Member(name) if self.from.is_some() => write!(f, ".{name}"),
            Step::Member(name) => f.write_str(name),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let begin: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
            let more = if begin.len() < text.len() { "…" } else { "" };
            format!("the string `{}{more}`", begin.escape_debug())
        }
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Refuses a value with too many messages and parts before any of it is copied: each of them is
/// an object in a list.
pub(super) fn within_bounds(value: &Value) -> Result<(), MessageError> {
    let mut left = MESSAGE_PARTS_MAX;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => {
                let objects = items.iter().filter(|item| item.is_object()).count();
                left = left.checked_sub(objects).ok_or(MessageError::TooMuch {
                    limit: "message_parts",
                    value: MESSAGE_PARTS_MAX,
                })?;
                waiting.extend(items);
            }
            Value::Object(members) => waiting.extend(members.values()),
            _ => {}
        }
    }
    Ok(())
}

/// The list of messages in `value`, and the object around it.
pub(super) fn list<'v>(
    value: &'v Value,
    name: &'static str,
    expected: &'static str,
) -> Result<(&'v [Value], Option<&'v Object>), MessageError> {
    match value {
        Value::Array(list) => Ok((list, None)),
        Value::Object(request) => match request.get(name) {
            Some(Value::Array(list)) => Ok((list, Some(request))),
            other => Err(Path::root(name).unexpected(expected, other)),
        },
        other => Err(Path::root(name).unexpected(expected, Some(other))),
    }
}
