//! Calls of a `Toolset` by the program that embeds it, and `Called`, a call that is over.
//! Arguments, outcomes and long answers are handled as for every other front end.

use std::future::Future;
use std::sync::Arc;

use tool_hub_agent::conversation::failure::FailureText;
use tool_hub_host::Interaction;
use tool_hub_manifest::contract::{ContentBody, Failure, Outcome, Reply, ResourceContents};
use tool_hub_manifest::{CallLimits, FunctionSpec};

use crate::audit::FrontEnd;
use crate::call_result::CallResult;
use crate::discovery;
use crate::prepared_call::PreparedCall;
use crate::resolved_function::ResolvedFunction;
use crate::toolset::Toolset;

/// A call by the program that embeds the toolset, which is over.
#[derive(Debug)]
pub struct Called {
    name: String,
    outcome: Outcome,
    /// The outcome for a model, where it is another one.
    shortened: Option<Reply>,
}

impl Called {
    /// A call of `name` that the embedder ended.
    pub fn ended(name: impl Into<String>, failure: Failure) -> Self {
        Self::whole(name.into(), failure.into())
    }

    /// The whole outcome.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The outcome as one text for a model: with words in place of pictures, without control tokens
    /// of chat templates, and no longer than the catalogue's
    /// [`Presentation`](crate::Presentation) says.
    pub fn text(&self) -> String {
        match (&self.shortened, &self.outcome) {
            (Some(reply), _) | (None, Outcome::Reply(reply)) => {
                CallResult::of_reply(reply.clone()).text()
            }
            (None, Outcome::Failure(failure)) => {
                let function = &self.name;
                FailureText { function, failure }.to_string()
            }
        }
    }
}

impl Toolset {
    /// The functions that are listed, in order: the tools' own, and those that
    /// [`Catalogue::presented`](crate::Catalogue::presented) adds.
    pub fn functions(&self) -> Vec<FunctionSpec> {
        let listed = ResolvedFunction::listed(self).into_iter();
        listed.map(|function| function.spec().clone()).collect()
    }

    /// The limits that a call of the function `name` has, as far as a caller may lower them. Absent
    /// if there is no such function, or none of a tool's.
    pub fn call_limits(&self, name: &str) -> Option<CallLimits> {
        let function = ResolvedFunction::find(self, name).ok()?;
        let tool = self.called(&function.entry().ok()?.offer.tool);
        Some(CallLimits::from(*tool.limits()))
    }

    /// Calls the function that agents call `name`, for the program that embeds the toolset, with
    /// `arguments`, the text of a JSON object or of something that can be read as the one that was
    /// meant. Dropping the future stops the call. Whatever goes wrong is a failure written for the
    /// agent.
    ///
    /// The future panics outside of a tokio runtime with its timer and I/O enabled.
    pub fn call(
        &self,
        name: &str,
        arguments: String,
        interaction: Arc<dyn Interaction>,
    ) -> impl Future<Output = Called> + Send + use<> {
        let (function, name) = (ResolvedFunction::find(self, name), name.to_owned());
        async move {
            let call = match function {
                Ok(function) => PreparedCall::new(&function, arguments),
                Err(unknown) => {
                    let outcome = discovery::unknown(unknown.to_string()).into();
                    return Called::whole(name, outcome);
                }
            };
            let outcome = call.run_whole(FrontEnd::Embedded, interaction).await;
            let mut called = Called::whole(name, outcome);
            if let (Some(max), Outcome::Reply(reply)) = (call.text_bytes_max(), &called.outcome)
                && reply_bytes(reply) > max
            {
                let shortened = call.shortened(Outcome::Reply(reply.clone()), max);
                called.shortened = shortened.into_result().ok();
            }
            called
        }
    }
}

impl Called {
    fn whole(name: String, outcome: Outcome) -> Self {
        Self {
            name,
            outcome,
            shortened: None,
        }
    }
}

/// A bound on the bytes of a reply's texts.
fn reply_bytes(reply: &Reply) -> usize {
    let structured = reply.structured.as_ref().map_or(0, String::len);
    let content = reply.content.iter().map(|content| match &content.body {
        ContentBody::Text(text) => text.len(),
        ContentBody::Resource(resource) => match &resource.contents {
            ResourceContents::Text(text) => text.len(),
            ResourceContents::Blob(_) => 0,
        },
        _ => 0,
    });
    structured.max(content.sum())
}
