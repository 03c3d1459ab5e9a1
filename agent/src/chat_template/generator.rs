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

pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter(
        "map",
        |state: &mut State, value: Value, rest: Rest<Argument>| made(map(state, value, rest)),
    );
    environment.add_filter(
        "select",
        |state: &mut State, value: Value, test: Option<Cow<'_, str>>, rest: Rest<Argument>| {
            made(select(state, value, test, rest))
        },
    );
    environment.add_filter(
        "reject",
        |state: &mut State, value: Value, test: Option<Cow<'_, str>>, rest: Rest<Argument>| {
            made(reject(state, value, test, rest))
        },
    );
    environment.add_filter(
        "selectattr",
        |state: &mut State,
         value: Value,
         name: Cow<'_, str>,
         test: Option<Cow<'_, str>>,
         rest: Rest<Argument>| { made(selectattr(state, value, name, test, rest)) },
    );
    environment.add_filter(
        "rejectattr",
        |state: &mut State,
         value: Value,
         name: Cow<'_, str>,
         test: Option<Cow<'_, str>>,
         rest: Rest<Argument>| { made(rejectattr(state, value, name, test, rest)) },
    );
}
