//! Makes a schema of an annotation, following the classes of the file.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use super::class_kind::{BASES_MAX, Kind, is_class_variable, is_private};
use super::field::FieldText;
use super::named;
use super::shape::{array, literal, object, typed, union};
use crate::limits::MEMBERS_MAX;
use crate::python::enumeration;
use crate::python::expression::Expression;
use crate::python::hint::{Hint, NAMELESS, Unsupported};
use crate::python::module::{Binding, Class, Field, Scope};

/// The most names and brackets between an annotation and its type.
const DEPTH_MAX: usize = 64;

type Schema = Map<String, Value>;

/// What a text that stands in `Annotated` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::python) enum Texts {
    /// It describes the value.
    Describe,
    /// Nothing.
    Ignored,
}

/// What a parameter or a field says.
#[derive(Debug)]
pub(in crate::python) struct Described {
    pub(in crate::python) schema: Schema,
    pub(in crate::python) is_required: bool,
}

/// Reads annotations of a file.
pub(in crate::python) struct Schemas<'a> {
    scope: &'a Scope,
    texts: Texts,
    /// The classes that are being read, to end where one holds itself.
    followed: RefCell<Vec<String>>,
}

impl<'a> Schemas<'a> {
    pub(in crate::python) fn new(scope: &'a Scope, texts: Texts) -> Self {
        Self {
            scope,
            texts,
            followed: RefCell::default(),
        }
    }

    /// What a parameter with this annotation and default says.
    pub(in crate::python) fn described(
        &self,
        annotation: Option<&Expression>,
        default: Option<&Expression>,
    ) -> Result<Described, Unsupported> {
        self.described_at(annotation, default, 0)
    }

    fn described_at(
        &self,
        annotation: Option<&Expression>,
        default: Option<&Expression>,
        depth: usize,
    ) -> Result<Described, Unsupported> {
        let mut schema = match annotation {
            Some(annotation) => self.of(annotation, depth)?,
            None => Schema::new(),
        };
        // In `Annotated`, `Field` may have a default too.
        let marks = annotation.map(|it| self.marks(it)).unwrap_or_default();
        let inner = marks.into_iter().find(|mark| self.is_field(mark));
        let (field, plain) = match default {
            Some(call) if self.is_field(call) => (Some(call), None),
            default => (None, default),
        };
        if let Some(field) = field {
            let mut text = FieldText::default();
            text.add_field(field, |it| self.value(it))?;
            text.write(&mut schema);
        }
        let call = field.or(inner);
        let has_factory = call.is_some_and(|call| call.keyword("default_factory").is_some());
        let default = plain.or_else(|| {
            call.and_then(|call| {
                let first = call.positional().into_iter().next();
                let default = first.or_else(|| call.keyword("default"));
                default.filter(|it| !matches!(it, Expression::Ellipsis))
            })
        });
        if let Some(value) = default.and_then(|it| self.value(it)) {
            schema.insert("default".to_owned(), value);
        }
        Ok(Described {
            schema,
            is_required: default.is_none() && !has_factory,
        })
    }

    /// The schema of a class that has fields, such as a model.
    pub(in crate::python) fn model(&self, name: &Expression) -> Result<Schema, Unsupported> {
        self.of(name, 0)
    }

    /// The value of a constant of the file, or of a member of an enumeration.
    pub(in crate::python) fn value(&self, expression: &Expression) -> Option<Value> {
        let all = |items: &[Expression]| -> Option<Vec<Value>> {
            items.iter().map(|it| self.value(it)).collect()
        };
        match expression {
            Expression::List(items) | Expression::Tuple(items) => all(items).map(Value::Array),
            Expression::Dictionary(pairs) => {
                let pairs = pairs.iter().map(|(name, value)| {
                    let name = self.value(name)?.as_str()?.to_owned();
                    Some((name, self.value(value)?))
                });
                pairs.collect::<Option<Schema>>().map(Value::Object)
            }
            Expression::Attribute(of, member) => match &**of {
                // `Colour.RED.value` is `Colour.RED` to a schema.
                inner @ Expression::Attribute(..) if member == "value" => self.value(inner),
                class => {
                    let class = self.scope.class(class)?;
                    let mut known = class.assignments.iter();
                    let (_, value) = known.find(|(name, _)| name == member)?;
                    enumeration::constant(value, &[], self.scope, 0)
                }
            },
            other => enumeration::constant(other, &[], self.scope, 0),
        }
    }

    /// What stands beside the type in `Annotated`.
    fn marks<'e>(&self, annotation: &'e Expression) -> Vec<&'e Expression> {
        match annotation {
            Expression::Subscript(of, arguments) if self.typing(of) == Some("Annotated") => {
                arguments.iter().skip(1).collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_field(&self, expression: &Expression) -> bool {
        let Expression::Call(function, _) = expression else {
            return false;
        };
        self.scope
            .path(function)
            .is_some_and(|path| path.ends_with(".Field"))
    }

    /// The name of what `expression` names in the modules for types.
    fn typing(&self, expression: &Expression) -> Option<&'static str> {
        named::typing(&self.scope.path(expression)?)
    }

    fn of(&self, annotation: &Expression, depth: usize) -> Result<Schema, Unsupported> {
        if depth > DEPTH_MAX || self.scope.has_seen_enough(1) {
            return Err(Unsupported::new(NAMELESS, "leads through too many names"));
        }
        match annotation {
            Expression::Constant(Value::Null) => Ok(typed("null")),
            // A type may be written as text.
            Expression::Constant(Value::String(text)) => match Expression::of_text(text) {
                Some(inner) => self.of(&inner, depth + 1),
                None => Err(Unsupported::new(text, "is no type")),
            },
            Expression::Binary(left, operator, right) if operator == "|" => {
                let all = [self.of(left, depth + 1)?, self.of(right, depth + 1)?];
                Ok(union(all))
            }
            Expression::Subscript(of, arguments) => self.generic(of, arguments, depth),
            Expression::Name(_) | Expression::Attribute(..) => self.named(annotation, depth),
            _ => Err(Unsupported::new(NAMELESS, "is no type")),
        }
    }

    fn generic(
        &self,
        of: &Expression,
        arguments: &[Expression],
        depth: usize,
    ) -> Result<Schema, Unsupported> {
        let Some(name) = self.typing(of) else {
            return Err(self.unknown(of));
        };
        if self.scope.has_seen_enough(arguments.len()) || arguments.len() > MEMBERS_MAX {
            return Err(Unsupported::new(name, "lists too much"));
        }
        let at = |index: usize| match arguments.get(index) {
            Some(argument) => self.of(argument, depth + 1),
            None => Ok(Schema::new()),
        };
        Ok(match name {
            "Annotated" => {
                let mut schema = at(0)?;
                let marks = &arguments[1.min(arguments.len())..];
                self.marked(marks)?.write(&mut schema);
                schema
            }
            "Final" | "Required" | "NotRequired" => at(0)?,
            "Literal" => literal(&self.literals(arguments)?),
            "Optional" => union([at(0)?, typed("null")]),
            "Union" => {
                let all = arguments.iter().map(|it| self.of(it, depth + 1));
                union(all.collect::<Result<Vec<_>, _>>()?)
            }
            "dict" | "Dict" | "Mapping" | "MutableMapping" => {
                let value = at(1)?;
                let value = match value.is_empty() {
                    true => json!(true),
                    false => Value::Object(value),
                };
                object([("additionalProperties", value), ("type", json!("object"))])
            }
            "tuple" | "Tuple" if arguments.get(1) != Some(&Expression::Ellipsis) => {
                let all = arguments.iter().map(|it| self.of(it, depth + 1));
                let items: Vec<Schema> = all.collect::<Result<_, _>>()?;
                object([
                    ("maxItems", json!(items.len())),
                    ("minItems", json!(items.len())),
                    ("prefixItems", json!(items)),
                    ("type", json!("array")),
                ])
            }
            "set" | "Set" | "frozenset" | "FrozenSet" => object([
                ("items", Value::Object(at(0)?)),
                ("type", json!("array")),
                ("uniqueItems", json!(true)),
            ]),
            _ => array(at(0)?),
        })
    }

    /// What the marks beside a type say of it.
    fn marked(&self, marks: &[Expression]) -> Result<FieldText, Unsupported> {
        let mut text = FieldText::default();
        for mark in marks {
            match mark {
                Expression::Constant(Value::String(said)) if self.texts == Texts::Describe => {
                    text.description = Some(said.clone());
                }
                call if self.is_field(call) => text.add_field(call, |it| self.value(it))?,
                Expression::Formatted(_) if self.texts == Texts::Describe => {
                    let Some(Value::String(said)) = self.value(mark) else {
                        return Err(Unsupported::computed("description"));
                    };
                    text.description = Some(said);
                }
                Expression::Call(function, _) => {
                    let path = self.scope.path(function).unwrap_or_default();
                    let first = mark.positional().into_iter().next();
                    let value = first.and_then(|it| self.value(it));
                    let name = path.rsplit('.').next().unwrap_or_default();
                    match value {
                        Some(Value::String(said)) if name == "Doc" => text.description = Some(said),
                        Some(value) => text.add_mark(name, value),
                        None if name == "Doc" => return Err(Unsupported::computed(name)),
                        None => {}
                    }
                }
                _ => {}
            }
        }
        Ok(text)
    }

    fn literals(&self, arguments: &[Expression]) -> Result<Vec<Value>, Unsupported> {
        let mut values: Vec<Value> = Vec::new();
        for argument in arguments {
            let found = match argument {
                Expression::Subscript(of, inner) if self.typing(of) == Some("Literal") => {
                    self.literals(inner)?
                }
                other => vec![self.value(other).ok_or_else(|| {
                    Unsupported::new("Literal", "lists something that is no constant")
                })?],
            };
            for value in found {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        Ok(values)
    }

    fn named(&self, expression: &Expression, depth: usize) -> Result<Schema, Unsupported> {
        if let Some(name) = self.typing(expression) {
            return Ok(match name {
                "dict" | "Dict" | "Mapping" | "MutableMapping" => object([
                    ("additionalProperties", json!(true)),
                    ("type", json!("object")),
                ]),
                "set" | "Set" | "frozenset" | "FrozenSet" => object([
                    ("items", json!({})),
                    ("type", json!("array")),
                    ("uniqueItems", json!(true)),
                ]),
                _ => array(Schema::new()),
            });
        }
        if let Some(path) = self.scope.path(expression) {
            return named::of(&path).ok_or_else(|| self.unknown(expression));
        }
        if let Some(class) = self.scope.class(expression) {
            let Some(name) = last_name(expression) else {
                return Err(Unsupported::new(NAMELESS, "is no type"));
            };
            return self.class(class, name, depth);
        }
        match expression {
            Expression::Name(name) => match self.scope.get(name) {
                Some(Binding::Value(value)) => self.of(value, depth + 1),
                _ => Err(self.unknown(expression)),
            },
            _ => Err(self.unknown(expression)),
        }
    }

    fn unknown(&self, expression: &Expression) -> Unsupported {
        let name = last_name(expression).unwrap_or(NAMELESS);
        Unsupported::new(
            name,
            "has no schema that this file shows: write it here, or a type that JSON has",
        )
    }

    fn class(&self, class: &Class, name: &str, depth: usize) -> Result<Schema, Unsupported> {
        if let Some(hint) = enumeration::of(class, name, self.scope) {
            let Hint::Literals(values) = hint else {
                return Err(Unsupported::new(name, "is an enumeration of other values"));
            };
            let mut schema = literal(&values);
            describe(&mut schema, class);
            return Ok(schema);
        }
        let Some(kind) = Kind::of(class, self.scope, 0) else {
            return Err(Unsupported::new(
                name,
                "is a class whose fields are not read: make it a pydantic model or a dataclass",
            ));
        };
        if self.followed.borrow().iter().any(|known| known == name) {
            // One that holds itself has no end.
            return Ok(typed("object"));
        }
        self.followed.borrow_mut().push(name.to_owned());
        let schema = self.fields(class, kind, depth);
        self.followed.borrow_mut().pop();
        schema
    }

    fn fields(&self, class: &Class, kind: Kind, depth: usize) -> Result<Schema, Unsupported> {
        let mut fields: Vec<(&Field, Kind)> = Vec::new();
        self.all_fields(class, kind, &mut fields, 0);
        let (mut properties, mut required) = (Schema::new(), Vec::new());
        for (field, kind) in fields {
            if is_private(field) || is_class_variable(field, self.scope) {
                continue;
            }
            let described =
                self.described_at(Some(&field.annotation), field.default.as_ref(), depth + 1)?;
            let is_optional = match &field.annotation {
                Expression::Subscript(of, _) => self.typing(of) == Some("NotRequired"),
                _ => false,
            };
            if described.is_required && !is_optional && kind != Kind::PartialDictionary {
                required.push(json!(field.name));
            }
            properties.insert(field.name.clone(), Value::Object(described.schema));
        }
        let mut schema = object([
            ("properties", Value::Object(properties)),
            ("type", json!("object")),
        ]);
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        describe(&mut schema, class);
        Ok(schema)
    }

    /// The fields of a class and of those that it goes back to; its own replace theirs.
    fn all_fields<'c>(
        &'c self,
        class: &'c Class,
        kind: Kind,
        found: &mut Vec<(&'c Field, Kind)>,
        hops: usize,
    ) {
        if hops > BASES_MAX {
            return;
        }
        for base in &class.bases {
            if let Some(base) = self.scope.class(base) {
                let kind = Kind::of(base, self.scope, 0).unwrap_or(kind);
                self.all_fields(base, kind, found, hops + 1);
            }
        }
        for field in &class.fields {
            match found.iter_mut().find(|(known, _)| known.name == field.name) {
                Some(known) => *known = (field, kind),
                None => found.push((field, kind)),
            }
        }
    }
}

fn describe(schema: &mut Schema, class: &Class) {
    if let Some(text) = &class.docstring {
        schema.insert("description".to_owned(), json!(text));
    }
}

fn last_name(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Name(name) | Expression::Attribute(_, name) => Some(name),
        _ => None,
    }
}
