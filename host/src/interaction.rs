//! The `Interaction` trait: an embedder takes a call's progress and output, and answers questions.
//! The embedder also takes the log, calls functions of other tools for the guest, and is told what
//! the call used.

pub(crate) mod usage;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome, Question};

use crate::interaction::usage::Usage;

/// The time that a person may think about a question.
pub(crate) const ANSWER_TIME_MAX: Duration = Duration::from_secs(600);

/// The agent's side of a running call. Every method has a default for an agent that cannot do what
/// it is for, so an implementation has only the others. The methods are called on threads that run
/// guests: none of them may block.
pub trait Interaction: Send + Sync {
    /// Takes note of how far the call is. Called at most about ten times a second.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// Asks the person. The answer is a JSON object that the host holds against the
    /// question's schema before the tool sees it.
    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let _ = question;
        Box::pin(std::future::ready(Answer::Unavailable))
    }

    /// The functions that a tool may call for the code that it runs. By default there are none, and
    /// a tool that imports `toolbox` finds an empty list.
    fn functions(&self) -> Vec<ToolboxFunction> {
        Vec::new()
    }

    /// Calls one of [`Interaction::functions`], for the tool, with the text of a JSON object.
    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        let _ = arguments;
        let failure = Failure::new(
            FailureKind::NotFound,
            format!("there is no function `{name}`"),
        );
        Box::pin(std::future::ready(failure.into()))
    }

    /// Takes an entry of the tool's log while the call runs. It is a stranger's text: whoever
    /// shows it escapes it. Secrets are replaced as in [`Interaction::output`].
    fn logged(&self, entry: &LogEntry) {
        let _ = entry;
    }

    /// Takes what the tool wrote to standard output, standard error and its log, once the call is
    /// over. Each is cut at [`Limits::output_stream_bytes`](tool_hub_manifest::Limits). The text is
    /// untrusted and must be escaped before it is shown. As in questions, progress and outcomes,
    /// the values of variables are replaced by `***`, except those that the user marked as plain
    /// ([`Grants::plain_variables`](tool_hub_manifest::Grants)).
    fn output(&self, output: &Output) {
        let _ = output;
    }

    /// Takes what the call used, once it is over. A call whose future is dropped has no end
    /// to tell of.
    fn used(&self, usage: &Usage) {
        let _ = usage;
    }
}

/// Nobody is there: progress goes nowhere and questions are unavailable.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Interaction for Nobody {}

/// A function beside the tool, as code finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolboxFunction {
    /// The name by which agents call it.
    pub name: String,
    /// Its description, as agents read it.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub input_schema: Value,
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The amount done, in the unit of `total`.
    pub done: f64,
    /// The whole amount, if the tool knows it.
    pub total: Option<f64>,
    /// The present step, as the tool wrote it.
    pub message: Option<String>,
}

/// The answer of a person to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The answer, a JSON object.
    Given(Value),
    /// The person said no.
    Declined,
    /// The person closed the question.
    Cancelled,
    /// Nobody can be asked.
    Unavailable,
    /// The question has to travel to the person by way of the call's outcome: the call ends
    /// with [`FailureKind::InputRequired`](crate::FailureKind::InputRequired) and is made
    /// again, whole, once the answer is there.
    Postponed,
}

impl Answer {
    /// The kind of answer, without the answer itself.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Given(_) => "given",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "unavailable",
            Self::Postponed => "postponed",
        }
    }
}

/// The output of a tool to its standard streams and its log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The log, through `wasi:logging`.
    pub log: Vec<LogEntry>,
    /// The bytes of all of them that were dropped because one was full.
    pub dropped_bytes: u64,
}

/// An entry of a tool's log, as the tool wrote it. Each is also an event of
/// `tool_hub_host::guest`, with its texts escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Its level.
    pub level: LogLevel,
    /// Groups messages as the tool likes.
    pub context: String,
    /// The message.
    pub message: String,
}

/// The level of an entry of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Every step.
    Trace,
    /// For whoever looks for a fault.
    Debug,
    /// For whoever looks after the program.
    Info,
    /// Something is odd.
    Warn,
    /// Something failed.
    Error,
    /// Nothing works any more.
    Critical,
}
