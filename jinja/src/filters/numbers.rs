//! Filters of numbers.

use crate::error::{Outcome, failed};
use crate::methods::texts::integer;
use crate::number;
use crate::render::{Args, Renderer};
use crate::value::Value;

type Made<'a> = Outcome<Value<'a>>;

pub(super) fn abs<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    args.none("abs")?;
    match (value, value.as_integer()) {
        (Value::Float(number), _) => Ok(Value::Float(number.abs())),
        (_, Some(number)) => Ok(Value::Int(number.abs())),
        (Value::Undefined(undefined), _) => failed(undefined.to_string()),
        (other, None) => failed(format!("bad operand type for abs(): '{}'", other.kind())),
    }
}

pub(super) fn int<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [default, base] = args.bind("int", ["default", "base"])?;
    let base = base.map_or(Ok(10), integer)?;
    let default = default.unwrap_or(Value::Int(0));
    let number = match value {
        Value::Undefined(undefined) => return failed(undefined.to_string()),
        Value::Str(text) | Value::Markup(text) => number::parsed_integer(text, base)
            .or_else(|| number::parsed_float(text).and_then(number::truncated)),
        Value::Float(number) => match number::truncated(number) {
            None if number.is_infinite() => {
                return failed("cannot convert float infinity to integer");
            }
            number => number,
        },
        other => other.as_integer(),
    };
    Ok(number.map_or(default, Value::Int))
}

pub(super) fn float<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [default] = args.bind("float", ["default"])?;
    let number = match value {
        Value::Undefined(undefined) => return failed(undefined.to_string()),
        Value::Str(text) | Value::Markup(text) => number::parsed_float(text),
        other => other.as_float(),
    };
    Ok(match number {
        Some(number) => Value::Float(number),
        None => default.unwrap_or(Value::Float(0.0)),
    })
}

pub(super) fn round<'a>(_: &mut Renderer<'a>, value: Value<'a>, args: Args<'a>) -> Made<'a> {
    let [precision, method] = args.bind("round", ["precision", "method"])?;
    let precision = precision.map_or(Ok(0), integer)?.clamp(-400, 400) as i32;
    let method = method.map_or(Some("common"), Value::as_text);
    let Some(method @ ("common" | "ceil" | "floor")) = method else {
        return failed("method must be common, ceil or floor");
    };
    if let Value::Undefined(undefined) = value {
        return failed(undefined.to_string());
    }
    let Some(number) = value.as_float() else {
        let kind = value.kind();
        return failed(format!("type {kind} doesn't define __round__ method"));
    };
    if method == "common" {
        return match value.as_integer() {
            Some(whole) => Ok(Value::Int(number::rounded_integer(whole, precision))),
            None => Ok(Value::Float(number::rounded(number, precision))),
        };
    }
    let scale = 10_f64.powi(precision);
    let scaled = match method {
        "ceil" => (number * scale).ceil(),
        _ => (number * scale).floor(),
    };
    Ok(Value::Float(scaled / scale))
}

pub(super) fn filesizeformat<'a>(
    it: &mut Renderer<'a>,
    value: Value<'a>,
    args: Args<'a>,
) -> Made<'a> {
    let [binary] = args.bind("filesizeformat", ["binary"])?;
    let (base, prefixes) = match binary.is_some_and(Value::is_true) {
        true => (
            1024_f64,
            ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
        ),
        false => (1000_f64, ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]),
    };
    let bytes = match value {
        Value::Str(text) | Value::Markup(text) => number::parsed_float(text),
        other => other.as_float(),
    };
    let Some(bytes) = bytes else {
        return failed("a size is a number");
    };
    let written = if bytes == 1.0 {
        "1 Byte".to_owned()
    } else if bytes < base {
        format!("{} Bytes", bytes.trunc())
    } else {
        let mut unit = base * base;
        let mut at = 0;
        while bytes >= unit && at + 1 < prefixes.len() {
            unit *= base;
            at += 1;
        }
        format!("{:.1} {}", base * bytes / unit, prefixes[at])
    };
    Ok(Value::Str(it.memory.text(&written)?))
}
