//! Records a model's failed calls, and refuses to make them again when it repeats them.
//! Small models do so until the rounds are used up.

use std::borrow::Cow;

use serde_json::Value;
use tool_hub_manifest::contract::{Failure, FailureKind};

/// The number of calls that a model may repeat in vain before it has to answer.
const REPEATED_MAX: u32 = 3;

/// The calls of an answer that failed, since one succeeded. A call that succeeds may change the
/// results of others.
#[derive(Default)]
pub(super) struct FailedCalls {
    calls: Vec<FailedCall>,
    repeated: u32,
}

struct FailedCall {
    function: String,
    /// In canonical form.
    arguments: String,
    failure: Failure,
}

impl FailedCalls {
    /// The failure of a call that failed before and is not made again. It is counted.
    pub(super) fn refuse_repeated(&mut self, function: &str, arguments: &str) -> Option<Failure> {
        let is_same_function = |call: &&FailedCall| call.function == function;
        let mut same_function = self.calls.iter().filter(is_same_function).peekable();
        // Most calls are the first of their function and are not parsed.
        same_function.peek()?;
        let arguments = canonical(arguments);
        let failed = same_function.find(|call| call.arguments == arguments)?;
        self.repeated += 1;
        let fix = "this call failed before and was not made again; change its arguments, call \
                   another function, or answer without it";
        Some(failed.failure.clone().with_fix(fix))
    }

    /// Records the result of a call that was made.
    pub(super) fn record<T>(
        &mut self,
        function: &str,
        arguments: &str,
        result: &Result<T, Failure>,
    ) {
        match result {
            Ok(_) => self.calls.clear(),
            Err(failure) if may_succeed(failure) => {}
            Err(failure) => self.calls.push(FailedCall {
                function: function.to_owned(),
                arguments: canonical(arguments).into_owned(),
                failure: failure.clone(),
            }),
        }
    }

    /// Returns true if the model has repeated itself so often that it should answer.
    pub(super) fn must_answer(&self) -> bool {
        self.repeated >= REPEATED_MAX
    }
}

/// JSON without spaces and with sorted names, so that the same arguments are the same text. Text
/// that is not JSON stays as it is.
fn canonical(arguments: &str) -> Cow<'_, str> {
    match serde_json::from_str::<Value>(arguments) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string().into()
        }
        Err(_) => arguments.into(),
    }
}

/// Returns true if the same call may succeed although no other call succeeded before it.
fn may_succeed(failure: &Failure) -> bool {
    failure.retryable
        || matches!(
            failure.kind,
            FailureKind::InputRequired(_) | FailureKind::HostLimit { .. }
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure() -> Failure {
        Failure::new(FailureKind::NotFound, "no note `a`")
    }

    #[test]
    fn a_call_that_failed_is_not_made_again() {
        let mut failed = FailedCalls::default();
        failed.record::<()>("read", "{}", &Err(failure()));
        assert!(failed.refuse_repeated("read", "{\"a\":1}").is_none());
        assert!(failed.refuse_repeated("write", "{}").is_none());
        for _ in 0..REPEATED_MAX {
            assert!(!failed.must_answer());
            let again = failed.refuse_repeated("read", "{}").unwrap();
            assert_eq!(again.message, "no note `a`");
        }
        assert!(failed.must_answer());
    }

    #[test]
    fn the_same_arguments_may_be_written_differently() {
        let written = r#"{"a": {"x": [1, 2], "y": "\u00e9"}, "b": null}"#;
        let mut failed = FailedCalls::default();
        failed.record::<()>("read", written, &Err(failure()));
        for same in [
            r#"{"a":{"x":[1,2],"y":"é"},"b":null}"#,
            "\n{\"b\": null, \"a\": {\"y\": \"é\", \"x\": [1,\t2]}}",
        ] {
            assert!(failed.refuse_repeated("read", same).is_some(), "{same}");
        }
        for other in [
            r#"{"a":{"x":[2,1],"y":"é"},"b":null}"#,
            r#"{"a":{"x":[1,2],"y":"é"}}"#,
            r#"{"a":{"x":[1,2],"y":"é"},"b":"null"}"#,
        ] {
            assert!(failed.refuse_repeated("read", other).is_none(), "{other}");
        }
        // Text that is not JSON is compared as it is.
        failed.record::<()>("read", "{a: 1", &Err(failure()));
        assert!(failed.refuse_repeated("read", "{a: 1").is_some());
        assert!(failed.refuse_repeated("read", "{a:1").is_none());
    }

    #[test]
    fn a_call_may_succeed_after_another_one_or_later() {
        let mut failed = FailedCalls::default();
        failed.record::<()>("read", "{}", &Err(failure()));
        failed.record("write", "{}", &Ok(()));
        assert!(failed.refuse_repeated("read", "{}").is_none());
        failed.record::<()>("read", "{}", &Err(failure().retryable()));
        assert!(failed.refuse_repeated("read", "{}").is_none());
    }
}
