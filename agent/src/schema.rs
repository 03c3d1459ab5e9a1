//! Parses a JSON Schema (2020-12) into a simpler tree of forms, to write it in other formats.
//! Strict schemas, declarations, interfaces, grammars, examples and repairs are made from them.
//!
//! Every schema can be read. Keywords that no form expresses stay in [`Node::unread`], so that a
//! writer can report them.

pub(crate) mod disjoint;
pub(crate) mod equality;
pub(crate) mod fit;
pub(crate) mod json_pointer;
pub(crate) mod keywords;
pub(crate) mod place_phrase;

use serde_json::{Map, Value};

use json_pointer::escape;

/// Keywords that say nothing about values.
const SILENT: [&str; 10] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "deprecated",
    "writeOnly",
];

/// One schema.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    /// The JSON pointer into the document.
    pub(crate) pointer: String,
    pub(crate) description: Option<&'a str>,
    /// The kind of values.
    pub(crate) form: Form<'a>,
    /// All its keywords; none for the schemas `true` and `false`.
    pub(crate) keywords: Option<&'a Map<String, Value>>,
}

/// The kind of values that a schema allows.
#[derive(Debug, Clone)]
pub(crate) enum Form<'a> {
    /// Anything, as far as can be told.
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these values.
    Literals(Vec<&'a Value>),
    Array(Box<Node<'a>>),
    /// Exactly these items, then any number of `rest`.
    Tuple(Vec<Node<'a>>, Option<Box<Node<'a>>>),
    Object(Vec<Member<'a>>, Rest<'a>),
    /// A value of one of these.
    Union(Vec<Node<'a>>),
    /// A reference to the definition of this name.
    Ref(&'a str),
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) presence: Presence,
    pub(crate) node: Node<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// The values of members that are not listed.
#[derive(Debug, Clone)]
pub(crate) enum Rest<'a> {
    /// Nothing.
    Closed,
    /// The schema does not say; JSON Schema then allows anything, authors mean nothing.
    Unsaid,
    /// Anything.
    Open,
    /// Values of this schema, under any name.
    Typed(Box<Node<'a>>),
}

/// A schema and what it defines for its parts to refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    root: &'a Value,
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// The schema itself.
    pub(crate) fn root(self) -> Node<'a> {
        Node::read(self.root, String::new())
    }

    /// The definition of `name`.
    pub(crate) fn definition(self, name: &str) -> Option<Node<'a>> {
        ["$defs", "definitions"].into_iter().find_map(|place| {
            let (name, schema) = self.root.get(place)?.as_object()?.get_key_value(name)?;
            Some(Node::read(schema, format!("/{place}/{}", escape(name))))
        })
    }

    /// Everything that is defined, in the order of the text, each name once.
    pub(crate) fn definitions(self) -> Vec<(&'a str, Node<'a>)> {
        let mut found: Vec<(&str, Node<'a>)> = Vec::new();
        for place in ["$defs", "definitions"] {
            let schemas = self.root.get(place).and_then(Value::as_object);
            for (name, schema) in schemas.into_iter().flatten() {
                if !found.iter().any(|(known, _)| known == name) {
                    let pointer = format!("/{place}/{}", escape(name));
                    found.push((name, Node::read(schema, pointer)));
                }
            }
        }
        found
    }
}

impl<'a> Node<'a> {
    fn read(schema: &'a Value, pointer: String) -> Self {
        let Some(keywords) = schema.as_object() else {
            return Self {
                pointer,
                description: None,
                form: Form::Any,
                keywords: None,
            };
        };
        let form = form(keywords, &pointer);
        Self {
            description: keywords.get("description").and_then(Value::as_str),
            form,
            keywords: Some(keywords),
            pointer,
        }
    }

    /// The value of a keyword.
    pub(crate) fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.keywords?.get(name)
    }

    /// Keywords that say something which the form does not, with their values. `known` are
    /// those that the caller takes care of.
    pub(crate) fn unread(&self, known: &[&str]) -> Vec<(&'a str, &'a Value)> {
        let Some(keywords) = self.keywords else {
            return Vec::new();
        };
        keywords
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .filter(|(name, _)| !SILENT.contains(name) && !known.contains(name))
            .filter(|(name, value)| !self.form.implies(name, value))
            .collect()
    }

    /// True if `null` is valid, as far as can be told without following references.
    pub(crate) fn takes_null(&self) -> bool {
        match &self.form {
            Form::Any => self.keyword("$ref").is_none(),
            Form::Null => true,
            Form::Literals(values) => values.iter().any(|value| value.is_null()),
            Form::Union(nodes) => nodes.iter().any(Self::takes_null),
            _ => false,
        }
    }
}

impl Form<'_> {
    /// True if the form itself implies `keyword`.
    fn implies(&self, keyword: &str, value: &Value) -> bool {
        match (self, keyword) {
            (Self::Any, "type") => false,
            (_, "type") => true,
            (Self::Literals(_), "enum" | "const") => true,
            (Self::Array(_), "items") | (Self::Tuple(..), "items" | "prefixItems") => true,
            (Self::Tuple(items, None), "minItems" | "maxItems") => {
                value.as_u64() == Some(items.len() as u64)
            }
            (Self::Object(..), "properties" | "required" | "additionalProperties") => true,
            (Self::Union(_), "anyOf" | "oneOf") => true,
            (Self::Union(nodes), _) => nodes.iter().any(|node| {
                // The alternatives of a list of types share its keywords.
                node.keyword(keyword) == Some(value) && node.form.implies(keyword, value)
            }),
            (Self::Ref(_), "$ref") => true,
            _ => false,
        }
    }
}

fn form<'a>(keywords: &'a Map<String, Value>, pointer: &str) -> Form<'a> {
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        return match reference
            .strip_prefix("#/$defs/")
            .or_else(|| reference.strip_prefix("#/definitions/"))
        {
            Some(name) if !name.contains(['/', '~', '%']) => Form::Ref(name),
            _ => Form::Any,
        };
    }
    if let Some(Value::Array(values)) = keywords.get("enum") {
        return Form::Literals(values.iter().collect());
    }
    if let Some(value) = keywords.get("const") {
        return Form::Literals(vec![value]);
    }
    match keywords.get("type") {
        Some(Value::String(name)) => of_type(name, keywords, pointer),
        Some(Value::Array(names)) => {
            let nodes: Vec<Node<'a>> = names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| Node {
                    pointer: pointer.to_owned(),
                    description: None,
                    form: of_type(name, keywords, pointer),
                    keywords: Some(keywords),
                })
                .collect();
            match <[Node<'a>; 1]>::try_from(nodes) {
                Ok([only]) => only.form,
                Err(nodes) => Form::Union(nodes),
            }
        }
        _ => untyped(keywords, pointer),
    }
}

fn untyped<'a>(keywords: &'a Map<String, Value>, pointer: &str) -> Form<'a> {
    for choice in ["anyOf", "oneOf"] {
        if let Some(Value::Array(schemas)) = keywords.get(choice) {
            return Form::Union(list(schemas, &format!("{pointer}/{choice}")));
        }
    }
    if keywords.contains_key("properties") {
        of_type("object", keywords, pointer)
    } else if keywords.contains_key("items") || keywords.contains_key("prefixItems") {
        of_type("array", keywords, pointer)
    } else {
        Form::Any
    }
}

fn of_type<'a>(name: &str, keywords: &'a Map<String, Value>, pointer: &str) -> Form<'a> {
    match name {
        "null" => Form::Null,
        "boolean" => Form::Boolean,
        "integer" => Form::Integer,
        "number" => Form::Number,
        "string" => Form::Text,
        "array" => array(keywords, pointer),
        "object" => object(keywords, pointer),
        _ => Form::Any,
    }
}

fn array<'a>(keywords: &'a Map<String, Value>, pointer: &str) -> Form<'a> {
    let items = keywords
        .get("items")
        .filter(|items| **items != Value::Bool(false))
        .map(|items| Box::new(Node::read(items, format!("{pointer}/items"))));
    match keywords.get("prefixItems") {
        Some(Value::Array(schemas)) if !schemas.is_empty() => {
            Form::Tuple(list(schemas, &format!("{pointer}/prefixItems")), items)
        }
        _ => Form::Array(items.unwrap_or_else(|| Box::new(anything(format!("{pointer}/items"))))),
    }
}

fn object<'a>(keywords: &'a Map<String, Value>, pointer: &str) -> Form<'a> {
    let required: Vec<&str> = match keywords.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let properties = keywords.get("properties").and_then(Value::as_object);
    let members = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| Member {
            name,
            presence: match required.contains(&name.as_str()) {
                true => Presence::Required,
                false => Presence::Optional,
            },
            node: Node::read(schema, format!("{pointer}/properties/{}", escape(name))),
        })
        .collect();
    let rest = match keywords.get("additionalProperties") {
        None => Rest::Unsaid,
        Some(Value::Bool(false)) => Rest::Closed,
        Some(Value::Object(schema)) if !schema.is_empty() => {
            let schema = &keywords["additionalProperties"];
            Rest::Typed(Box::new(Node::read(
                schema,
                format!("{pointer}/additionalProperties"),
            )))
        }
        Some(_) => Rest::Open,
    };
    Form::Object(members, rest)
}

fn list<'a>(schemas: &'a [Value], pointer: &str) -> Vec<Node<'a>> {
    let numbered = schemas.iter().enumerate();
    numbered
        .map(|(index, schema)| Node::read(schema, format!("{pointer}/{index}")))
        .collect()
}

fn anything<'a>(pointer: String) -> Node<'a> {
    Node {
        pointer,
        description: None,
        form: Form::Any,
        keywords: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn unread(schema: Value, expect: &[&str]) {
        let node = Document::new(&schema);
        let root = node.root();
        let names: Vec<&str> = root.unread(&[]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expect, "{schema}");
    }

    #[test]
    fn what_a_form_does_not_say_is_left_over() {
        unread(json!(true), &[]);
        unread(
            json!({"type": "string", "title": "T", "minLength": 1}),
            &["minLength"],
        );
        unread(json!({"allOf": [{}, {}]}), &["allOf"]);
        unread(
            json!({"type": "object", "properties": {}, "oneOf": []}),
            &["oneOf"],
        );
        unread(json!({"$ref": "#"}), &["$ref"]);
        unread(json!({"type": ["object", "null"], "properties": {}}), &[]);
        let pair = json!({"type": "array", "prefixItems": [{}, {}], "items": false,
            "minItems": 2, "maxItems": 2});
        unread(pair, &[]);
    }

    #[test]
    fn null_is_seen_in_every_form() {
        for (schema, expect) in [
            (json!({}), true),
            (json!({"type": ["string", "null"]}), true),
            (json!({"enum": ["a", null]}), true),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
                true,
            ),
            (json!({"type": "string"}), false),
            (json!({"$ref": "#/$defs/a"}), false),
        ] {
            assert_eq!(
                Document::new(&schema).root().takes_null(),
                expect,
                "{schema}"
            );
        }
    }

    #[test]
    fn definitions_are_found_by_both_names() {
        let schema = json!({"$defs": {"a": {"type": "null"}}, "definitions": {"a": {}, "b": {}}});
        let document = Document::new(&schema);
        let names: Vec<&str> = document
            .definitions()
            .iter()
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert!(matches!(document.definition("a").unwrap().form, Form::Null));
        assert!(document.definition("c").is_none());
    }
}
