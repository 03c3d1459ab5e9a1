//! A failed call as a model should read it: what went wrong, where, how to mend it, and
//! whether calling again makes sense.

use std::fmt;

/// A failed call, ready to be written for the model that made it. [`fmt::Display`] writes
/// one sentence a line and no final line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureText<'a> {
    /// The function, by the name the agent called.
    pub function: &'a str,
    /// What kind of failure it was: a kind of the contract in `wit/types.wit`, such as
    /// `invalid-argument`, or one that only a host can find: `failed` (the tool did not
    /// say), `unknown-function`, `denied`, `host-limit`, `trapped`. Another name is shown
    /// and gets no advice of its own.
    pub kind: &'a str,
    /// What went wrong, in one sentence.
    pub message: &'a str,
    /// What to change so that the next call succeeds.
    pub fix: Option<&'a str>,
    /// The argument at fault, as a path: `items[2].price`. It is not named again when the
    /// message does.
    pub argument: Option<&'a str>,
    /// Whether the same call, unchanged, may succeed later.
    pub retryable: bool,
}

impl FailureText<'_> {
    fn advice(&self) -> &'static str {
        match (self.retryable, self.kind) {
            (true, "conflict") => "Read the present state, then call again.",
            (true, _) => "The same call may succeed later.",
            (false, "invalid-argument") => "Call again with changed arguments.",
            (false, "not-found") => "Call again with the name of something that exists.",
            (false, "permission-denied" | "denied") => {
                "Do not call again; tell the user which permission is missing."
            }
            (false, "limit-reached" | "host-limit") => "Call again with less to do at once.",
            (false, "unknown-function") => "Call one of the functions that are offered.",
            (false, _) => "Do not repeat this call unchanged.",
        }
    }
}

impl fmt::Display for FailureText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed", self.function)?;
        if self.kind != "failed" {
            write!(f, " ({})", self.kind.replace('-', " "))?;
        }
        write!(f, ": {}", self.message.trim())?;
        if let Some(argument) = self.argument
            && !self.message.contains(&format!("`{argument}`"))
        {
            write!(f, "\nArgument at fault: `{argument}`")?;
        }
        if let Some(fix) = self.fix {
            write!(f, "\nTo mend it: {}", fix.trim())?;
        }
        write!(f, "\n{}", self.advice())
    }
}

/// What a reply suggests to do next, as a model should read it.
pub fn next_text(next: &str) -> String {
    format!("Next: {}", next.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: FailureText<'_> = FailureText {
        function: "evaluate",
        kind: "internal",
        message: "the table is empty",
        fix: None,
        argument: None,
        retryable: false,
    };

    #[track_caller]
    fn check(failure: FailureText<'_>, expect: &str) {
        assert_eq!(failure.to_string(), expect);
    }

    #[test]
    fn the_whole_story() {
        check(
            FailureText {
                kind: "invalid-argument",
                message: "cannot add `m` and `kg`\n",
                fix: Some("use units of the same kind on both sides of `+`"),
                argument: Some("expression"),
                ..PLAIN
            },
            "`evaluate` failed (invalid argument): cannot add `m` and `kg`\n\
             Argument at fault: `expression`\n\
             To mend it: use units of the same kind on both sides of `+`\n\
             Call again with changed arguments.",
        );
    }

    #[test]
    fn a_tool_that_only_said_what_went_wrong() {
        check(
            FailureText {
                kind: "failed",
                ..PLAIN
            },
            "`evaluate` failed: the table is empty\nDo not repeat this call unchanged.",
        );
    }

    #[test]
    fn advice_follows_the_kind() {
        for (kind, retryable, advice) in [
            ("unavailable", true, "The same call may succeed later."),
            ("conflict", true, "Read the present state, then call again."),
            ("conflict", false, "Do not repeat this call unchanged."),
            (
                "not-found",
                false,
                "Call again with the name of something that exists.",
            ),
            (
                "permission-denied",
                false,
                "Do not call again; tell the user which permission is missing.",
            ),
            ("host-limit", false, "Call again with less to do at once."),
            ("something-new", false, "Do not repeat this call unchanged."),
        ] {
            let failure = FailureText {
                kind,
                retryable,
                ..PLAIN
            };
            let shown = kind.replace('-', " ");
            check(
                failure,
                &format!("`evaluate` failed ({shown}): the table is empty\n{advice}"),
            );
        }
    }

    #[test]
    fn what_to_do_next() {
        assert_eq!(next_text(" Read it back. "), "Next: Read it back.");
    }
}
