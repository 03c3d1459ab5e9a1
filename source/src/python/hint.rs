//! The type hints of Python: basic types, literals, containers, unions and unsupported types.

use serde_json::Value;

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

/// A type without a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unsupported {
    name: String,
    pub(super) reason: &'static str,
}

impl Unsupported {
    pub(super) fn new(name: &str, reason: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            reason,
        }
    }

    /// The type's name, in an annotation that reads `written`.
    pub(super) fn name_in(self, written: &str) -> String {
        match self.name.as_str() {
            NAMELESS => written.to_owned(),
            _ => self.name,
        }
    }
}
