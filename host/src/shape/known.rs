//! The types of the contract, recognised by their shape so that a component built against a
//! copy of the contract works like one built against the original.

use std::sync::LazyLock;

use super::{Budget, Case, Field, Integer, Shape};

/// `image` and `audio`: they differ in nothing but the media type of their values.
pub(crate) static MEDIA: LazyLock<Shape> =
    LazyLock::new(|| record(vec![("media-type", Shape::String), ("data", Shape::Bytes)]));

static ROLE: LazyLock<Shape> = LazyLock::new(|| Shape::Enum(names(&["user", "assistant"])));

static ANNOTATIONS: LazyLock<Shape> = LazyLock::new(|| {
    record(vec![
        ("audience", list(ROLE.clone())),
        ("priority", option(Shape::F64)),
        ("last-modified", option(Shape::String)),
    ])
});

/// `embedded-resource`: a resource carried whole.
pub(crate) static RESOURCE: LazyLock<Shape> = LazyLock::new(|| {
    let contents = variant(vec![("text", Shape::String), ("blob", Shape::Bytes)]);
    record(vec![
        ("uri", Shape::String),
        ("media-type", option(Shape::String)),
        ("contents", contents),
    ])
});

/// `content`: one part of a reply.
pub(crate) static CONTENT: LazyLock<Shape> = LazyLock::new(|| {
    let link = record(vec![
        ("uri", Shape::String),
        ("name", Shape::String),
        ("title", option(Shape::String)),
        ("description", option(Shape::String)),
        ("media-type", option(Shape::String)),
        ("size", option(Shape::Integer(Integer::U64))),
    ]);
    let body = variant(vec![
        ("text", Shape::String),
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
pub(crate) static REPLY: LazyLock<Shape> = LazyLock::new(|| {
    record(vec![
        ("content", list(CONTENT.clone())),
        ("structured", option(Shape::String)),
        ("next", option(Shape::String)),
    ])
});

/// `failure`: a failure written for the agent.
pub(crate) static FAILURE: LazyLock<Shape> = LazyLock::new(|| {
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
        ("kind", Shape::Enum(names(&kinds))),
        ("message", Shape::String),
        ("fix", option(Shape::String)),
        ("argument", option(Shape::String)),
        ("retryable", Shape::Bool),
    ])
});

/// `prompt`: a prompt as it is listed.
pub(crate) static PROMPT: LazyLock<Shape> = LazyLock::new(|| {
    let argument = record(vec![
        ("name", Shape::String),
        ("description", option(Shape::String)),
        ("required", Shape::Bool),
    ]);
    record(vec![
        ("name", Shape::String),
        ("title", option(Shape::String)),
        ("description", option(Shape::String)),
        ("arguments", list(argument)),
    ])
});

/// `prompt-message`: one message of a filled-in prompt.
pub(crate) static MESSAGE: LazyLock<Shape> =
    LazyLock::new(|| record(vec![("role", ROLE.clone()), ("content", CONTENT.clone())]));

/// `resource-entry`: a resource as it is listed.
pub(crate) static ENTRY: LazyLock<Shape> = LazyLock::new(|| {
    record(vec![
        ("uri", Shape::String),
        ("name", Shape::String),
        ("title", option(Shape::String)),
        ("description", option(Shape::String)),
        ("media-type", option(Shape::String)),
        ("size", option(Shape::Integer(Integer::U64))),
        ("annotations", option(ANNOTATIONS.clone())),
    ])
});

/// `resource-template`: a family of resources.
pub(crate) static TEMPLATE: LazyLock<Shape> = LazyLock::new(|| {
    record(vec![
        ("uri-template", Shape::String),
        ("name", Shape::String),
        ("title", option(Shape::String)),
        ("description", option(Shape::String)),
        ("media-type", option(Shape::String)),
    ])
});

fn names(names: &[&str]) -> Vec<super::Label> {
    Budget::new()
        .labels(names.iter().copied())
        .expect("the contract's names are short and differ")
}

fn record(fields: Vec<(&str, Shape)>) -> Shape {
    let (labels, shapes): (Vec<&str>, Vec<Shape>) = fields.into_iter().unzip();
    let fields = names(&labels).into_iter().zip(shapes);
    Shape::Record(
        fields
            .map(|(label, shape)| Field { label, shape })
            .collect(),
    )
}

fn variant(cases: Vec<(&str, Shape)>) -> Shape {
    let (labels, shapes): (Vec<&str>, Vec<Shape>) = cases.into_iter().unzip();
    let cases = names(&labels).into_iter().zip(shapes);
    let case = |(label, shape)| Case {
        label,
        shape: Some(shape),
    };
    Shape::Variant(cases.map(case).collect())
}

fn list(item: Shape) -> Shape {
    Shape::List(Box::new(item))
}

fn option(shape: Shape) -> Shape {
    Shape::Option(Box::new(shape))
}
