//! Rules out values whose form a schema forbids, in bounded steps; it is no full validation.
//! A value that does not fit is never valid; one that fits may still violate keywords that forms do
//! not cover.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::schema::equality::{is_whole, same};
use crate::schema::{Document, Form, Member, Node, Presence, Rest};

/// References that may follow one another without a value in between; more is a circle.
pub(crate) const HOPS_MAX: usize = 32;
/// The most comparisons of values with schemas. Nested alternatives could otherwise take
/// exponential time.
const STEPS_MAX: usize = 200_000;
/// The bytes of text that are as much work as one comparison.
const STEP_BYTES: usize = 256;
/// The cost of a definition, which is read whole, in comparisons.
const DEFINITION_STEPS: usize = 100;

/// Compares values with the schemas of a document, up to a limit.
pub(crate) struct Fit<'a> {
    pub(crate) document: Document<'a>,
    steps_left: Cell<usize>,
}

impl<'a> Fit<'a> {
    pub(crate) fn new(document: Document<'a>) -> Self {
        Self {
            document,
            steps_left: Cell::new(STEPS_MAX),
        }
    }

    /// Pays for one look at `value`; false if the budget is spent.
    pub(crate) fn charge(&self, value: &Value) -> bool {
        let text = value.as_str().map_or(0, str::len);
        self.pay_steps(1 + text / STEP_BYTES)
    }

    fn pay_steps(&self, steps: usize) -> bool {
        let left = self.steps_left.get().checked_sub(steps);
        self.steps_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The definition of `name`, unless the budget is spent.
    pub(crate) fn definition(&self, name: &str) -> Option<Node<'a>> {
        let is_paid = self.pay_steps(DEFINITION_STEPS);
        self.document.definition(name).filter(|_| is_paid)
    }

    /// True while the budget is not spent.
    pub(crate) fn is_paid(&self) -> bool {
        self.steps_left.get() > 0
    }

    /// True if `value` can be valid for `node`.
    pub(crate) fn fits(&self, node: &Node<'a>, value: &Value, hops: usize) -> bool {
        if !self.charge(value) {
            return true;
        }
        match (&node.form, value) {
            (Form::Any, _) => true,
            (Form::Null, value) => value.is_null(),
            (Form::Boolean, value) => value.is_boolean(),
            (Form::Integer, value) => is_whole(value),
            (Form::Number, value) => value.is_number(),
            (Form::Text, value) => value.is_string(),
            (Form::Literals(literals), value) => literals.iter().any(|one| same(one, value)),
            (Form::Array(item), Value::Array(values)) => {
                values.iter().all(|value| self.fits(item, value, 0))
            }
            (Form::Tuple(items, rest), Value::Array(values)) => {
                let each = values.iter().enumerate();
                each.into_iter().all(|(index, value)| {
                    let item = items.get(index).or(rest.as_deref());
                    item.is_none_or(|item| self.fits(item, value, 0))
                })
            }
            (Form::Object(members, rest), Value::Object(values)) => {
                self.object_fits(node, members, rest, values)
            }
            // A schema that has only keywords of arrays or objects allows all other values.
            (Form::Array(_) | Form::Tuple(..) | Form::Object(..), _) => {
                node.keyword("type").is_none()
            }
            (Form::Union(nodes), value) => nodes.iter().any(|node| self.fits(node, value, hops)),
            (Form::Ref(name), value) => match self.definition(name) {
                Some(target) if hops < HOPS_MAX => self.fits(&target, value, hops + 1),
                _ => true,
            },
        }
    }

    fn object_fits(
        &self,
        node: &Node<'a>,
        members: &[Member<'a>],
        rest: &Rest<'a>,
        values: &Map<String, Value>,
    ) -> bool {
        let is_complete = members.iter().all(|member| {
            member.presence == Presence::Optional || values.contains_key(member.name)
        });
        is_complete
            && values.iter().all(|(name, value)| {
                match (members.iter().find(|member| member.name == name), rest) {
                    (Some(member), _) => self.fits(&member.node, value, 0),
                    (None, _) if has_patterns(node) => true,
                    (None, Rest::Closed) => false,
                    (None, Rest::Typed(rest)) => self.fits(rest, value, 0),
                    (None, Rest::Unsaid | Rest::Open) => true,
                }
            })
    }
}

/// True if unlisted members may have schemas of their own, by patterns of names.
pub(crate) fn has_patterns(node: &Node<'_>) -> bool {
    node.keyword("patternProperties").is_some()
}
