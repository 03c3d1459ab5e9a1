//! Arithmetic as Python does it. Integers have 127 bits: what is larger is an error.

use crate::ast::Operator;
use crate::error::{Outcome, failed, failure};
use crate::html;
use crate::render::Renderer;
use crate::value::{Items, Value};

impl<'a> Renderer<'a> {
    pub(crate) fn operate(
        &mut self,
        operator: Operator,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Outcome<Value<'a>> {
        if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
            return integers(operator, left, right);
        }
        if let (Some(left), Some(right)) = (left.as_float(), right.as_float()) {
            return floats(operator, left, right).map(Value::Float);
        }
        if let (Operator::Remainder, Some(format)) = (operator, left.as_text()) {
            return self.percent(left, format, right);
        }
        for value in [left, right] {
            if let Value::Undefined(undefined) = value {
                return failed(undefined.to_string());
            }
        }
        match (operator, left, right) {
            (Operator::Add, left, right) => self.add(left, right),
            (Operator::Multiply, value, count) | (Operator::Multiply, count, value)
                if count.as_integer().is_some()
                    && (value.as_text().is_some() || value.as_items().is_some()) =>
            {
                self.repeat(value, count.as_integer().unwrap_or(0))
            }
            (_, left, right) => unsupported(operator, left, right),
        }
    }

    fn add(&mut self, left: Value<'a>, right: Value<'a>) -> Outcome<Value<'a>> {
        if let (Some(first), Some(second)) = (left.as_text(), right.as_text()) {
            let is_markup = matches!((left, right), (Value::Markup(_), _) | (_, Value::Markup(_)));
            let text = self.text(|it| {
                for (value, text) in [(left, first), (right, second)] {
                    match value {
                        Value::Str(_) if is_markup => html::write_escaped(it, text)?,
                        _ => it.push(text)?,
                    }
                }
                Ok(())
            })?;
            return Ok(if is_markup {
                Value::Markup(text)
            } else {
                Value::Str(text)
            });
        }
        match (left, right) {
            (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) => {}
            _ => return unsupported(Operator::Add, left, right),
        }
        let items = |value: Value<'a>| value.as_items().unwrap_or(Items::Values(&[]));
        let (first, second) = (items(left), items(right));
        self.charge(first.len() + second.len())?;
        let mut all = first.iter().chain(second.iter());
        let all = self.memory.filled(first.len() + second.len(), |_| {
            all.next().unwrap_or(Value::None)
        })?;
        Ok(match left {
            Value::Tuple(_) => Value::Tuple(all),
            _ => Value::List(Items::Values(all)),
        })
    }

    fn repeat(&mut self, value: Value<'a>, count: i128) -> Outcome<Value<'a>> {
        let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
        if let Some(text) = value.as_text() {
            self.charge(count.min(text.len().saturating_mul(count)))?;
            let text = self.text(|it| {
                for _ in 0..count.min(text.len().saturating_mul(count)) {
                    it.push(text)?;
                }
                Ok(())
            })?;
            return Ok(value.like(text));
        }
        let items = value.as_items().unwrap_or(Items::Values(&[]));
        let length = items.len().saturating_mul(count);
        self.charge(length)?;
        let all = self.memory.filled(length, |at| {
            items.get(at % items.len()).unwrap_or(Value::None)
        })?;
        Ok(match value {
            Value::Tuple(_) => Value::Tuple(all),
            _ => Value::List(Items::Values(all)),
        })
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::FloorDivide => "//",
        Operator::Remainder => "%",
        Operator::Power => "** or pow()",
    }
}

fn unsupported<T>(operator: Operator, left: Value, right: Value) -> Outcome<T> {
    if operator == Operator::Add && (left.as_text().is_some() || left.as_items().is_some()) {
        let (left, right) = (left.kind(), right.kind());
        return failed(format!(
            "can only concatenate {left} (not \"{right}\") to {left}"
        ));
    }
    let (sign, left, right) = (sign(operator), left.kind(), right.kind());
    failed(format!(
        "unsupported operand type(s) for {sign}: '{left}' and '{right}'"
    ))
}

fn integers<'a>(operator: Operator, left: i128, right: i128) -> Outcome<Value<'a>> {
    if right == 0
        && matches!(
            operator,
            Operator::Divide | Operator::FloorDivide | Operator::Remainder
        )
    {
        return failed("division by zero");
    }
    let result = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide => return Ok(Value::Float(left as f64 / right as f64)),
        Operator::FloorDivide => left.checked_div_euclid(right).map(|quotient| {
            match right < 0 && left.rem_euclid(right) != 0 {
                true => quotient - 1,
                false => quotient,
            }
        }),
        Operator::Remainder => {
            left.checked_rem_euclid(right)
                .map(|rest| match right < 0 && rest != 0 {
                    true => rest + right,
                    false => rest,
                })
        }
        Operator::Power if right < 0 => {
            return floats(operator, left as f64, right as f64).map(Value::Float);
        }
        Operator::Power => power(left, right),
    };
    match result {
        // Its sign can always be changed.
        Some(i128::MIN) | None => failed("an integer is too large"),
        Some(number) => Ok(Value::Int(number)),
    }
}

fn power(base: i128, exponent: i128) -> Option<i128> {
    match base {
        0 | 1 => Some(if exponent == 0 { 1 } else { base }),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        base => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

fn floats(operator: Operator, left: f64, right: f64) -> Outcome<f64> {
    Ok(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Power => return float_power(left, right),
        _ if right == 0.0 => return failed("division by zero"),
        Operator::Divide => left / right,
        Operator::FloorDivide => floor_and_rest(left, right).0,
        Operator::Remainder => floor_and_rest(left, right).1,
    })
}

fn float_power(base: f64, exponent: f64) -> Outcome<f64> {
    if base == 0.0 && exponent < 0.0 {
        return failed("0.0 cannot be raised to a negative power");
    }
    let result = base.powf(exponent);
    if result.is_nan() && !base.is_nan() && !exponent.is_nan() {
        return failed("a power is a complex number");
    }
    if result.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(failure("a power is too large"));
    }
    Ok(result)
}

/// The quotient rounded down, and what is left, which has the sign of the divisor.
fn floor_and_rest(left: f64, right: f64) -> (f64, f64) {
    let mut rest = left % right;
    let mut quotient = (left - rest) / right;
    if rest == 0.0 {
        rest = 0.0_f64.copysign(right);
    } else if (right < 0.0) != (rest < 0.0) {
        rest += right;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return (0.0_f64.copysign(left / right), rest);
    }
    let floor = quotient.floor();
    match quotient - floor > 0.5 {
        true => (floor + 1.0, rest),
        false => (floor, rest),
    }
}
