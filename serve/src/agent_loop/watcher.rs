//! The `Watcher` trait: sees what an agent says, allows or refuses its acts; and `ApproveAll`.

use std::pin::Pin;

use tool_hub_agent::definition::declare::Language;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::Outcome;

/// An observer of an agent, who may refuse what it does.
pub trait Watcher: Send + Sync {
    /// Takes what the model says beside its calls or its code. It is a stranger's text.
    fn model_said(&self, text: &str) {
        let _ = text;
    }

    /// Takes what the model is told of an answer that could not be read; the model may mend it.
    fn misread(&self, told: &str) {
        let _ = told;
    }

    /// Decides if the agent may do this. Nothing happens before the answer.
    fn allows<'a>(&'a self, act: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

    /// Takes what came of a call.
    fn call_ended(&self, function: &FunctionSpec, outcome: &Outcome) {
        let _ = (function, outcome);
    }

    /// Takes what code printed, or why it failed.
    fn code_printed(&self, printed: &str) {
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

/// The person's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Allowed,
    /// No.
    Refused {
        /// The reason that the model is told.
        why: Option<String>,
    },
}

/// Allows everything and ignores what it is shown.
#[derive(Debug, Clone, Copy)]
pub struct ApproveAll;

impl Watcher for ApproveAll {
    fn allows<'a>(&'a self, _: Act<'a>) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        Box::pin(std::future::ready(Verdict::Allowed))
    }
}
