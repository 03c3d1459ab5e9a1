//! Reads the WIT contract's failures, content, media, links and resources from component values.

use tool_hub_manifest::contract::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind,
    ResourceContents, ResourceLink, Role,
};
use wasmtime::component::Val;

use crate::values::val::{TypeMismatch, bytes, items, members, optional, optional_text, text};

pub(crate) fn failure(value: &Val) -> Result<Failure, TypeMismatch> {
    let [kind, message, fix, argument, retryable] = members(value)?;
    let Val::Enum(kind) = kind else {
        return Err(TypeMismatch);
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
            _ => return Err(TypeMismatch),
        },
        message: text(message)?,
        fix: optional_text(fix)?,
        argument: optional_text(argument)?,
        retryable: matches!(retryable, Val::Bool(true)),
    })
}

/// The successful side of a `result` whose other side is a failure.
pub(crate) fn ok(result: Option<&Val>) -> Result<&Val, Failure> {
    match result {
        Some(Val::Result(Ok(Some(value)))) => Ok(value),
        Some(Val::Result(Err(Some(failed)))) => Err(failure(failed)?),
        _ => Err(TypeMismatch.into()),
    }
}

pub(crate) fn part(value: &Val) -> Result<Content, TypeMismatch> {
    let [body, annotations] = members(value)?;
    let annotations = optional(annotations, hints)?;
    let Val::Variant(kind, Some(value)) = body else {
        return Err(TypeMismatch);
    };
    let body = match kind.as_str() {
        "text" => ContentBody::Text(text(value)?),
        "image" => ContentBody::Image {
            media_type: text(members::<2>(value)?[0])?,
            data: bytes(members::<2>(value)?[1])?,
        },
        "audio" => ContentBody::Audio {
            media_type: text(members::<2>(value)?[0])?,
            data: bytes(members::<2>(value)?[1])?,
        },
        "link" => ContentBody::Link(link(value)?),
        "resource" => ContentBody::Resource(resource(value)?),
        _ => return Err(TypeMismatch),
    };
    Ok(Content { body, annotations })
}

/// Pictures and sounds have one type; the media type tells them apart.
pub(crate) fn media(value: &Val) -> Result<ContentBody, TypeMismatch> {
    let [media_type, data] = members(value)?;
    let (media_type, data) = (text(media_type)?, bytes(data)?);
    Ok(if media_type.starts_with("audio/") {
        ContentBody::Audio { media_type, data }
    } else {
        ContentBody::Image { media_type, data }
    })
}

pub(crate) fn link(value: &Val) -> Result<ResourceLink, TypeMismatch> {
    let [uri, name, title, description, media_type, size] = members(value)?;
    Ok(ResourceLink {
        uri: text(uri)?,
        name: text(name)?,
        title: optional_text(title)?,
        description: optional_text(description)?,
        media_type: optional_text(media_type)?,
        size: match size {
            Val::Option(Some(size)) => match **size {
                Val::U64(size) => Some(size),
                _ => return Err(TypeMismatch),
            },
            _ => None,
        },
    })
}

pub(crate) fn resource(value: &Val) -> Result<EmbeddedResource, TypeMismatch> {
    let [uri, media_type, contents] = members(value)?;
    let contents = match contents {
        Val::Variant(kind, Some(value)) if kind == "text" => ResourceContents::Text(text(value)?),
        Val::Variant(_, Some(value)) => ResourceContents::Blob(bytes(value)?),
        _ => return Err(TypeMismatch),
    };
    Ok(EmbeddedResource {
        uri: text(uri)?,
        media_type: optional_text(media_type)?,
        contents,
    })
}

pub(crate) fn hints(value: &Val) -> Result<ContentAnnotations, TypeMismatch> {
    let [audience, priority, last_modified] = members(value)?;
    let priority = match priority {
        Val::Option(Some(priority)) => match **priority {
            Val::Float64(priority) => Some(priority.clamp(0.0, 1.0)).filter(|p| !p.is_nan()),
            _ => return Err(TypeMismatch),
        },
        _ => None,
    };
    Ok(ContentAnnotations {
        audience: items(audience)?
            .iter()
            .map(role)
            .collect::<Result<_, _>>()?,
        priority,
        last_modified: optional_text(last_modified)?,
    })
}

/// The role of a speaker.
pub(crate) fn role(value: &Val) -> Result<Role, TypeMismatch> {
    match value {
        Val::Enum(role) if role == "user" => Ok(Role::User),
        Val::Enum(role) if role == "assistant" => Ok(Role::Assistant),
        _ => Err(TypeMismatch),
    }
}
