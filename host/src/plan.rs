//! The plan of a function: everything about its types that a call would otherwise have to
//! find out again, decided once at load.

use tool_hub_manifest::Limits;
use wasmtime::component::{ComponentExportIndex, Val};

use crate::call::trouble::limit;
use crate::json::write::{Json, Misfit, bytes, write};
use crate::shape::{Field, Shape, Signature, known};
use crate::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome,
    Reply, ResourceContents, ResourceLink, Role,
};

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
        let ok = match &signature.result {
            Some(Shape::Result(ok, _)) => ok.as_deref(),
            plain => plain.as_ref(),
        };
        ok.filter(|shape| answer(Some(shape)) == Answer::Plain)
    }

    /// The outcome that a call's result comes to.
    pub(crate) fn outcome(&self, result: Option<&Val>, limits: &Limits) -> Outcome {
        let max = limits.outcome_bytes;
        match self.try_outcome(result, max) {
            Ok(Some(outcome)) if size(&outcome) <= max => outcome,
            Ok(_) => limit("outcome_bytes", max, "its answer is too long").into(),
            Err(Misfit) => {
                let message = "the tool's result does not have the type it was loaded with";
                Failure::new(FailureKind::Internal, message).into()
            }
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

fn failure(value: &Val) -> Result<Failure, Misfit> {
    let [kind, message, fix, argument, retryable] = members(value)?;
    let Val::Enum(kind) = kind else {
        return Err(Misfit);
    };
    Ok(Failure {
        kind: match kind.as_str() {
            "invalid-argument" => FailureKind::InvalidArgument,
            "not-found" => FailureKind::NotFound,
            "permission-denied" => FailureKind::PermissionDenied,
            "conflict" => FailureKind::Conflict,
            "limit-reached" => FailureKind::LimitReached,
            "unavailable" => FailureKind::Unavailable,
            "internal" => FailureKind::Internal,
            _ => return Err(Misfit),
        },
        message: text(message)?,
        fix: maybe_text(fix)?,
        argument: maybe_text(argument)?,
        retryable: matches!(retryable, Val::Bool(true)),
    })
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

fn part(value: &Val) -> Result<Content, Misfit> {
    let [body, annotations] = members(value)?;
    let annotations = match annotations {
        Val::Option(None) => None,
        Val::Option(Some(value)) => Some(hints(value)?),
        _ => return Err(Misfit),
    };
    let Val::Variant(kind, Some(value)) = body else {
        return Err(Misfit);
    };
    let body = match kind.as_str() {
        "text" => ContentBody::Text(text(value)?),
        "image" => ContentBody::Image {
            media_type: text(members::<2>(value)?[0])?,
            data: data(members::<2>(value)?[1])?,
        },
        "audio" => ContentBody::Audio {
            media_type: text(members::<2>(value)?[0])?,
            data: data(members::<2>(value)?[1])?,
        },
        "link" => ContentBody::Link(link(value)?),
        "resource" => ContentBody::Resource(resource(value)?),
        _ => return Err(Misfit),
    };
    Ok(Content { body, annotations })
}

/// Pictures and sounds have one shape; the media type tells them apart.
fn media(value: &Val) -> Result<ContentBody, Misfit> {
    let [media_type, bytes] = members(value)?;
    let (media_type, data) = (text(media_type)?, data(bytes)?);
    Ok(if media_type.starts_with("audio/") {
        ContentBody::Audio { media_type, data }
    } else {
        ContentBody::Image { media_type, data }
    })
}

fn link(value: &Val) -> Result<ResourceLink, Misfit> {
    let [uri, name, title, description, media_type, size] = members(value)?;
    Ok(ResourceLink {
        uri: text(uri)?,
        name: text(name)?,
        title: maybe_text(title)?,
        description: maybe_text(description)?,
        media_type: maybe_text(media_type)?,
        size: match size {
            Val::Option(Some(size)) => match **size {
                Val::U64(size) => Some(size),
                _ => return Err(Misfit),
            },
            _ => None,
        },
    })
}

fn resource(value: &Val) -> Result<EmbeddedResource, Misfit> {
    let [uri, media_type, contents] = members(value)?;
    let contents = match contents {
        Val::Variant(kind, Some(value)) if kind == "text" => ResourceContents::Text(text(value)?),
        Val::Variant(_, Some(value)) => ResourceContents::Blob(data(value)?),
        _ => return Err(Misfit),
    };
    Ok(EmbeddedResource {
        uri: text(uri)?,
        media_type: maybe_text(media_type)?,
        contents,
    })
}

fn hints(value: &Val) -> Result<ContentAnnotations, Misfit> {
    let [audience, priority, last_modified] = members(value)?;
    let Val::List(roles) = audience else {
        return Err(Misfit);
    };
    let role = |value: &Val| match value {
        Val::Enum(role) if role == "user" => Ok(Role::User),
        Val::Enum(role) if role == "assistant" => Ok(Role::Assistant),
        _ => Err(Misfit),
    };
    let priority = match priority {
        Val::Option(Some(priority)) => match **priority {
            Val::Float64(priority) => Some(priority.clamp(0.0, 1.0)).filter(|p| !p.is_nan()),
            _ => return Err(Misfit),
        },
        _ => None,
    };
    Ok(ContentAnnotations {
        audience: roles.iter().map(role).collect::<Result<_, _>>()?,
        priority,
        last_modified: maybe_text(last_modified)?,
    })
}

fn members<const N: usize>(value: &Val) -> Result<[&Val; N], Misfit> {
    let Val::Record(members) = value else {
        return Err(Misfit);
    };
    let values: Vec<&Val> = members.iter().map(|(_, value)| value).collect();
    values.try_into().map_err(|_| Misfit)
}

fn text(value: &Val) -> Result<String, Misfit> {
    match value {
        Val::String(text) => Ok(text.clone()),
        _ => Err(Misfit),
    }
}

fn maybe_text(value: &Val) -> Result<Option<String>, Misfit> {
    match value {
        Val::Option(None) => Ok(None),
        Val::Option(Some(value)) => text(value).map(Some),
        _ => Err(Misfit),
    }
}

fn data(value: &Val) -> Result<Vec<u8>, Misfit> {
    match value {
        Val::List(items) => bytes(items),
        _ => Err(Misfit),
    }
}

/// About how long the JSON text of `outcome` is.
pub(crate) fn size(outcome: &Outcome) -> u64 {
    let bytes = match outcome {
        Outcome::Reply(reply) => reply_size(reply),
        Outcome::Failure(failure) => {
            failure.message.len() + length(&failure.fix) + length(&failure.argument)
        }
    };
    bytes as u64
}

fn reply_size(reply: &Reply) -> usize {
    let base64 = |data: &[u8]| data.len().div_ceil(3) * 4;
    let content = reply.content.iter().map(|part| match &part.body {
        ContentBody::Text(text) => text.len(),
        ContentBody::Image { data, .. } | ContentBody::Audio { data, .. } => base64(data),
        ContentBody::Link(link) => {
            let (title, description) = (length(&link.title), length(&link.description));
            link.uri.len() + link.name.len() + title + description
        }
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => text.len(),
            ResourceContents::Blob(data) => base64(data),
        },
    });
    // The text of a plain answer is its structured value once more, and is not counted twice.
    content.sum::<usize>().max(length(&reply.structured)) + length(&reply.next)
}

fn length(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}
