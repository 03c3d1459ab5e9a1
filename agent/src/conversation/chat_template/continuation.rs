//! Cuts what a template prints at the end of the last message's text, for the model to go on there.

use serde_json::{Map, Value};

use super::chat::Chat;
use super::error::TemplateError;
use super::message::{REASONING, members};

/// Marks the end of the text to continue. Templates that trim texts remove the space.
const MARK: &str = "<|the model goes on here|> ";

/// The end of a message that is left open for the model to continue.
pub(super) struct Continuation {
    /// The beginning of the message, which the model continues.
    text: String,
}

/// The last message of `chat`, with a mark at the end of `member`.
pub(super) fn left_open(
    source: &str,
    chat: &Chat,
    member: &str,
) -> Result<(Map<String, Value>, Continuation), TemplateError> {
    if chat.add_generation_prompt {
        return Err(not_continued("it cannot be followed by another one"));
    }
    let last = chat.messages.last();
    let last = last.ok_or_else(|| not_continued("there is none"))?;
    let last = members(last).into_iter();
    let mut last: Map<String, Value> = last
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    let value = last.get(member).cloned();
    let value = value.ok_or_else(|| not_continued("it has no such member"))?;
    // Reasoning has several names with the same text, of which a template reads one.
    let names: Vec<&str> = match REASONING.contains(&member) {
        true => {
            let same = REASONING.into_iter();
            same.filter(|name| last.get(*name) == Some(&value))
                .collect()
        }
        false => vec![member],
    };
    if !names.iter().any(|name| source.contains(name)) {
        return Err(not_continued("the template never reads that member"));
    }
    let mut text = None;
    for name in names {
        text = last.get_mut(name).and_then(marked).or(text);
    }
    let text = text.ok_or_else(|| not_continued("it is not a text"))?;
    Ok((last, Continuation { text }))
}

/// Marks the end of a text, or of the last one in a list of blocks, and returns it as it was.
fn marked(value: &mut Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text,
        Value::Array(blocks) => {
            let mut blocks = blocks.iter_mut().rev().filter_map(Value::as_object_mut);
            blocks.find_map(text_of)?
        }
        _ => return None,
    };
    let was = text.clone();
    text.push_str(MARK);
    Some(was)
}

fn text_of(block: &mut Map<String, Value>) -> Option<&mut String> {
    match block.get_mut("text")? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

impl Continuation {
    /// The printed text up to the mark.
    pub(super) fn cut(self, mut printed: String) -> Result<String, TemplateError> {
        let Some(end) = printed.rfind(MARK.trim_end()) else {
            return Err(not_continued("the template does not print it"));
        };
        if !printed.contains(self.text.trim()) {
            return Err(not_continued("the template does not print all of it"));
        }
        let is_trimmed = !printed[end..].starts_with(MARK);
        printed.truncate(end);
        if is_trimmed {
            printed.truncate(printed.trim_end().len());
        }
        Ok(printed)
    }
}

fn not_continued(why: &'static str) -> TemplateError {
    TemplateError::NotContinued { why }
}
