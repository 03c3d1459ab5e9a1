//! Calls of a toolset by the program that embeds it: with arguments, outcomes and long answers
//! handled as for every other front end.

use std::future::Future;
use std::sync::Arc;

use tool_hub_host::Interaction;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Outcome, Reply};

use crate::audit::FrontEnd;
use crate::call_result::CallResult;
use crate::discovery;
use crate::prepared_call::PreparedCall;
use crate::resolved_function::ResolvedFunction;
use crate::toolset::Toolset;

impl Toolset {
    /// The functions that are listed, in order: the tools' own, and those that
    /// [`Catalogue::presented`](crate::Catalogue::presented) adds.
    pub fn functions(&self) -> Vec<FunctionSpec> {
        let listed = ResolvedFunction::listed(self).into_iter();
        listed.map(|function| function.spec().clone()).collect()
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
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let function = ResolvedFunction::find(self, name);
        async move {
            match function {
                Ok(function) => {
                    let call = PreparedCall::new(&function, arguments);
                    call.run(FrontEnd::Embedded, interaction).await
                }
                Err(unknown) => Outcome::Failure(discovery::unknown(unknown.to_string())),
            }
        }
    }
}

/// A reply as one text for a model: with words in place of pictures, without control tokens of chat
/// templates, and no longer than a model reads.
pub fn reply_text(reply: Reply) -> String {
    CallResult::of_reply(reply).text()
}
