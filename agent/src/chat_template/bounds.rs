//! What a value of a template may be before it gets a name.
//!
//! The engine charges fuel for steps and bytes, but walks, compares and drops a value recursively
//! and at no cost. So whatever gets a name is measured here, and neither too deep nor much larger
//! than the conversation; one expression can add to it no more often than its tag has names.

use indexmap::IndexMap;
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::TemplateError;
use super::environment::{failed, stopped};
use super::generator::Generator;

/// The filter for a value that a variable is set to.
pub(super) const NAMED: &str = "_named";
/// The filter for a value that an attribute of a namespace is set to.
pub(super) const ATTRIBUTE: &str = "_attribute";
/// The filter for what a loop goes through.
pub(super) const ITERATED: &str = "_iterated";
/// The filter for both sides of `*`.
pub(super) const FACTOR: &str = "_factor";
/// The filter `safe` where something is added to its result.
pub(super) const ADDED: &str = "_added";
/// The variable that says how large values may be. No template can name it.
pub(super) const SIZE: &str = "value bytes";

/// How deep lists and mappings may stand in each other.
pub(super) const VALUE_DEPTH_MAX: usize = 200;
/// What a value counts for beside its text, in bytes.
pub(super) const VALUE_BYTES: usize = 128;
/// How much of a value is measured in one step, in bytes.
const BYTES_PER_STEP: usize = 2048;

/// How many steps a template may take with a conversation of that size. Real ones take a quarter of
/// that at most. As each pays for 64 bytes, this is also what limits memory.
pub(super) fn steps_max(conversation_bytes: usize) -> usize {
    (200_000 + 2 * conversation_bytes).min(3_000_000)
}

/// How large a value may be.
pub(super) fn value_bytes_max(conversation_bytes: usize) -> usize {
    ((64 << 10) + 2 * conversation_bytes).min(4 << 20)
}

pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter(NAMED, |state: &State, value: Value| {
        checked(state, value, Within::Anything)
    });
    environment.add_filter(ATTRIBUTE, |state: &State, value: Value| {
        checked(state, value, Within::Data)
    });
    environment.add_filter(ITERATED, iterated);
    environment.add_filter(FACTOR, factor);
    environment.add_filter(ADDED, added);
}

/// A loop over nothing is an error in Python; the engine would take no turn.
fn iterated(state: &State, value: Value) -> Result<Value, Error> {
    if value.is_none() {
        return Err(failed("'NoneType' object is not iterable"));
    }
    // Each item gets the name, one after the other.
    if value.as_object().is_some() {
        let mut measure = Measure::new(state, Within::Anything);
        for item in value.try_iter()?.checked() {
            measure.one(&item?)?;
        }
        measure.charge(state)?;
    }
    Ok(value)
}

/// A list cannot be multiplied: the engine makes the items only when it prints them, uncharged.
fn factor(value: Value) -> Result<Value, Error> {
    match value.as_object() {
        Some(_) => Err(failed("a list cannot be multiplied")),
        None => Ok(value),
    }
}

/// Python would write what is added as HTML.
fn added(_: Value) -> Result<Value, Error> {
    Err(failed("nothing can be added to a text that is `safe`"))
}

/// Refuses for good what would take more than `bytes`, before it is made.
pub(super) fn affordable(state: &State, bytes: usize) -> Result<(), Error> {
    match state.fuel_levels() {
        Some((_, left)) if bytes as u64 / 64 >= left => Err(Error::from(ErrorKind::OutOfFuel)),
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Within {
    Anything,
    /// Neither a namespace nor a loop, in which a namespace could hold itself and be leaked.
    Data,
}

fn checked(state: &State, value: Value, within: Within) -> Result<Value, Error> {
    let mut measure = Measure::new(state, within);
    // What goes through another list one by one becomes a list of its own: otherwise it could go
    // through one that goes through one, and so on.
    let goes_through =
        value.kind() == ValueKind::Iterable && value.downcast_object_ref::<Generator>().is_none();
    let value = match goes_through {
        true => Value::from(measure.items(&value)?),
        false => value,
    };
    measure.one(&value)?;
    measure.charge(state)?;
    Ok(value)
}

struct Measure {
    within: Within,
    /// How many bytes a value may have.
    max: usize,
    /// How many of them are left.
    left: usize,
    measured: usize,
}

impl Measure {
    fn new(state: &State, within: Within) -> Self {
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
        let is_data = self.within == Within::Data;
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
