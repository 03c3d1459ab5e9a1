//! Converts JSON Schemas to WIT types.

use std::collections::HashSet;

use serde_json::Value;

use super::names::{Names, WIT_NUMBER, kebab};
use super::signature::{Parameter, TypeDefinition, TypeKind, WitType};
use super::value::{integer_of, optional, or_absent, value_text};
use crate::definition::loss::LossKind;
use crate::definition::report::Report;
use crate::schema::{Document, Form, Member, Node, Rest};

/// The contract's types that an interface may use.
pub(super) const MEDIA: [&str; 2] = ["image", "audio"];

/// Names that types may not have, because the languages themselves bring them along.
const RESERVED: [&str; 22] = [
    "guest",
    "tool",
    "string",
    "option",
    "vec",
    "result",
    "some",
    "none",
    "ok",
    "err",
    "self",
    "box",
    "functions",
    "exports",
    "list",
    "tuple",
    "record",
    "enum",
    "variant",
    "flags",
    "type",
    "func",
];
/// The most types that one interface defines. A type that names others twice doubles them,
/// so a short text could describe an interface of gigabytes.
const DEFINITIONS_MAX: usize = 2_000;

/// The longest array that is a tuple.
const TUPLE_ITEMS_MAX: usize = 8;

const JSON_TEXT: &str = "JSON text in a string";

pub(super) struct Types {
    names: Names,
    definitions: Vec<TypeDefinition>,
    /// The references being followed, to detect cycles.
    followed: Vec<String>,
}

impl Types {
    /// Types beside functions that have `functions` as names already.
    pub(super) fn new(mut functions: Names) -> Self {
        for name in RESERVED {
            functions.take(name, WIT_NUMBER);
        }
        Self {
            names: functions,
            definitions: Vec::new(),
            followed: Vec::new(),
        }
    }

    pub(super) fn into_definitions(self) -> Vec<TypeDefinition> {
        self.definitions
    }

    /// The parameters or fields of `members`, whose types are named after `place`.
    pub(super) fn parameters<'a>(
        &mut self,
        document: Document<'a>,
        members: &[Member<'a>],
        place: &str,
        report: &mut Report<'_>,
    ) -> Vec<Parameter> {
        let mut names = Names::default();
        members
            .iter()
            .map(|member| {
                let wit = names.take(&kebab(member.name, "value"), WIT_NUMBER);
                let agents = wit.replace('-', "_");
                if agents != member.name {
                    report.add(LossKind::Renamed {
                        pointer: member.node.pointer.clone(),
                        to: agents,
                    });
                }
                let value = self.of(document, &member.node, &format!("{place}-{wit}"), report);
                Parameter {
                    name: member.name.to_owned(),
                    wit,
                    description: words(&member.node, &value, report),
                    value: or_absent(value, member.presence),
                }
            })
            .collect()
    }

    pub(super) fn of<'a>(
        &mut self,
        document: Document<'a>,
        node: &Node<'a>,
        name: &str,
        report: &mut Report<'_>,
    ) -> WitType {
        match &node.form {
            Form::Boolean => WitType::Plain("bool"),
            Form::Integer => WitType::Plain(integer_of(node).unwrap_or("s64")),
            Form::Number => WitType::Plain("f64"),
            Form::Text if is_bytes(node) => WitType::List(Box::new(WitType::Plain("u8"))),
            Form::Text => WitType::Plain("string"),
            Form::Literals(values) => self.literals(node, values, name, report),
            Form::Array(item) => {
                let item = self.of(document, item, &format!("{name}-item"), report);
                match (length(node), item) {
                    // A tuple of tuples would double with each level of them.
                    (Some(length), item @ (WitType::Plain(_) | WitType::Named(_))) => {
                        WitType::Tuple(vec![item; length])
                    }
                    // A `list<u8>` would be one string for agents; this is a list of numbers.
                    (_, WitType::Plain("u8")) => WitType::List(Box::new(WitType::Plain("u16"))),
                    (_, item) => WitType::List(Box::new(item)),
                }
            }
            Form::Tuple(items, None) => {
                let numbered = items.iter().enumerate();
                let items = numbered.map(|(i, item)| {
                    self.of(document, item, &format!("{name}-n{}", i + 1), report)
                });
                WitType::Tuple(items.collect())
            }
            Form::Object(members, rest) => match media(node, members) {
                Some(media) => WitType::Contract(media),
                None => self.record(document, node, members, rest, name, report),
            },
            Form::Union(nodes) => self.union(document, node, nodes, name, report),
            Form::Ref(target) => {
                let known = document.definition(target);
                match known {
                    Some(known) if !self.followed.iter().any(|name| name == target) => {
                        self.followed.push((*target).to_owned());
                        let value = self.of(document, &known, name, report);
                        self.followed.pop();
                        value
                    }
                    _ => json_text(node, report),
                }
            }
            Form::Any | Form::Null | Form::Tuple(_, Some(_)) => json_text(node, report),
        }
    }

    fn record<'a>(
        &mut self,
        document: Document<'a>,
        node: &Node<'a>,
        members: &[Member<'a>],
        rest: &Rest<'a>,
        name: &str,
        report: &mut Report<'_>,
    ) -> WitType {
        if members.is_empty() || self.definitions.len() >= DEFINITIONS_MAX {
            return json_text(node, report);
        }
        check_rest(node, rest, report);
        let fields = self.parameters(document, members, name, report);
        self.define(name, TypeKind::Record(fields))
    }

    fn literals(
        &mut self,
        node: &Node<'_>,
        values: &[&Value],
        name: &str,
        report: &mut Report<'_>,
    ) -> WitType {
        let texts: Option<Vec<&str>> = values
            .iter()
            .filter(|value| !value.is_null())
            .map(|value| value.as_str())
            .collect();
        let has_null = values.iter().any(|value| value.is_null());
        let value = match texts {
            Some(texts) if !texts.is_empty() => {
                let mut names: Vec<String> = texts.iter().map(|text| kebab(text, "")).collect();
                // Agents write a case with `_`. If that differs from a value, the type is text.
                let same = |(name, text): (&String, &&str)| {
                    !name.is_empty() && name.replace('-', "_") == **text
                };
                if names.iter().zip(&texts).all(same) {
                    let mut taken = HashSet::new();
                    names.retain(|name| taken.insert(name.clone()));
                    self.define(name, TypeKind::Enum(names))
                } else {
                    report.weakened(&node.pointer, "enum");
                    WitType::Plain("string")
                }
            }
            _ if !values.is_empty() && values.iter().all(|value| value.is_boolean()) => {
                WitType::Plain("bool")
            }
            _ if !values.is_empty() && values.iter().all(|value| value.is_i64()) => {
                report.weakened(&node.pointer, "enum");
                WitType::Plain("s64")
            }
            _ => json_text(node, report),
        };
        match has_null {
            true => optional(value),
            false => value,
        }
    }

    fn union<'a>(
        &mut self,
        document: Document<'a>,
        node: &Node<'a>,
        nodes: &[Node<'a>],
        name: &str,
        report: &mut Report<'_>,
    ) -> WitType {
        let is_null = |node: &&Node<'_>| matches!(node.form, Form::Null);
        let has_null = nodes.iter().any(|node| is_null(&node));
        let others: Vec<&Node<'a>> = nodes.iter().filter(|node| !is_null(node)).collect();
        let value = match &others[..] {
            [only] => self.of(document, only, name, report),
            // A wide integer is a number or its digits.
            [one, other] if is_wide(one, other) => WitType::Plain(integer_of(one).unwrap_or("s64")),
            // Floats that JSON cannot write have names.
            [one, other] if matches!(one.form, Form::Number) && is_not_a_number(other) => {
                WitType::Plain("f64")
            }
            [one, other] if is_either(one, other, &Form::Integer, &Form::Number) => {
                WitType::Plain("f64")
            }
            _ => json_text(node, report),
        };
        match has_null {
            true => optional(value),
            false => value,
        }
    }

    /// A type of this kind: one that there is, or a new one.
    fn define(&mut self, name: &str, kind: TypeKind) -> WitType {
        let wanted = kebab(name, "value");
        let known = self.definitions.iter().find(|known| {
            known.kind == kind && (known.wit == wanted || matches!(kind, TypeKind::Enum(_)))
        });
        if let Some(known) = known {
            return WitType::Named(known.wit.clone());
        }
        let wit = self.names.take(&wanted, WIT_NUMBER);
        self.definitions.push(TypeDefinition {
            wit: wit.clone(),
            kind,
        });
        WitType::Named(wit)
    }
}

/// The length of an array that always has the same one, as the host writes tuples of one type.
fn length(node: &Node<'_>) -> Option<usize> {
    let count = |name: &str| node.keyword(name).and_then(Value::as_u64);
    let length = count("minItems").filter(|min| count("maxItems") == Some(*min))?;
    usize::try_from(length)
        .ok()
        .filter(|length| (1..=TUPLE_ITEMS_MAX).contains(length))
}

/// The constraints that the type does not express, in words.
fn words(node: &Node<'_>, value: &WitType, report: &mut Report<'_>) -> String {
    let inner = match value {
        WitType::Option(inner) => inner,
        value => value,
    };
    let known: &[&str] = match inner {
        WitType::Plain("string" | "bool" | "f64") => &[],
        WitType::Plain(integer) if *integer != "s64" || integer_of(node).is_some() => {
            &["minimum", "maximum", "pattern"]
        }
        WitType::List(item) if **item == WitType::Plain("u8") => {
            &["contentEncoding", "contentMediaType"]
        }
        WitType::Tuple(_) => &["minItems", "maxItems"],
        _ => &[],
    };
    let mut words = value_text(node, known, report);
    if *inner == WitType::Json {
        words = format!("{words} JSON text.").trim_start().to_owned();
    } else if let (Form::Literals(values), WitType::Plain(_)) = (&node.form, inner) {
        let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        words = format!("{words} One of {}.", values.join(", "))
            .trim_start()
            .to_owned();
    }
    words
}

/// Reports that an object allows members beside the named ones.
pub(super) fn check_rest(node: &Node<'_>, rest: &Rest<'_>, report: &mut Report<'_>) {
    if matches!(rest, Rest::Open | Rest::Typed(_)) {
        report.weakened(&node.pointer, "additionalProperties");
    }
}

fn json_text(node: &Node<'_>, report: &mut Report<'_>) -> WitType {
    report.add(LossKind::Reshaped {
        pointer: node.pointer.clone(),
        into: JSON_TEXT,
    });
    WitType::Json
}

fn is_bytes(node: &Node<'_>) -> bool {
    node.keyword("contentEncoding").and_then(Value::as_str) == Some("base64")
}

/// The contract's type for a picture or a sound, which have the same members.
fn media(node: &Node<'_>, members: &[Member<'_>]) -> Option<&'static str> {
    let [kind, data] = members else {
        return None;
    };
    let is_media = kind.name == "media_type"
        && matches!(kind.node.form, Form::Text)
        && data.name == "data"
        && is_bytes(&data.node)
        && node
            .keyword("required")
            .and_then(Value::as_array)
            .map(Vec::len)
            == Some(2);
    let holds = data
        .node
        .keyword("contentMediaType")
        .and_then(Value::as_str);
    match holds {
        _ if !is_media => None,
        Some(kind) if kind.starts_with("audio/") => Some("audio"),
        _ => Some("image"),
    }
}

fn is_wide(one: &Node<'_>, other: &Node<'_>) -> bool {
    is_either(one, other, &Form::Integer, &Form::Text)
        && one
            .keyword("minimum")
            .or(other.keyword("minimum"))
            .is_some()
        && one
            .keyword("pattern")
            .or(other.keyword("pattern"))
            .is_some()
}

fn is_not_a_number(node: &Node<'_>) -> bool {
    let names = ["NaN", "Infinity", "-Infinity"];
    match &node.form {
        Form::Literals(values) => values
            .iter()
            .all(|value| value.as_str().is_some_and(|value| names.contains(&value))),
        _ => false,
    }
}

fn is_either(one: &Node<'_>, other: &Node<'_>, a: &Form<'_>, b: &Form<'_>) -> bool {
    let same = |node: &Node<'_>, form: &Form<'_>| {
        std::mem::discriminant(&node.form) == std::mem::discriminant(form)
    };
    (same(one, a) && same(other, b)) || (same(one, b) && same(other, a))
}
