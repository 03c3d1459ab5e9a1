//! `Chat` implements `Api` for Chat Completions, and keeps for later what its client did not see.

mod reply;
mod stream;

use std::collections::HashSet;

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use super::api::Api;
use super::available_tools::{AvailableTools, Dialects};
use super::calls::{Call, fresh_id};
use super::hidden_turns::{HiddenTurns, Turn as HiddenTurn};
use super::refusal::Refusal;
use super::state::GatewayState;
use super::usage::Usage;
use crate::call_result::CallResult;
use crate::tool_loop::{Next, Turn};
use crate::toolset::Toolset;
use reply::{Reply, ToolCall};
use stream::Stream;

/// A request under way.
pub(super) struct Chat {
    request: Map<String, Value>,
    messages: Vec<Value>,
    /// The number of messages that the client knows of.
    known: usize,
    available: AvailableTools,
    ids: HashSet<String>,
    reply: Reply,
    /// The calls of the last reply.
    calls: Vec<ToolCall>,
    usage: Usage,
    stream: Stream,
}

impl Api for Chat {
    fn open(mut request: Map<String, Value>, shared: &GatewayState) -> Result<Self, Refusal> {
        let Some(Value::Array(messages)) = request.get_mut("messages").map(Value::take) else {
            return Err(Refusal::request(
                "`messages` must be an array",
                Some("messages"),
            ));
        };
        let messages = restored(messages, &shared.hidden_turns);
        let strictness = shared.gateway.strictness;
        let available =
            AvailableTools::add(&mut request, &shared.toolset, strictness, &Dialects::CHAT)?;
        if available.is_ours() || shared.gateway.enforcement(&request).is_some() {
            check(&request)?;
        }
        let mut chat = Self {
            request,
            known: messages.len(),
            messages,
            available,
            ids: HashSet::new(),
            reply: Reply::default(),
            calls: Vec::new(),
            usage: Usage::default(),
            stream: Stream::default(),
        };
        chat.write_messages();
        Ok(chat)
    }

    fn available(&self) -> &AvailableTools {
        &self.available
    }

    fn offer_later(&mut self, toolset: &Toolset) {
        self.available.add_later(&mut self.request, toolset);
    }

    fn request(&self) -> &Map<String, Value> {
        &self.request
    }

    fn request_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.request
    }

    fn take_reply(&mut self, reply: Value) -> Result<(), Refusal> {
        self.reply = Reply::read(reply)?;
        self.usage.add(self.reply.usage());
        Ok(())
    }

    fn take_event(&mut self, event: Value) -> Result<Vec<Bytes>, Refusal> {
        self.stream.take(event, &mut self.reply)
    }

    fn kept_bytes(&self) -> usize {
        self.reply.kept_bytes
    }

    fn end_stream(&mut self, was_done: bool) -> Result<(), Refusal> {
        self.usage.add(self.stream.end_round().as_ref());
        if !was_done && self.reply.finish_reason.is_none() {
            return Err(Refusal::malformed("its stream ends before the answer does"));
        }
        Ok(())
    }

    fn turn(&mut self) -> Result<Turn<Call>, Refusal> {
        self.calls = self.reply.take_calls(&self.available, &mut self.ids)?;
        let ours = self.calls.iter().filter(|call| !call.is_theirs);
        let calls: Vec<Call> = ours.map(|call| call.call.clone()).collect();
        let next = match calls.is_empty() || calls.len() < self.calls.len() {
            true => Next::Finish,
            false => Next::Ask,
        };
        Ok(Turn { calls, next })
    }

    fn answer(&mut self, calls: &[Call], results: Vec<CallResult>) -> Vec<Bytes> {
        self.messages.push(self.reply.message_with(&self.calls));
        self.messages.extend(calls.iter().zip(results).map(|(call, result)| {
            json!({"role": "tool", "tool_call_id": call.id, "content": result.text()})
        }));
        self.write_messages();
        if self.calls.iter().all(|call| !call.is_theirs) {
            self.reply = Reply::default();
        }
        Vec::new()
    }

    fn finish(&mut self, hidden_turns: &HiddenTurns) -> Result<Value, Refusal> {
        let handed_back = self.hand_back(hidden_turns)?;
        Ok(self.reply.finished(&handed_back, self.usage.sum()))
    }

    fn finish_stream(&mut self, hidden_turns: &HiddenTurns) -> Result<Vec<Bytes>, Refusal> {
        let handed_back = self.hand_back(hidden_turns)?;
        let reason = self.reply.finish_reason(!handed_back.is_empty());
        let options = self.request.get("stream_options");
        let asked_usage = options.is_some_and(|options| options["include_usage"] == true);
        let usage = self.usage.sum();
        Ok(self.stream.finish(&handed_back, reason, usage, asked_usage))
    }

    fn break_off(&mut self, refusal: &Refusal) -> Vec<Bytes> {
        stream::broken_off(refusal)
    }
}

impl Chat {
    fn write_messages(&mut self) {
        let messages = Value::Array(self.messages.clone());
        self.request.insert("messages".to_owned(), messages);
    }

    /// The calls that the client has to answer. It never sees what was run here meanwhile, so that
    /// is kept until the client answers, under the id of the first call: a fresh one, which nobody
    /// else was told.
    fn hand_back(&mut self, hidden_turns: &HiddenTurns) -> Result<Vec<ToolCall>, Refusal> {
        let is_mixed = self.calls.iter().any(|call| !call.is_theirs);
        let hides = is_mixed || self.messages.len() > self.known;
        let mut calls = std::mem::take(&mut self.calls);
        if !calls.iter().any(|call| call.is_theirs) || !hides {
            calls.retain(|call| call.is_theirs);
            return Ok(calls);
        }
        for call in calls.iter_mut().filter(|call| call.is_theirs) {
            call.rename(fresh_id()?);
        }
        let message = self.reply.message_with(&calls);
        let mut hidden = self.messages.split_off(self.known);
        // The reply is among them when calls of its own were run.
        match hidden
            .iter_mut()
            .rfind(|message| message["role"] == "assistant")
        {
            Some(last) if is_mixed => *last = message,
            _ => hidden.push(message),
        }
        calls.retain(|call| call.is_theirs);
        if let Some(first) = calls.first() {
            hidden_turns.keep(&first.call.id, HiddenTurn { id: None, hidden });
        }
        Ok(calls)
    }
}

/// Refuses members that cannot stand beside functions that are run here.
fn check(request: &Map<String, Value>) -> Result<(), Refusal> {
    if request
        .get("n")
        .and_then(Value::as_u64)
        .is_some_and(|n| n > 1)
    {
        return Err(Refusal::request(
            "`n` is 1 where this server's tools are called; make several requests, or send `\"tool_choice\": \"none\"`",
            Some("n"),
        ));
    }
    if request.contains_key("functions") {
        return Err(Refusal::request(
            "write your functions as `tools`: the old `functions` cannot stand beside this server's tools",
            Some("functions"),
        ));
    }
    Ok(())
}

/// The messages with those that a client did not see, where it answers calls of its own.
fn restored(messages: Vec<Value>, hidden_turns: &HiddenTurns) -> Vec<Value> {
    let mut restored = Vec::with_capacity(messages.len());
    for message in messages {
        let name = message.pointer("/tool_calls/0/id").and_then(Value::as_str);
        match name.and_then(|name| hidden_turns.turn(name)) {
            Some(turn) => restored.extend(turn.hidden),
            None => restored.push(message),
        }
    }
    restored
}
