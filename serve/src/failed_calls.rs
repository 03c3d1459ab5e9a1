//! Calls that a model made in vain. Small models repeat them word by word until the rounds are
//! used up.

use tool_hub_manifest::contract::{Failure, FailureKind};

/// How often calls may be repeated in vain before the model has to answer.
const REPEATED_MAX: u32 = 3;

/// The calls of an answer that failed, since one succeeded. What succeeds may change what others
/// come to.
#[derive(Default)]
pub(crate) struct FailedCalls {
    calls: Vec<FailedCall>,
    repeated: u32,
}

struct FailedCall {
    function: String,
    arguments: String,
    failure: Failure,
}

impl FailedCalls {
    /// The failure of a call that failed before and is not made again. It is counted.
    pub(crate) fn repeated(&mut self, function: &str, arguments: &str) -> Option<Failure> {
        let is_same = |call: &&FailedCall| call.function == function && call.arguments == arguments;
        let failed = self.calls.iter().find(is_same)?;
        self.repeated += 1;
        let fix = "this call failed before and was not made again; change its arguments, call \
                   another function, or answer without it";
        Some(failed.failure.clone().with_fix(fix))
    }

    /// Takes the result of a call that was made.
    pub(crate) fn take<T>(&mut self, function: &str, arguments: &str, result: &Result<T, Failure>) {
        match result {
            Ok(_) => self.calls.clear(),
            Err(failure) if may_succeed(failure) => {}
            Err(failure) => self.calls.push(FailedCall {
                function: function.to_owned(),
                arguments: arguments.to_owned(),
                failure: failure.clone(),
            }),
        }
    }

    /// Whether the model has repeated itself so often that it should answer.
    pub(crate) fn are_repeated(&self) -> bool {
        self.repeated >= REPEATED_MAX
    }
}

/// Whether the same call may come to something else without another one between.
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
        failed.take::<()>("read", "{}", &Err(failure()));
        assert!(failed.repeated("read", "{\"a\":1}").is_none());
        assert!(failed.repeated("write", "{}").is_none());
        for _ in 0..REPEATED_MAX {
            assert!(!failed.are_repeated());
            let again = failed.repeated("read", "{}").unwrap();
            assert_eq!(again.message, "no note `a`");
        }
        assert!(failed.are_repeated());
    }

    #[test]
    fn a_call_may_come_to_something_else_after_a_success_or_later() {
        let mut failed = FailedCalls::default();
        failed.take::<()>("read", "{}", &Err(failure()));
        failed.take("write", "{}", &Ok(()));
        assert!(failed.repeated("read", "{}").is_none());
        failed.take::<()>("read", "{}", &Err(failure().retryable()));
        assert!(failed.repeated("read", "{}").is_none());
    }
}
