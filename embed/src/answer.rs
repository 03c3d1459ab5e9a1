//! The `Answer` of a call as plain data: the value, the text for a model, the failure, the usage.

use tool_hub_agent::conversation::failure::FailureText;
use tool_hub_host::{Content, ContentBody, Failure, Outcome, Reply, Role, Usage};
use tool_hub_serve::Called;

/// A call that is over.
#[derive(Debug)]
pub struct Answer {
    called: Called,
    usage: Option<Usage>,
}

impl Answer {
    pub(crate) fn new(called: Called, usage: Option<Usage>) -> Self {
        Self { called, usage }
    }

    /// The failure, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self.called.outcome() {
            Outcome::Failure(failure) => Some(failure),
            Outcome::Reply(_) => None,
        }
    }

    /// The value as JSON text, if the function has one.
    pub fn structured(&self) -> Option<&str> {
        self.reply()?.structured.as_deref()
    }

    /// The parts, in the order in which they are to be read.
    pub fn content(&self) -> &[Content] {
        self.reply().map_or(&[], |reply| &reply.content)
    }

    /// The parts that answer the caller: without notes for a model.
    pub fn value_parts(&self) -> impl Iterator<Item = &ContentBody> {
        let for_anybody = |part: &&Content| {
            let annotations = part.annotations.as_ref();
            annotations.is_none_or(|hints| hints.audience != [Role::Assistant])
        };
        self.content()
            .iter()
            .filter(for_anybody)
            .map(|part| &part.body)
    }

    /// The tool's suggestion for the next step.
    pub fn next(&self) -> Option<&str> {
        self.reply()?.next.as_deref()
    }

    /// The reply or the failure as a model is shown it, shortened where the tools are presented to
    /// one.
    pub fn text(&self) -> String {
        self.called.text()
    }

    /// The time and bytes that the call used. Absent if it never began.
    pub fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    fn reply(&self) -> Option<&Reply> {
        match self.called.outcome() {
            Outcome::Reply(reply) => Some(reply),
            Outcome::Failure(_) => None,
        }
    }
}

/// A failure of `function` as a model is shown it.
pub fn failure_text(function: &str, failure: &Failure) -> String {
    FailureText { function, failure }.to_string()
}
