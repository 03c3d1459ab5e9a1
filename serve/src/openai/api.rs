//! The trait `Api` for Chat Completions and Responses: reads requests and replies, writes answers.

use axum::body::Bytes;
use serde_json::{Map, Value};

use super::available_tools::AvailableTools;
use super::calls::Call;
use super::hidden_turns::HiddenTurns;
use super::refusal::Refusal;
use super::state::GatewayState;
use crate::call_result::CallResult;
use crate::tool_loop::Turn;
use crate::toolset::Toolset;

/// One of the two APIs, in the middle of a request: how requests, replies and results are written.
pub(super) trait Api: Sized + Send + Sync + 'static {
    /// Begins with what the client sent.
    fn open(request: Map<String, Value>, shared: &GatewayState) -> Result<Self, Refusal>;

    /// Returns true if the model is offered anything that is run here.
    fn offers_functions(&self) -> bool {
        self.available().is_ours()
    }

    fn available(&self) -> &AvailableTools;

    /// Adds to the request what a model needs since results were stored.
    fn offer_later(&mut self, toolset: &Toolset);

    /// The next request to the model.
    fn request(&self) -> &Map<String, Value>;

    /// The same, as the client may change it.
    fn request_mut(&mut self) -> &mut Map<String, Value>;

    /// Takes a whole reply.
    fn take_reply(&mut self, reply: Value) -> Result<(), Refusal>;

    /// Takes an event of a reply, and gives those that the client is shown.
    fn take_event(&mut self, event: Value) -> Result<Vec<Bytes>, Refusal>;

    /// The approximate number of bytes kept of this reply's events.
    fn kept_bytes(&self) -> usize;

    /// Takes note that a reply has no further events. `was_done` when the endpoint said so.
    fn end_stream(&mut self, was_done: bool) -> Result<(), Refusal>;

    /// The calls of the reply that are run here.
    fn turn(&mut self) -> Result<Turn<Call>, Refusal>;

    /// Takes the results of the turn's calls, in their order, and gives the events that the
    /// client is shown.
    fn answer(&mut self, calls: &[Call], results: Vec<CallResult>) -> Vec<Bytes>;

    /// The answer, when the last reply was a whole one.
    fn finish(&mut self, hidden_turns: &HiddenTurns) -> Result<Value, Refusal>;

    /// The last events of the answer, when the last reply was a stream.
    fn finish_stream(&mut self, hidden_turns: &HiddenTurns) -> Result<Vec<Bytes>, Refusal>;

    /// The events of a stream that breaks off.
    fn break_off(&mut self, refusal: &Refusal) -> Vec<Bytes>;
}
