//! Judges a test call's outcome: by what its case expects, or that a random call did not trap.

use serde_json::Value;
use tool_hub_manifest::contract::{ContentBody, Failure, FailureKind, Outcome, Reply};

use super::case_file::{Expected, ExpectedFailure};
use super::comparison::{differences, shown};
use crate::text::reply_json::reply_json;

/// What is wrong with `outcome`, a sentence each; nothing if it is as `expected`.
///
/// # Errors
/// As [`reply_json`].
pub(super) fn of_case(expected: &Expected, outcome: &Outcome) -> anyhow::Result<Vec<String>> {
    match (expected, outcome) {
        (Expected::Answer { .. }, Outcome::Failure(failure)) => Ok(vec![failed(failure)]),
        (Expected::Answer { value, texts }, Outcome::Reply(reply)) => {
            let found = value_of(reply)?;
            let differences = value.iter().flat_map(|value| differences(value, &found));
            let mut problems: Vec<String> = differences.collect();
            let said = reply.text();
            let missing = texts.iter().filter(|text| !said.contains(text.as_str()));
            problems.extend(missing.map(|text| {
                let (text, said) = (Value::from(text.as_str()), Value::from(said.as_str()));
                format!(
                    "expected an answer that contains {text}, found {}",
                    shown(&said, 0)
                )
            }));
            Ok(problems)
        }
        (Expected::Failure(expected), Outcome::Failure(failure)) => {
            Ok(failure_problems(expected, failure))
        }
        (Expected::Failure(_), Outcome::Reply(reply)) => {
            let found = shown(&value_of(reply)?, 0);
            Ok(vec![format!(
                "expected a failure, found the answer {found}"
            )])
        }
    }
}

/// What is wrong with the end of a call with random arguments: it may fail in words, and neither
/// trap nor reach a limit of the host.
pub(super) fn of_random(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Failure(failure) if is_beyond_words(&failure.kind) => Some(failed(failure)),
        Outcome::Failure(failure) if failure.kind == FailureKind::MalformedArgument => {
            Some(format!(
                "arguments that fit the schema are not taken: {}",
                failure.message
            ))
        }
        _ => None,
    }
}

/// True if a tool that works never fails so.
fn is_beyond_words(kind: &FailureKind) -> bool {
    matches!(kind, FailureKind::Trapped | FailureKind::HostLimit { .. })
}

fn failed(failure: &Failure) -> String {
    format!("it failed ({}): {failure}", failure.kind)
}

fn failure_problems(expected: &ExpectedFailure, failure: &Failure) -> Vec<String> {
    let mut problems = Vec::new();
    let mut differs = |what: &str, expected: &str, found: &str| {
        let (expected, found) = (Value::from(expected), Value::from(found));
        problems.push(format!("{what} {expected}, found {}", shown(&found, 0)));
    };
    match &expected.kind {
        Some(kind) if kind != failure.kind.as_str() => {
            differs("expected a failure of kind", kind, failure.kind.as_str());
        }
        None if is_beyond_words(&failure.kind) => {
            differs("expected a failure in", "words", failure.kind.as_str());
        }
        _ => {}
    }
    let said = failure.to_string();
    if let Some(text) = expected.text.as_ref().filter(|text| !said.contains(*text)) {
        differs("expected a failure that contains", text, &said);
    }
    let argument = failure.argument.as_deref().unwrap_or("none");
    if let Some(expected) = expected.argument.as_ref().filter(|it| *it != argument) {
        differs(
            "expected a failure because of the argument",
            expected,
            argument,
        );
    }
    problems
}

/// The value of an answer: what programs get, else its text, else its parts.
fn value_of(reply: &Reply) -> anyhow::Result<Value> {
    if let Some(structured) = &reply.structured {
        return Ok(serde_json::from_str(structured)?);
    }
    let mut parts = reply.content.iter().map(|content| &content.body);
    if reply.content.is_empty() {
        return Ok(Value::Null);
    }
    match parts.all(|part| matches!(part, ContentBody::Text(_))) {
        true => Ok(reply.text().into()),
        false => Ok(reply_json(reply)?["content"].take()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(value: Value) -> Outcome {
        Outcome::Reply(Reply {
            structured: Some(value.to_string()),
            ..Reply::default()
        })
    }

    fn failure(kind: FailureKind) -> Outcome {
        let failure = Failure::new(kind, "there is no `x`").with_argument("name");
        failure.with_fix("use `y`").into()
    }

    #[track_caller]
    fn check(expected: &Expected, outcome: &Outcome, expect: &[&str]) {
        assert_eq!(of_case(expected, outcome).unwrap(), expect);
    }

    fn fails(kind: Option<&str>, text: Option<&str>, argument: Option<&str>) -> Expected {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Expected::Failure(ExpectedFailure {
            kind: owned(kind),
            text: owned(text),
            argument: owned(argument),
        })
    }

    #[test]
    fn answers_and_failures_are_told_apart() {
        let any = Expected::Answer {
            value: None,
            texts: Vec::new(),
        };
        check(&any, &answer(json!(1)), &[]);
        check(
            &any,
            &failure(FailureKind::NotFound),
            &["it failed (not-found): there is no `x`; use `y`"],
        );
        let two = Expected::Answer {
            value: Some(json!(2)),
            texts: vec!["lost".to_owned()],
        };
        check(
            &two,
            &answer(json!(1)),
            &[
                "expected 2, found 1",
                "expected an answer that contains \"lost\", found \"\"",
            ],
        );
    }

    #[test]
    fn a_failure_is_the_expected_one_or_told() {
        let found = failure(FailureKind::NotFound);
        check(&fails(None, None, None), &found, &[]);
        check(
            &fails(Some("not-found"), Some("use `y`"), Some("name")),
            &found,
            &[],
        );
        check(
            &fails(Some("conflict"), Some("z"), Some("text")),
            &found,
            &[
                "expected a failure of kind \"conflict\", found \"not-found\"",
                "expected a failure that contains \"z\", found \"there is no `x`; use `y`\"",
                "expected a failure because of the argument \"text\", found \"name\"",
            ],
        );
        check(
            &fails(None, None, None),
            &answer(json!("fine")),
            &["expected a failure, found the answer \"fine\""],
        );
    }

    #[test]
    fn a_trap_passes_for_a_failure_only_where_it_is_named() {
        let trapped = failure(FailureKind::Trapped);
        check(
            &fails(None, None, None),
            &trapped,
            &["expected a failure in \"words\", found \"trapped\""],
        );
        check(&fails(Some("trapped"), None, None), &trapped, &[]);
        assert!(of_random(&trapped).is_some());
        assert!(of_random(&failure(FailureKind::MalformedArgument)).is_some());
        assert!(of_random(&failure(FailureKind::Internal)).is_none());
        assert!(of_random(&answer(json!(1))).is_none());
    }
}
