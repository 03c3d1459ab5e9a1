//! Makes an agent's call of a function, if its watcher allows it, and tells the watcher its result.

use std::sync::Arc;

use serde_json::{Map, Value};
use tool_hub_host::Nobody;
use tool_hub_manifest::contract::{Failure, FailureKind};

use super::watcher::{Act, Verdict, Watcher};
use crate::audit::FrontEnd;
use crate::prepared_call::PreparedCall;
use crate::resolved_function::ResolvedFunction;
use crate::tool_loop::CallEnd;
use crate::toolset::Toolset;

/// The reader of a function's answer.
#[derive(Clone, Copy)]
pub(super) enum Reader {
    /// The model, which is told how its arguments were read.
    Model,
    /// Code, which gets no such note: the note would be one more value of the answer.
    Code,
}

/// Calls the function that agents call `name`, if `watcher` allows it, and tells it what came.
pub(super) async fn call_function(
    toolset: &Toolset,
    watcher: &dyn Watcher,
    reader: Reader,
    name: &str,
    arguments: &Map<String, Value>,
) -> CallEnd {
    let resolved = match ResolvedFunction::find(toolset, name) {
        Ok(resolved) => resolved,
        Err(unknown) => {
            let failure = Failure::new(FailureKind::UnknownFunction, unknown.to_string());
            return CallEnd::Made(Err(failure));
        }
    };
    let mut call = PreparedCall::new(&resolved, Value::Object(arguments.clone()).to_string());
    if let Reader::Code = reader {
        call.note = None;
    }
    let spec = call.function.spec();
    // What is shown is what will run.
    let act = Act::Call {
        function: spec,
        arguments: &call.arguments,
    };
    if let Verdict::Refused { why } = watcher.allows(act).await {
        return CallEnd::NotMade(declined(why));
    }
    let outcome = call.run(FrontEnd::Loop, Arc::new(Nobody)).await;
    watcher.call_ended(spec, &outcome);
    CallEnd::Made(outcome.into_result())
}

/// The failure that the model reads of a call that the person declined.
fn declined(why: Option<String>) -> Failure {
    let failure = Failure::new(FailureKind::Failed, "the user declined this call");
    failure.with_fix(match why {
        Some(why) => format!("the user says: {why}"),
        None => "do without it, or ask the user what to do".to_owned(),
    })
}
