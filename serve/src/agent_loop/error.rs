//! The `LoopError`: a task ended without an answer, or an agent was given a wrong name or tool.

use tool_hub_agent::prompt::{PromptError, SolutionError};

use super::model::ChatModelError;

/// A task has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] ChatModelError),
    /// The model answered with nothing at all.
    #[error("the model answered with nothing: no words and no calls")]
    Silent,
    /// The model never came to an end.
    #[error("the model has no answer after {rounds} rounds, the most there are for a task")]
    Rounds {
        /// The number of rounds.
        rounds: u32,
    },
    /// The conversation has no room left.
    #[error("the conversation holds more than {bytes_max} bytes; begin a new one")]
    TooLong {
        /// The most it may hold.
        bytes_max: usize,
    },
    /// A value cannot be given under a name.
    #[error("`{}` is not a valid name of a variable: use 1 to 64 of a-z, 0-9 and `_`, a letter first", .name.escape_default())]
    Name {
        /// The name.
        name: String,
    },
    /// The tool is no interpreter.
    #[error(
        "`{tool}` is no interpreter: it needs a function with the arguments `code`, `variables` \
         and `state`"
    )]
    NoInterpreter {
        /// The tool.
        tool: String,
    },
    /// Code was asked for, of an agent without an interpreter.
    #[error("the agent has no interpreter, so its model writes no code")]
    NoCode,
    /// The prompt cannot be written.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// The model did not write as the prompt template shows it.
    #[error("the model's answer cannot be read: {0}")]
    Unreadable(#[from] SolutionError),
    /// The person did not allow the code that was the answer.
    #[error("the person refused to run the code")]
    Refused,
    /// The code that was the answer failed.
    #[error("the code failed: {message}")]
    Code {
        /// The reason, as the interpreter writes it; a stranger's text.
        message: String,
    },
}
