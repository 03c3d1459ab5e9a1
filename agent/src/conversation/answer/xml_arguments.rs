//! Reads a call's arguments from nested elements, as MiniMax M3 writes them.
//! A fixed marker stands before each tag.

use serde_json::{Map, Value};
use tool_hub_manifest::FunctionSpec;

use super::bare_argument;
use super::scan::DEPTH_MAX;

/// The marker before each tag of MiniMax M3.
pub(super) const NAMESPACE: &str = "]<]minimax[>[";

/// The reason why a text cannot be read as arguments.
type ParseError = &'static str;

const NO_END: ParseError = "an element is not closed";

/// The element name of a list item.
const ITEM: &str = "item";

/// Parses the whole of `written` as the arguments of `function`.
pub(super) fn arguments(
    written: &str,
    function: &str,
    offered: &[FunctionSpec],
) -> Result<Map<String, Value>, ParseError> {
    let mut reader = Reader { rest: written };
    let mut arguments = Map::new();
    while let Some(name) = reader.open()? {
        let value = match reader.content(name, 1)? {
            Content::Text(text) => bare_argument::value(text, function, name, offered),
            Content::Value(value) => value,
        };
        arguments.insert(name.to_owned(), value);
    }
    match reader.rest.trim().is_empty() {
        true => Ok(arguments),
        false => Err("unexpected text between the arguments"),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

enum Content<'a> {
    Text(&'a str),
    Value(Value),
}

impl<'a> Reader<'a> {
    /// Reads an opening tag if one begins here, and returns its name.
    fn open(&mut self) -> Result<Option<&'a str>, ParseError> {
        let rest = self.rest.trim_start().strip_prefix(NAMESPACE);
        let Some(tag) = rest.and_then(|rest| rest.trim_start().strip_prefix('<')) else {
            return Ok(None);
        };
        if tag.starts_with('/') {
            return Ok(None);
        }
        let (name, rest) = tag.split_once('>').ok_or(NO_END)?;
        self.rest = rest;
        Ok(Some(name.trim()))
    }

    /// Reads the content of the element `name`, up to and including its closing tag.
    fn content(&mut self, name: &str, depth: usize) -> Result<Content<'a>, ParseError> {
        if depth > DEPTH_MAX {
            return Err("values are nested too deep");
        }
        let (text, _) = self.rest.split_once(NAMESPACE).ok_or(NO_END)?;
        let mut members: Vec<(&str, Value)> = Vec::new();
        while let Some(member) = self.open()? {
            let value = match self.content(member, depth + 1)? {
                Content::Text(text) => bare_argument::guess(text),
                Content::Value(value) => value,
            };
            members.push((member, value));
        }
        let content = match members.first() {
            None => {
                self.rest = &self.rest[text.len()..];
                Content::Text(text)
            }
            Some(_) if members.iter().all(|(name, _)| *name == ITEM) => {
                Content::Value(members.into_iter().map(|(_, value)| value).collect())
            }
            Some(_) => {
                let members = members.into_iter();
                let members = members.map(|(name, value)| (name.to_owned(), value));
                Content::Value(Value::Object(members.collect()))
            }
        };
        let end = self.rest.trim_start().strip_prefix(NAMESPACE);
        let end = end.and_then(|rest| rest.trim_start().strip_prefix("</"));
        let (closed, rest) = end.and_then(|rest| rest.split_once('>')).ok_or(NO_END)?;
        self.rest = rest;
        match closed.trim() == name {
            true => Ok(content),
            false => Err(NO_END),
        }
    }
}
