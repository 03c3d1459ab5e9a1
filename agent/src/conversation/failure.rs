//! Writes text that tells a model why its call failed and what to do, or what a tool advises next.

use std::fmt;

use tool_hub_manifest::contract::{Failure, FailureKind};

/// A failed call, ready to be written for the model that made it. [`fmt::Display`] writes
/// one sentence a line and no final line feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureText<'a> {
    /// The function, by the name the agent called.
    pub function: &'a str,
    /// The reason why the call failed. Its argument is not named again when the message does.
    pub failure: &'a Failure,
}

impl FailureText<'_> {
    /// The failure and its cause, without the advice for the model.
    pub fn summary(&self) -> String {
        let Failure { kind, message, .. } = self.failure;
        let kind = match kind {
            FailureKind::Failed => String::new(),
            kind => format!(" ({})", kind.as_str().replace('-', " ")),
        };
        let summary = format!("`{}` failed{kind}: {}", self.function, message.trim());
        match &self.failure.argument {
            Some(argument) if !message.contains(&format!("`{argument}`")) => {
                format!("{summary}\nArgument at fault: `{argument}`")
            }
            _ => summary,
        }
    }

    fn advice(&self) -> &'static str {
        match (self.failure.retryable, &self.failure.kind) {
            (true, FailureKind::Conflict) => "Read the present state, then call again.",
            (true, _) => "The same call may succeed later.",
            (false, FailureKind::InvalidArgument | FailureKind::MalformedArgument) => {
                "Call again with changed arguments."
            }
            (false, FailureKind::NotFound) => "Call again with the name of something that exists.",
            (false, FailureKind::PermissionDenied | FailureKind::Denied { .. }) => {
                "Do not call again; tell the user which permission is missing."
            }
            (false, FailureKind::LimitReached | FailureKind::HostLimit { .. }) => {
                "Call again with less to do at once."
            }
            (false, FailureKind::UnknownFunction) => "Call one of the functions that are offered.",
            (false, _) => "Do not repeat this call unchanged.",
        }
    }
}

impl fmt::Display for FailureText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        if let Some(fix) = &self.failure.fix {
            write!(f, "\nTo mend it: {}", fix.trim())?;
        }
        write!(f, "\n{}", self.advice())
    }
}

/// A tool's suggestion for the next step, worded for a model.
pub fn next_text(next: &str) -> String {
    format!("Next: {}", next.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(failure: &Failure) -> String {
        let function = "evaluate";
        FailureText { function, failure }.to_string()
    }

    #[test]
    fn the_whole_story() {
        let failure = Failure::new(FailureKind::InvalidArgument, "cannot add `m` and `kg`\n")
            .with_fix("use units of the same kind on both sides of `+`")
            .with_argument("expression");
        assert_eq!(
            text(&failure),
            "`evaluate` failed (invalid argument): cannot add `m` and `kg`\n\
             Argument at fault: `expression`\n\
             To mend it: use units of the same kind on both sides of `+`\n\
             Call again with changed arguments.",
        );
    }

    #[test]
    fn a_tool_that_only_said_what_went_wrong() {
        assert_eq!(
            text(&Failure::new(FailureKind::Failed, "the table is empty")),
            "`evaluate` failed: the table is empty\nDo not repeat this call unchanged.",
        );
    }

    #[test]
    fn advice_follows_the_kind() {
        let limit = FailureKind::HostLimit {
            limit: "memory_bytes",
            value: 1,
        };
        for (kind, retryable, advice) in [
            (
                FailureKind::Unavailable,
                true,
                "The same call may succeed later.",
            ),
            (
                FailureKind::Conflict,
                true,
                "Read the present state, then call again.",
            ),
            (
                FailureKind::Conflict,
                false,
                "Do not repeat this call unchanged.",
            ),
            (
                FailureKind::NotFound,
                false,
                "Call again with the name of something that exists.",
            ),
            (
                FailureKind::PermissionDenied,
                false,
                "Do not call again; tell the user which permission is missing.",
            ),
            (limit, false, "Call again with less to do at once."),
            (
                FailureKind::Trapped,
                false,
                "Do not repeat this call unchanged.",
            ),
        ] {
            let shown = kind.as_str().replace('-', " ");
            let failure = Failure::new(kind, "the table is empty");
            let failure = match retryable {
                true => failure.retryable(),
                false => failure,
            };
            assert_eq!(
                text(&failure),
                format!("`evaluate` failed ({shown}): the table is empty\n{advice}"),
            );
        }
    }

    #[test]
    fn what_to_do_next() {
        assert_eq!(next_text(" Read it back. "), "Next: Read it back.");
    }
}
