//! Checks calls against offered functions: a `CheckedCall`, repaired if needed, or `CallProblem`.

use std::fmt;

use serde_json::Value;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, FailureKind};

use crate::conversation::failure::FailureText;
use crate::conversation::message::ToolCall;
use crate::conversation::repair::{Repair, repair};
use crate::schema::fit::{Fit, HOPS_MAX};
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// The most letters by which a misspelt name may differ from the one that is suggested.
const EDITS_MAX: usize = 2;
/// The most names that a problem lists.
const NAMES_SHOWN_MAX: usize = 20;
/// The length to which a wrong value is cut in a message, in characters.
const VALUE_SHOWN_MAX: usize = 60;

/// A call that can be made.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCall {
    /// The call, with its arguments read as they were meant.
    pub call: ToolCall,
    /// A line for the model that lists what was repaired in its call.
    pub note: Option<String>,
}

/// The reason why a call is not made. [`fmt::Display`] words it for the model as [`FailureText`]
/// does.
#[derive(Debug, Clone, PartialEq)]
pub struct CallProblem {
    /// The function, by the name that was called.
    pub function: String,
    /// Either [`FailureKind::UnknownFunction`] or [`FailureKind::MalformedArgument`], and how to
    /// mend the call.
    pub failure: Failure,
}

impl fmt::Display for CallProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FailureText {
            function: &self.function,
            failure: &self.failure,
        }
        .fmt(f)
    }
}

impl std::error::Error for CallProblem {}

/// Checks `call` against the functions that were `offered` when the model wrote it, and repairs
/// arguments that are nearly right. Keywords such as patterns and bounds are left to whoever runs
/// the function.
///
/// # Errors
/// When there is no such function, or when it cannot take these arguments.
pub fn check(call: ToolCall, offered: &[FunctionSpec]) -> Result<CheckedCall, Box<CallProblem>> {
    let Some(spec) = offered.iter().find(|spec| spec.name == call.name) else {
        return Err(Box::new(unknown(&call.name, offered)));
    };
    let schema = &spec.input_schema;
    let Some(problem) = wrong(&call, schema) else {
        return Ok(CheckedCall { call, note: None });
    };
    let written = Value::Object(call.arguments.clone()).to_string();
    if let Some(Repair { arguments, note }) = repair(schema, &written)
        && let Ok(arguments) = serde_json::from_str(&arguments)
    {
        let call = ToolCall { arguments, ..call };
        if wrong(&call, schema).is_none() {
            let note = Some(note);
            return Ok(CheckedCall { call, note });
        }
    }
    Err(Box::new(problem))
}

/// The one of `offered` that was probably meant by the `name` of no function: at most two letters
/// away. Likeness would mislead, since all functions of a tool begin alike.
pub fn nearest<'a>(name: &str, offered: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    offered
        .map(|offered| (strsim::damerau_levenshtein(name, offered), offered))
        .filter(|(edits, _)| *edits <= EDITS_MAX)
        .min()
        .map(|(_, nearest)| nearest)
}

fn unknown(name: &str, offered: &[FunctionSpec]) -> CallProblem {
    let names = offered.iter().map(|spec| spec.name.as_str());
    let fix = match nearest(name, names.clone()) {
        Some(nearest) => format!("call `{nearest}`, if that is what you meant"),
        None if offered.is_empty() => "answer without a call".to_owned(),
        None => {
            let shown: Vec<String> = names
                .take(NAMES_SHOWN_MAX)
                .map(|it| format!("`{it}`"))
                .collect();
            let more = if offered.len() > shown.len() {
                " or another"
            } else {
                ""
            };
            format!("call {}{more}", shown.join(", "))
        }
    };
    let message = "no function of that name was offered";
    CallProblem {
        function: name.to_owned(),
        failure: Failure::new(FailureKind::UnknownFunction, message).with_fix(fix),
    }
}

/// The first fault of the arguments.
fn wrong(call: &ToolCall, schema: &Value) -> Option<CallProblem> {
    let fit = Fit::new(Document::new(schema));
    let arguments = Value::Object(call.arguments.clone());
    let (argument, message, fix) = find(&fit, fit.document.root(), &arguments, String::new(), 0)?;
    let failure = Failure::new(FailureKind::MalformedArgument, message).with_fix(fix);
    Some(CallProblem {
        function: call.name.clone(),
        failure: match argument.is_empty() {
            true => failure,
            false => failure.with_argument(argument),
        },
    })
}

/// A path in the arguments, what is wrong there, and how to mend it.
type Fault = (String, String, String);

fn find<'a>(
    fit: &Fit<'a>,
    node: Node<'a>,
    value: &Value,
    path: String,
    hops: usize,
) -> Option<Fault> {
    if fit.fits(&node, value, 0) {
        return None;
    }
    match (&node.form, value) {
        (Form::Ref(name), _) if hops < HOPS_MAX => {
            find(fit, fit.definition(name)?, value, path, hops + 1)
        }
        (Form::Array(item), Value::Array(values)) => {
            values.iter().enumerate().find_map(|(index, value)| {
                find(fit, (**item).clone(), value, format!("{path}[{index}]"), 0)
            })
        }
        (Form::Object(members, rest), Value::Object(values)) => {
            let missing = members.iter().find(|member| {
                member.presence == Presence::Required && !values.contains_key(member.name)
            });
            if let Some(member) = missing {
                let path = joined(&path, member.name);
                let message = format!("`{path}` is missing");
                let fix = format!("give `{path}`: {}", expected(&member.node));
                return Some((path, message, fix));
            }
            values.iter().find_map(|(name, value)| {
                let path = joined(&path, name);
                match members.iter().find(|member| member.name == name) {
                    Some(member) => find(fit, member.node.clone(), value, path, 0),
                    None => unwanted(fit, rest, members, value, path),
                }
            })
        }
        _ => {
            let expected = expected(&node);
            let message = format!("expected {expected} as `{path}`, found {}", quoted(value));
            Some((
                path.clone(),
                message,
                format!("give {expected} as `{path}`"),
            ))
        }
    }
}

/// The fault of a member that `members` does not list.
fn unwanted<'a>(
    fit: &Fit<'a>,
    rest: &Rest<'a>,
    members: &[Member<'a>],
    value: &Value,
    path: String,
) -> Option<Fault> {
    match rest {
        Rest::Typed(node) => find(fit, (**node).clone(), value, path, 0),
        Rest::Unsaid | Rest::Open => None,
        Rest::Closed => {
            let names: Vec<String> = members.iter().map(|it| format!("`{}`", it.name)).collect();
            let known = match names.is_empty() {
                true => "no arguments are expected".to_owned(),
                false => format!("expected one of {}", names.join(", ")),
            };
            let message = format!("unexpected argument `{path}`: {known}");
            let fix = format!("leave `{path}` out");
            Some((path, message, fix))
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// A few words for the values that a schema takes.
fn expected(node: &Node<'_>) -> String {
    match &node.form {
        Form::Any | Form::Ref(_) => "a value".to_owned(),
        Form::Null => "null".to_owned(),
        Form::Boolean => "true or false".to_owned(),
        Form::Integer => "an integer".to_owned(),
        Form::Number => "a number".to_owned(),
        Form::Text => "a string".to_owned(),
        Form::Literals(values) => {
            let shown = values
                .iter()
                .take(NAMES_SHOWN_MAX)
                .map(|value| quoted(value));
            format!("one of {}", shown.collect::<Vec<_>>().join(", "))
        }
        Form::Array(item) => format!("an array, each item {}", expected(item)),
        Form::Tuple(items, _) => format!("an array of {} items", items.len()),
        Form::Object(members, _) => {
            let needed = members
                .iter()
                .filter(|it| it.presence == Presence::Required);
            let names: Vec<String> = needed.map(|it| format!("`{}`", it.name)).collect();
            match names.is_empty() {
                true => "an object".to_owned(),
                false => format!("an object with {}", names.join(", ")),
            }
        }
        Form::Union(nodes) => {
            let choices: Vec<String> = nodes.iter().map(expected).collect();
            choices.join(" or ")
        }
    }
}

fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_SHOWN_MAX) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
