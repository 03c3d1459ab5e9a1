//! Configures the Jinja engine as Transformers does: syntax, limits, filters, tests, functions.

use std::sync::LazyLock;

use jiff::civil::DateTime;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, Value};

use super::error::{TemplateError, failed, stopped};
use super::limits::RECURSION_MAX;
use super::{generator, json, methods, value_limits};

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(build);

/// An environment that has no template yet.
pub(super) fn new() -> Environment<'static> {
    ENVIRONMENT.clone()
}

/// The syntax, for the engine and for the check of the source.
pub(super) fn syntax() -> SyntaxConfig {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    // Only delimiters can be wrong, and these are the usual ones.
    syntax.build().unwrap_or_default()
}

fn build() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_syntax(syntax());
    environment.set_recursion_limit(RECURSION_MAX);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_unknown_method_callback(methods::call);
    // It would print all variables.
    environment.remove_global("debug");
    environment.add_filter("tojson", json::tojson);
    environment.add_test("sequence", is_sequence);
    environment.add_test("iterable", is_iterable);
    environment.add_function("raise_exception", raise);
    generator::add_filters(&mut environment);
    value_limits::add_filters(&mut environment);
    environment
}

/// The function `strftime_now`, which always formats `now`.
pub(super) fn clock(now: DateTime) -> Value {
    Value::from_function(move |format: &str| {
        let written = jiff::fmt::strtime::format(format, now);
        written.map_err(|error| failed(error.to_string()))
    })
}

fn raise(message: String) -> Result<Value, Error> {
    Err(stopped(TemplateError::Refused { message }))
}

/// In Python a text and a mapping are sequences, too.
fn is_sequence(value: &Value) -> bool {
    use ValueKind::{Map, Seq, String, Undefined};
    matches!(value.kind(), String | Seq | Map | Undefined)
}

fn is_iterable(value: &Value) -> bool {
    !value.is_none() && value.try_iter().is_ok()
}
