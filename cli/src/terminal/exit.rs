//! The exit codes of the command.

use std::process::ExitCode;

/// The exit code when the reader of standard output went away: what a shell reports of any
/// program that a closed pipe ended, 128 and the number of SIGPIPE.
pub(crate) const CLOSED_PIPE: u8 = 128 + 13;

/// The exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The user can mend it.
    User = 1,
    /// An internal error.
    Unexpected = 2,
    /// A policy refused it: a digest, an approval, a limit.
    Refused = 3,
    /// The user stopped it: what a shell says of a program that Ctrl-C ended.
    Interrupted = 130,
}

impl Exit {
    /// The code of an error that is a refusal, or else one that the user can mend.
    pub(crate) fn of_refusal(is_refusal: bool) -> Self {
        match is_refusal {
            true => Self::Refused,
            false => Self::User,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
