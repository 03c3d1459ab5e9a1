//! Which values are equal, which of two comes first, and what is in what.

use std::cmp::Ordering;

use crate::ast::Comparison;
use crate::error::{Outcome, failed};
use crate::render::Renderer;
use crate::value::{Items, Members, Part, Value};

impl<'a> Renderer<'a> {
    #[inline]
    pub(crate) fn compared(
        &mut self,
        comparison: Comparison,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Outcome<bool> {
        match comparison {
            Comparison::Equal => self.equal(left, right),
            Comparison::NotEqual => Ok(!self.equal(left, right)?),
            Comparison::In => self.contains(right, left),
            Comparison::NotIn => Ok(!self.contains(right, left)?),
            order => self.ordered(order, left, right),
        }
    }

    #[inline]
    pub(crate) fn equal(&mut self, left: Value<'a>, right: Value<'a>) -> Outcome<bool> {
        match (left, right) {
            (Value::Str(left), Value::Str(right)) => {
                if left.len() == right.len() {
                    self.charge(left.len() / 64)?;
                }
                Ok(left == right)
            }
            (Value::None, Value::None) => Ok(true),
            (left, right) => self.equal_others(left, right),
        }
    }

    fn equal_others(&mut self, left: Value<'a>, right: Value<'a>) -> Outcome<bool> {
        if let Some(order) = numbers(left, right) {
            return Ok(order == Some(Ordering::Equal));
        }
        if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
            self.charge(left.len() / 64)?;
            return Ok(left == right);
        }
        match (left, right) {
            (Value::List(left), Value::List(right)) => self.equal_items(left, right),
            (Value::Tuple(left), Value::Tuple(right)) => {
                self.equal_items(Items::Values(left), Items::Values(right))
            }
            (Value::Dict(left), Value::Dict(right)) => self.equal_members(left, right),
            (Value::Range(left), Value::Range(right)) => Ok(left.length == right.length
                && (0..left.length.min(2)).all(|at| left.get(at) == right.get(at))),
            (Value::Undefined(_), Value::Undefined(_)) => Ok(true),
            (left, right) => Ok(self.same(left, right)),
        }
    }

    fn equal_items(&mut self, left: Items<'a>, right: Items<'a>) -> Outcome<bool> {
        if left.len() != right.len() {
            return Ok(false);
        }
        self.enter()?;
        for (left, right) in left.iter().zip(right.iter()) {
            self.charge(1)?;
            if !self.equal(left, right)? {
                self.leave();
                return Ok(false);
            }
        }
        self.leave();
        Ok(true)
    }

    fn equal_members(&mut self, left: Members<'a>, right: Members<'a>) -> Outcome<bool> {
        if left.len() != right.len() {
            return Ok(false);
        }
        self.enter()?;
        for (key, value) in left.iter() {
            self.charge(1)?;
            let is_equal = match self.lookup(right, key)? {
                Some(other) => self.equal(value, other)?,
                None => false,
            };
            if !is_equal {
                self.leave();
                return Ok(false);
            }
        }
        self.leave();
        Ok(true)
    }

    /// Whether both are one and the same.
    pub(crate) fn same(&self, left: Value<'a>, right: Value<'a>) -> bool {
        use std::ptr::{addr_eq, eq};
        match (left, right) {
            (Value::None, Value::None) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Str(left), Value::Str(right)) => left == right,
            (Value::Markup(left), Value::Markup(right)) => eq(left, right),
            (Value::List(Items::Json(left)), Value::List(Items::Json(right))) => eq(left, right),
            (Value::List(Items::Values(left)), Value::List(Items::Values(right))) => {
                eq(left, right)
            }
            (Value::Tuple(left), Value::Tuple(right)) => eq(left, right),
            (Value::Dict(Members::Json(left)), Value::Dict(Members::Json(right))) => {
                eq(left, right)
            }
            (Value::Dict(Members::Values(left)), Value::Dict(Members::Values(right))) => {
                eq(left, right)
            }
            (Value::View(left), Value::View(right)) => eq(left, right),
            (Value::Range(left), Value::Range(right)) => eq(left, right),
            (Value::Generator(left), Value::Generator(right)) => eq(left, right),
            (Value::Namespace(left), Value::Namespace(right)) => eq(left, right),
            (Value::Loop(left), Value::Loop(right)) => eq(left, right),
            (Value::Macro(left), Value::Macro(right)) => eq(left, right),
            (Value::Cycler(left), Value::Cycler(right)) => eq(left, right),
            (Value::Joiner(left), Value::Joiner(right)) => eq(left, right),
            (Value::Bound(left), Value::Bound(right)) => addr_eq(left, right),
            _ => false,
        }
    }

    /// `item in container`.
    pub(crate) fn contains(&mut self, container: Value<'a>, item: Value<'a>) -> Outcome<bool> {
        match container {
            Value::Str(text) | Value::Markup(text) => match item {
                Value::Str(part) | Value::Markup(part) => {
                    self.charge(text.len() / 64)?;
                    Ok(text.contains(part))
                }
                Value::Undefined(undefined) => failed(undefined.to_string()),
                other => failed(format!(
                    "'in <string>' requires string as left operand, not {}",
                    other.kind()
                )),
            },
            Value::Dict(members) => {
                self.check_hashable(item)?;
                Ok(self.lookup(members, item)?.is_some())
            }
            Value::Range(range) => Ok(item.as_float().is_some_and(|number| {
                let at = (number - range.start as f64) / range.step as f64;
                at.fract() == 0.0 && at >= 0.0 && at < range.length as f64
            })),
            Value::View(view) if view.part == Part::Keys => {
                self.check_hashable(item)?;
                Ok(self.lookup(Members::Values(view.members), item)?.is_some())
            }
            Value::Undefined(_) => Ok(false),
            Value::List(_) | Value::Tuple(_) | Value::View(_) | Value::Generator(_) => {
                let source = self.source(container)?;
                for at in 0..source.len() {
                    self.charge(1)?;
                    let candidate = self.item_of(source, at)?;
                    if self.equal(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            other => failed(format!(
                "argument of type '{}' is not iterable",
                other.kind()
            )),
        }
    }

    fn ordered(
        &mut self,
        comparison: Comparison,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Outcome<bool> {
        let order = self.order_as(comparison, left, right)?;
        Ok(match (comparison, order) {
            (_, None) => false,
            (Comparison::Less, Some(order)) => order.is_lt(),
            (Comparison::LessOrEqual, Some(order)) => order.is_le(),
            (Comparison::Greater, Some(order)) => order.is_gt(),
            (_, Some(order)) => order.is_ge(),
        })
    }

    /// Which comes first, for sorting.
    pub(crate) fn order(&mut self, left: Value<'a>, right: Value<'a>) -> Outcome<Ordering> {
        let order = self.order_as(Comparison::Less, left, right)?;
        Ok(order.unwrap_or(Ordering::Equal))
    }

    /// Nothing where one is not a number.
    fn order_as(
        &mut self,
        comparison: Comparison,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Outcome<Option<Ordering>> {
        if let Some(order) = numbers(left, right) {
            return Ok(order);
        }
        if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
            self.charge(left.len().min(right.len()) / 64)?;
            return Ok(Some(left.cmp(right)));
        }
        let items = match (left, right) {
            (Value::List(left), Value::List(right)) => Some((left, right)),
            (Value::Tuple(left), Value::Tuple(right)) => {
                Some((Items::Values(left), Items::Values(right)))
            }
            _ => None,
        };
        if let Some((left, right)) = items {
            return self.order_of_items(comparison, left, right);
        }
        for value in [left, right] {
            if let Value::Undefined(undefined) = value {
                return failed(undefined.to_string());
            }
        }
        let sign = match comparison {
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            _ => "<",
        };
        let (left, right) = (left.kind(), right.kind());
        failed(format!(
            "'{sign}' not supported between instances of '{left}' and '{right}'"
        ))
    }

    fn order_of_items(
        &mut self,
        comparison: Comparison,
        left: Items<'a>,
        right: Items<'a>,
    ) -> Outcome<Option<Ordering>> {
        self.enter()?;
        for (first, second) in left.iter().zip(right.iter()) {
            self.charge(1)?;
            if !self.equal(first, second)? {
                let order = self.order_as(comparison, first, second)?;
                self.leave();
                return Ok(order);
            }
        }
        self.leave();
        Ok(Some(left.len().cmp(&right.len())))
    }
}

/// The order of two numbers, nothing within where one is not a number at all.
fn numbers(left: Value, right: Value) -> Option<Option<Ordering>> {
    if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
        return Some(Some(left.cmp(&right)));
    }
    Some(left.as_float()?.partial_cmp(&right.as_float()?))
}
