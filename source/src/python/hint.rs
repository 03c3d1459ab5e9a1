//! The type hints of Python: basic types, literals, containers, unions and unsupported types.

use serde_json::Value;

use crate::error::FaultKind;

/// The name of a type that is not written as a name.
pub(super) const NAMELESS: &str = "";

/// The meaning of an annotation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hint {
    Any,
    /// A type that JSON Schema has, by the name it has there.
    Basic(&'static str),
    /// One of these values.
    Literals(Vec<Value>),
    /// A container, and what it holds where that is said.
    Container(Container, ContainerSpelling, Vec<Hint>),
    Union(Vec<Hint>),
    /// `...` among the types of a tuple.
    Ellipsis,
    Unsupported(Unsupported),
}

/// A container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    List,
    Tuple,
    Dict,
}

/// The spelling of a container: `list` and `typing.List` are not the same type for Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerSpelling {
    Plain,
    Typing,
}

/// A type without a schema, or with a part that only running the file tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Unsupported {
    Type { name: String, reason: &'static str },
    Computed { argument: String },
}

impl Unsupported {
    pub(super) fn new(name: &str, reason: &'static str) -> Self {
        Self::Type {
            name: name.to_owned(),
            reason,
        }
    }

    pub(super) fn computed(argument: &str) -> Self {
        Self::Computed {
            argument: argument.to_owned(),
        }
    }

    /// The error of an annotation that reads `written`.
    pub(super) fn fault(self, written: &str) -> FaultKind {
        match self {
            Self::Type { name, reason } => {
                let name = match name.as_str() {
                    NAMELESS => written.to_owned(),
                    _ => name,
                };
                FaultKind::UnsupportedType { name, reason }
            }
            Self::Computed { argument } => FaultKind::Computed { argument },
        }
    }
}
