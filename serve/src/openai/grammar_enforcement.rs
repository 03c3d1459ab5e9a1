//! Emulates tool calls on an endpoint that knows none: adds a grammar to requests, reads replies.
//! The grammar holds the model to a call or an answer.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tool_hub_agent::constraint::{
    Backend, ConstraintCache, EmulatedTools, WrongAnswer, emulate_tools,
};

use super::refusal::Refusal;

/// The most sets of functions whose grammars are kept: a model is offered the same ones round after
/// round.
const GRAMMARS_KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The grammars, in the form that the endpoint's server takes. Cloning is cheap.
#[derive(Clone)]
pub(super) struct GrammarEnforcement {
    backend: Backend,
    cache: Arc<Mutex<ConstraintCache>>,
}

/// The reader of the reply to a rewritten request.
pub(super) struct EnforcedReply(Option<EmulatedTools>);

impl GrammarEnforcement {
    pub(super) fn new(backend: Backend) -> Self {
        Self {
            backend,
            cache: Arc::new(Mutex::new(ConstraintCache::new(GRAMMARS_KEPT))),
        }
    }

    /// Returns true if a Chat Completions request says anything of tools.
    pub(super) fn concerns(request: &Map<String, Value>) -> bool {
        let messages = request.get("messages").and_then(Value::as_array);
        let mut messages = messages.into_iter().flatten();
        request.contains_key("tools")
            || messages.any(|message| {
                message["role"] == "tool" || message.get("tool_calls").is_some_and(Value::is_array)
            })
    }

    /// Rewrites a Chat Completions request so that the endpoint need not know of tools.
    pub(super) fn hold(&self, request: &mut Map<String, Value>) -> Result<EnforcedReply, Refusal> {
        // What a model writes is read when it is whole, whether it comes in pieces or not.
        let streams = request.shift_remove("stream");
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let emulated = emulate_tools(request, self.backend, &mut cache);
        let emulated = emulated.map_err(|error| Refusal::request(error.to_string(), None))?;
        if let Some(streams) = streams {
            request.insert("stream".to_owned(), streams);
        }
        Ok(EnforcedReply(emulated))
    }
}

impl EnforcedReply {
    /// Turns what the model wrote into the calls that it means.
    pub(super) fn read(&self, reply: &mut Value) -> Result<(), WrongAnswer> {
        match &self.0 {
            Some(emulated) => emulated.read_reply(reply),
            None => Ok(()),
        }
    }

    /// Returns true if the model is held to a call or an answer, and not free.
    pub(super) fn is_held(&self) -> bool {
        self.0.is_some()
    }
}
