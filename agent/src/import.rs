//! Definitions of functions that somebody else wrote, in whichever dialect, read as specs.

mod dialects;
pub(crate) mod tool_config;

use std::fmt;

use serde_json::{Map, Value, json};
use tool_hub_manifest::FunctionSpec;

/// The longest text that is read.
pub const IMPORT_BYTES_MAX: usize = 4 << 20;
/// The most functions that one text may define.
pub const IMPORT_FUNCTIONS_MAX: usize = 1_000;

/// Whose way of writing a definition has.
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

/// What a text defines.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Whose way of writing the first definition has.
    pub source: Source,
    /// The functions, in the order of the text.
    pub specs: Vec<FunctionSpec>,
    /// What was left out, each with where it stands and why.
    pub skipped: Vec<String>,
}

/// A text defines no functions that can be read. Places are JSON pointers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It is longer than is read.
    #[error("it has {bytes} bytes, at most {IMPORT_BYTES_MAX} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It defines more functions than are read.
    #[error("it defines {count} functions, at most {IMPORT_FUNCTIONS_MAX} are read")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// It is no JSON.
    #[error("it is no JSON: {reason}")]
    NotJson {
        /// Why, with line and column.
        reason: String,
    },
    /// It is an MCP server's error.
    #[error("it is the error of an MCP server: {}", .message.escape_debug())]
    ServerError {
        /// What the server said.
        message: String,
    },
    /// There is no definition in it.
    #[error("it defines no function")]
    Empty,
    /// A value is no definition in a known dialect.
    #[error("{} is no definition of a function: it has {found}", place(.pointer))]
    Unknown {
        /// Where it stands.
        pointer: String,
        /// What it has instead.
        found: String,
    },
    /// A member is missing or of the wrong type.
    #[error("`{pointer}` should be {expected} and is {found}")]
    Member {
        /// Where it stands.
        pointer: String,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// Two definitions have the same name.
    #[error("two functions are called `{}`", .name.escape_debug())]
    Duplicate {
        /// The name.
        name: String,
    },
}

/// How a place is called in a sentence. A text that is all of one definition has none.
fn place(pointer: &str) -> String {
    match pointer {
        "" => "it".to_owned(),
        pointer => format!("the value at `{pointer}`"),
    }
}

/// Reads the definitions in `text`: one, a list of them, an object with the member `tools`,
/// or an MCP server's whole answer to `tools/list`.
///
/// # Errors
/// When it is no JSON, too long, or holds something that is no definition.
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
            Place::Alone => String::new(),
            Place::Within(list) => format!("{list}/{index}"),
        };
        match read(definition, &pointer)? {
            Read::Function(source, spec) => {
                if specs.iter().any(|known| known.name == spec.name) {
                    return Err(ImportError::Duplicate { name: spec.name });
                }
                first.get_or_insert(source);
                specs.push(*spec);
            }
            Read::Hosted(kind) => skipped.push(format!(
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

/// Where definitions stand in a text.
#[derive(Clone, Copy)]
enum Place {
    /// The text is one definition.
    Alone,
    /// Below this pointer.
    Within(&'static str),
}

fn definitions(value: &Value) -> Result<(Place, &[Value]), ImportError> {
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
            Some(Value::Array(list)) => return Ok((Place::Within(pointer), list)),
            Some(other) => return Err(member(pointer.to_owned(), "a list", Some(other))),
            None => {}
        }
    }
    Ok((Place::Alone, std::slice::from_ref(value)))
}

enum Read {
    Function(Source, Box<FunctionSpec>),
    /// No function of anybody's: a service that runs where the model does.
    Hosted(String),
}

fn read(value: &Value, pointer: &str) -> Result<Read, ImportError> {
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
    let function = |source, spec| Ok(Read::Function(source, Box::new(spec)));
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
        Some(kind) => Ok(Read::Hosted(kind.to_owned())),
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

/// An object that defines a function, and where it stands.
#[derive(Clone, Copy)]
struct Definition<'a> {
    members: &'a Map<String, Value>,
    pointer: &'a str,
}

impl<'a> Definition<'a> {
    /// The function's name, which there must be.
    fn name(self) -> Result<String, ImportError> {
        match self.members.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => Ok(name.clone()),
            other => Err(member(self.at("name"), "a name", other)),
        }
    }

    /// A text; an empty one where there is none.
    fn text(self, name: &str) -> Result<String, ImportError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            other => Err(member(self.at(name), "a text", other)),
        }
    }

    /// The schema of the arguments; that of none where there is none.
    fn arguments(self, name: &str) -> Result<Value, ImportError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(json!({"type": "object", "properties": {}})),
            Some(schema @ Value::Object(keywords)) => {
                match keywords.get("type").and_then(Value::as_str) {
                    Some("object") => Ok(schema.clone()),
                    // Some write nothing where there are no arguments.
                    None => {
                        let mut keywords = keywords.clone();
                        keywords.insert("type".to_owned(), "object".into());
                        Ok(keywords.into())
                    }
                    Some(_) => Err(member(
                        format!("{}/type", self.at(name)),
                        "\"object\"",
                        keywords.get("type"),
                    )),
                }
            }
            other => Err(member(self.at(name), "a JSON Schema object", other)),
        }
    }

    fn at(self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }
}

fn member(pointer: String, expected: &'static str, found: Option<&Value>) -> ImportError {
    ImportError::Member {
        pointer,
        expected,
        found: kind_of(found),
    }
}

fn kind_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(text)) if text.trim().is_empty() => "empty",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}

#[cfg(test)]
mod tests;
