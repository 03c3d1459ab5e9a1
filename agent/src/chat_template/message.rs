//! Messages as templates expect them.

use serde_json::{Map, Value};
use tool_hub_jinja::Object;

/// The names under which reasoning comes, the usual one first.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// A message without members that are null, which many templates print, and with its reasoning
/// under the names that templates know.
pub(super) fn normal(message: &Map<String, Value>) -> Object<'_> {
    let is_plain =
        |(name, value): (&String, &Value)| !value.is_null() && !REASONING.contains(&name.as_str());
    if message.iter().all(is_plain) {
        return Object::Whole(message);
    }
    let mut reasoning = REASONING.iter().filter_map(|name| message.get(*name));
    let reasoning = reasoning.find(|it| !it.is_null());
    let mut members = Vec::with_capacity(message.len() + 2);
    let mut given: Vec<_> = message
        .iter()
        .filter(|(_, value)| !value.is_null())
        .collect();
    if let Some(reasoning) = reasoning {
        let [content, thinking, _] = REASONING;
        let at = given.iter().position(|(name, _)| *name == thinking);
        members.push((thinking, at.map_or(reasoning, |at| given.remove(at).1)));
        members.extend(given.iter().map(|(name, value)| (name.as_str(), *value)));
        if !given.iter().any(|(name, _)| *name == content) {
            members.push((content, reasoning));
        }
        return Object::Members(members);
    }
    members.extend(given.iter().map(|(name, value)| (name.as_str(), *value)));
    Object::Members(members)
}

/// A message of its own that is like `object`.
pub(super) fn owned(object: &Object<'_>) -> Map<String, Value> {
    match object {
        Object::Whole(members) => (*members).clone(),
        Object::Members(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| ((*name).to_owned(), (*value).clone()));
            members.collect()
        }
    }
}
