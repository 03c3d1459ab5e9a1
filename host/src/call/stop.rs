//! The `Stop` error: the reasons for which the host itself ends a call.

use std::fmt;

use tool_hub_manifest::contract::{Failure, Question};

/// A reason for which the host itself ends a call.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// The guest's code ran too long.
    Cpu,
    /// The call took too long.
    Wall,
    /// The guest asked a question that has to be answered first.
    Question(Box<Question>),
    /// The guest wrote too much to the streams and futures of its result.
    Streamed,
    /// The guest ended a future of its result without a value.
    NoValue,
    /// A stream or a future has items of another type than the function was loaded with.
    StreamType,
    /// The instance lacks an export that its component has.
    MissingExport,
    /// The program of a tool cannot be run by its interpreter.
    Program(String),
    /// A call of a dependency failed otherwise than its type says: the function and the failure.
    Dependency(String, Box<Failure>),
    /// A program used an interface that its component does not import.
    NotImported(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotImported(interface) => {
                return write!(
                    f,
                    "the program uses {interface}, which its component does not import: import it \
                     in the world of the project"
                );
            }
            Self::Dependency(function, failure) => {
                return write!(f, "its call of `{function}` failed: {}", failure.message);
            }
            Self::Program(_) => "the interpreter cannot run the program",
            Self::Cpu => "the guest's code ran too long",
            Self::Wall => "the call took too long",
            Self::Question(_) => "the guest asked a question",
            Self::Streamed => "the guest wrote too much to its streams",
            Self::NoValue => "the tool ended a future of its result without a value",
            Self::StreamType => "a stream has items of another type than it was loaded with",
            Self::MissingExport => "the instance lacks the function's export",
        })
    }
}

impl std::error::Error for Stop {}
