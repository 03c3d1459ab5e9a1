//! The types of the WIT contract for tools, such as content and failures, matched by structure.
//! So a component built against a copy of the contract works like one built against the original.

use std::sync::LazyLock;

use crate::values::types::{Budget, Case, Field, Integer, Type};

/// `image` and `audio`: they differ in nothing but the media type of their values.
pub(crate) static MEDIA: LazyLock<Type> =
    LazyLock::new(|| record(vec![("media-type", Type::String), ("data", Type::Bytes)]));

static ROLE: LazyLock<Type> = LazyLock::new(|| Type::Enum(names(&["user", "assistant"])));

static ANNOTATIONS: LazyLock<Type> = LazyLock::new(|| {
    record(vec![
        ("audience", list(ROLE.clone())),
        ("priority", option(Type::F64)),
        ("last-modified", option(Type::String)),
    ])
});

/// `embedded-resource`: a resource carried whole.
pub(crate) static RESOURCE: LazyLock<Type> = LazyLock::new(|| {
    let contents = variant(vec![("text", Type::String), ("blob", Type::Bytes)]);
    record(vec![
        ("uri", Type::String),
        ("media-type", option(Type::String)),
        ("contents", contents),
    ])
});

/// `content`: one part of a reply.
pub(crate) static CONTENT: LazyLock<Type> = LazyLock::new(|| {
    let link = record(vec![
        ("uri", Type::String),
        ("name", Type::String),
        ("title", option(Type::String)),
        ("description", option(Type::String)),
        ("media-type", option(Type::String)),
        ("size", option(Type::Integer(Integer::U64))),
    ]);
    let body = variant(vec![
        ("text", Type::String),
        ("image", MEDIA.clone()),
        ("audio", MEDIA.clone()),
        ("link", link),
        ("resource", RESOURCE.clone()),
    ]);
    record(vec![
        ("body", body),
        ("annotations", option(ANNOTATIONS.clone())),
    ])
});

/// `reply`: an answer of several parts.
pub(crate) static REPLY: LazyLock<Type> = LazyLock::new(|| {
    record(vec![
        ("content", list(CONTENT.clone())),
        ("structured", option(Type::String)),
        ("next", option(Type::String)),
    ])
});

/// `failure`: a failure written for the agent.
pub(crate) static FAILURE: LazyLock<Type> = LazyLock::new(|| {
    let kinds = [
        "invalid-argument",
        "not-found",
        "permission-denied",
        "conflict",
        "limit-reached",
        "unavailable",
        "internal",
    ];
    record(vec![
        ("kind", Type::Enum(names(&kinds))),
        ("message", Type::String),
        ("fix", option(Type::String)),
        ("argument", option(Type::String)),
        ("retryable", Type::Bool),
    ])
});

/// `prompt`: a prompt as it is listed.
pub(crate) static PROMPT: LazyLock<Type> = LazyLock::new(|| {
    let argument = record(vec![
        ("name", Type::String),
        ("description", option(Type::String)),
        ("required", Type::Bool),
    ]);
    record(vec![
        ("name", Type::String),
        ("title", option(Type::String)),
        ("description", option(Type::String)),
        ("arguments", list(argument)),
    ])
});

/// `prompt-message`: one message of a filled-in prompt.
pub(crate) static MESSAGE: LazyLock<Type> =
    LazyLock::new(|| record(vec![("role", ROLE.clone()), ("content", CONTENT.clone())]));

/// `resource-entry`: a resource as it is listed.
pub(crate) static ENTRY: LazyLock<Type> = LazyLock::new(|| {
    record(vec![
        ("uri", Type::String),
        ("name", Type::String),
        ("title", option(Type::String)),
        ("description", option(Type::String)),
        ("media-type", option(Type::String)),
        ("size", option(Type::Integer(Integer::U64))),
        ("annotations", option(ANNOTATIONS.clone())),
    ])
});

/// `resource-template`: a family of resources.
pub(crate) static TEMPLATE: LazyLock<Type> = LazyLock::new(|| {
    record(vec![
        ("uri-template", Type::String),
        ("name", Type::String),
        ("title", option(Type::String)),
        ("description", option(Type::String)),
        ("media-type", option(Type::String)),
    ])
});

fn names(names: &[&str]) -> Vec<super::Label> {
    Budget::new()
        .labels(names.iter().copied())
        .expect("the contract's names are short and differ")
}

fn record(fields: Vec<(&str, Type)>) -> Type {
    let (labels, types): (Vec<&str>, Vec<Type>) = fields.into_iter().unzip();
    let fields = names(&labels).into_iter().zip(types);
    Type::Record(fields.map(|(label, ty)| Field { label, ty }).collect())
}

fn variant(cases: Vec<(&str, Type)>) -> Type {
    let (labels, types): (Vec<&str>, Vec<Type>) = cases.into_iter().unzip();
    let cases = names(&labels).into_iter().zip(types);
    let case = |(label, ty)| Case {
        label,
        ty: Some(ty),
    };
    Type::Variant(cases.map(case).collect())
}

fn list(item: Type) -> Type {
    Type::List(Box::new(item))
}

fn option(ty: Type) -> Type {
    Type::Option(Box::new(ty))
}
