//! What templates find around them: Jinja as Transformers sets it up.

use jiff::civil::DateTime;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::{generator, json, source};

/// How deep macros, loops and blocks may stand in each other.
const DEPTH_MAX: usize = 200;

/// The time where nobody says what it is.
pub(super) const EPOCH: DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// What a template says when it refuses a conversation.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Raised(pub(super) String);

pub(super) fn new() -> Environment<'static> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    // Only delimiters can be wrong, and these are the usual ones.
    environment.set_syntax(syntax.build().unwrap_or_default());
    environment.set_recursion_limit(DEPTH_MAX);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(unknown_method_callback);
    environment.add_filter("tojson", json::tojson);
    environment.add_filter(source::LOOPED, looped);
    environment.add_test("sequence", is_sequence);
    environment.add_test("iterable", is_iterable);
    environment.add_function("raise_exception", raise);
    generator::add_filters(&mut environment);
    environment
}

/// The function `strftime_now`, for which it is always `now`.
pub(super) fn clock(now: DateTime) -> Value {
    Value::from_function(move |format: &str| {
        let written = jiff::fmt::strtime::format(format, now);
        written.map_err(|error| invalid(error.to_string()))
    })
}

fn raise(message: String) -> Result<Value, Error> {
    Err(invalid(message.clone()).with_source(Raised(message)))
}

pub(super) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// In Python a text and a mapping are sequences, too.
fn is_sequence(value: &Value) -> bool {
    use ValueKind::{Map, Seq, String, Undefined};
    matches!(value.kind(), String | Seq | Map | Undefined)
}

fn is_iterable(value: &Value) -> bool {
    !value.is_none() && value.try_iter().is_ok()
}

/// What a loop goes through. The engine would go through `none` without a turn.
fn looped(value: Value) -> Result<Value, Error> {
    match value.is_none() {
        true => Err(invalid("'NoneType' object is not iterable")),
        false => Ok(value),
    }
}
