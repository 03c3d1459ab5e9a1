//! Makes an example of a value that a schema allows, for a model that wrote a wrong one.
//!
//! Every example is valid. A schema with keywords that are not understood here has none.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::schema::fit::Fit;
use crate::schema::keywords::{ANNOTATIONS, OF_ARRAYS, OF_NUMBERS, OF_OBJECTS, OF_TEXTS};
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// The deepest nesting of an example, references included.
const DEPTH_MAX: usize = 32;
/// The most items, members or characters that a schema can ask of an example.
const COUNT_MAX: u64 = 32;

/// A value that is valid for `schema`: the required members, or one optional member if none is
/// required. `None` if the schema uses keywords that are not understood here.
pub fn example(schema: &Value) -> Option<Value> {
    let document = Document::new(schema);
    let examples = Examples {
        schema,
        fit: Fit::new(document),
    };
    examples.of(&document.root(), 0)
}

struct Examples<'a> {
    schema: &'a Value,
    fit: Fit<'a>,
}

impl<'a> Examples<'a> {
    fn of(&self, node: &Node<'a>, depth: usize) -> Option<Value> {
        // References in a schema with its own `$id` lead elsewhere.
        let is_elsewhere = !node.pointer.is_empty() && node.keyword("$id").is_some();
        let is_never = self.schema.pointer(&node.pointer) == Some(&Value::Bool(false));
        if depth > DEPTH_MAX || is_elsewhere || is_never || !self.fit.charge(&Value::Null) {
            return None;
        }
        match &node.form {
            Form::Any => has_only(node, &[]).then(|| json!("text")),
            Form::Null => has_only(node, &[&OF_TEXTS, &OF_NUMBERS, &OF_ARRAYS, &OF_OBJECTS])
                .then_some(Value::Null),
            Form::Boolean => has_only(node, &[&OF_TEXTS, &OF_NUMBERS, &OF_ARRAYS, &OF_OBJECTS])
                .then_some(Value::Bool(true)),
            Form::Integer | Form::Number => number(node),
            Form::Text => text(node),
            Form::Literals(literals) => literal(node, literals),
            Form::Array(item) => self.array(node, &[], Some(item), depth),
            Form::Tuple(items, rest) => self.array(node, items, rest.as_deref(), depth),
            Form::Object(members, rest) => self.object(node, members, rest, depth),
            Form::Union(nodes) => self.choice(node, nodes, depth),
            Form::Ref(name) => {
                let is_plain = has_only(node, &[]) && node.keyword("type").is_none();
                let target = self.fit.definition(name).filter(|_| is_plain)?;
                self.of(&target, depth + 1)
            }
        }
    }

    fn choice(&self, node: &Node<'a>, nodes: &[Node<'a>], depth: usize) -> Option<Value> {
        let by_type = node.keyword("type").is_some();
        let is_two = node.keyword("anyOf").is_some() && node.keyword("oneOf").is_some();
        // Alternatives by type repeat the keywords of the whole, and are asked for them.
        if !by_type && (is_two || !has_only(node, &[])) {
            return None;
        }
        let is_one = !by_type && node.keyword("oneOf").is_some();
        nodes.iter().enumerate().find_map(|(index, node)| {
            let example = self.of(node, depth + 1)?;
            let others = nodes
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            let is_only = || {
                others
                    .clone()
                    .all(|(_, node)| !self.fit.fits(node, &example, 0))
            };
            (!is_one || is_only()).then_some(example)
        })
    }

    fn array(
        &self,
        node: &Node<'a>,
        items: &[Node<'a>],
        rest: Option<&Node<'a>>,
        depth: usize,
    ) -> Option<Value> {
        let known = [
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
        ];
        if !has_only(node, &[&known, &OF_TEXTS, &OF_NUMBERS, &OF_OBJECTS]) {
            return None;
        }
        let rest = rest.filter(|_| node.keyword("items") != Some(&Value::Bool(false)));
        let least = count(node, "minItems", 0)?;
        let most = count(node, "maxItems", u64::MAX)?;
        let is_set = node.keyword("uniqueItems") == Some(&Value::Bool(true));
        // One item shows what they are like, where there may be one.
        let wanted = least
            .max(items.len() as u64)
            .max(u64::from(rest.is_some()))
            .min(most);
        if wanted > COUNT_MAX || wanted < least || (is_set && wanted > 1) {
            return None;
        }
        let mut values = Vec::new();
        for place in 0..wanted as usize {
            values.push(self.of(items.get(place).or(rest)?, depth + 1)?);
        }
        Some(values.into())
    }

    fn object(
        &self,
        node: &Node<'a>,
        members: &[Member<'a>],
        rest: &Rest<'a>,
        depth: usize,
    ) -> Option<Value> {
        let known = [
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ];
        if !has_only(node, &[&known, &OF_TEXTS, &OF_NUMBERS, &OF_ARRAYS]) {
            return None;
        }
        let mut object = Map::new();
        for name in node
            .keyword("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str()?;
            let value = match (members.iter().find(|member| member.name == name), rest) {
                (Some(member), _) => self.of(&member.node, depth + 1)?,
                (None, Rest::Typed(rest)) => self.of(rest, depth + 1)?,
                (None, Rest::Unsaid | Rest::Open) => json!("text"),
                (None, Rest::Closed) => return None,
            };
            object.insert(name.to_owned(), value);
        }
        let least = count(node, "minProperties", 0)?;
        let most = count(node, "maxProperties", u64::MAX)?;
        let optional = members
            .iter()
            .filter(|member| member.presence == Presence::Optional);
        for member in optional {
            let wanted = least.max(1).min(most);
            if object.len() as u64 >= wanted {
                break;
            }
            if let Some(value) = self.of(&member.node, depth + 1) {
                object.insert(member.name.to_owned(), value);
            }
        }
        let many = object.len() as u64;
        (least <= many && many <= most).then(|| object.into())
    }
}

/// True if every keyword of `node` beside its form is in `known` or has no effect.
fn has_only(node: &Node<'_>, known: &[&[&str]]) -> bool {
    let unread = node.unread(&ANNOTATIONS);
    let is_known = |name: &str| known.iter().any(|known| known.contains(&name));
    unread.iter().all(|(name, _)| is_known(name))
}

fn number(node: &Node<'_>) -> Option<Value> {
    if !has_only(node, &[&OF_NUMBERS, &OF_TEXTS, &OF_ARRAYS, &OF_OBJECTS]) {
        return None;
    }
    let bound = |name: &str| node.keyword(name).map(|value| value.as_f64());
    let mut candidates = vec![1.0, 0.0];
    for (name, beside) in [
        ("minimum", 0.0),
        ("maximum", 0.0),
        ("exclusiveMinimum", 1.0),
        ("exclusiveMaximum", -1.0),
        ("multipleOf", 0.0),
    ] {
        // A bound that is not a number is not understood.
        if let Some(bound) = bound(name) {
            candidates.push(bound? + beside);
        }
    }
    let is_in = |value: f64| {
        let holds = |name: &str, holds: fn(f64, f64) -> bool| {
            bound(name)
                .flatten()
                .is_none_or(|bound| holds(value, bound))
        };
        holds("minimum", |value, bound| value >= bound)
            && holds("maximum", |value, bound| value <= bound)
            && holds("exclusiveMinimum", |value, bound| value > bound)
            && holds("exclusiveMaximum", |value, bound| value < bound)
            && holds("multipleOf", |value, of| {
                of.fract() == 0.0 && value % of == 0.0
            })
    };
    // Integers that every reader represents exactly.
    let is_exact = |value: &f64| value.fract() == 0.0 && value.abs() < 9.0e15;
    let mut candidates = candidates.into_iter().filter(is_exact);
    candidates
        .find(|value| is_in(*value))
        .map(|value| Value::from(value as i64))
}

fn text(node: &Node<'_>) -> Option<Value> {
    if !has_only(
        node,
        &[
            &["minLength", "maxLength", "format"],
            &OF_NUMBERS,
            &OF_ARRAYS,
            &OF_OBJECTS,
        ],
    ) {
        return None;
    }
    let least = count(node, "minLength", 0)?;
    let most = count(node, "maxLength", u64::MAX)?;
    let is_bytes = node.keyword("contentEncoding").is_some();
    let text = match node.keyword("format").map(Value::as_str) {
        None if is_bytes => "AAAA".to_owned(),
        None => {
            let mut text = "text".to_owned();
            text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            text
        }
        Some(Some("date")) => "2026-01-31".to_owned(),
        Some(Some("time")) => "12:00:00Z".to_owned(),
        Some(Some("date-time")) => "2026-01-31T12:00:00Z".to_owned(),
        Some(Some("uri")) => "https://example.com/".to_owned(),
        Some(Some("email")) => "name@example.com".to_owned(),
        Some(_) => return None,
    };
    let wanted = usize::try_from(least.min(COUNT_MAX)).unwrap_or(0);
    let text = match node.keyword("format").is_none() && !is_bytes {
        true => format!("{text:x<wanted$}"),
        false => text,
    };
    let length = text.len() as u64;
    (least <= length && length <= most).then(|| text.into())
}

fn literal(node: &Node<'_>, literals: &[&Value]) -> Option<Value> {
    // Further keywords would apply to all literals, which is too rare to support.
    let known = ["enum", "const", "type"];
    if !has_only(node, &[&known]) {
        return None;
    }
    let fits = |literal: &&&Value| {
        let is_const = node.keyword("const").is_none_or(|only| only == **literal);
        is_const
            && node
                .keyword("type")
                .is_none_or(|name| has_type(literal, name))
    };
    literals.iter().find(fits).map(|literal| (*literal).clone())
}

fn has_type(value: &Value, name: &Value) -> bool {
    match (name, value) {
        (Value::Array(names), value) => names.iter().any(|name| has_type(value, name)),
        (Value::String(name), value) => match (name.as_str(), value) {
            ("null", Value::Null)
            | ("boolean", Value::Bool(_))
            | ("number", Value::Number(_))
            | ("string", Value::String(_))
            | ("array", Value::Array(_))
            | ("object", Value::Object(_)) => true,
            ("integer", Value::Number(number)) => number.is_i64() || number.is_u64(),
            _ => false,
        },
        _ => false,
    }
}

/// The number that `name` says, or `otherwise` where it is absent.
fn count(node: &Node<'_>, name: &str, otherwise: u64) -> Option<u64> {
    node.keyword(name).map_or(Some(otherwise), Value::as_u64)
}
