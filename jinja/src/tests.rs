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

/// In the order of their names.
static TESTS: [Test; 39] = [
    test("!=", |it, value, args| {
        compared(it, value, args, Comparison::NotEqual)
    }),
    test("<", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("<=", |it, value, args| {
        compared(it, value, args, Comparison::LessOrEqual)
    }),
    test("==", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test(">", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test(">=", |it, value, args| {
        compared(it, value, args, Comparison::GreaterOrEqual)
    }),
    test("boolean", |_, value, args| {
        alone(args, matches!(value, Value::Bool(_)))
    }),
    test("callable", |_, value, args| alone(args, is_callable(value))),
    test("defined", |_, value, args| {
        alone(args, !value.is_undefined())
    }),
    test("divisibleby", |it, value, args| {
        let [number] = args.all("divisibleby", ["num"])?;
        leaves(it, value, Args::NONE, number, Value::Int(0))
    }),
    test("eq", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test("equalto", |it, value, args| {
        compared(it, value, args, Comparison::Equal)
    }),
    test("escaped", |_, value, args| {
        alone(args, matches!(value, Value::Markup(_)))
    }),
    test("even", |it, value, args| {
        leaves(it, value, args, Value::Int(2), Value::Int(0))
    }),
    test("false", |_, value, args| {
        alone(args, matches!(value, Value::Bool(false)))
    }),
    test("filter", |it, value, args| {
        it.check_hashable(value)?;
        alone(args, value.as_text().and_then(filters::find).is_some())
    }),
    test("float", |_, value, args| {
        alone(args, matches!(value, Value::Float(_)))
    }),
    test("ge", |it, value, args| {
        compared(it, value, args, Comparison::GreaterOrEqual)
    }),
    test("greaterthan", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test("gt", |it, value, args| {
        compared(it, value, args, Comparison::Greater)
    }),
    test("in", |it, value, args| {
        let [container] = args.all("in", ["seq"])?;
        it.contains(container, value)
    }),
    test("integer", |_, value, args| {
        alone(args, matches!(value, Value::Int(_)))
    }),
    test("iterable", |_, value, args| alone(args, is_iterable(value))),
    test("le", |it, value, args| {
        compared(it, value, args, Comparison::LessOrEqual)
    }),
    test("lessthan", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("lower", |it, value, args| {
        has_case(it, value, args, char::is_lowercase, char::is_uppercase)
    }),
    test("lt", |it, value, args| {
        compared(it, value, args, Comparison::Less)
    }),
    test("mapping", |_, value, args| {
        alone(args, matches!(value, Value::Dict(_)))
    }),
    test("ne", |it, value, args| {
        compared(it, value, args, Comparison::NotEqual)
    }),
    test("none", |_, value, args| {
        alone(args, matches!(value, Value::None))
    }),
    test("number", |_, value, args| {
        alone(args, value.as_float().is_some())
    }),
    test("odd", |it, value, args| {
        leaves(it, value, args, Value::Int(2), Value::Int(1))
    }),
    test("sameas", |it, value, args| {
        let [other] = args.all("sameas", ["other"])?;
        Ok(it.same(value, other))
    }),
    test("sequence", |_, value, args| alone(args, is_sequence(value))),
    test("string", |_, value, args| {
        alone(args, value.as_text().is_some())
    }),
    test("test", |it, value, args| {
        it.check_hashable(value)?;
        alone(args, value.as_text().and_then(find).is_some())
    }),
    test("true", |_, value, args| {
        alone(args, matches!(value, Value::Bool(true)))
    }),
    test("undefined", |_, value, args| {
        alone(args, value.is_undefined())
    }),
    test("upper", |it, value, args| {
        has_case(it, value, args, char::is_uppercase, char::is_lowercase)
    }),
];

pub(crate) fn find(name: &str) -> Option<&'static Test> {
    let at = TESTS.binary_search_by(|test| test.name.cmp(name));
    at.ok().map(|at| &TESTS[at])
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
    matches!(
        value,
        Value::Macro(_)
            | Value::Bound(_)
            | Value::Joiner(_)
            | Value::Loop(_)
            | Value::Undefined(_)
            | Value::Function(_)
    )
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
