//! The person beside an agent: is shown what it says and does, and may refuse.

use std::pin::Pin;

use tool_hub_agent::definition::declare::Language;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::Outcome;

/// Who watches an agent.
pub trait Watcher: Send + Sync {
    /// Takes what the model says beside its calls or its code. It is a stranger's text.
    fn said(&self, text: &str) {
        let _ = text;
    }

    /// Takes what the model is told of an answer that could not be read. It may mend it.
    fn misread(&self, told: &str) {
        let _ = told;
    }

    /// Whether the agent may do this. Nothing happens before the answer.
    fn allows<'a>(&'a self, act: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

    /// Takes what came of a call.
    fn came(&self, function: &FunctionSpec, outcome: &Outcome) {
        let _ = (function, outcome);
    }

    /// Takes what code printed, or why it failed.
    fn ran(&self, printed: &str) {
        let _ = printed;
    }
}

/// Something that an agent is about to do.
#[derive(Debug, Clone, Copy)]
pub enum Act<'a> {
    /// To call a function.
    Call {
        /// The function.
        function: &'a FunctionSpec,
        /// The text of a JSON object.
        arguments: &'a str,
    },
    /// To run code. What the code calls is asked for call by call.
    Code {
        /// Its language.
        language: Language,
        /// The code, a stranger's text.
        code: &'a str,
    },
}

/// What the person says to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Allowed,
    /// No.
    Refused {
        /// What the model is told of the reason.
        why: Option<String>,
    },
}

/// Allows everything and looks away.
#[derive(Debug, Clone, Copy)]
pub struct ApproveAll;

impl Watcher for ApproveAll {
    fn allows<'a>(&'a self, _: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        Box::pin(std::future::ready(Verdict::Allowed))
    }
}
