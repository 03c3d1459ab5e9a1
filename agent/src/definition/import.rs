//! Imports function definitions: recognises their dialect and reads them as `FunctionSpec`s.

mod dialects;
mod error;
mod object;
mod tool_config;

use std::fmt;

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;

pub use error::{IMPORT_BYTES_MAX, IMPORT_FUNCTIONS_MAX, ImportError};
use object::{Definition, kind_of, member};

/// The format of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// `{"type": "function", "function": {…}}`: OpenAI Chat Completions, and Transformers
    /// with `return`.
    OpenAi,
    /// `{"type": "function", "name": …}`: OpenAI Responses.
    Responses,
    /// `{"name", "input_schema"}`.
    Anthropic,
    /// `{"name", "inputSchema"}`, alone or as the answer to `tools/list`.
    Mcp,
    /// `{"name", "inputs", "output_type"}`: the `tool_config.json` of Transformers and
    /// smolagents.
    ToolConfig,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenAi => "OpenAI",
            Self::Responses => "OpenAI Responses",
            Self::Anthropic => "Anthropic",
            Self::Mcp => "MCP",
            Self::ToolConfig => "tool_config.json",
        })
    }
}

/// The definitions read from a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The format of the first definition.
    pub source: Source,
    /// The functions, in the order of the text.
    pub specs: Vec<FunctionSpec>,
    /// The entries that were left out, each with its path and the reason.
    pub skipped: Vec<String>,
}

/// Reads the definitions in `text`: one, a list of them, an object with the member `tools`,
/// or an MCP server's whole answer to `tools/list`.
///
/// # Errors
/// When it is not valid JSON, too long, or contains something that is not a definition.
pub fn import(text: &str) -> Result<Import, ImportError> {
    if text.len() > IMPORT_BYTES_MAX {
        return Err(ImportError::TooLong { bytes: text.len() });
    }
    // Editors of some systems begin a file with a mark that JSON does not know.
    let text = text.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text).map_err(|error| ImportError::NotJson {
        reason: error.to_string(),
    })?;
    let (place, definitions) = definitions(&value)?;
    if definitions.len() > IMPORT_FUNCTIONS_MAX {
        return Err(ImportError::TooMany {
            count: definitions.len(),
        });
    }
    let (mut first, mut specs, mut skipped) = (None, Vec::<FunctionSpec>::new(), Vec::new());
    for (index, definition) in definitions.iter().enumerate() {
        let pointer = match place {
            Location::Alone => String::new(),
            Location::Within(list) => format!("{list}/{index}"),
        };
        match read(definition, &pointer)? {
            ImportedTool::Function(source, spec) => {
                if specs.iter().any(|known| known.name == spec.name) {
                    return Err(ImportError::Duplicate { name: spec.name });
                }
                first.get_or_insert(source);
                specs.push(*spec);
            }
            ImportedTool::HostedService(kind) => skipped.push(format!(
                "`{pointer}` is the service `{}` of the model's own provider",
                kind.escape_debug()
            )),
        }
    }
    let is_page = |at: &str| value.pointer(at).is_some_and(Value::is_string);
    if ["/result/nextCursor", "/nextCursor"]
        .into_iter()
        .any(is_page)
    {
        skipped.push("the server has more functions on its next page (`nextCursor`)".to_owned());
    }
    Ok(Import {
        source: first.ok_or(ImportError::Empty)?,
        specs,
        skipped,
    })
}

/// The place of definitions in a text.
#[derive(Clone, Copy)]
enum Location {
    /// The text is one definition.
    Alone,
    /// Below this pointer.
    Within(&'static str),
}

fn definitions(value: &Value) -> Result<(Location, &[Value]), ImportError> {
    if let Some(error) = value
        .get("error")
        .filter(|_| value.get("jsonrpc").is_some())
    {
        let message = error.get("message").and_then(Value::as_str);
        return Err(ImportError::ServerError {
            message: message.unwrap_or("it does not say which").to_owned(),
        });
    }
    for (pointer, list) in [
        ("/result/tools", value.pointer("/result/tools")),
        ("/tools", value.get("tools")),
        ("", Some(value).filter(|value| value.is_array())),
    ] {
        match list {
            Some(Value::Array(list)) => return Ok((Location::Within(pointer), list)),
            Some(other) => return Err(member(pointer.to_owned(), "an array", Some(other))),
            None => {}
        }
    }
    Ok((Location::Alone, std::slice::from_ref(value)))
}

enum ImportedTool {
    Function(Source, Box<FunctionSpec>),
    /// No function of anybody's: a service that runs where the model does.
    HostedService(String),
}

fn read(value: &Value, pointer: &str) -> Result<ImportedTool, ImportError> {
    let unknown = |found: String| ImportError::Unknown {
        pointer: pointer.to_owned(),
        found,
    };
    let Some(members) = value.as_object() else {
        return Err(unknown(format!(
            "no members, it is {}",
            kind_of(Some(value))
        )));
    };
    let definition = Definition { members, pointer };
    let kind = members.get("type").and_then(Value::as_str);
    let has = |name: &str| members.contains_key(name);
    let function = |source, spec| Ok(ImportedTool::Function(source, Box::new(spec)));
    match kind {
        _ if has("inputSchema") => function(Source::Mcp, dialects::mcp(definition)?),
        _ if has("input_schema") => function(Source::Anthropic, dialects::anthropic(definition)?),
        _ if has("function") => function(Source::OpenAi, dialects::openai(definition)?),
        Some("function") => function(Source::Responses, dialects::responses(definition)?),
        _ if has("inputs") || has("output_type") || has("tool_class") => {
            function(Source::ToolConfig, tool_config::read(definition)?)
        }
        // The flat form in which some people keep a definition's inner part.
        None if has("name") && has("parameters") => {
            function(Source::Responses, dialects::responses(definition)?)
        }
        Some(kind) => Ok(ImportedTool::HostedService(kind.to_owned())),
        None => {
            let names: Vec<String> = members
                .keys()
                .take(8)
                .map(|name| format!("`{}`", name.escape_debug()))
                .collect();
            Err(unknown(match names.is_empty() {
                true => "no members".to_owned(),
                false => names.join(", "),
            }))
        }
    }
}

#[cfg(test)]
mod tests;
