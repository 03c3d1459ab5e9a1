//! Parses the calls in `tool dev --call`, makes them after each build, and prints their outcomes.

use std::process::ExitCode;
use std::str::FromStr;

use serde_json::{Value, json};

use super::dev_tool::DevTool;
use crate::commands::call::callee::Callee;
use crate::commands::call::made_call::{Details, MadeCall};
use crate::session::Session;
use crate::text::arguments;

/// A function and its arguments, in words as a shell splits them.
#[derive(Debug, Clone)]
pub(super) struct TypedCall {
    text: String,
    words: Vec<String>,
}

impl FromStr for TypedCall {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shell_words::split(text).map_err(|_| {
            "a quotation mark stands alone: write it as 'greet name=\"Ada L.\"'".to_owned()
        })?;
        Ok(Self {
            text: text.to_owned(),
            words,
        })
    }
}

/// What came of calls.
#[derive(Debug)]
pub(super) struct MadeCalls {
    /// Of the first one that failed.
    pub(super) exit: ExitCode,
    /// Each one for programs, where they want to know.
    pub(super) json: Vec<Value>,
}

impl Default for MadeCalls {
    fn default() -> Self {
        Self {
            exit: ExitCode::SUCCESS,
            json: Vec::new(),
        }
    }
}

/// Makes `calls` of `tool`, and prints each one as soon as it is over.
///
/// # Errors
/// When one of them names no function or arguments of the tool, or something cannot be printed.
pub(super) async fn make_all(
    calls: &[TypedCall],
    tool: &DevTool,
    session: &Session,
) -> anyhow::Result<MadeCalls> {
    let Session { config, printer } = session;
    let details = Details {
        written: true,
        usage: true,
    };
    let mut made = MadeCalls::default();
    for typed in calls {
        let callee = Callee {
            tool: &tool.loaded.tool,
            name: tool.loaded.key.as_str(),
            function: None,
            called_by_key: None,
        };
        let (function, pairs) = callee.function(&typed.words)?;
        let schema = &function.spec.input_schema;
        let arguments = arguments::parse(pairs, schema, &config.settings.working)?;
        let call = MadeCall::of(callee, function, &arguments.to_string()).await;
        if made.exit == ExitCode::SUCCESS {
            made.exit = call.exit();
        }
        if printer.wants_json() {
            made.json
                .push(json!({ "call": typed.text, "outcome": call.to_json()? }));
        } else {
            printer.note(&format!("> {}", typed.text));
            call.print(None, details, printer)?;
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let call: TypedCall = r#"greet name="Ada L." tags='["a b"]'"#.parse().unwrap();
        assert_eq!(call.words, ["greet", "name=Ada L.", r#"tags=["a b"]"#]);
        assert!("greet name=\"Ada".parse::<TypedCall>().is_err());
    }
}
