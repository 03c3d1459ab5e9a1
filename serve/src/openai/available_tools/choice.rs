//! Reads the member `tool_choice` of a request, of either API, and writes it for the endpoint.

use serde_json::{Map, Value};

use super::definition::name_of;
use crate::openai::refusal::Refusal;

/// The most tools, and the most allowed ones, that are compared: each with each.
const COMPARED_MAX: usize = 1_024;

/// The choice, of either API.
#[derive(Debug, PartialEq)]
pub(super) enum Choice {
    /// The model calls nothing.
    Nothing,
    /// One function, named without more, or a word that only the endpoint knows.
    Named(String),
    /// Only tools that one of these describes.
    Allowed { mode: String, tools: Vec<Value> },
    /// Whatever else there is. Every endpoint knows it, or says that it does not.
    AsWritten,
}

impl Choice {
    /// Reads what a request with so many `tools` says.
    pub(super) fn read(choice: Option<&Value>, tools: usize) -> Result<Self, Refusal> {
        let choice = Self::written(choice)?;
        if let Self::Allowed { tools: allowed, .. } = &choice
            && allowed.len().max(tools) > COMPARED_MAX
        {
            return Err(Refusal::request(
                format!(
                    "`allowed_tools` chooses at most {COMPARED_MAX} of as many tools; name fewer"
                ),
                Some("tool_choice"),
            ));
        }
        Ok(choice)
    }

    fn written(choice: Option<&Value>) -> Result<Self, Refusal> {
        Ok(match choice {
            Some(Value::String(word)) => match word.as_str() {
                "none" => Self::Nothing,
                "auto" | "required" => Self::AsWritten,
                name => Self::Named(name.to_owned()),
            },
            Some(Value::Object(object)) if object.get("type") == Some(&"allowed_tools".into()) => {
                Self::allowed(object).ok_or_else(|| {
                    Refusal::request(
                        "`allowed_tools` needs `mode` and `tools`",
                        Some("tool_choice"),
                    )
                })?
            }
            _ => Self::AsWritten,
        })
    }

    fn allowed(object: &Map<String, Value>) -> Option<Self> {
        // Chat Completions writes them one deeper than Responses does.
        let allowed = match object.get("allowed_tools") {
            Some(inner) => inner.as_object()?,
            None => object,
        };
        let mode = allowed.get("mode")?.as_str()?;
        let mode = matches!(mode, "auto" | "required").then(|| mode.to_owned())?;
        let tools = allowed.get("tools")?.as_array()?.clone();
        Some(Self::Allowed { mode, tools })
    }

    /// Writes the choice into `request` and leaves in `tools` what may be chosen. Gives the name
    /// of the function that has to be called.
    pub(super) fn write(
        self,
        request: &mut Map<String, Value>,
        tools: &mut Vec<Value>,
        named: fn(&str) -> Value,
    ) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Named(name) => {
                if !tools.iter().any(|tool| name_of(tool) == Some(&name)) {
                    return None;
                }
                request.insert("tool_choice".to_owned(), named(&name));
                Some(name)
            }
            Self::Allowed {
                mode,
                tools: allowed,
            } => {
                tools.retain(|tool| allowed.iter().any(|entry| describes(entry, tool)));
                request.insert("tool_choice".to_owned(), mode.into());
                None
            }
            Self::AsWritten => name_of(request.get("tool_choice")?).map(str::to_owned),
        }
    }
}

/// Returns true if `tool` has everything that `entry` says.
fn describes(entry: &Value, tool: &Value) -> bool {
    match (entry, tool) {
        (Value::Object(entry), Value::Object(tool)) => entry
            .iter()
            .all(|(name, value)| tool.get(name).is_some_and(|other| describes(value, other))),
        (entry, tool) => entry == tool,
    }
}
