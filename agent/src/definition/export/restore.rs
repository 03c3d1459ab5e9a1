//! Converts arguments that a model wrote by OpenAI's strict schema back to those of the tool.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::strict::{ObjectForm, is_reshaped_text, item_name, object_form};
use crate::schema::{Document, Form, Member, Node, Presence};

/// References and choices that may follow one another without a value in between; more is a
/// circle.
const HOPS_MAX: usize = 32;
/// The most comparisons of values with schemas. Nested alternatives could otherwise take
/// exponential time.
const STEPS_MAX: usize = 1_000_000;

/// The arguments for the tool, from those that a model wrote under the strict schema of
/// `input_schema`: members that are `null` because they could not be left out are left out,
/// and what was written as JSON text, pairs or numbered items gets its own shape back.
///
/// Arguments without the strict shape stay as they are, for the tool to refuse with a reason.
pub fn from_strict(input_schema: &Value, arguments: Value) -> Value {
    let restorer = Restorer {
        document: Document::new(input_schema),
        steps_left: Cell::new(STEPS_MAX),
    };
    restorer.value(&restorer.document.root(), arguments, 0)
}

struct Restorer<'a> {
    document: Document<'a>,
    steps_left: Cell<usize>,
}

impl<'a> Restorer<'a> {
    fn value(&self, node: &Node<'a>, value: Value, hops: usize) -> Value {
        if is_reshaped_text(node, self.document) {
            return from_text(value);
        }
        match (&node.form, value) {
            (Form::Ref(name), value) => match self.document.definition(name) {
                Some(target) if hops < HOPS_MAX => self.value(&target, value, hops + 1),
                _ => value,
            },
            (Form::Union(nodes), value) => {
                match nodes.iter().find(|node| self.fits(node, &value, hops)) {
                    Some(node) if hops < HOPS_MAX => self.value(node, value, hops + 1),
                    _ => value,
                }
            }
            (Form::Array(item), Value::Array(values)) => {
                let values = values.into_iter();
                values.map(|value| self.value(item, value, 0)).collect()
            }
            (Form::Tuple(items, Some(rest)), Value::Array(values)) => values
                .into_iter()
                .enumerate()
                .map(|(index, value)| self.value(items.get(index).unwrap_or(rest), value, 0))
                .collect(),
            (Form::Tuple(items, None), Value::Object(written)) => self.tuple(items, written),
            (Form::Object(members, rest), value) => {
                match (object_form(node, members, rest), value) {
                    (ObjectForm::Members(members), Value::Object(written)) => {
                        self.members(members, written)
                    }
                    (ObjectForm::Pairs(node), Value::Array(pairs)) => self.pairs(node, pairs),
                    (_, value) => value,
                }
            }
            (_, value) => value,
        }
    }

    fn members(&self, members: &[Member<'a>], written: Map<String, Value>) -> Value {
        let mut restored = Map::new();
        for (name, value) in written {
            let Some(member) = members.iter().find(|member| member.name == name) else {
                restored.insert(name, value);
                continue;
            };
            let stands_for_nothing = value.is_null()
                && member.presence == Presence::Optional
                && (!member.node.takes_null() || is_reshaped_text(&member.node, self.document));
            if !stands_for_nothing {
                restored.insert(name, self.value(&member.node, value, 0));
            }
        }
        restored.into()
    }

    fn tuple(&self, items: &[Node<'a>], mut written: Map<String, Value>) -> Value {
        let is_whole = written.len() == items.len()
            && (0..items.len()).all(|index| written.contains_key(&item_name(index)));
        if !is_whole {
            return written.into();
        }
        let numbered = items.iter().enumerate();
        numbered
            .filter_map(|(index, item)| {
                let value = written.shift_remove(&item_name(index))?;
                Some(self.value(item, value, 0))
            })
            .collect()
    }

    fn pairs(&self, node: &Node<'a>, pairs: Vec<Value>) -> Value {
        if !pairs.iter().all(|pair| as_pair(pair).is_some()) {
            return pairs.into();
        }
        let restored = pairs.into_iter().filter_map(|mut pair| {
            let key = pair["key"].as_str()?.to_owned();
            let value = self.value(node, pair["value"].take(), 0);
            Some((key, value))
        });
        Value::Object(restored.collect())
    }

    /// True if `value` has the strict shape of `node`, to find the alternative that a model chose.
    fn fits(&self, node: &Node<'a>, value: &Value, hops: usize) -> bool {
        let Some(steps_left) = self.steps_left.get().checked_sub(1) else {
            return false;
        };
        self.steps_left.set(steps_left);
        if is_reshaped_text(node, self.document) {
            return value.is_string();
        }
        match (&node.form, value) {
            (Form::Null, value) => value.is_null(),
            (Form::Boolean, value) => value.is_boolean(),
            (Form::Integer, Value::Number(number)) => !number.is_f64(),
            (Form::Number, value) => value.is_number(),
            (Form::Text, value) => value.is_string(),
            (Form::Literals(values), value) => values.contains(&value),
            (Form::Array(item), Value::Array(values)) => {
                values.iter().all(|value| self.fits(item, value, 0))
            }
            (Form::Tuple(items, Some(rest)), Value::Array(values)) => values.iter().all(|value| {
                items
                    .iter()
                    .chain([&**rest])
                    .any(|i| self.fits(i, value, 0))
            }),
            (Form::Tuple(items, None), Value::Object(written)) => {
                written.len() == items.len()
                    && items.iter().enumerate().all(|(index, item)| {
                        let value = written.get(&item_name(index));
                        value.is_some_and(|value| self.fits(item, value, 0))
                    })
            }
            (Form::Object(members, rest), value) => {
                match (object_form(node, members, rest), value) {
                    (ObjectForm::Members(members), Value::Object(written)) => {
                        written.len() == members.len()
                            && members.iter().all(|m| self.fits_member(m, written))
                    }
                    (ObjectForm::Pairs(node), Value::Array(pairs)) => pairs
                        .iter()
                        .all(|pair| as_pair(pair).is_some_and(|value| self.fits(node, value, 0))),
                    _ => false,
                }
            }
            (Form::Union(nodes), value) => {
                hops < HOPS_MAX && nodes.iter().any(|node| self.fits(node, value, hops + 1))
            }
            (Form::Ref(name), value) => {
                let target = self.document.definition(name);
                hops < HOPS_MAX && target.is_some_and(|node| self.fits(&node, value, hops + 1))
            }
            _ => false,
        }
    }

    fn fits_member(&self, member: &Member<'a>, written: &Map<String, Value>) -> bool {
        match written.get(member.name) {
            Some(Value::Null) if member.presence == Presence::Optional => true,
            Some(value) => self.fits(&member.node, value, 0),
            None => false,
        }
    }
}

/// The value of a pair.
fn as_pair(pair: &Value) -> Option<&Value> {
    let members = pair.as_object().filter(|members| members.len() == 2)?;
    members.get("key")?.as_str()?;
    members.get("value")
}

fn from_text(value: Value) -> Value {
    match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    }
}
