//! Messages as templates expect them.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The names under which reasoning comes, the usual one first.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// A message, which is most often printed as it is.
pub(super) type Message<'a> = Cow<'a, Map<String, Value>>;

/// A message without members that are null, which many templates print, and with its reasoning
/// under the names that templates know.
pub(super) fn normal(message: &Map<String, Value>) -> Message<'_> {
    let is_plain =
        |(name, value): (&String, &Value)| !value.is_null() && !REASONING.contains(&name.as_str());
    if message.iter().all(is_plain) {
        return Cow::Borrowed(message);
    }
    let mut reasoning = REASONING.iter().filter_map(|name| message.get(*name));
    let reasoning = reasoning.find(|it| !it.is_null());
    let given = message.iter().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.clone(), value.clone()));
    let Some(reasoning) = reasoning else {
        return Cow::Owned(given.collect());
    };
    let mut aliased = Map::from_iter([("thinking".to_owned(), reasoning.clone())]);
    aliased.extend(given);
    aliased.insert("reasoning_content".to_owned(), reasoning.clone());
    Cow::Owned(aliased)
}
