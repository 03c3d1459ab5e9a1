//! Describes values by schemas of zod, which are read and not run.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tree_sitter::Node;

use crate::syntax::{children, text_of};

/// The most calls and brackets between a schema and its type.
const DEPTH_MAX: usize = 64;

/// The methods whose argument a schema shows.
const IN_SCHEMA: [&str; 11] = [
    "describe",
    "gt",
    "gte",
    "length",
    "lt",
    "lte",
    "max",
    "meta",
    "min",
    "multipleOf",
    "step",
];

/// The reason where something that an agent reads is computed by code, which is not run here.
pub(super) const COMPUTED: &str = "has a description, name or bound that is only known when the file runs: write it as a literal or a constant of this file";

type Schema = Map<String, Value>;

/// What a schema of zod allows.
#[derive(Debug, Clone, Default)]
pub(super) struct Zod {
    pub(super) schema: Schema,
    pub(super) is_optional: bool,
}

/// The reason why a schema is not read, and the byte at which it is.
pub(super) type Unread = (&'static str, usize);

/// The constants of a module, by their names.
pub(super) struct Constants<'t> {
    text: &'t str,
    values: HashMap<&'t str, Node<'t>>,
}

impl<'t> Constants<'t> {
    pub(super) fn of(module: Node<'t>, text: &'t str) -> Self {
        let mut values = HashMap::new();
        for statement in children(module) {
            let declaration = statement.child_by_field_name("declaration");
            for declarator in children(declaration.unwrap_or(statement)) {
                if let (Some(name), Some(value)) = (
                    declarator.child_by_field_name("name"),
                    declarator.child_by_field_name("value"),
                ) {
                    values.insert(text_of(name, text), value);
                }
            }
        }
        Self { text, values }
    }

    /// The node that an expression stands for: a constant's value, without brackets and types.
    pub(super) fn resolved(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        for _ in 0..DEPTH_MAX {
            let next = match node.kind() {
                "identifier" => self.values.get(text_of(node, self.text)).copied(),
                "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                    node.named_child(0)
                }
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The value of an expression of constants.
    pub(super) fn value(&self, node: Node<'t>) -> Option<Value> {
        self.value_at(node, 0)
    }

    fn value_at(&self, node: Node<'t>, depth: usize) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        let node = self.resolved(node);
        let text = text_of(node, self.text);
        match node.kind() {
            "string" | "template_string" => string(node, self.text).map(Value::String),
            "number" => serde_json::from_str(&text.replace('_', "")).ok(),
            "true" => Some(json!(true)),
            "false" => Some(json!(false)),
            "null" => Some(Value::Null),
            "unary_expression" if text.starts_with('-') => {
                serde_json::from_str(&text.replace(['_', ' '], "")).ok()
            }
            "array" => {
                let items = children(node).into_iter();
                items
                    .map(|item| self.value_at(item, depth + 1))
                    .collect::<Option<Vec<Value>>>()
                    .map(Value::Array)
            }
            "object" => {
                let members = self.members(node).into_iter();
                let members =
                    members.map(|(name, value)| Some((name, self.value_at(value, depth + 1)?)));
                members.collect::<Option<Schema>>().map(Value::Object)
            }
            "binary_expression" => {
                let part = |name: &str| {
                    let part = node.child_by_field_name(name)?;
                    Some(self.value_at(part, depth + 1)?.as_str()?.to_owned())
                };
                let is_sum = text_of(node.child_by_field_name("operator")?, self.text) == "+";
                is_sum.then(|| Some(json!(part("left")? + &part("right")?)))?
            }
            _ => None,
        }
    }

    /// The members of an object, by their names.
    pub(super) fn members(&self, object: Node<'t>) -> Vec<(String, Node<'t>)> {
        let members = children(object).into_iter().filter_map(|member| {
            let name = match member.kind() {
                "pair" => member.child_by_field_name("key")?,
                "method_definition" => member.child_by_field_name("name")?,
                "shorthand_property_identifier" => member,
                _ => return None,
            };
            let value = member.child_by_field_name("value").unwrap_or(member);
            // `{ a }` is the constant `a`.
            let value = match member.kind() {
                "shorthand_property_identifier" => *self.values.get(text_of(member, self.text))?,
                "method_definition" => member,
                _ => value,
            };
            let name = match name.kind() {
                "string" => string(name, self.text)?,
                _ => text_of(name, self.text).to_owned(),
            };
            Some((name, value))
        });
        members.collect()
    }

    /// What the schema at `node` allows.
    pub(super) fn zod(&self, node: Node<'t>) -> Result<Zod, Unread> {
        self.zod_at(node, 0)
    }

    /// The schema of an object whose members are at `shape`.
    pub(super) fn shape(&self, shape: Node<'t>) -> Result<Schema, Unread> {
        self.shape_at(self.resolved(shape), 0)
    }

    fn shape_at(&self, shape: Node<'t>, depth: usize) -> Result<Schema, Unread> {
        let at = shape.start_byte();
        if shape.kind() != "object" {
            return Err(("has a schema that is put together when it runs", at));
        }
        if children(shape)
            .iter()
            .any(|it| it.kind() == "spread_element")
        {
            return Err(("has a schema that is put together when it runs", at));
        }
        let (mut properties, mut required) = (Schema::new(), Vec::new());
        for (name, value) in self.members(shape) {
            let found = self.zod_at(value, depth + 1)?;
            if !found.is_optional {
                required.push(json!(name));
            }
            properties.insert(name, Value::Object(found.schema));
        }
        let mut schema = typed("object");
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        Ok(schema)
    }

    fn zod_at(&self, node: Node<'t>, depth: usize) -> Result<Zod, Unread> {
        let node = self.resolved(node);
        let unread = ("has a schema of zod that is not read", node.start_byte());
        if depth > DEPTH_MAX || node.kind() != "call_expression" {
            return Err(unread);
        }
        let function = node.child_by_field_name("function").ok_or(unread)?;
        let arguments = node.child_by_field_name("arguments").map(children);
        let arguments = arguments.unwrap_or_default();
        let (Some(object), Some(name)) = (
            function.child_by_field_name("object"),
            function.child_by_field_name("property"),
        ) else {
            return Err(unread);
        };
        let name = text_of(name, self.text);
        let written = text_of(object, self.text);
        if ["z", "zod", "z.coerce", "z.iso"].contains(&written) {
            return self.kind(name, &arguments, depth).ok_or(unread)?;
        }
        let inner = self.zod_at(object, depth + 1)?;
        self.refined(inner, name, &arguments, depth)
    }

    /// A kind of values, such as `z.string()`; nothing for one that is not known.
    fn kind(
        &self,
        name: &str,
        arguments: &[Node<'t>],
        depth: usize,
    ) -> Option<Result<Zod, Unread>> {
        let first = || arguments.first().copied();
        let inner = |at: usize| arguments.get(at).map(|it| self.zod_at(*it, depth + 1));
        let schema = match name {
            "string" => typed("string"),
            "number" => typed("number"),
            "int" | "bigint" => typed("integer"),
            "boolean" => typed("boolean"),
            "null" => typed("null"),
            "any" | "unknown" => Schema::new(),
            "email" | "url" | "uuid" | "datetime" | "date" | "time" => {
                let mut schema = typed("string");
                schema.insert("format".to_owned(), json!(format_of(name)?));
                schema
            }
            "literal" => match self.value(first()?)? {
                Value::Array(values) => literals(&values),
                value => {
                    let mut schema = literals(std::slice::from_ref(&value));
                    schema.remove("enum");
                    schema.insert("const".to_owned(), value);
                    schema
                }
            },
            "enum" => literals(self.value(first()?)?.as_array()?),
            "array" => match inner(0)? {
                Ok(item) => array(item.schema),
                Err(error) => return Some(Err(error)),
            },
            "object" | "strictObject" | "looseObject" => {
                match self.shape_at(self.resolved(first()?), depth + 1) {
                    Ok(schema) => schema,
                    Err(error) => return Some(Err(error)),
                }
            }
            "record" => match inner(arguments.len().checked_sub(1)?)? {
                Ok(value) => {
                    let mut schema = typed("object");
                    schema.insert(
                        "additionalProperties".to_owned(),
                        Value::Object(value.schema),
                    );
                    schema
                }
                Err(error) => return Some(Err(error)),
            },
            "union" | "discriminatedUnion" | "tuple" => {
                let list = self.resolved(*arguments.last()?);
                let items = children(list).into_iter();
                let items: Result<Vec<Zod>, Unread> =
                    items.map(|it| self.zod_at(it, depth + 1)).collect();
                let items = match items {
                    Ok(items) => items.into_iter().map(|it| Value::Object(it.schema)),
                    Err(error) => return Some(Err(error)),
                };
                match name {
                    "tuple" => {
                        let mut schema = typed("array");
                        schema.insert("prefixItems".to_owned(), items.collect());
                        schema
                    }
                    _ => Schema::from_iter([("anyOf".to_owned(), items.collect())]),
                }
            }
            "optional" | "nullable" => {
                let found = inner(0)?;
                return Some(found.and_then(|it| self.refined(it, name, &[], depth)));
            }
            _ => return None,
        };
        Some(Ok(Zod {
            schema,
            is_optional: false,
        }))
    }

    /// What a method such as `.min(1)` makes of a schema.
    fn refined(
        &self,
        mut zod: Zod,
        name: &str,
        arguments: &[Node<'t>],
        depth: usize,
    ) -> Result<Zod, Unread> {
        let first = arguments.first().copied();
        let value = first.and_then(|it| self.value(it));
        let kind = zod.schema.get("type").and_then(Value::as_str);
        let kind = kind.unwrap_or_default().to_owned();
        if let (None, Some(given)) = (&value, first)
            && IN_SCHEMA.contains(&name)
        {
            return Err((COMPUTED, given.start_byte()));
        }
        let mut set = |keyword: &str, value: Option<Value>| {
            if let Some(value) = value {
                zod.schema.insert(keyword.to_owned(), value);
            }
        };
        match (name, kind.as_str()) {
            ("describe", _) => set("description", value),
            ("meta", _) => set("description", value.map(|it| it["description"].clone())),
            ("optional", _) => zod.is_optional = true,
            ("default" | "prefault", _) => {
                set("default", value);
                zod.is_optional = true;
            }
            ("nullable" | "nullish", _) => {
                let description = zod.schema.remove("description");
                zod.schema = match zod.schema.get("type") {
                    Some(kind) if zod.schema.len() == 1 => {
                        Schema::from_iter([("type".to_owned(), json!([kind, "null"]))])
                    }
                    _ => {
                        let choices = [Value::Object(zod.schema), Value::Object(typed("null"))];
                        Schema::from_iter([("anyOf".to_owned(), json!(choices))])
                    }
                };
                if let Some(description) = description {
                    zod.schema.insert("description".to_owned(), description);
                }
                zod.is_optional |= name == "nullish";
            }
            ("min", "string") => set("minLength", value),
            ("max", "string") => set("maxLength", value),
            ("nonempty", "string") => set("minLength", Some(json!(1))),
            ("length", "string") => {
                set("minLength", value.clone());
                set("maxLength", value);
            }
            ("min", "array") => set("minItems", value),
            ("max", "array") => set("maxItems", value),
            ("nonempty", "array") => set("minItems", Some(json!(1))),
            ("int", "number") => set("type", Some(json!("integer"))),
            ("min" | "gte", _) => set("minimum", value),
            ("max" | "lte", _) => set("maximum", value),
            ("gt", _) => set("exclusiveMinimum", value),
            ("lt", _) => set("exclusiveMaximum", value),
            ("positive", _) => set("exclusiveMinimum", Some(json!(0))),
            ("nonnegative", _) => set("minimum", Some(json!(0))),
            ("negative", _) => set("exclusiveMaximum", Some(json!(0))),
            ("nonpositive", _) => set("maximum", Some(json!(0))),
            ("multipleOf" | "step", _) => set("multipleOf", value),
            ("array", _) => {
                zod = Zod {
                    schema: array(zod.schema),
                    is_optional: false,
                };
            }
            ("or", _) => {
                let other = first.map(|it| self.zod_at(it, depth + 1)).transpose()?;
                let choices = [zod.schema, other.unwrap_or_default().schema];
                zod.schema = Schema::from_iter([("anyOf".to_owned(), json!(choices))]);
            }
            (name, "string") => set("format", format_of(name).map(Value::from)),
            // What only checks or changes values says nothing of their form.
            _ => {}
        }
        Ok(zod)
    }
}

fn format_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "email" => "email",
        "url" => "uri",
        "uuid" => "uuid",
        "datetime" => "date-time",
        "date" => "date",
        "time" => "time",
        _ => return None,
    })
}

fn typed(name: &str) -> Schema {
    Schema::from_iter([("type".to_owned(), json!(name))])
}

fn array(items: Schema) -> Schema {
    let mut schema = typed("array");
    schema.insert("items".to_owned(), Value::Object(items));
    schema
}

fn literals(values: &[Value]) -> Schema {
    let kind = |value: &Value| match value {
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        _ => "string",
    };
    let mut schema = typed(values.first().map_or("string", kind));
    schema.insert("enum".to_owned(), json!(values));
    schema
}

/// The text of a literal without parts that are put in.
fn string(node: Node<'_>, text: &str) -> Option<String> {
    let mut whole = String::new();
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "string_fragment" => whole.push_str(text_of(part, text)),
            "escape_sequence" => {
                let written = text_of(part, text);
                match written {
                    "\\n" => whole.push('\n'),
                    "\\t" => whole.push('\t'),
                    "\\r" => whole.push('\r'),
                    "\\\n" => {}
                    _ => {
                        let code = written.trim_start_matches("\\u").trim_start_matches("\\x");
                        let code = code.trim_matches(['{', '}']);
                        let is_code = written.starts_with("\\u") || written.starts_with("\\x");
                        match u32::from_str_radix(code, 16).ok().and_then(char::from_u32) {
                            Some(character) if is_code => whole.push(character),
                            _ => whole.push_str(written.strip_prefix('\\')?),
                        }
                    }
                }
            }
            _ => return None,
        }
    }
    Some(whole)
}
