//! Builds JSON Schemas from types in TypeScript, and from those between the braces of JSDoc.

use std::cell::Cell;

use serde_json::{Value, json};
use tree_sitter::Node;

use super::comment::{Comment, Param};
use super::object::Object;
use super::scope::Scope;
use super::type_schema::{Schema, TypeSchema};
use super::union;
use crate::description::describe_values;
use crate::error::FaultKind;
use crate::limits::{MEMBERS_MAX, PARSED_BYTES_MAX, TYPES_MAX};
use crate::syntax::{self, children, text_of};

/// The deepest nesting of types, and the longest chain of names.
const DEPTH_MAX: usize = 32;

const CUSTOM: &str = "has no schema in JSON";
const MANY: &str = "has too many members";
const CIRCLE: &str = "is nested too deep or refers to itself";

/// The types of a module.
pub(super) struct Types<'a> {
    scope: &'a Scope<'a>,
    text: &'a str,
    /// The number of types that were looked at.
    seen: Cell<usize>,
    /// The bytes of comments that were parsed.
    parsed: Cell<usize>,
}

impl<'a> Types<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, text: &'a str) -> Self {
        Self {
            scope,
            text,
            seen: Cell::new(0),
            parsed: Cell::new(0),
        }
    }

    /// The type after a colon.
    pub(super) fn annotated(&self, annotation: Node<'_>) -> Result<TypeSchema, FaultKind> {
        Reader::new(self, self.text, 0).inner(annotation)
    }

    /// The type between the braces of a comment, which describes `members` of its value.
    pub(super) fn documented(
        &self,
        of: &str,
        members: impl AsRef<[Param]>,
    ) -> Result<TypeSchema, FaultKind> {
        self.documented_at(of, members.as_ref(), 0)
    }

    fn documented_at(
        &self,
        of: &str,
        members: &[Param],
        depth: usize,
    ) -> Result<TypeSchema, FaultKind> {
        self.parsed.set(self.parsed.get() + of.len());
        if depth > DEPTH_MAX || self.parsed.get() > PARSED_BYTES_MAX {
            return Err(unsupported("type", CIRCLE));
        }
        let of = of.trim().trim_end_matches('=');
        let of = of.replace(".<", "<");
        let is_object = ["object", "object[]"].contains(&of.to_lowercase().as_str());
        if is_object && !members.is_empty() {
            let object = self.members(members, depth)?;
            return Ok(match of.ends_with("[]") {
                true => TypeSchema::array(object),
                false => TypeSchema::of(object),
            });
        }
        if let Some(inner) = of.strip_prefix('?') {
            let mut found = self.documented_at(inner, members, depth + 1)?;
            found.schema = union::of(vec![found.schema, TypeSchema::plain("null").schema]);
            return Ok(found);
        }
        let plain = match of.as_str() {
            "*" => return Ok(TypeSchema::default()),
            "String" => "string",
            "Number" | "float" | "Float" => "number",
            "Boolean" | "bool" => "boolean",
            "integer" | "Integer" | "int" => "integer",
            "Object" => "object",
            "Array" | "array" => "array",
            _ => "",
        };
        if !plain.is_empty() {
            return Ok(TypeSchema::plain(plain));
        }
        let wrapped = format!("type T = {};", of.trim_start_matches('!'));
        let grammar = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
        let unreadable = || unsupported(&of, "cannot be read as a type");
        let tree = syntax::parse_leniently(&wrapped, &grammar).ok_or_else(unreadable)?;
        let alias = tree
            .root_node()
            .named_child(0)
            .filter(|_| !tree.root_node().has_error());
        let value = alias.and_then(|alias| alias.child_by_field_name("value"));
        Reader::new(self, &wrapped, depth + 1).schema_of(value.ok_or_else(unreadable)?)
    }

    /// An object with the members that a comment names.
    fn members(&self, members: &[Param], depth: usize) -> Result<Schema, FaultKind> {
        if depth > DEPTH_MAX {
            return Err(unsupported("object", CIRCLE));
        }
        let mut object = Object::default();
        for member in members.iter().filter(|it| !it.name.contains('.')) {
            let inner: Vec<Param> = members
                .iter()
                .filter_map(|other| {
                    let name = other.name.strip_prefix(&member.name)?.strip_prefix('.')?;
                    Some(Param {
                        name: name.to_owned(),
                        ..other.clone()
                    })
                })
                .collect();
            let of = member.of.as_deref().unwrap_or("*");
            let mut found = self.documented_at(of, &inner, depth + 1)?;
            found.is_optional |= member.is_optional;
            object.add(&member.name, found, &member.text);
        }
        Ok(object.into_schema())
    }
}

/// Reads the nodes of one text.
struct Reader<'a> {
    types: &'a Types<'a>,
    text: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(types: &'a Types<'a>, text: &'a str, depth: usize) -> Self {
        Self { types, text, depth }
    }

    fn text(&self, node: Node<'_>) -> &'a str {
        text_of(node, self.text)
    }

    /// The type that is the first child of `node`.
    fn inner(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        match children(node).first() {
            Some(inner) => self.schema_of(*inner),
            None => Err(unsupported(self.text(node), CUSTOM)),
        }
    }

    fn schema_of(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let seen = &self.types.seen;
        seen.set(seen.get() + 1);
        if self.depth > DEPTH_MAX || seen.get() > TYPES_MAX {
            return Err(unsupported(self.text(node), CIRCLE));
        }
        let below = Self::new(self.types, self.text, self.depth + 1);
        match node.kind() {
            "predefined_type" | "type_identifier" | "identifier" => below.named(self.text(node)),
            "literal_type" => self.literal(node),
            "template_literal_type" => Ok(TypeSchema::plain("string")),
            "type_annotation" | "parenthesized_type" | "readonly_type" => below.inner(node),
            "array_type" => Ok(TypeSchema::array(below.inner(node)?.schema)),
            "tuple_type" => below.tuple(node),
            "union_type" => below.union(node),
            "intersection_type" => {
                let mut object = Object::default();
                for part in children(node) {
                    object.join(&below.object_of(part)?);
                }
                Ok(TypeSchema::of(object.into_schema()))
            }
            "object_type" | "interface_body" => {
                Ok(TypeSchema::of(below.object(node)?.into_schema()))
            }
            "generic_type" => below.generic(node),
            _ => Err(unsupported(self.text(node), CUSTOM)),
        }
    }

    fn named(&self, name: &str) -> Result<TypeSchema, FaultKind> {
        Ok(match name {
            "string" | "number" | "boolean" | "object" => TypeSchema::plain(name),
            "bigint" | "integer" | "int" => TypeSchema::plain("integer"),
            "any" | "unknown" => TypeSchema::default(),
            "void" | "undefined" => TypeSchema::nothing(),
            "null" => TypeSchema::plain("null"),
            "String" | "Number" | "Boolean" | "Object" => TypeSchema::plain(&name.to_lowercase()),
            "float" => TypeSchema::plain("number"),
            "bool" => TypeSchema::plain("boolean"),
            _ => return self.declared(name),
        })
    }

    /// A type that the module declares.
    fn declared(&self, name: &str) -> Result<TypeSchema, FaultKind> {
        if let Some(comment) = self.types.scope.typedef(name) {
            let of = comment.typedef.as_ref().and_then(|it| it.of.as_deref());
            let of = of.unwrap_or("object");
            return self
                .types
                .documented_at(of, comment.members(), self.depth + 1);
        }
        let Some(node) = self.types.scope.declaration(name) else {
            return Err(match BUILT_IN.contains(&name) {
                true => unsupported(name, CUSTOM),
                false => FaultKind::UnknownName {
                    name: name.to_owned(),
                },
            });
        };
        let there = Reader::new(self.types, self.types.text, self.depth + 1);
        if node.child_by_field_name("type_parameters").is_some() {
            return Err(unsupported(name, "has parameters of its own"));
        }
        match node.kind() {
            "enum_declaration" => there.enumeration(node, name),
            "interface_declaration" => there.interface(node),
            _ => match node.child_by_field_name("value") {
                Some(value) => there.schema_of(value),
                None => Err(unsupported(name, CUSTOM)),
            },
        }
    }

    fn interface(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let mut object = Object::default();
        for clause in children(node) {
            if clause.kind() == "extends_type_clause" {
                for base in children(clause) {
                    object.join(&self.object_of(base)?);
                }
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            let own = self.object(body)?;
            // Its own members go before those that it extends.
            for name in own.properties.keys() {
                object.required.retain(|known| known != name);
            }
            object.properties.extend(own.properties);
            object.required.extend(own.required);
            object.rest = own.rest;
        }
        Ok(TypeSchema::of(object.into_schema()))
    }

    fn object_of(&self, node: Node<'_>) -> Result<Schema, FaultKind> {
        let schema = self.schema_of(node)?.schema;
        match schema.contains_key("properties") {
            true => Ok(schema),
            false => Err(unsupported(self.text(node), "is no object")),
        }
    }

    fn object(&self, body: Node<'_>) -> Result<Object, FaultKind> {
        let mut object = Object::default();
        let members = children(body);
        if members.len() > MEMBERS_MAX {
            return Err(unsupported("an object", MANY));
        }
        for member in members {
            match member.kind() {
                "property_signature" => {
                    let (Some(name), Some(of)) = (
                        member.child_by_field_name("name"),
                        member.child_by_field_name("type"),
                    ) else {
                        return Err(unsupported(self.text(member), "has no type"));
                    };
                    let mut found = self.inner(of)?;
                    let mut cursor = member.walk();
                    found.is_optional |= member.children(&mut cursor).any(|it| it.kind() == "?");
                    let comment = Comment::before(member, self.text);
                    let text = comment.map(|it| it.description).unwrap_or_default();
                    let name = self.text(name).trim_matches(['"', '\'']);
                    object.add(name, found, &text);
                }
                "index_signature" => {
                    let of = member.child_by_field_name("type");
                    let found = of.map(|of| self.inner(of)).transpose()?;
                    object.rest = found.map(|found| found.schema);
                }
                _ => return Err(unsupported(self.text(member), CUSTOM)),
            }
        }
        Ok(object)
    }

    fn enumeration(&self, node: Node<'_>, name: &str) -> Result<TypeSchema, FaultKind> {
        let body = node.child_by_field_name("body");
        let (mut schemas, mut next) = (Vec::new(), 0_i64);
        let mut values = Vec::new();
        let members = body.map(children).unwrap_or_default();
        if members.len() > MEMBERS_MAX {
            return Err(unsupported(name, MANY));
        }
        for member in members {
            let comment = Comment::before(member, self.text);
            let text = comment.map(|it| it.description).unwrap_or_default();
            let Some(value) = member.child_by_field_name("value") else {
                schemas.push(TypeSchema::value("number", json!(next)).schema);
                values.push((next.to_string(), text));
                next += 1;
                continue;
            };
            let found = self.literal_value(value);
            let found = found.map_err(|_| unsupported(name, "has values that are computed"))?;
            let number = found
                .schema
                .get("enum")
                .and_then(|values| values[0].as_i64());
            next = number.map_or(next, |number| number.saturating_add(1));
            if let Some(value) = found.schema.get("enum").and_then(|values| values.get(0)) {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                values.push((value, text));
            }
            schemas.push(found.schema);
        }
        if schemas.is_empty() {
            return Err(unsupported(name, "is an enumeration without members"));
        }
        let mut schema = union::of(schemas);
        describe_values(&mut schema, &values);
        Ok(TypeSchema::of(schema))
    }

    fn literal(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        match children(node).first() {
            Some(value) => self.literal_value(*value),
            None => self.named(self.text(node)),
        }
    }

    fn literal_value(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let text = self.text(node);
        let fails = || unsupported(text, CUSTOM);
        Ok(match node.kind() {
            "string" => TypeSchema::value("string", json!(string(text).ok_or_else(fails)?)),
            "number" | "unary_expression" => {
                let number: Value = serde_json::from_str(text).map_err(|_| fails())?;
                TypeSchema::value("number", number)
            }
            "true" | "false" => TypeSchema::value("boolean", json!(text == "true")),
            "null" | "undefined" => self.named(text)?,
            _ => return Err(fails()),
        })
    }

    fn tuple(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let mut items = Vec::new();
        for item in children(node) {
            let found = match item.child_by_field_name("type") {
                Some(of) => self.schema_of(of)?,
                None => self.schema_of(item)?,
            };
            items.push(Value::Object(found.schema));
        }
        let mut found = TypeSchema::plain("array");
        found
            .schema
            .insert("prefixItems".to_owned(), Value::Array(items));
        Ok(found)
    }

    fn union(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let (mut schemas, mut whole) = (Vec::new(), TypeSchema::default());
        let parts = union::parts(node);
        if parts.len() > MEMBERS_MAX {
            return Err(unsupported("a union", MANY));
        }
        for part in parts {
            let found = self.schema_of(part)?;
            whole.is_optional |= found.is_optional;
            if !found.is_nothing {
                schemas.push(found.schema);
            }
        }
        whole.is_nothing = schemas.is_empty();
        whole.schema = union::of(schemas);
        Ok(whole)
    }

    fn generic(&self, node: Node<'_>) -> Result<TypeSchema, FaultKind> {
        let name = node.child_by_field_name("name").map(|name| self.text(name));
        let arguments = node.child_by_field_name("type_arguments");
        let arguments = arguments.map(children).unwrap_or_default();
        match (name.unwrap_or_default(), &arguments[..]) {
            ("Array" | "ReadonlyArray", [item]) => {
                Ok(TypeSchema::array(self.schema_of(*item)?.schema))
            }
            ("Promise" | "Readonly" | "Awaited", [inner]) => self.schema_of(*inner),
            ("Record" | "Object", [_, value]) => {
                let rest = Some(self.schema_of(*value)?.schema);
                let object = Object {
                    rest,
                    ..Object::default()
                };
                Ok(TypeSchema::of(object.into_schema()))
            }
            ("Partial", [inner]) => {
                let mut schema = self.object_of(*inner)?;
                schema.shift_remove("required");
                Ok(TypeSchema::of(schema))
            }
            _ => Err(unsupported(self.text(node), CUSTOM)),
        }
    }
}

/// Types of the language itself that JSON has no way to write.
const BUILT_IN: [&str; 20] = [
    "Date",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "RegExp",
    "Error",
    "Function",
    "Symbol",
    "symbol",
    "Buffer",
    "ArrayBuffer",
    "Uint8Array",
    "DataView",
    "Blob",
    "URL",
    "Iterable",
    "Promise",
    "never",
    "this",
];

fn unsupported(name: &str, reason: &'static str) -> FaultKind {
    FaultKind::UnsupportedType {
        name: name.to_owned(),
        reason,
    }
}

/// The text of a string literal. Its escapes are those of JSON where they are read.
fn string(literal: &str) -> Option<String> {
    let inner = literal.get(1..literal.len().checked_sub(1)?)?;
    if !inner.contains('\\') {
        return Some(inner.to_owned());
    }
    let inner = inner.replace("\\'", "'");
    serde_json::from_str(&format!(
        "\"{}\"",
        inner.replace('"', "\\\"").replace("\\\\\"", "\\\"")
    ))
    .ok()
}
