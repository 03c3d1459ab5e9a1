//! Limits on a template's steps, and on the size and depth of each value that it assigns.
//!
//! The engine charges steps for the bytes that a template makes. But it compares, prints, hashes
//! and drops values recursively and for free, and a template can nest lists, or repeat one within
//! another, as long as it has steps. So every assigned value is measured: it is not too deep, and
//! not much larger than the conversation. A single expression can only grow by its own tokens.

use indexmap::IndexMap;
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::error::{TemplateError, failed, stopped};
use super::generator::Generator;

/// The filter for the value of a variable.
pub(super) const NAMED: &str = "_named";
/// The filter for the value of a namespace's attribute.
pub(super) const ATTRIBUTE: &str = "_attribute";
/// The filter for the list of a loop.
pub(super) const ITERATED: &str = "_iterated";
/// The filter for each operand of `*`.
pub(super) const FACTOR: &str = "_factor";
/// The filter in place of `safe` before a `+`.
pub(super) const ADDED: &str = "_added";
/// The variable with the size of the largest value, under a name that no template can write.
pub(super) const SIZE: &str = "value bytes";

/// The deepest value, in lists and mappings within each other.
pub(super) const VALUE_DEPTH_MAX: usize = 200;
/// The size of a value beside its text, in bytes.
pub(super) const VALUE_BYTES: usize = 128;
/// The size that a value may have in any case.
const VALUE_BYTES_MIN: usize = 64 << 10;
/// The bytes of a value that are measured in one step.
const BYTES_PER_STEP: usize = 2048;

/// The steps that a template may take with a conversation of that size. Real templates take a
/// quarter at most. A step pays for 64 bytes, so this limits memory as well.
pub(super) fn steps_max(conversation_bytes: usize) -> usize {
    (200_000 + 2 * conversation_bytes).min(3_000_000)
}

/// The size of the largest value with a conversation of that size: it can always hold all of it.
pub(super) fn value_bytes_max(conversation_bytes: usize) -> usize {
    let whole = VALUE_BYTES_MIN + conversation_bytes;
    (whole + conversation_bytes).min(whole.max(3 << 20))
}

pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter(NAMED, |state: &State, value: Value| {
        checked(state, value, AllowedValues::Anything)
    });
    environment.add_filter(ATTRIBUTE, |state: &State, value: Value| {
        checked(state, value, AllowedValues::Data)
    });
    environment.add_filter(ITERATED, iterated);
    environment.add_filter(FACTOR, factor);
    environment.add_filter(ADDED, added);
}

/// Refuses a loop over `none`, as Python does: the engine would not loop at all.
fn iterated(state: &State, value: Value) -> Result<Value, Error> {
    if value.is_none() {
        return Err(failed("'NoneType' object is not iterable"));
    }
    // The items are assigned one after the other, so each is measured by itself.
    if value.as_object().is_some() {
        let mut measure = Measure::new(state, AllowedValues::Anything);
        for item in value.try_iter()?.checked() {
            measure.one(&item?)?;
        }
        measure.charge(state)?;
    }
    Ok(value)
}

/// Refuses to multiply a list: the engine would make the items when they are printed, for free.
fn factor(value: Value) -> Result<Value, Error> {
    match value.as_object() {
        Some(_) => Err(failed("a list cannot be multiplied")),
        None => Ok(value),
    }
}

/// Refuses to add to a text that is `safe`: Python would escape the other text for HTML.
fn added(_: Value) -> Result<Value, Error> {
    Err(failed("nothing can be added to a text that is `safe`"))
}

/// Refuses to make `bytes` that the steps left cannot pay for.
pub(super) fn affordable(state: &State, bytes: usize) -> Result<(), Error> {
    match state.fuel_levels() {
        Some((_, left)) if bytes as u64 / 64 >= left => Err(Error::from(ErrorKind::OutOfFuel)),
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum AllowedValues {
    Anything,
    /// No namespaces and no loops. A namespace that contains itself would never be freed.
    Data,
}

fn checked(state: &State, value: Value, within: AllowedValues) -> Result<Value, Error> {
    let is_short = value
        .as_str()
        .is_none_or(|text| text.len() < VALUE_BYTES_MIN / 2);
    if is_short && value.as_object().is_none() {
        return Ok(value);
    }
    let mut measure = Measure::new(state, within);
    // A slice or a sum of lists iterates over the lists that it was made of. Assigned as it is, it
    // could be part of another one, and so on, so its items are collected.
    let is_lazy =
        value.kind() == ValueKind::Iterable && value.downcast_object_ref::<Generator>().is_none();
    let value = match is_lazy {
        true => Value::from(measure.items(&value)?),
        false => value,
    };
    measure.one(&value)?;
    measure.charge(state)?;
    Ok(value)
}

struct Measure {
    within: AllowedValues,
    /// The size of the largest value.
    max: usize,
    /// The part of it that the current value has left.
    left: usize,
    /// The size of all values so far.
    measured: usize,
}

impl Measure {
    fn new(state: &State, within: AllowedValues) -> Self {
        let max = state.lookup(SIZE).and_then(|max| max.as_usize());
        let max = max.unwrap_or(0);
        Self {
            within,
            max,
            left: max,
            measured: 0,
        }
    }

    fn one(&mut self, value: &Value) -> Result<(), Error> {
        self.left = self.max;
        self.value(value, 0)?;
        self.measured += self.max - self.left;
        Ok(())
    }

    fn charge(&self, state: &State) -> Result<(), Error> {
        state.consume_fuel((self.measured / BYTES_PER_STEP) as u64)
    }

    fn items(&mut self, value: &Value) -> Result<Vec<Value>, Error> {
        let mut items = Vec::new();
        for item in value.try_iter()?.checked() {
            self.take(VALUE_BYTES)?;
            items.push(item?);
        }
        Ok(items)
    }

    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        self.take(VALUE_BYTES + value.as_str().map_or(0, str::len))?;
        let Some(object) = value.as_object() else {
            return Ok(());
        };
        if depth == VALUE_DEPTH_MAX {
            return Err(too_much("depth", VALUE_DEPTH_MAX));
        }
        let is_data = self.within == AllowedValues::Data;
        let mut inner = |value: &Value| self.value(value, depth + 1);
        if let Some(items) = object.downcast_ref::<Vec<Value>>() {
            items.iter().try_for_each(inner)
        } else if let Some(Generator(items)) = object.downcast_ref() {
            items.iter().try_for_each(inner)
        } else if let Some(items) = object.downcast_ref::<Tuple>() {
            items.iter().try_for_each(inner)
        } else if let Some(members) = object.downcast_ref::<IndexMap<Value, Value>>() {
            let mut members = members.iter();
            members.try_for_each(|(name, value)| inner(name).and_then(|()| inner(value)))
        } else if is_data && value.kind() == ValueKind::Map {
            Err(failed("a namespace cannot be kept in a namespace"))
        } else if let Some(mut members) = object.try_iter_pairs() {
            members.try_for_each(|(_, value)| inner(&value))
        } else {
            Ok(())
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Error> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| too_much("value_bytes", self.max))?;
        Ok(())
    }
}

fn too_much(limit: &'static str, value: usize) -> Error {
    stopped(TemplateError::TooMuch { limit, value })
}
