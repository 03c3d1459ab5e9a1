//! Tells the kinds of classes that have fields, and which members of a class are none.

use serde_json::json;

use crate::python::expression::Expression;
use crate::python::module::{Class, Field, Scope};

/// The most classes that a class of the file goes back to.
pub(super) const BASES_MAX: usize = 8;

/// The kinds of classes that have fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fields, each with or without a default.
    Fields,
    /// A `TypedDict` whose items may all be left out.
    PartialDictionary,
}

/// True for a field that pydantic takes for itself.
pub(super) fn is_private(field: &Field) -> bool {
    field.name.starts_with('_') || field.name == "model_config"
}

impl Kind {
    /// The kind of a class; nothing for one whose fields are not read.
    pub(super) fn of(class: &Class, scope: &Scope, hops: usize) -> Option<Self> {
        if hops > BASES_MAX {
            return None;
        }
        let is_dataclass = class.decorators.iter().any(|decorator| {
            let name = match decorator {
                Expression::Call(function, _) => function,
                other => other,
            };
            let path = scope.path(name).unwrap_or_default();
            path.ends_with("dataclasses.dataclass")
        });
        if is_dataclass {
            return Some(Self::Fields);
        }
        let is_partial = class.bases.iter().any(|base| {
            matches!(base, Expression::Keyword(name, value)
                if name == "total" && **value == Expression::Constant(json!(false)))
        });
        class.bases.iter().find_map(|base| {
            if let Some(class) = scope.class(base) {
                return Self::of(class, scope, hops + 1);
            }
            let path = scope.path(base)?;
            match path.rsplit('.').next()? {
                "BaseModel" | "BaseSettings" => Some(Self::Fields),
                "TypedDict" if is_partial => Some(Self::PartialDictionary),
                "TypedDict" => Some(Self::Fields),
                _ => None,
            }
        })
    }
}

/// True for a field that belongs to the class, not to its values.
pub(super) fn is_class_variable(field: &Field, scope: &Scope) -> bool {
    let named = match &field.annotation {
        Expression::Subscript(of, _) => of,
        other => other,
    };
    scope
        .path(named)
        .is_some_and(|path| path == "typing.ClassVar")
}
