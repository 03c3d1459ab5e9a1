//! Compiles JSON Schemas to the subset that OpenAI's strict mode takes, and reports what is lost.
//!
//! The mode supports a part of JSON Schema: every object is closed and all of its members are
//! required, alternatives are `anyOf`, and few keywords bound a value. So an optional member may be
//! `null`; a value that has no strict form is written as JSON text, as pairs or as an object; and
//! other bounds are described in words.

mod limits;

use serde_json::{Map, Value, json};

use super::object::object;
use crate::definition::keyword_text::keyword_text;
use crate::definition::loss::LossKind;
use crate::definition::report::Report;
use crate::schema::disjoint::are_disjoint;
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// The description of a value that no strict schema can express.
const JSON_TEXT: &str = "JSON text in a string";
const PAIRS: &str = "an array of objects with `key` and `value`";
const ITEMS: &str = "an object with `item_1`, `item_2` and so on";

/// Keywords that the mode takes beside those that make the shape.
const BOUNDS: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "minItems",
    "maxItems",
    "format",
];
const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

/// The strict schema of arguments that `schema` describes.
pub(super) fn compile(schema: &Value, report: &mut Report<'_>) -> Value {
    let document = Document::new(schema);
    let root = document.root();
    let mut compiler = Compiler { document, report };
    let mut strict = match &root.form {
        Form::Object(members, rest) => {
            compiler.check_rest(&root, members, rest);
            let strict = compiler.members(members);
            compiler.described(&root, strict)
        }
        // No function's arguments are like this; the root has been reported as refused.
        _ => compiler.node(&root),
    };
    let definitions: Map<String, Value> = document
        .definitions()
        .into_iter()
        .map(|(name, node)| (name.to_owned(), compiler.node(&node).into()))
        .collect();
    if !definitions.is_empty() {
        strict.insert("$defs".to_owned(), definitions.into());
    }
    let strict = Value::Object(strict);
    limits::check(&strict, report);
    strict
}

/// The form of an object, a decision that compiling and restoring share.
pub(super) enum ObjectForm<'n, 'a> {
    Members(&'n [Member<'a>]),
    Pairs(&'n Node<'a>),
    Text,
}

pub(super) fn object_form<'n, 'a>(
    node: &Node<'a>,
    members: &'n [Member<'a>],
    rest: &'n Rest<'a>,
) -> ObjectForm<'n, 'a> {
    match rest {
        _ if !members.is_empty() || node.pointer.is_empty() => ObjectForm::Members(members),
        Rest::Closed => ObjectForm::Members(members),
        Rest::Typed(value) => ObjectForm::Pairs(value),
        Rest::Unsaid | Rest::Open => ObjectForm::Text,
    }
}

/// The name of the item at `index` of a tuple that is written as an object.
pub(super) fn item_name(index: usize) -> String {
    format!("item_{}", index + 1)
}

struct Compiler<'r, 'f, 'a> {
    document: Document<'a>,
    report: &'r mut Report<'f>,
}

impl<'a> Compiler<'_, '_, 'a> {
    fn node(&mut self, node: &Node<'a>) -> Map<String, Value> {
        let strict = self.shape(node);
        self.described(node, strict)
    }

    fn shape(&mut self, node: &Node<'a>) -> Map<String, Value> {
        match &node.form {
            Form::Any => self.text(node),
            Form::Null => typed("null"),
            Form::Boolean => typed("boolean"),
            Form::Integer => typed("integer"),
            Form::Number => typed("number"),
            Form::Text => typed("string"),
            Form::Literals(values) => self.literals(node, values),
            Form::Array(item) => {
                let mut array = typed("array");
                array.insert("items".to_owned(), self.node(item).into());
                array
            }
            Form::Tuple(items, None) => self.tuple(node, items),
            Form::Tuple(items, Some(rest)) => {
                self.report.weakened(&node.pointer, "prefixItems");
                let items: Vec<Value> = items
                    .iter()
                    .chain([&**rest])
                    .map(|item| self.node(item).into())
                    .collect();
                let mut array = typed("array");
                array.insert("items".to_owned(), json!({ "anyOf": items }));
                array
            }
            Form::Object(members, rest) => match object_form(node, members, rest) {
                ObjectForm::Members(_) => {
                    self.check_rest(node, members, rest);
                    self.members(members)
                }
                ObjectForm::Pairs(value) => self.pairs(node, value),
                ObjectForm::Text => self.text(node),
            },
            Form::Union(nodes) => self.union(node, nodes),
            Form::Ref(name) if self.document.definition(name).is_some() => {
                object_of("$ref", format!("#/$defs/{name}").into())
            }
            Form::Ref(_) => self.text(node),
        }
    }

    fn members(&mut self, members: &[Member<'a>]) -> Map<String, Value> {
        let properties: Map<String, Value> = members
            .iter()
            .map(|member| {
                let strict = self.node(&member.node);
                let strict = match member.presence {
                    Presence::Required => strict,
                    Presence::Optional if member.node.takes_null() => {
                        if !matches!(member.node.form, Form::Any) {
                            let pointer = member.node.pointer.clone();
                            self.report.add(LossKind::AbsentIsNull { pointer });
                        }
                        or_null(strict)
                    }
                    Presence::Optional => or_null(strict),
                };
                (member.name.to_owned(), strict.into())
            })
            .collect();
        closed(properties)
    }

    fn check_rest(&mut self, node: &Node<'a>, members: &[Member<'a>], rest: &Rest<'a>) {
        let is_open = matches!(rest, Rest::Open | Rest::Typed(_));
        if is_open && (!members.is_empty() || node.pointer.is_empty()) {
            self.report.weakened(&node.pointer, "additionalProperties");
        }
    }

    fn tuple(&mut self, node: &Node<'a>, items: &[Node<'a>]) -> Map<String, Value> {
        self.reshaped(node, ITEMS);
        let numbered = items.iter().enumerate();
        let properties = numbered
            .map(|(index, item)| (item_name(index), self.node(item).into()))
            .collect();
        closed(properties)
    }

    fn pairs(&mut self, node: &Node<'a>, value: &Node<'a>) -> Map<String, Value> {
        self.reshaped(node, PAIRS);
        let mut properties = object_of("key", typed("string").into());
        properties.insert("value".to_owned(), self.node(value).into());
        let mut array = typed("array");
        array.insert("items".to_owned(), closed(properties).into());
        array
    }

    fn text(&mut self, node: &Node<'a>) -> Map<String, Value> {
        self.reshaped(node, JSON_TEXT);
        typed("string")
    }

    fn reshaped(&mut self, node: &Node<'a>, into: &'static str) {
        self.report.add(LossKind::Reshaped {
            pointer: node.pointer.clone(),
            into,
        });
    }

    fn union(&mut self, node: &Node<'a>, nodes: &[Node<'a>]) -> Map<String, Value> {
        let is_exclusive = node.keyword("oneOf").is_some() && node.keyword("anyOf").is_none();
        if is_exclusive && !are_disjoint(nodes) {
            self.report.weakened(&node.pointer, "oneOf");
        }
        let shares_keywords = node.keyword("type").is_some();
        let choices: Vec<Value> = nodes
            .iter()
            .map(|choice| match shares_keywords {
                // A bound of another type is described once, outside of the list.
                true => {
                    let mut strict = self.shape(choice);
                    add_bounds(choice, &mut strict);
                    strict.into()
                }
                false => self.node(choice).into(),
            })
            .collect();
        object_of("anyOf", choices.into())
    }

    fn literals(&mut self, node: &Node<'a>, values: &[&'a Value]) -> Map<String, Value> {
        if values
            .iter()
            .any(|value| value.is_array() || value.is_object())
        {
            return self.text(node);
        }
        let mut kinds: Vec<&str> = Vec::new();
        for value in values {
            let kind = kind_of(value);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let kinds: Value = match &kinds[..] {
            [only] => Value::from(*only),
            several => several.to_vec().into(),
        };
        let mut strict = object_of("type", kinds);
        strict.insert("enum".to_owned(), values.iter().copied().cloned().collect());
        strict
    }

    /// Adds the bounds that the mode takes, and the description with those that it does not.
    fn described(&mut self, node: &Node<'a>, mut strict: Map<String, Value>) -> Map<String, Value> {
        let mut words: Vec<String> = node.description.map(str::to_owned).into_iter().collect();
        if is_reshaped_text(node, self.document) {
            words.push("Write the value as JSON text.".to_owned());
        }
        add_bounds(node, &mut strict);
        for (name, value) in node.unread(&[]) {
            if !has_bound(&strict, name) {
                self.report.told_in_words(&node.pointer, name);
                words.push(keyword_text(name, value));
            }
        }
        if words.is_empty() {
            return strict;
        }
        if strict.contains_key("$ref") {
            // A reference may have no siblings.
            strict = object_of("anyOf", json!([strict]));
        }
        strict.insert("description".to_owned(), words.join(" ").into());
        strict
    }
}

/// True if `node` is written as JSON text.
pub(super) fn is_reshaped_text(node: &Node<'_>, document: Document<'_>) -> bool {
    match &node.form {
        Form::Any => true,
        Form::Ref(name) => document.definition(name).is_none(),
        Form::Literals(values) => values.iter().any(|v| v.is_array() || v.is_object()),
        Form::Object(members, rest) => {
            matches!(object_form(node, members, rest), ObjectForm::Text)
        }
        _ => false,
    }
}

/// Adds those keywords of `node` that the mode takes.
fn add_bounds(node: &Node<'_>, strict: &mut Map<String, Value>) {
    for (name, value) in node.unread(&[]) {
        let is_known = name != "format" || value.as_str().is_some_and(|v| FORMATS.contains(&v));
        if BOUNDS.contains(&name) && is_known && is_bound_of(strict, name) {
            strict.insert(name.to_owned(), value.clone());
        }
    }
}

/// True if `strict` or one of its alternatives has `bound`.
fn has_bound(strict: &Map<String, Value>, bound: &str) -> bool {
    let choices = strict.get("anyOf").and_then(Value::as_array);
    strict.contains_key(bound)
        || choices
            .into_iter()
            .flatten()
            .any(|choice| choice.get(bound).is_some())
}

/// True if `bound` applies to the type of `strict`.
fn is_bound_of(strict: &Map<String, Value>, bound: &str) -> bool {
    let Some(Value::String(kind)) = strict.get("type") else {
        return false;
    };
    match bound {
        "pattern" | "format" => kind == "string" && !strict.contains_key("enum"),
        "minItems" | "maxItems" => kind == "array",
        _ => kind == "integer" || kind == "number",
    }
}

/// The same schema, of which `null` is a value too.
fn or_null(mut strict: Map<String, Value>) -> Map<String, Value> {
    const SCALARS: [&str; 4] = ["string", "integer", "number", "boolean"];
    if let Some(Value::Array(choices)) = strict.get_mut("anyOf") {
        let null = json!({"type": "null"});
        if !choices.contains(&null) {
            choices.push(null);
        }
        return strict;
    }
    match strict.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push("null".into()),
        Some(Value::String(kind)) if SCALARS.contains(&kind.as_str()) => {
            let kinds = json!([kind, "null"]);
            strict.insert("type".to_owned(), kinds);
        }
        Some(Value::Array(_)) => {}
        Some(Value::String(kind)) if kind == "null" => return strict,
        _ => {
            let description = strict.shift_remove("description");
            let mut choice = object_of("anyOf", json!([strict, {"type": "null"}]));
            choice.extend(description.map(|text| ("description".to_owned(), text)));
            return choice;
        }
    }
    if let Some(Value::Array(values)) = strict.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    strict
}

fn closed(properties: Map<String, Value>) -> Map<String, Value> {
    let names: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
    let mut object = typed("object");
    object.insert("properties".to_owned(), properties.into());
    object.insert("required".to_owned(), names.into());
    object.insert("additionalProperties".to_owned(), false.into());
    object
}

fn typed(kind: &str) -> Map<String, Value> {
    object_of("type", kind.into())
}

fn object_of(name: &str, value: Value) -> Map<String, Value> {
    object([(name, value)])
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests;
