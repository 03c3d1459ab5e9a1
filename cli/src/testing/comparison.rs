//! Finds the differences of two JSON values, by value: not by notation, nor the order of members.

use serde_json::Value;

use crate::terminal::escape::escape_json;

/// The most differences that are told of one call.
const DIFFERENCES_MAX: usize = 10;
/// The longest value that is shown whole, in characters.
const SHOWN_CHARS_MAX: usize = 200;
/// The first integer that travels as a string, because programs that hold numbers as floats lose
/// digits from there on.
const WIDE_FROM: i128 = 1 << 53;

/// The differences between what was expected and what was found, a sentence each.
pub(super) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut told = Vec::new();
    compare("", Some(expected), Some(found), &mut told);
    if told.len() > DIFFERENCES_MAX {
        let more = told.len() - DIFFERENCES_MAX;
        told.truncate(DIFFERENCES_MAX);
        told.push(format!("and {more} more differences"));
    }
    told
}

fn compare(place: &str, expected: Option<&Value>, found: Option<&Value>, told: &mut Vec<String>) {
    match (expected, found) {
        // A member that is null need not be written.
        (None | Some(Value::Null), None | Some(Value::Null)) => {}
        (Some(Value::Object(expected)), Some(Value::Object(found))) => {
            for (name, value) in expected {
                compare(&member(place, name), Some(value), found.get(name), told);
            }
            for (name, value) in found {
                if !expected.contains_key(name) {
                    compare(&member(place, name), None, Some(value), told);
                }
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(found))) => {
            for index in 0..expected.len().max(found.len()) {
                let place = format!("{place}[{index}]");
                let (expected, found) = (expected.get(index), found.get(index));
                match (expected, found) {
                    // An item that is not there is not the item null.
                    (Some(_), Some(_)) => compare(&place, expected, found, told),
                    _ => told.push(difference(&place, expected, found)),
                }
            }
        }
        (Some(expected), Some(found)) if is_same(expected, found) => {}
        _ => told.push(difference(place, expected, found)),
    }
}

fn member(place: &str, name: &str) -> String {
    match place {
        "" => name.to_owned(),
        place => format!("{place}.{name}"),
    }
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i128(), b.as_i128()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (Value::Number(number), Value::String(text))
        | (Value::String(text), Value::Number(number)) => number.as_i128().is_some_and(|number| {
            (number >= WIDE_FROM || number <= -WIDE_FROM) && number.to_string() == *text
        }),
        (a, b) => a == b,
    }
}

fn difference(place: &str, expected: Option<&Value>, found: Option<&Value>) -> String {
    let place = match place {
        "" => String::new(),
        place => format!("`{place}`: "),
    };
    let excerpt = match (expected, found) {
        (Some(Value::String(a)), Some(Value::String(b))) => common(a, b),
        _ => 0,
    };
    let words = |value: Option<&Value>| match value {
        None => "nothing".to_owned(),
        Some(value) => shown(value, excerpt),
    };
    format!(
        "{place}expected {}, found {}",
        words(expected),
        words(found)
    )
}

/// The number of characters with which both texts begin.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// `value` on one line, of a long text what is around the character at `around`.
pub(super) fn shown(value: &Value, around: usize) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let length = text.chars().count();
    let quoted = |text: &str| match value {
        Value::String(_) => Value::from(text).to_string(),
        _ => text.to_owned(),
    };
    if length <= SHOWN_CHARS_MAX {
        return escape_json(&quoted(&text));
    }
    let from = around.saturating_sub(SHOWN_CHARS_MAX / 4);
    let part: String = text.chars().skip(from).take(SHOWN_CHARS_MAX).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + SHOWN_CHARS_MAX < length {
        "…"
    } else {
        ""
    };
    let part = escape_json(&quoted(&part));
    format!("{before}{part}{after} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(expected: Value, found: Value, expect: &[&str]) {
        assert_eq!(differences(&expected, &found), expect);
    }

    #[test]
    fn notation_and_order_do_not_matter() {
        check(
            json!({"a": 1, "b": [2.0]}),
            json!({"b": [2], "a": 1.0}),
            &[],
        );
        check(json!({}), json!({"a": null}), &[]);
        check(json!({"a": null}), json!({}), &[]);
        check(
            json!(18_446_744_073_709_551_615_u64),
            json!("18446744073709551615"),
            &[],
        );
    }

    #[test]
    fn different_values_are_named_with_their_place() {
        check(json!(1), json!(2), &["expected 1, found 2"]);
        check(json!(1), json!("1"), &["expected 1, found \"1\""]);
        check(
            json!({"a": {"b": [1, 2]}}),
            json!({"a": {"b": [1, 3, null]}, "c": true}),
            &[
                "`a.b[1]`: expected 2, found 3",
                "`a.b[2]`: expected nothing, found null",
                "`c`: expected nothing, found true",
            ],
        );
        check(
            json!(9_007_199_254_740_993_i64),
            json!(9_007_199_254_740_992_i64),
            &["expected 9007199254740993, found 9007199254740992"],
        );
    }

    #[test]
    fn a_long_text_is_shown_where_it_differs() {
        let text = |end: &str| Value::from(format!("{}{end}", "x".repeat(1_000)));
        let told = differences(&text("left"), &text("right"));
        assert!(told[0].contains("left\" (1004 characters)"), "{told:?}");
        assert!(told[0].len() < 700, "{told:?}");
    }

    #[test]
    fn endless_differences_are_counted() {
        let numbers = |from: i32| (from..from + 50).collect::<Vec<_>>();
        let told = differences(&json!(numbers(0)), &json!(numbers(1)));
        assert_eq!(told.len(), DIFFERENCES_MAX + 1);
        assert_eq!(told[DIFFERENCES_MAX], "and 40 more differences");
    }
}
