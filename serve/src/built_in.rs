//! The server's own functions (search, describe, call, read answers): specifications and arguments.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_hub_manifest::contract::{Content, Failure, FailureKind, Outcome, Reply};
use tool_hub_manifest::{Annotations, FunctionSpec};

use crate::quoted_text::quoted_error;

/// Finds functions.
pub(crate) const SEARCH_TOOLS: &str = "search_tools";
/// Says what a function takes and gives.
pub(crate) const DESCRIBE_TOOL: &str = "describe_tool";
/// Calls a function that is not listed.
pub(crate) const CALL_TOOL: &str = "call_tool";
/// Reads a long answer in pieces.
pub(crate) const READ_ANSWER: &str = "read_answer";

/// The number of functions that a search finds unless its caller says another.
const FOUND: u32 = 5;
/// The most functions that a search finds.
const FOUND_MAX: u32 = 20;

/// A function of the server itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    SearchTools,
    DescribeTool,
    CallTool,
    ReadAnswer,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchTools {
    pub(crate) query: String,
    #[serde(default = "found", deserialize_with = "whole")]
    pub(crate) limit: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeTool {
    pub(crate) name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallTool {
    pub(crate) name: String,
    /// The arguments as the caller wrote them: the function's own types read them.
    #[serde(default)]
    pub(crate) arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadAnswer {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) query: Option<String>,
    #[serde(default = "first", deserialize_with = "whole")]
    pub(crate) page: u32,
}

impl BuiltIn {
    /// The description for agents, in a toolbox of so many `functions`.
    pub(crate) fn spec(self, functions: usize) -> FunctionSpec {
        let only_reads = (self != Self::CallTool).then_some(true);
        FunctionSpec {
            name: self.name().to_owned(),
            title: None,
            description: self.description(functions),
            input_schema: self.input_schema(),
            output_schema: None,
            annotations: Annotations {
                read_only: only_reads,
                // What only reads can be done twice.
                idempotent: None,
                destructive: None,
                open_world: only_reads.map(|_| false),
            },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::SearchTools => SEARCH_TOOLS,
            Self::DescribeTool => DESCRIBE_TOOL,
            Self::CallTool => CALL_TOOL,
            Self::ReadAnswer => READ_ANSWER,
        }
    }

    fn description(self, functions: usize) -> String {
        match self {
            Self::SearchTools => format!(
                "Finds tools by what they do, best first. There are {functions} tools, and they \
                 are not listed here. Search in a few words, then call what you found with \
                 {CALL_TOOL}; {DESCRIBE_TOOL} tells the arguments of a tool in full."
            ),
            Self::DescribeTool => {
                "Tells what a tool does, takes and gives, by the name that a search found.".into()
            }
            Self::CallTool => format!("Calls a tool by the name that {SEARCH_TOOLS} found."),
            Self::ReadAnswer => "Reads a long answer by its id: a page, from 1, or the passages \
                that suit a query."
                .into(),
        }
    }

    fn input_schema(self) -> Value {
        match self {
            Self::SearchTools => object(
                json!({
                    "query": {"type": "string", "description": "What the tool should do"},
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": FOUND_MAX,
                        "description": format!("How many to find at most; {FOUND} if left out"),
                    },
                }),
                "query",
            ),
            Self::DescribeTool => object(json!({"name": {"type": "string"}}), "name"),
            Self::CallTool => object(
                json!({
                    "name": {"type": "string"},
                    "arguments": {"type": "object", "description": "The arguments of that tool"},
                }),
                "name",
            ),
            Self::ReadAnswer => object(
                json!({
                    "id": {"type": "string"},
                    "query": {"type": "string"},
                    "page": {"type": "integer", "minimum": 1},
                }),
                "id",
            ),
        }
    }
}

fn found() -> u32 {
    FOUND
}

fn first() -> u32 {
    1
}

/// A count as JSON Schema knows it, where `2.0` is an integer, too; a huge one is as good as the
/// largest.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = f64::deserialize(deserializer)?;
    match number.fract() == 0.0 && number >= 0.0 {
        true => Ok(number as u32),
        false => Err(D::Error::custom(format!(
            "expected a whole number of at least 0, found {number}"
        ))),
    }
}

fn object(properties: Value, required: &str) -> Value {
    json!({
        "type": "object", "properties": properties, "required": [required],
        "additionalProperties": false,
    })
}

impl SearchTools {
    /// The number of functions that are wanted.
    pub(crate) fn wanted(&self) -> usize {
        self.limit.clamp(1, FOUND_MAX) as usize
    }
}

impl CallTool {
    /// The text of the arguments.
    pub(crate) fn arguments(self) -> String {
        self.arguments
            .map_or_else(|| "{}".to_owned(), |raw| raw.get().to_owned())
    }
}

/// The arguments of a function of the server.
pub(crate) fn read<T: DeserializeOwned>(arguments: &str) -> Result<T, Failure> {
    let text = if arguments.trim().is_empty() {
        "{}"
    } else {
        arguments
    };
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the arguments do not fit: {}", quoted_error(&error));
        Failure::new(FailureKind::MalformedArgument, message)
    })
}

/// An answer that is nothing but text.
pub(crate) fn answer(text: String) -> Outcome {
    Outcome::Reply(Reply {
        content: vec![Content::text(text)],
        ..Reply::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_agent::definition::example::example;

    #[test]
    fn every_function_takes_what_its_schema_says() {
        for built_in in [
            BuiltIn::SearchTools,
            BuiltIn::DescribeTool,
            BuiltIn::CallTool,
            BuiltIn::ReadAnswer,
        ] {
            let schema = built_in.spec(7).input_schema;
            let least = example(&schema).unwrap();
            let mut most = least.clone();
            for (name, property) in schema["properties"].as_object().unwrap() {
                most[name] = example(property).unwrap();
            }
            for arguments in [least, most] {
                let text = arguments.to_string();
                let read = match built_in {
                    BuiltIn::SearchTools => read::<SearchTools>(&text).map(drop),
                    BuiltIn::DescribeTool => read::<DescribeTool>(&text).map(drop),
                    BuiltIn::CallTool => read::<CallTool>(&text).map(drop),
                    BuiltIn::ReadAnswer => read::<ReadAnswer>(&text).map(drop),
                };
                read.unwrap();
            }
        }
        assert!(read::<DescribeTool>(r#"{"name":"a","more":1}"#).is_err());
        for (page, expect) in [("3.0", Some(3)), ("1e300", Some(u32::MAX)), ("1.5", None)] {
            let text = format!(r#"{{"id":"a","page":{page}}}"#);
            let read = read::<ReadAnswer>(&text);
            assert_eq!(read.ok().map(|wanted| wanted.page), expect, "{page}");
        }
    }
}
