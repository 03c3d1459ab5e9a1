//! Computes the values of Python enumerations, where they are constants.

use serde_json::{Value, json};

use super::expression::Expression;
use super::hint::{Hint, Unsupported};
use super::module::{Binding, Class, Scope};
use crate::limits::MEMBERS_MAX;

/// The longest chain of classes or constants that name each other.
const HOPS_MAX: usize = 16;

/// The longest text that is put together.
const TEXT_BYTES_MAX: usize = 1 << 12;

const NOT_SCALAR: &str = "has values that are no text, number, boolean or None";

/// The kinds of enumerations.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    Text,
    Integer,
    Float,
    Flags,
}

/// The values of the members of `class`, if it is an enumeration.
pub(super) fn of(class: &Class, name: &str, scope: &Scope) -> Option<Hint> {
    let kind = kind(class, scope, 0)?;
    let mut values: Vec<Value> = Vec::new();
    let mut bound: Vec<(&str, Value)> = Vec::new();
    if class.assignments.len() > MEMBERS_MAX {
        return Some(Hint::Unsupported(Unsupported::new(
            name,
            "has too many members",
        )));
    }
    for (member, expression) in &class.assignments {
        if is_reserved(member) {
            continue;
        }
        let value = match is_auto(expression, scope) {
            true => Some(next(kind, member, &bound)),
            false => constant(expression, &bound, scope, 0).and_then(|it| fitted(it, kind)),
        };
        let Some(value) = value else {
            return Some(Hint::Unsupported(Unsupported::new(name, NOT_SCALAR)));
        };
        let is_alias = bound.iter().any(|(_, known)| is_equal(known, &value));
        let is_member =
            kind != Kind::Flags || value.as_u64().is_some_and(|bits| bits.is_power_of_two());
        if !is_alias && is_member {
            values.push(value.clone());
        }
        bound.push((member, value));
    }
    if values.is_empty() {
        let reason = "is an enumeration without members";
        return Some(Hint::Unsupported(Unsupported::new(name, reason)));
    }
    Some(Hint::Literals(values))
}

/// `Enum("Color", "RED GREEN")` and the like: the values of its members.
pub(super) fn of_call(function: &str, arguments: &[Expression], scope: &Scope) -> Option<Hint> {
    let kind = kind_of_base(function)?;
    let (Expression::Constant(Value::String(name)), members) =
        (arguments.first()?, arguments.get(1)?)
    else {
        return None;
    };
    let unsupported = || Some(Hint::Unsupported(Unsupported::new(name, NOT_SCALAR)));
    let named: Option<Vec<Value>> = match members {
        Expression::Constant(Value::String(names)) => {
            let names = names
                .split([',', ' ', '\n', '\t'])
                .filter(|it| !it.is_empty());
            Some(numbered(names, kind))
        }
        Expression::List(items) | Expression::Tuple(items) => items
            .iter()
            .map(|item| match item {
                Expression::Constant(Value::String(name)) => Some(name.as_str()),
                _ => None,
            })
            .collect::<Option<Vec<&str>>>()
            .map(|names| numbered(names.into_iter().take(MEMBERS_MAX + 1), kind)),
        Expression::Dictionary(pairs) => pairs
            .iter()
            .map(|(_, value)| fitted(constant(value, &[], scope, 0)?, kind))
            .collect(),
        _ => None,
    };
    match named {
        Some(values) if !values.is_empty() && values.len() <= MEMBERS_MAX => {
            Some(Hint::Literals(values))
        }
        _ => unsupported(),
    }
}

fn numbered<'a>(names: impl Iterator<Item = &'a str>, kind: Kind) -> Vec<Value> {
    let mut bound: Vec<(&str, Value)> = Vec::new();
    for name in names {
        let value = next(kind, name, &bound);
        bound.push((name, value));
    }
    bound.into_iter().map(|(_, value)| value).collect()
}

fn kind(class: &Class, scope: &Scope, hops: usize) -> Option<Kind> {
    if hops > HOPS_MAX {
        return None;
    }
    let kinds = class
        .bases
        .iter()
        .filter_map(|base| match scope.class(base) {
            Some(class) => kind(class, scope, hops + 1),
            None => kind_of_base(&scope.path(base)?),
        });
    let kind = kinds.last()?;
    let mixed = class
        .bases
        .iter()
        .find_map(|base| match scope.path(base)?.as_str() {
            "builtins.str" => Some(Kind::Text),
            "builtins.int" => Some(Kind::Integer),
            "builtins.float" => Some(Kind::Float),
            _ => None,
        });
    Some(mixed.filter(|_| kind == Kind::Plain).unwrap_or(kind))
}

fn kind_of_base(path: &str) -> Option<Kind> {
    Some(match path {
        "enum.Enum" => Kind::Plain,
        "enum.StrEnum" => Kind::Text,
        "enum.IntEnum" => Kind::Integer,
        "enum.Flag" | "enum.IntFlag" => Kind::Flags,
        _ => return None,
    })
}

/// `_ignore_`, `__doc__` and private names are no members.
fn is_reserved(name: &str) -> bool {
    name.starts_with("__") || (name.starts_with('_') && name.ends_with('_'))
}

fn is_auto(expression: &Expression, scope: &Scope) -> bool {
    let Expression::Call(function, arguments) = expression else {
        return false;
    };
    arguments.is_empty() && scope.path(function).as_deref() == Some("enum.auto")
}

/// The value of `auto()`.
fn next(kind: Kind, member: &str, bound: &[(&str, Value)]) -> Value {
    let last = bound.iter().rev().find_map(|(_, value)| value.as_i64());
    match kind {
        Kind::Text => json!(member.to_lowercase()),
        Kind::Flags => {
            let last = last.and_then(|last| u64::try_from(last).ok()).unwrap_or(0);
            let highest = last.checked_ilog2();
            json!(highest.map_or(1, |bit| 1_u64.checked_shl(bit + 1).unwrap_or(0)))
        }
        _ => json!(last.unwrap_or(0).saturating_add(1)),
    }
}

/// The value as the type that an enumeration mixes in makes it.
fn fitted(value: Value, kind: Kind) -> Option<Value> {
    match (kind, &value) {
        (Kind::Text, Value::Number(number)) if !number.is_f64() => Some(json!(number.to_string())),
        (Kind::Text, Value::String(_)) | (Kind::Plain, _) => Some(value),
        (Kind::Integer | Kind::Flags, Value::Bool(truth)) => Some(json!(u8::from(*truth))),
        (Kind::Integer | Kind::Flags, Value::Number(number)) if !number.is_f64() => Some(value),
        (Kind::Float, Value::Number(number)) => number.as_f64().map(Value::from),
        _ => None,
    }
}

/// True if Python takes two values for the same: `1`, `1.0` and `True` are.
fn is_equal(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        other => other.as_f64(),
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// The value of an expression of constants.
pub(super) fn constant(
    expression: &Expression,
    bound: &[(&str, Value)],
    scope: &Scope,
    hops: usize,
) -> Option<Value> {
    if hops > HOPS_MAX || scope.has_seen_enough(1) {
        return None;
    }
    let part = |expression| constant(expression, bound, scope, hops + 1);
    match expression {
        Expression::Constant(value) => Some(value.clone()),
        Expression::Negative(inner) => negative(&part(inner)?),
        Expression::Formatted(parts) => {
            let mut whole = String::new();
            for inner in parts {
                match part(inner)? {
                    Value::String(text) => whole.push_str(&text),
                    Value::Number(number) if !number.is_f64() => whole += &number.to_string(),
                    _ => return None,
                }
                if whole.len() > TEXT_BYTES_MAX {
                    return None;
                }
            }
            Some(json!(whole))
        }
        Expression::Name(name) => match bound.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => Some(value.clone()),
            None => match scope.get(name)? {
                Binding::Value(value) => part(value),
                _ => None,
            },
        },
        Expression::Binary(left, operator, right) => {
            match (part(left)?, operator.as_str(), part(right)?) {
                (Value::String(left), "+", Value::String(right)) => {
                    let is_bounded = left.len() + right.len() <= TEXT_BYTES_MAX;
                    is_bounded.then(|| json!(left + &right))
                }
                (Value::Number(left), operator, Value::Number(right)) => {
                    let (left, right) = (left.as_i64()?, right.as_i64()?);
                    let value = match operator {
                        "+" => left.checked_add(right),
                        "-" => left.checked_sub(right),
                        "*" => left.checked_mul(right),
                        "|" => Some(left | right),
                        "<<" => 2_i64
                            .checked_pow(u32::try_from(right).ok()?)
                            .and_then(|factor| left.checked_mul(factor)),
                        _ => None,
                    };
                    value.map(Value::from)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The number with the opposite sign.
pub(super) fn negative(value: &Value) -> Option<Value> {
    match value.as_u64() {
        Some(number) => {
            let number = i64::try_from(-i128::from(number)).ok()?;
            Some(Value::from(number))
        }
        None if value.is_f64() => value.as_f64().map(|number| Value::from(-number)),
        None => None,
    }
}
