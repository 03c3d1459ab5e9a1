//! The `ToolChoice` of a request (which functions to call), read in the forms of several APIs.

use serde_json::{Map, Value};

use super::error::ConstraintError;

/// A request's `tool_choice`: the functions that the model should call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// One or none, as the model likes.
    Auto,
    /// None.
    Nothing,
    /// One at least.
    Required,
    /// This one.
    Named(String),
    /// One of these functions; a call is required if `is_required`.
    Among {
        /// The names.
        names: Vec<String>,
        /// True if one has to be called.
        is_required: bool,
    },
}

impl ToolChoice {
    /// Reads the member `tool_choice` of a request: a word or a bare name, as in TGI, or an object
    /// of OpenAI's two APIs, of TGI or of Anthropic. Absent, it is `auto` if the request offers
    /// functions.
    ///
    /// # Errors
    /// When it has another form.
    pub fn read(choice: Option<&Value>, offers_functions: bool) -> Result<Self, ConstraintError> {
        match choice {
            None | Some(Value::Null) if offers_functions => Ok(Self::Auto),
            None | Some(Value::Null) => Ok(Self::Nothing),
            Some(Value::String(word)) => Ok(Self::word(word)),
            Some(Value::Object(object)) => Self::object(object).ok_or(ConstraintError::ToolChoice),
            Some(_) => Err(ConstraintError::ToolChoice),
        }
    }

    fn word(word: &str) -> Self {
        match word {
            "auto" => Self::Auto,
            "none" => Self::Nothing,
            // Mistral and Anthropic say "any".
            "required" | "any" => Self::Required,
            name => Self::Named(name.to_owned()),
        }
    }

    fn object(object: &Map<String, Value>) -> Option<Self> {
        let name = || name_of(object).map(|name| Self::Named(name.to_owned()));
        match object.get("type").map(Value::as_str) {
            None | Some(Some("function" | "tool")) => name(),
            Some(Some("allowed_tools")) => Self::among(object),
            Some(Some(word @ ("auto" | "none" | "any" | "required"))) => Some(Self::word(word)),
            Some(_) => None,
        }
    }

    fn among(object: &Map<String, Value>) -> Option<Self> {
        // Chat Completions writes them one deeper than Responses does.
        let object = object
            .get("allowed_tools")
            .map_or(Some(object), Value::as_object)?;
        let tools = object.get("tools")?.as_array()?.iter();
        let names = tools.map(|tool| Some(name_of(tool.as_object()?)?.to_owned()));
        Some(Self::Among {
            names: names.collect::<Option<_>>()?,
            is_required: match object.get("mode")?.as_str()? {
                "auto" => false,
                "required" => true,
                _ => return None,
            },
        })
    }
}

/// The name in an object that refers to a function.
fn name_of(object: &Map<String, Value>) -> Option<&str> {
    let holder = object
        .get("function")
        .map_or(Some(object), Value::as_object)?;
    holder.get("name")?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_is_read() {
        let named = || ToolChoice::Named("get_current_weather".to_owned());
        let among = |is_required| ToolChoice::Among {
            names: vec!["a".to_owned(), "b".to_owned()],
            is_required,
        };
        for (choice, expect) in [
            (json!("auto"), ToolChoice::Auto),
            (json!("none"), ToolChoice::Nothing),
            (json!("required"), ToolChoice::Required),
            (json!("any"), ToolChoice::Required),
            (json!("get_current_weather"), named()),
            (
                json!({"type": "function", "function": {"name": "get_current_weather"}}),
                named(),
            ),
            (
                json!({"function": {"name": "get_current_weather"}}),
                named(),
            ),
            (
                json!({"type": "function", "name": "get_current_weather"}),
                named(),
            ),
            (
                json!({"type": "tool", "name": "get_current_weather"}),
                named(),
            ),
            (json!({"type": "any"}), ToolChoice::Required),
            (json!({"type": "auto"}), ToolChoice::Auto),
            (
                json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [
                    {"type": "function", "function": {"name": "a"}},
                    {"type": "function", "function": {"name": "b"}},
                ]}}),
                among(false),
            ),
            (
                json!({"type": "allowed_tools", "mode": "required", "tools": [
                    {"type": "function", "name": "a"}, {"type": "function", "name": "b"},
                ]}),
                among(true),
            ),
        ] {
            assert_eq!(
                ToolChoice::read(Some(&choice), true).as_ref(),
                Ok(&expect),
                "{choice}"
            );
        }
        assert_eq!(ToolChoice::read(None, true), Ok(ToolChoice::Auto));
        assert_eq!(
            ToolChoice::read(Some(&Value::Null), false),
            Ok(ToolChoice::Nothing)
        );
    }

    #[test]
    fn other_forms_are_refused() {
        for choice in [
            json!(3),
            json!({}),
            json!({"type": "function"}),
            json!({"type": "web_search"}),
            json!({"type": "allowed_tools", "mode": "sometimes", "tools": []}),
        ] {
            let read = ToolChoice::read(Some(&choice), true);
            assert_eq!(read, Err(ConstraintError::ToolChoice), "{choice}");
        }
    }
}
