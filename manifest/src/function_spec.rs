//! The `FunctionSpec`, a function as an agent sees it, with its `Annotations` and visible name.
//! The visible name is made of the tool's key and the function's name.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::name::ToolKey;

/// The longest name that every consumer of tools accepts.
const VISIBLE_NAME_LENGTH_MAX: usize = 64;

/// One callable function as it is offered to an agent: the common source of every
/// dialect's tool definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionSpec {
    /// The name the agent calls: at most 64 of `[a-z0-9_]`.
    pub name: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of the function.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments: always of type `object`.
    pub input_schema: Value,
    /// JSON Schema (2020-12) of the structured result, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about the function's behaviour.
    #[serde(default)]
    pub annotations: Annotations,
}

/// Hints about a function's behaviour, never a promise that anything relies on. Absent means
/// that nobody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Annotations {
    /// Changes nothing anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Calling twice with the same arguments is the same as calling once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// May destroy or overwrite something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Reaches beyond the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

/// A function cannot be offered under its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name `{name}` has {} characters, agents accept at most {VISIBLE_NAME_LENGTH_MAX}", name.len())]
pub struct SpecError {
    /// The name that is too long.
    pub name: String,
}

impl FunctionSpec {
    /// The digest of everything an agent reads: name, texts, schemas, annotations. Two specs
    /// that differ only in the order of object keys have the same digest.
    pub fn digest(&self) -> Digest {
        let mut value = serde_json::to_value(self).expect("a spec is made of what JSON can hold");
        value.sort_all_objects();
        Digest::of(value.to_string().as_bytes())
    }
}

/// The name an agent sees: the toolbox's name of the tool where the tool has one function,
/// `key__function` otherwise. Prompts are named alike. Keys hold no `__` and functions begin with a
/// letter, so no two functions share a name.
///
/// # Errors
/// When the name is longer than agents accept.
pub fn visible_name(
    key: &ToolKey,
    function: impl fmt::Display,
    functions: usize,
) -> Result<String, SpecError> {
    let name = match functions {
        1 => key.to_string(),
        _ => format!("{key}__{function}"),
    };
    if name.len() <= VISIBLE_NAME_LENGTH_MAX {
        Ok(name)
    } else {
        Err(SpecError { name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::FunctionName;
    use serde_json::json;

    fn spec(input_schema: Value) -> FunctionSpec {
        FunctionSpec {
            name: "add".into(),
            title: None,
            description: "Adds.".into(),
            input_schema,
            output_schema: None,
            annotations: Annotations::default(),
        }
    }

    #[test]
    fn the_digest_sees_content_not_order() {
        let one = spec(json!({"type": "object", "required": ["a"]})).digest();
        let same = spec(json!({"required": ["a"], "type": "object"})).digest();
        let other = spec(json!({"required": ["b"], "type": "object"})).digest();
        assert_eq!(one, same);
        assert_ne!(one, other);
    }

    #[test]
    fn names_as_agents_see_them() {
        let key: ToolKey = "text_stats".parse().unwrap();
        let function: FunctionName = "count_words".parse().unwrap();
        assert_eq!(visible_name(&key, &function, 1).unwrap(), "text_stats");
        assert_eq!(
            visible_name(&key, &function, 2).unwrap(),
            "text_stats__count_words"
        );
        let long: ToolKey = "a".repeat(60).parse().unwrap();
        assert!(visible_name(&long, &function, 2).is_err());
    }
}
