//! The `Calls` that a constraint lets a model make: their JSON Schema, and the reading of a reply.

mod schema;

use serde_json::Value;

use super::answer::{self, WrongAnswer};
use super::error::ConstraintError;
use super::tool_choice::ToolChoice;
use crate::conversation::ToolCall;
use crate::definition::{Loss, LossKind};
use schema::{ANSWER, ARGUMENTS, NAME};

/// Calls of some functions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Calls {
    /// Names and schemas of arguments.
    functions: Vec<(String, Value)>,
    schema: Value,
}

/// The output of a model that could call functions.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOrAnswer {
    /// A call. It has no id.
    Call(ToolCall),
    /// An answer without one.
    Answer(String),
}

impl Calls {
    pub(super) fn new<'a>(
        functions: impl Iterator<Item = (&'a str, &'a Value)>,
        choice: &ToolChoice,
    ) -> Result<Option<Self>, ConstraintError> {
        let mut functions: Vec<(&str, &Value)> = functions.collect();
        let is_required = match choice {
            ToolChoice::Nothing => return Ok(None),
            ToolChoice::Auto if functions.is_empty() => return Ok(None),
            ToolChoice::Auto => false,
            ToolChoice::Required => true,
            ToolChoice::Named(name) => {
                retain(&mut functions, std::slice::from_ref(name))?;
                true
            }
            ToolChoice::Among { names, is_required } => {
                retain(&mut functions, names)?;
                *is_required
            }
        };
        if functions.is_empty() {
            return match is_required {
                true => Err(ConstraintError::NoFunctions),
                false => Ok(None),
            };
        }
        Ok(Some(Self {
            schema: schema::of_calls(&functions, is_required),
            functions: functions
                .into_iter()
                .map(|(name, schema)| (name.to_owned(), schema.clone()))
                .collect(),
        }))
    }

    /// An answer and no call.
    pub(super) fn answer_only() -> Self {
        Self {
            functions: Vec::new(),
            schema: schema::of_answer(),
        }
    }

    pub(super) fn schema(&self) -> &Value {
        &self.schema
    }

    /// A loss of the schema as one of the function that it concerns.
    pub(super) fn loss(&self, mut lost: LossKind) -> Loss {
        let pointer = match &mut lost {
            LossKind::SchemaWeakened { pointer, .. }
            | LossKind::Narrowed { pointer, .. }
            | LossKind::Impossible { pointer } => Some(pointer),
            _ => None,
        };
        let inner = format!("/properties/{ARGUMENTS}");
        let mut function = 0;
        if let Some(pointer) = pointer {
            let choice = pointer
                .strip_prefix("/anyOf/")
                .and_then(|rest| rest.split_once('/'));
            let (index, rest) = match choice {
                Some((index, rest)) => (index.parse().unwrap_or(0), format!("/{rest}")),
                None => (0, pointer.clone()),
            };
            function = index;
            if let Some(rest) = rest.strip_prefix(&inner) {
                *pointer = rest.to_owned();
            }
        }
        let name = self.functions.get(function).map(|(name, _)| name.clone());
        Loss {
            function: name.unwrap_or_default(),
            kind: lost,
        }
    }

    /// Reads what a model wrote, and holds it against the function's own schema.
    pub(super) fn read(&self, text: &str) -> Result<CallOrAnswer, WrongAnswer> {
        let value = answer::json(text)?;
        let object = value.as_object().ok_or_else(|| self.neither())?;
        if let (Some(Value::String(answer)), 1) = (object.get(ANSWER), object.len())
            && self.takes_answers()
        {
            return Ok(CallOrAnswer::Answer(answer.clone()));
        }
        let (Some(Value::String(name)), Some(arguments)) =
            (object.get(NAME), object.get(ARGUMENTS))
        else {
            return Err(self.neither());
        };
        if self.functions.is_empty() {
            return Err(self.neither());
        }
        let known = self.functions.iter().find(|(known, _)| known == name);
        let (_, schema) = known.ok_or_else(|| self.unknown(name))?;
        answer::valid(schema, arguments, ARGUMENTS)?;
        Ok(CallOrAnswer::Call(ToolCall {
            id: None,
            name: name.clone(),
            arguments: arguments
                .as_object()
                .cloned()
                .ok_or_else(|| self.neither())?,
        }))
    }

    pub(super) fn offers(&self, name: &str) -> bool {
        self.functions.iter().any(|(known, _)| known == name)
    }

    /// True if the model may answer without a call.
    pub(super) fn takes_answers(&self) -> bool {
        let choices = self.schema["anyOf"].as_array();
        let last = choices.and_then(|choices| choices.last());
        last.unwrap_or(&self.schema)["properties"]
            .get(ANSWER)
            .is_some()
    }

    fn neither(&self) -> WrongAnswer {
        if self.functions.is_empty() {
            return WrongAnswer::new(format!(
                "Nothing can be called. Write {{\"{ANSWER}\": \"…\"}}, and nothing else."
            ));
        }
        let or = if self.takes_answers() {
            format!(", or {{\"{ANSWER}\": \"…\"}}")
        } else {
            String::new()
        };
        WrongAnswer::new(format!(
            "The answer is not a call. Write {{\"{NAME}\": \"…\", \"{ARGUMENTS}\": {{…}}}}{or}, and nothing else."
        ))
    }

    fn unknown(&self, name: &str) -> WrongAnswer {
        let names: Vec<&str> = self.functions.iter().map(|(name, _)| &**name).collect();
        WrongAnswer::new(format!(
            "There is no function `{}`. Call one of: {}.",
            answer::cut(name),
            answer::cut(&names.join(", "))
        ))
    }
}

/// Keeps the functions of these names.
fn retain(functions: &mut Vec<(&str, &Value)>, names: &[String]) -> Result<(), ConstraintError> {
    let is_offered = |name: &&String| functions.iter().any(|(known, _)| known == name);
    if let Some(name) = names.iter().find(|name| !is_offered(name)) {
        return Err(ConstraintError::NoSuchFunction { name: name.clone() });
    }
    functions.retain(|(known, _)| names.iter().any(|name| name == known));
    Ok(())
}
