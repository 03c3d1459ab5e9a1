//! The problems of an answer, worded for the model that wrote it, and counted up to a limit.

use std::fmt;

/// The length to which the model's text is cut in a message to it, in characters.
const SHOWN_MAX: usize = 200;

/// The most problems of an answer that are reported.
const PROBLEMS_MAX: usize = 128;

/// A part of an answer that could not be read. [`fmt::Display`] says what was expected, what was
/// found, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerProblem {
    /// The answer ends within a call.
    CutOff {
        /// All of the call that there is, markers included.
        written: String,
    },
    /// A call could not be read.
    Unreadable {
        /// All of it, markers included.
        written: String,
        /// The fault.
        reason: String,
    },
    /// The answer ends within the model's reasoning.
    ReasoningCutOff,
    /// The answer is longer than is read; the rest is left out.
    TooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// There are more calls than are read; the others are left out.
    TooManyCalls {
        /// The limit.
        calls_max: usize,
    },
    /// There are more problems than are reported; the others are left out.
    TooManyProblems {
        /// The limit.
        problems_max: usize,
    },
}

impl AnswerProblem {
    /// True if the answer exceeds a limit.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::TooLong { .. } | Self::TooManyCalls { .. } | Self::TooManyProblems { .. }
        )
    }
}

impl fmt::Display for AnswerProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutOff { written } => write!(
                f,
                "The answer ends within a call, which was not made: `{}`.\n\
                 To mend it: write the whole call again, with shorter arguments if it is long.",
                shortened(written)
            ),
            Self::Unreadable { written, reason } => write!(
                f,
                "A call could not be read, and was not made: {reason}. It reads `{}`.\n\
                 To mend it: write the call again in the form that the system prompt shows.",
                shortened(written)
            ),
            Self::ReasoningCutOff => f.write_str(
                "The answer ends within the reasoning, before anything was said or called.\n\
                 To mend it: answer again with less reasoning.",
            ),
            Self::TooLong { bytes_max } => write!(
                f,
                "The answer is longer than {bytes_max} bytes, and what comes after them was not read.\n\
                 To mend it: answer in several turns."
            ),
            Self::TooManyCalls { calls_max } => write!(
                f,
                "The answer has more than {calls_max} calls, and what comes after them was not made.\n\
                 To mend it: make the others in another turn."
            ),
            Self::TooManyProblems { problems_max } => write!(
                f,
                "More than {problems_max} parts of the answer could not be read, and the others are not told.\n\
                 To mend it: write each call once, in the form that the system prompt shows."
            ),
        }
    }
}

/// Counts the problems of an answer. After the limit one more tells that there are others.
#[derive(Debug, Default)]
pub(super) struct Problems {
    reported: usize,
}

impl Problems {
    /// The problem to report, or none beyond the limit. `problem` builds it, since it may contain
    /// much of the answer.
    pub(super) fn limited(
        &mut self,
        problem: impl FnOnce() -> AnswerProblem,
    ) -> Option<AnswerProblem> {
        let problems_max = PROBLEMS_MAX;
        let problem = match self.reported {
            reported if reported < problems_max => problem(),
            reported if reported == problems_max => AnswerProblem::TooManyProblems { problems_max },
            _ => return None,
        };
        self.reported += 1;
        Some(problem)
    }
}

/// The beginning and the end of a long text.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_MAX {
        return text.to_owned();
    }
    let half = SHOWN_MAX / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head} … {tail}")
}
