//! What Python's filters give that make one item after the other: it can be looped over, and
//! neither counted nor written as JSON.

use std::borrow::Cow;
use std::sync::Arc;

use minijinja::filters::{map, reject, rejectattr, select, selectattr};
use minijinja::value::ValueOrKwargs as Argument;
use minijinja::value::{Enumerator, Object, ObjectRepr, Rest};
use minijinja::{Environment, Error, State, Value};

#[derive(Debug)]
pub(super) struct Generator(Vec<Value>);

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.clone())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        None
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

type Made = Result<Value, Error>;

fn made(items: Result<Vec<Value>, Error>) -> Made {
    Ok(Value::from_object(Generator(items?)))
}

type OfItems =
    fn(&mut State, Value, Option<Cow<'_, str>>, Rest<Argument>) -> Result<Vec<Value>, Error>;
type OfMembers = fn(
    &mut State,
    Value,
    Cow<'_, str>,
    Option<Cow<'_, str>>,
    Rest<Argument>,
) -> Result<Vec<Value>, Error>;

pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter(
        "map",
        |state: &mut State, value: Value, rest: Rest<Argument>| made(map(state, value, rest)),
    );
    for (name, filter) in [("select", select as OfItems), ("reject", reject)] {
        environment.add_filter(
            name,
            move |state: &mut State,
                  value: Value,
                  test: Option<Cow<'_, str>>,
                  rest: Rest<Argument>| made(filter(state, value, test, rest)),
        );
    }
    for (name, filter) in [
        ("selectattr", selectattr as OfMembers),
        ("rejectattr", rejectattr),
    ] {
        environment.add_filter(
            name,
            move |state: &mut State,
                  value: Value,
                  member: Cow<'_, str>,
                  test: Option<Cow<'_, str>>,
                  rest: Rest<Argument>| {
                made(filter(state, value, member, test, rest))
            },
        );
    }
}
