//! Tests, as in `x is defined`, by their names.

use crate::ast::{Comparison, Operator};
use crate::error::{Outcome, failed};
use crate::filters;
use crate::render::{Args, Renderer};
use crate::value::Value;

type Run = for<'a> fn(&mut Renderer<'a>, Value<'a>, Args<'a>) -> Outcome<bool>;

/// A test.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

const fn test(name: &'static str, run: Run) -> Test {
    Test { name, run }
}

static TESTS: [Test; 39] = [
    test("defined", |_, value, args| {
        alone(args, !value.is_undefined())
    }),
    test("undefined", |_, value, args| {
        alone(args, value.is_undefined())
    }),
    test("none", |_, value, args| {
        alone(args, matches!(value, Value::None))
    }),
    test("boolean", |_, value, args| {
        alone(args, matches!(value, Value::Bool(_)))
    }),
    test("true", |_, value, args| {
        alone(args, matches!(value, Value::Bool(true)))
    }),
    test("false", |_, value, args| {
        alone(args, matches!(value, Value::Bool(false)))
    }),
    test("integer", |_, value, args| {
        alone(args, matches!(value, Value::Int(_)))
    }),
    test("float", |_, value, args| {
        alone(args, matches!(value, Value::Float(_)))
    }),
    test("number", |_, value, args| {
        alone(args, value.as_float().is_some())
    }),
    test("string", |_, value, args| {
        alone(args, value.as_text().is_some())
    }),
    test("mapping", |_, value, args| {
        alone(args, matches!(value, Value::Dict(_)))
    }),
    test("sequence", |_, value, args| alone(args, is_sequence(value))),
    test("iterable", |_, value, args| alone(args, is_iterable(value))),
    test("callable", |_, value, args| alone(args, is_callable(value))),
    test("escaped", |_, value, args| {
        alone(args, matches!(value, Value::Markup(_)))
    }),
    test("filter", |_, value, args| {
        alone(args, value.as_text().and_then(filters::find).is_some())
    }),
    test("test", |_, value, args| {
        alone(args, value.as_text().and_then(find).is_some())
    }),
    test("lower", |it, value, args| {
        has_case(it, value, args, char::is_lowercase, char::is_uppercase)
    }),
    test("upper", |it, value, args| {
        has_case(it, value, args, char::is_uppercase, char::is_lowercase)
    }),
    test("odd", |it, value, args| {
        leaves(it, value, args, Value::Int(2), Value::Int(1))
    }),
    test("even", |it, value, args| {
        leaves(it, value, args, Value::Int(2), Value::Int(0))
    }),
    test("divisibleby", |it, value, args| {
        let [number] = args.all("divisibleby", ["num"])?;
        leaves(it, value, Args::NONE, number, Value::Int(0))
    }),
    test("sameas", |it, value, args| {
        let [other] = args.all("sameas", ["other"])?;
        Ok(it.same(value, other))
    }),
    test("in", |it, value, args| {
        let [container] = args.all("in", ["seq"])?;
        it.contains(container, value)
    }),
    test("==", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test("eq", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test("equalto", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test("!=", |it, value, args| {
        compared(it, value, args, Comparison::NotEqual)
    }),
    test("ne", |it, value, args| {
        compared(it, value, args, Comparison::NotEqual)
    }),
    test(">", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test("gt", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test("greaterthan", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test(">=", |it, value, args| {
        compared(it, value, args, Comparison::GreaterOrEqual)
    }),
    test("ge", |it, value, args| {
        compared(it, value, args, Comparison::GreaterOrEqual)
    }),
    test("<", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("lt", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("lessthan", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("<=", |it, value, args| {
        compared(it, value, args, Comparison::LessOrEqual)
    }),
    test("le", |it, value, args| {
        compared(it, value, args, Comparison::LessOrEqual)
    }),
];

pub(crate) fn find(name: &str) -> Option<&'static Test> {
    TESTS.iter().find(|test| test.name == name)
}

fn alone(args: Args, is: bool) -> Outcome<bool> {
    args.none("test")?;
    Ok(is)
}

fn is_sequence(value: Value) -> bool {
    value.as_text().is_some()
        || value.as_items().is_some()
        || matches!(
            value,
            Value::Dict(_) | Value::Range(_) | Value::Undefined(_)
        )
}

fn is_iterable(value: Value) -> bool {
    is_sequence(value) || matches!(value, Value::View(_) | Value::Generator(_) | Value::Loop(_))
}

fn is_callable(value: Value) -> bool {
    match value {
        Value::Macro(_) | Value::Bound(_) | Value::Joiner(_) | Value::Loop(_) => true,
        Value::Undefined(_) | Value::Function(_) => true,
        _ => false,
    }
}

/// Whether all characters with a case have that one, and there are some.
fn has_case<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    right: fn(char) -> bool,
    wrong: fn(char) -> bool,
) -> Outcome<bool> {
    args.none("test")?;
    let text = it.text_of(value)?;
    it.charge(text.len() / 16)?;
    Ok(text.chars().any(right) && !text.chars().any(wrong))
}

fn leaves<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    divisor: Value<'a>,
    rest: Value<'a>,
) -> Outcome<bool> {
    args.none("test")?;
    let left = it.operate(Operator::Remainder, value, divisor)?;
    it.equal(left, rest)
}

fn compared<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
    comparison: Comparison,
) -> Outcome<bool> {
    match (args.positional, args.keywords) {
        ([other], []) => it.compared(comparison, value, *other),
        _ => failed("a comparison takes one argument"),
    }
}
