//! Lets templates call Python's methods, such as `split`, and refuses results that are too large.
//! The steps that are left must pay for a result.

use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::error::failed;
use super::value_limits::{VALUE_BYTES, affordable};

/// Calls the method `name` of `value`.
pub(super) fn call(
    state: &mut State,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        match (name, args) {
            // The engine's filters check the size of a text before they make it.
            ("replace", _) => return state.apply_filter(name, &with_first(value, args)),
            ("join", [items]) => {
                return state.apply_filter(name, &[items.clone(), value.clone()]);
            }
            ("split" | "splitlines", _) => affordable(state, text.len() * VALUE_BYTES)?,
            ("format", _) => affordable(state, formatted_bytes(text, args)?)?,
            _ => {}
        }
    }
    unknown_method_callback(state, value, name, args)
}

fn with_first(value: &Value, args: &[Value]) -> Vec<Value> {
    [std::slice::from_ref(value), args].concat()
}

/// The most bytes that `format` makes: for each field all arguments, and the largest number in it
/// as its width.
fn formatted_bytes(format: &str, args: &[Value]) -> Result<usize, Error> {
    let mut longest = 0;
    for arg in args {
        longest += match arg.kind() {
            ValueKind::String => arg.as_str().map_or(0, str::len),
            ValueKind::Number | ValueKind::Bool | ValueKind::None | ValueKind::Undefined => 400,
            _ => return Err(failed("only texts and numbers can be formatted")),
        };
    }
    let mut bytes = format.len();
    for field in format.split('{').skip(1) {
        let field = field.split('}').next().unwrap_or_default();
        let numbers = field.split(|character: char| !character.is_ascii_digit());
        let widest = numbers.filter(|number| !number.is_empty());
        let widest = widest.map(|number| number.parse().unwrap_or(usize::MAX));
        let widest: usize = widest.max().unwrap_or(0);
        bytes = bytes.saturating_add(longest.saturating_add(widest));
    }
    Ok(bytes)
}
