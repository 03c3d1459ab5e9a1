//! Reads a Python function's parameters: names, annotations, defaults, ways to pass them.

use tree_sitter::Node;

use super::expression::Expression;
use crate::syntax::{children, text_of};

/// A parameter.
pub(super) struct Parameter<'a> {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The byte at which it stands.
    pub(super) offset: usize,
    /// The text of its type, and the byte at which that stands.
    pub(super) annotation: Option<(&'a str, usize)>,
    pub(super) has_default: bool,
    pub(super) default: Option<Expression>,
}

/// The ways to pass a parameter, in the order in which Python keeps their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// By its place or its name.
    Either,
    /// By its place, before a `/`.
    Positional,
    /// `*args`.
    Rest,
    /// By its name, after a `*`.
    Named,
    /// `**kwargs`.
    NamedRest,
}

/// The parameters of the function at `node`, in order, without the `self` or `cls` of a method.
pub(super) fn parameters<'a>(node: Node<'_>, text: &'a str) -> Vec<Parameter<'a>> {
    let Some(list) = node.child_by_field_name("parameters") else {
        return Vec::new();
    };
    let mut found: Vec<Parameter<'a>> = Vec::new();
    let mut kind = Kind::Either;
    for child in children(list) {
        match child.kind() {
            "positional_separator" => {
                for parameter in &mut found {
                    parameter.kind = Kind::Positional;
                }
            }
            "keyword_separator" => kind = Kind::Named,
            _ => {
                let parameter = parameter(child, text, kind);
                if parameter.kind == Kind::Rest {
                    kind = Kind::Named;
                }
                found.push(parameter);
            }
        }
    }
    let is_receiver = found.first().is_some_and(|first| {
        ["self", "cls"].contains(&first.name.as_str()) && first.annotation.is_none()
    });
    if is_receiver {
        found.remove(0);
    }
    found
}

fn parameter<'a>(node: Node<'_>, text: &'a str, kind: Kind) -> Parameter<'a> {
    let named = node.child_by_field_name("name");
    // A type stands beside a pattern, which may have stars before its name.
    let pattern = named
        .or_else(|| {
            node.named_child(0)
                .filter(|_| node.kind() == "typed_parameter")
        })
        .unwrap_or(node);
    let (name, kind) = match pattern.kind() {
        "list_splat_pattern" => (pattern.named_child(0), Kind::Rest),
        "dictionary_splat_pattern" => (pattern.named_child(0), Kind::NamedRest),
        _ => (Some(pattern), kind),
    };
    let annotation = node.child_by_field_name("type");
    Parameter {
        name: text_of(name.unwrap_or(pattern), text).to_owned(),
        kind,
        offset: node.start_byte(),
        annotation: annotation.map(|it| (text_of(it, text), it.start_byte())),
        has_default: node.child_by_field_name("value").is_some(),
        default: node
            .child_by_field_name("value")
            .map(|value| Expression::of(value, text)),
    }
}
