//! Resolves type annotations to type hints, as Python's `typing` resolves them.

use serde_json::Value;

use super::enumeration;
use super::expression::Expression;
use super::hint::{Container, ContainerSpelling, Hint, NAMELESS, Unsupported};
use super::module::{Binding, Scope};
use crate::limits::{MEMBERS_MAX, PARSED_BYTES_MAX};

/// The most names and brackets between an annotation and its type.
const DEPTH_MAX: usize = 64;

const CUSTOM: &str = "is a class or object of its own, which has no schema";

/// A name that nothing defines.
type UnknownName = String;

impl Scope {
    /// The meaning of `annotation`.
    pub(super) fn hint(&self, annotation: &str) -> Result<Hint, UnknownName> {
        match self.parse(annotation) {
            Some(expression) => self.hint_of(&expression, 0),
            None => Ok(unsupported(annotation, "is no type")),
        }
    }

    fn parse(&self, text: &str) -> Option<Expression> {
        self.parsed.set(self.parsed.get() + text.len());
        let is_bounded = self.parsed.get() <= PARSED_BYTES_MAX;
        is_bounded.then(|| Expression::of_text(text))?
    }

    fn hint_of(&self, expression: &Expression, depth: usize) -> Result<Hint, UnknownName> {
        if depth > DEPTH_MAX || self.has_seen_enough(1) {
            return Ok(unsupported(NAMELESS, "leads through too many names"));
        }
        match expression {
            Expression::Constant(Value::Null) => Ok(Hint::Basic("null")),
            // A type may be written as text.
            Expression::Constant(Value::String(text)) => match self.parse(text) {
                Some(inner) => self.hint_of(&inner, depth + 1),
                None => Ok(unsupported(text, "is no type")),
            },
            Expression::Ellipsis => Ok(Hint::Ellipsis),
            Expression::Binary(left, operator, right) if operator == "|" => {
                let hints = [
                    self.hint_of(left, depth + 1)?,
                    self.hint_of(right, depth + 1)?,
                ];
                Ok(union(hints))
            }
            Expression::Call(function, arguments) => match self.path(function).as_deref() {
                Some("builtins.type") if arguments == &[Expression::Constant(Value::Null)] => {
                    Ok(Hint::Basic("null"))
                }
                _ => Ok(unsupported(NAMELESS, CUSTOM)),
            },
            Expression::Name(_) | Expression::Attribute(..) => self.named(expression, depth),
            Expression::Subscript(of, arguments) => self.generic(of, arguments, depth),
            _ => Ok(unsupported(NAMELESS, "is no type")),
        }
    }

    fn named(&self, expression: &Expression, depth: usize) -> Result<Hint, UnknownName> {
        if let Some(path) = self.path(expression) {
            return Ok(imported(&path));
        }
        if let Some(class) = self.class(expression) {
            let name = last_name(expression);
            let members = enumeration::of(class, name, self);
            return Ok(members.unwrap_or_else(|| unsupported(name, CUSTOM)));
        }
        let Expression::Name(name) = expression else {
            return match root(expression) {
                Some(name) if self.get(name).is_none() && !self.is_open() => Err(name.to_owned()),
                _ => Ok(unsupported(last_name(expression), CUSTOM)),
            };
        };
        match self.get(name) {
            Some(Binding::Value(Expression::Call(function, arguments))) => {
                let function = self.path(function).unwrap_or_default();
                let members = enumeration::of_call(&function, arguments, self);
                Ok(members.unwrap_or_else(|| unsupported(name, CUSTOM)))
            }
            Some(Binding::Value(value)) => self.hint_of(value, depth + 1),
            Some(_) => Ok(unsupported(name, CUSTOM)),
            None if self.is_open() => Ok(unsupported(name, CUSTOM)),
            None => Err(name.clone()),
        }
    }

    fn generic(
        &self,
        of: &Expression,
        arguments: &[Expression],
        depth: usize,
    ) -> Result<Hint, UnknownName> {
        let path = self.path(of).unwrap_or_default();
        let name = match path.split_once('.') {
            Some(("builtins" | "typing" | "typing_extensions", name)) => name,
            _ => {
                // An unknown name is an error.
                self.hint_of(of, depth + 1)?;
                return Ok(unsupported(last_name(of), CUSTOM));
            }
        };
        if self.has_seen_enough(arguments.len()) || arguments.len() > MEMBERS_MAX {
            return Ok(unsupported(name, "lists too much"));
        }
        if name == "Literal" {
            return Ok(self.literal(arguments, depth));
        }
        if ["Annotated", "Required", "NotRequired"].contains(&name) {
            // The values beside the type are for other programs.
            return match arguments.first() {
                Some(first) => self.hint_of(first, depth + 1),
                None => Ok(unsupported(name, CUSTOM)),
            };
        }
        let hints = arguments.iter().map(|argument| match argument {
            Expression::List(_) => Ok(unsupported(NAMELESS, CUSTOM)),
            argument => self.hint_of(argument, depth + 1),
        });
        let mut hints = hints.collect::<Result<Vec<Hint>, _>>()?;
        if arguments == [Expression::Tuple(Vec::new())] {
            hints.clear();
        }
        Ok(match name {
            "list" => Hint::Container(Container::List, ContainerSpelling::Plain, hints),
            "List" => Hint::Container(Container::List, ContainerSpelling::Typing, hints),
            "tuple" => Hint::Container(Container::Tuple, ContainerSpelling::Plain, hints),
            "Tuple" => Hint::Container(Container::Tuple, ContainerSpelling::Typing, hints),
            "dict" => Hint::Container(Container::Dict, ContainerSpelling::Plain, hints),
            "Dict" => Hint::Container(Container::Dict, ContainerSpelling::Typing, hints),
            "Union" => union(hints),
            "Optional" => union(hints.into_iter().chain([Hint::Basic("null")])),
            _ => unsupported(name, CUSTOM),
        })
    }

    /// The values of `Literal[…]`, each once.
    fn literal(&self, arguments: &[Expression], depth: usize) -> Hint {
        let invalid = || {
            unsupported(
                "Literal",
                "lists something that is no text, integer, boolean or None",
            )
        };
        let mut values: Vec<Value> = Vec::new();
        for argument in arguments {
            let found = match argument {
                Expression::Constant(value) => vec![value.clone()],
                Expression::Negative(inner) => match &**inner {
                    Expression::Constant(value) => {
                        enumeration::negative(value).into_iter().collect()
                    }
                    _ => return invalid(),
                },
                // A literal within another one, or a name that stands for one.
                Expression::Name(_) | Expression::Subscript(..) => {
                    match self.hint_of(argument, depth + 1) {
                        Ok(Hint::Literals(values)) if !self.is_enumeration(argument) => values,
                        _ => return invalid(),
                    }
                }
                _ => return invalid(),
            };
            if found.is_empty() {
                return invalid();
            }
            for value in found {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        match values.is_empty() {
            true => invalid(),
            false => Hint::Literals(values),
        }
    }

    fn is_enumeration(&self, expression: &Expression) -> bool {
        self.class(expression).is_some()
    }
}

/// The meaning of a name of another module.
fn imported(path: &str) -> Hint {
    let bare = |container| Hint::Container(container, ContainerSpelling::Plain, Vec::new());
    let typed = |container| Hint::Container(container, ContainerSpelling::Typing, Vec::new());
    match path {
        "builtins.int" => Hint::Basic("integer"),
        "builtins.float" => Hint::Basic("number"),
        "builtins.str" | "typing.Text" => Hint::Basic("string"),
        "builtins.bool" => Hint::Basic("boolean"),
        "builtins.list" => bare(Container::List),
        "builtins.tuple" => bare(Container::Tuple),
        "builtins.dict" => bare(Container::Dict),
        "typing.List" => typed(Container::List),
        "typing.Tuple" => typed(Container::Tuple),
        "typing.Dict" => typed(Container::Dict),
        "typing.Any" | "typing_extensions.Any" => Hint::Any,
        "types.NoneType" => Hint::Basic("null"),
        "PIL.Image.Image" => Hint::Basic("image"),
        "torch.Tensor" => Hint::Basic("audio"),
        _ => unsupported(path.strip_prefix("builtins.").unwrap_or(path), CUSTOM),
    }
}

fn unsupported(name: &str, reason: &'static str) -> Hint {
    Hint::Unsupported(Unsupported::new(name, reason))
}

/// Flattens unions within unions and drops duplicates. A union of one type is that type.
fn union(hints: impl IntoIterator<Item = Hint>) -> Hint {
    let mut members: Vec<Hint> = Vec::new();
    for hint in hints {
        let inner = match hint {
            Hint::Union(inner) => inner,
            hint => vec![hint],
        };
        for hint in inner {
            if !members.contains(&hint) {
                members.push(hint);
            }
        }
    }
    match members.len() {
        1 => members.remove(0),
        _ => Hint::Union(members),
    }
}

/// The name that an expression begins with.
fn root(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Name(name) => Some(name),
        Expression::Attribute(of, _) => root(of),
        _ => None,
    }
}

fn last_name(expression: &Expression) -> &str {
    match expression {
        Expression::Name(name) | Expression::Attribute(_, name) => name,
        _ => NAMELESS,
    }
}
