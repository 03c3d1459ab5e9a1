//! The `Plan` of a function: its export, its parameters, and how its result becomes an outcome.
//! It is made once, at load.

use std::sync::Arc;

use tool_hub_manifest::contract::{Content, Failure, FailureKind, Outcome, Reply};
use wasmtime::component::{ComponentExportIndex, Val};

use crate::call::limit::outcome_too_long;
use crate::program::ProgramFunction;
use crate::values::contract::{failure, media, part};
use crate::values::json::read;
use crate::values::json::read::error::ArgumentError;
use crate::values::json::write::{Json, write};
use crate::values::reply_kind::ReplyKind;
use crate::values::types::{Field, Signature, Type, contract};
use crate::values::val::{TypeMismatch, members, optional_text};

/// The way to call one function.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) callee: Callee,
    pub(crate) signature: Signature,
    reply: ReplyKind,
    error: Option<ErrorKind>,
    takes_json: bool,
}

/// The thing that a guest is called by.
#[derive(Debug, Clone)]
pub(crate) enum Callee {
    /// An export of the component.
    Export(ComponentExportIndex),
    /// A function of the program that the component holds.
    Program(Arc<ProgramFunction>),
    /// The preparation of the program, before any call.
    Preparation,
}

/// The failure that the error side of a result becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorKind {
    Message,
    Failure,
    Plain,
}

impl Plan {
    pub(crate) fn new(callee: Callee, signature: Signature) -> Self {
        let (ok, error) = match &signature.result {
            Some(Type::Result(ok, err)) => (ok.as_deref(), Some(error_kind(err.as_deref()))),
            plain => (plain.as_ref(), None),
        };
        Self {
            callee,
            reply: ReplyKind::of(ok),
            error,
            signature,
            takes_json: false,
        }
    }

    /// The same for a function whose only parameter is the JSON of all arguments.
    pub(crate) fn taking_json(self) -> Self {
        Self {
            takes_json: true,
            ..self
        }
    }

    /// The values of the parameters, from `text`, a JSON object of the arguments.
    pub(crate) fn arguments(&self, text: &str) -> Result<Vec<Val>, ArgumentError> {
        match self.takes_json {
            true => Ok(vec![Val::String(read::object(text)?)]),
            false => read::arguments(self.parameters(), text),
        }
    }

    /// The parameters, by the names agents use.
    pub(crate) fn parameters(&self) -> &[Field] {
        &self.signature.parameters
    }

    /// The outcome of a call's result. Its JSON is written to at most `max` bytes.
    pub(crate) fn outcome(&self, result: Option<&Val>, max: u64) -> Result<Reply, Failure> {
        match self.try_outcome(result, max)? {
            Some(outcome) => outcome.into_result(),
            None => Err(outcome_too_long(max)),
        }
    }

    /// The outcome, unless its JSON is longer than `max` bytes.
    fn try_outcome(&self, result: Option<&Val>, max: u64) -> Result<Option<Outcome>, TypeMismatch> {
        match (self.error, &self.signature.result, result) {
            (Some(_), Some(Type::Result(ok, _)), Some(Val::Result(Ok(value)))) => {
                self.read_reply(ok.as_deref(), value.as_deref(), max)
            }
            (Some(error), Some(Type::Result(_, err)), Some(Val::Result(Err(value)))) => {
                let failed = failed(error, err.as_deref(), value.as_deref(), max)?;
                Ok(failed.map(Outcome::Failure))
            }
            (None, ty, value) => self.read_reply(ty.as_ref(), value, max),
            _ => Err(TypeMismatch),
        }
    }

    fn read_reply(
        &self,
        ty: Option<&Type>,
        value: Option<&Val>,
        max: u64,
    ) -> Result<Option<Outcome>, TypeMismatch> {
        let (Some(ty), Some(value)) = (ty, value) else {
            return match self.reply {
                ReplyKind::Nothing => Ok(Some(Outcome::Reply(Reply::default()))),
                _ => Err(TypeMismatch),
            };
        };
        let content = match (self.reply, value) {
            (ReplyKind::Nothing, _) => return Err(TypeMismatch),
            (ReplyKind::Reply, value) => return whole_reply(value).map(Some),
            (ReplyKind::Plain, value) => return plain(ty, value, max),
            (ReplyKind::Media, value) => vec![media(value)?.into()],
            (ReplyKind::Content, value) => vec![part(value)?],
            (ReplyKind::MediaList, Val::List(items)) => {
                let each = items.iter().map(|item| media(item).map(Content::from));
                each.collect::<Result<_, _>>()?
            }
            (ReplyKind::ContentList, Val::List(items)) => {
                items.iter().map(part).collect::<Result<_, _>>()?
            }
            _ => return Err(TypeMismatch),
        };
        Ok(Some(Outcome::Reply(Reply {
            content,
            structured: None,
            next: None,
        })))
    }
}

fn error_kind(ty: Option<&Type>) -> ErrorKind {
    match ty {
        Some(Type::String) => ErrorKind::Message,
        Some(ty) if *ty == *contract::FAILURE => ErrorKind::Failure,
        _ => ErrorKind::Plain,
    }
}

fn plain(ty: &Type, value: &Val, max: u64) -> Result<Option<Outcome>, TypeMismatch> {
    let Some(json) = json(ty, value, max)? else {
        return Ok(None);
    };
    let text = match value {
        Val::String(text) => text.clone(),
        _ => json.clone(),
    };
    Ok(Some(Outcome::Reply(Reply {
        content: vec![Content::text(text)],
        structured: Some(json),
        next: None,
    })))
}

/// The JSON of `value`, unless it is longer than `max` bytes.
fn json(ty: &Type, value: &Val, max: u64) -> Result<Option<String>, TypeMismatch> {
    let mut json = Json::new(max);
    write(ty, value, &mut json)?;
    Ok(json.finish())
}

fn failed(
    error: ErrorKind,
    ty: Option<&Type>,
    value: Option<&Val>,
    max: u64,
) -> Result<Option<Failure>, TypeMismatch> {
    let failed = |message: String| Failure::new(FailureKind::Failed, message);
    match (error, ty, value) {
        (_, None, None) => Ok(Some(failed("the tool failed".to_owned()))),
        (ErrorKind::Message, _, Some(Val::String(message))) => Ok(Some(failed(message.clone()))),
        (ErrorKind::Failure, _, Some(value)) => failure(value).map(Some),
        (ErrorKind::Plain, Some(ty), Some(value)) => {
            let json = json(ty, value, max)?;
            Ok(json.map(|json| failed(format!("the tool failed: {json}"))))
        }
        _ => Err(TypeMismatch),
    }
}

fn whole_reply(value: &Val) -> Result<Outcome, TypeMismatch> {
    let [content, structured, next] = members(value)?;
    let Val::List(items) = content else {
        return Err(TypeMismatch);
    };
    let structured = optional_text(structured)?;
    if let Some(json) = &structured
        && serde_json::from_str::<serde::de::IgnoredAny>(json).is_err()
    {
        let message = "the tool's structured result is not JSON";
        return Ok(Failure::new(FailureKind::Internal, message).into());
    }
    Ok(Outcome::Reply(Reply {
        content: items.iter().map(part).collect::<Result<_, _>>()?,
        structured,
        next: optional_text(next)?,
    }))
}
