//! The type `Generator`, and filters such as `map` and `select` that return one, as in Python.
//! It can be iterated, but has no length and cannot be written as JSON.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use minijinja::filters::{map, reject, rejectattr, select, selectattr};
use minijinja::value::{Enumerator, Object, ObjectRepr, Rest, ValueOrKwargs};
use minijinja::{Environment, Error, State, Value};

#[derive(Debug)]
pub(super) struct Generator(pub(super) Vec<Value>);

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

    fn render(self: &Arc<Self>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

type Items = Result<Vec<Value>, Error>;
type Name<'a> = Cow<'a, str>;
type Arguments = Rest<ValueOrKwargs>;
type ByTest = fn(&mut State, Value, Option<Name<'_>>, Arguments) -> Items;
type ByAttribute = fn(&mut State, Value, Name<'_>, Option<Name<'_>>, Arguments) -> Items;

pub(super) fn add_filters(environment: &mut Environment<'static>) {
    let made = |items: Items| Ok::<_, Error>(Value::from_object(Generator(items?)));
    for (name, filter) in [("select", select as ByTest), ("reject", reject)] {
        environment.add_filter(
            name,
            move |state: &mut State, items: Value, test: Option<Name<'_>>, rest: Arguments| {
                made(filter(state, items, test, rest))
            },
        );
    }
    for (name, filter) in [
        ("selectattr", selectattr as ByAttribute),
        ("rejectattr", rejectattr),
    ] {
        environment.add_filter(
            name,
            move |state: &mut State,
                  items: Value,
                  attribute: Name<'_>,
                  test: Option<Name<'_>>,
                  rest: Arguments| {
                made(filter(state, items, attribute, test, rest))
            },
        );
    }
    environment.add_filter(
        "map",
        move |state: &mut State, items: Value, rest: Arguments| made(map(state, items, rest)),
    );
}
