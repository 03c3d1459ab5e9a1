//! The plan of a function: everything about its types that a call would otherwise have to
//! find out again, decided once at load.

pub(crate) mod parts;

use wasmtime::component::{ComponentExportIndex, Val};

use crate::call::trouble::too_long;
use crate::json::write::{Json, Misfit, write};
use crate::shape::{Field, Shape, Signature, known};
use crate::{Content, Failure, FailureKind, Outcome, Reply};

use self::parts::{failure, maybe_text, media, members, part};

/// How to call one function.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) export: ComponentExportIndex,
    pub(crate) signature: Signature,
    answer: Answer,
    error: Option<Error>,
}

/// What the successful side of a result becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Nothing,
    Plain,
    Media,
    Content,
    /// A list of pictures and sounds.
    MediaList,
    /// A list of content.
    ContentList,
    Reply,
}

/// What the error side of a result becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Error {
    Message,
    Failure,
    Plain,
}

impl From<Misfit> for Failure {
    fn from(Misfit: Misfit) -> Self {
        let message = "the tool's result does not have the type it was loaded with";
        Self::new(FailureKind::Internal, message)
    }
}

impl Plan {
    pub(crate) fn new(export: ComponentExportIndex, signature: Signature) -> Self {
        let (ok, error) = match &signature.result {
            Some(Shape::Result(ok, err)) => (ok.as_deref(), Some(error(err.as_deref()))),
            plain => (plain.as_ref(), None),
        };
        Self {
            export,
            answer: answer(ok),
            error,
            signature,
        }
    }

    /// The parameters, by the names agents use.
    pub(crate) fn parameters(&self) -> &[Field] {
        &self.signature.parameters
    }

    /// Whether results are described by a schema: those that become content are not.
    pub(crate) fn structured(signature: &Signature) -> Option<&Shape> {
        let answered = signature.answered();
        answered.filter(|shape| answer(Some(shape)) == Answer::Plain)
    }

    /// What a call's result comes to. Its JSON is written to at most `max` bytes.
    pub(crate) fn outcome(&self, result: Option<&Val>, max: u64) -> Result<Reply, Failure> {
        match self.try_outcome(result, max)? {
            Some(outcome) => outcome.into_result(),
            None => Err(too_long(max)),
        }
    }

    /// The outcome, unless its JSON is longer than `max` bytes.
    fn try_outcome(&self, result: Option<&Val>, max: u64) -> Result<Option<Outcome>, Misfit> {
        match (self.error, &self.signature.result, result) {
            (Some(_), Some(Shape::Result(ok, _)), Some(Val::Result(Ok(value)))) => {
                self.reply(ok.as_deref(), value.as_deref(), max)
            }
            (Some(error), Some(Shape::Result(_, err)), Some(Val::Result(Err(value)))) => {
                let failed = failed(error, err.as_deref(), value.as_deref(), max)?;
                Ok(failed.map(Outcome::Failure))
            }
            (None, shape, value) => self.reply(shape.as_ref(), value, max),
            _ => Err(Misfit),
        }
    }

    fn reply(
        &self,
        shape: Option<&Shape>,
        value: Option<&Val>,
        max: u64,
    ) -> Result<Option<Outcome>, Misfit> {
        let (Some(shape), Some(value)) = (shape, value) else {
            return match self.answer {
                Answer::Nothing => Ok(Some(Outcome::Reply(Reply::default()))),
                _ => Err(Misfit),
            };
        };
        let content = match (self.answer, value) {
            (Answer::Nothing, _) => return Err(Misfit),
            (Answer::Reply, value) => return whole_reply(value).map(Some),
            (Answer::Plain, value) => return plain(shape, value, max),
            (Answer::Media, value) => vec![media(value)?.into()],
            (Answer::Content, value) => vec![part(value)?],
            (Answer::MediaList, Val::List(items)) => {
                let each = items.iter().map(|item| media(item).map(Content::from));
                each.collect::<Result<_, _>>()?
            }
            (Answer::ContentList, Val::List(items)) => {
                items.iter().map(part).collect::<Result<_, _>>()?
            }
            _ => return Err(Misfit),
        };
        Ok(Some(Outcome::Reply(Reply {
            content,
            structured: None,
            next: None,
        })))
    }
}

fn answer(shape: Option<&Shape>) -> Answer {
    match shape {
        None => Answer::Nothing,
        Some(shape) if *shape == *known::REPLY => Answer::Reply,
        Some(shape) if *shape == *known::CONTENT => Answer::Content,
        Some(shape) if *shape == *known::MEDIA => Answer::Media,
        Some(Shape::List(item)) if **item == *known::CONTENT => Answer::ContentList,
        Some(Shape::List(item)) if **item == *known::MEDIA => Answer::MediaList,
        Some(_) => Answer::Plain,
    }
}

fn error(shape: Option<&Shape>) -> Error {
    match shape {
        Some(Shape::String) => Error::Message,
        Some(shape) if *shape == *known::FAILURE => Error::Failure,
        _ => Error::Plain,
    }
}

fn plain(shape: &Shape, value: &Val, max: u64) -> Result<Option<Outcome>, Misfit> {
    let Some(json) = json(shape, value, max)? else {
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
fn json(shape: &Shape, value: &Val, max: u64) -> Result<Option<String>, Misfit> {
    let mut json = Json::new(max);
    write(shape, value, &mut json)?;
    Ok(json.finish())
}

fn failed(
    error: Error,
    shape: Option<&Shape>,
    value: Option<&Val>,
    max: u64,
) -> Result<Option<Failure>, Misfit> {
    let failed = |message: String| Failure::new(FailureKind::Failed, message);
    match (error, shape, value) {
        (_, None, None) => Ok(Some(failed("the tool failed".to_owned()))),
        (Error::Message, _, Some(Val::String(message))) => Ok(Some(failed(message.clone()))),
        (Error::Failure, _, Some(value)) => failure(value).map(Some),
        (Error::Plain, Some(shape), Some(value)) => {
            let json = json(shape, value, max)?;
            Ok(json.map(|json| failed(format!("the tool failed: {json}"))))
        }
        _ => Err(Misfit),
    }
}

fn whole_reply(value: &Val) -> Result<Outcome, Misfit> {
    let [content, structured, next] = members(value)?;
    let Val::List(items) = content else {
        return Err(Misfit);
    };
    let structured = maybe_text(structured)?;
    if let Some(json) = &structured
        && serde_json::from_str::<serde::de::IgnoredAny>(json).is_err()
    {
        let message = "the tool's structured result is not JSON";
        return Ok(Failure::new(FailureKind::Internal, message).into());
    }
    Ok(Outcome::Reply(Reply {
        content: items.iter().map(part).collect::<Result<_, _>>()?,
        structured,
        next: maybe_text(next)?,
    }))
}
