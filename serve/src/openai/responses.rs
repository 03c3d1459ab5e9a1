//! `Responses` implements `Api` for the Responses API, and shows calls made here as `mcp_call`s.
//! What is run here is shown as calls of an MCP server, which is how the API shows what a server
//! runs, and which clients carry from one request to the next.

mod endpoint_reply;
mod item;
mod stream;

use std::collections::HashSet;

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use super::api::Api;
use super::available_tools::{AvailableTools, Dialects};
use super::calls::{self, Call, unique_id};
use super::hidden_turns::{HiddenTurns, Turn as HiddenTurn};
use super::refusal::Refusal;
use super::state::GatewayState;
use super::usage::Usage;
use crate::call_result::CallResult;
use crate::tool_loop::{Next, Turn};
use crate::toolset::Toolset;
use endpoint_reply::ResponsesReply;
use stream::Stream;

/// A request under way.
pub(super) struct Responses {
    request: Map<String, Value>,
    /// The members of the client's request for which the endpoint is sent others.
    repeated: RepeatedMembers,
    available: AvailableTools,
    /// The ids of the calls that are run here.
    ids: HashSet<String>,
    /// The reply of the last round.
    reply: ResponsesReply,
    /// The items of the answer, in the order in which the client saw them.
    shown: Vec<Value>,
    /// The results of the last round, where the client has calls of it to answer, too.
    pending: Vec<Value>,
    hands_back: bool,
    usage: Usage,
    stream: Stream,
}

/// The members of its request that a response repeats.
struct RepeatedMembers {
    tool_choice: Value,
    previous: Option<Value>,
}

impl Api for Responses {
    fn open(mut request: Map<String, Value>, shared: &GatewayState) -> Result<Self, Refusal> {
        if shared.gateway.enforcement.is_some() {
            return Err(Refusal::request(
                "the endpoint knows no tools and is held to calls in the Chat Completions API only; ask /v1/chat/completions",
                None,
            ));
        }
        let repeated = RepeatedMembers {
            tool_choice: request.get("tool_choice").cloned().unwrap_or("auto".into()),
            previous: request.get("previous_response_id").cloned(),
        };
        restore(&mut request, &shared.hidden_turns);
        let strictness = shared.gateway.strictness;
        let available = AvailableTools::add(
            &mut request,
            &shared.toolset,
            strictness,
            &Dialects::RESPONSES,
        )?;
        if available.is_ours() && request.get("background") == Some(&Value::Bool(true)) {
            return Err(Refusal::request(
                "`background` cannot be had where this server's tools are called; leave it out, or send `\"tool_choice\": \"none\"`",
                Some("background"),
            ));
        }
        Ok(Self {
            request,
            repeated,
            available,
            ids: HashSet::new(),
            reply: ResponsesReply::default(),
            shown: Vec::new(),
            pending: Vec::new(),
            hands_back: false,
            usage: Usage::default(),
            stream: Stream::default(),
        })
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
        self.reply = serde_json::from_value(reply).unwrap_or_default();
        if self.reply.output.is_none() {
            return Err(Refusal::malformed("its reply holds no output"));
        }
        self.usage.add(self.reply.rest.get("usage"));
        Ok(())
    }

    fn take_event(&mut self, event: Value) -> Result<Vec<Bytes>, Refusal> {
        match event {
            Value::Object(event) => self.event(event),
            _ => Err(Refusal::malformed("an event is not an object")),
        }
    }

    fn kept_bytes(&self) -> usize {
        self.stream.kept_bytes
    }

    fn end_stream(&mut self, _was_done: bool) -> Result<(), Refusal> {
        let Some(mut reply) = self.stream.take_reply() else {
            return Err(Refusal::malformed("its stream ends before the answer does"));
        };
        self.usage.add(reply.rest.get("usage"));
        // Some servers leave out of the end what they said before.
        if reply.output.as_ref().is_none_or(Vec::is_empty) {
            reply.output = Some(self.stream.items().collect());
        }
        self.reply = reply;
        Ok(())
    }

    fn turn(&mut self) -> Result<Turn<Call>, Refusal> {
        let mut calls = Vec::new();
        self.hands_back = false;
        for (index, written) in self.reply.output.iter_mut().flatten().enumerate() {
            let call = item::call(written, &self.available, |id| {
                match self.stream.call_id(index) {
                    Some(known) => Ok(known.to_owned()),
                    None => unique_id(id, &mut self.ids),
                }
            })?;
            if !self.stream.has_shown(index) {
                let shown = call.as_ref().map(|call| item::begun(call, written));
                self.shown.push(shown.unwrap_or_else(|| written.clone()));
            }
            self.hands_back |= call.is_none() && item::is_for_client(written);
            calls.extend(call);
        }
        calls::bounded(calls.len())?;
        // What was cut off has no calls that are complete.
        let status = self.reply.status.as_deref();
        if status.is_some_and(|status| status != "completed") {
            calls.clear();
        }
        let next = match calls.is_empty() || self.hands_back {
            true => Next::Finish,
            false => Next::Ask,
        };
        Ok(Turn { calls, next })
    }

    fn answer(&mut self, calls: &[Call], results: Vec<CallResult>) -> Vec<Bytes> {
        let mut events = Vec::new();
        let mut outputs = Vec::new();
        for (call, result) in calls.iter().zip(results) {
            outputs.push(json!({
                "type": "function_call_output", "call_id": call.id, "output": result.output(),
            }));
            let begun = self
                .shown
                .iter_mut()
                .enumerate()
                .find(|(_, shown)| item::is_of(shown, call));
            if let Some((index, shown)) = begun {
                item::end(shown, &result);
                events.extend(self.stream.ended(index, shown, result.is_failure));
            }
        }
        self.go_on(&outputs);
        if self.hands_back {
            self.pending = outputs;
        }
        self.stream.end_round();
        events
    }

    fn finish(&mut self, hidden_turns: &HiddenTurns) -> Result<Value, Refusal> {
        Ok(self.finished(hidden_turns).into())
    }

    fn finish_stream(&mut self, hidden_turns: &HiddenTurns) -> Result<Vec<Bytes>, Refusal> {
        let response = self.finished(hidden_turns);
        Ok(vec![self.stream.finish(response)])
    }

    fn break_off(&mut self, refusal: &Refusal) -> Vec<Bytes> {
        vec![self.stream.broken_off(refusal)]
    }
}

impl Responses {
    /// Lets the request go on after the reply, with the results.
    fn go_on(&mut self, outputs: &[Value]) {
        let mut input = list(self.request.shift_remove("input"));
        if conversation(&self.request).is_some() {
            // The endpoint has everything else in the conversation already.
            input.clear();
        } else {
            input.extend(self.reply.output.iter().flatten().cloned());
        }
        input.extend(outputs.iter().cloned());
        self.request.insert("input".to_owned(), input.into());
    }

    /// The answer: the last reply, with the items and the cost of all rounds.
    fn finished(&mut self, hidden_turns: &HiddenTurns) -> ResponsesReply {
        let mut response = std::mem::take(&mut self.reply);
        let last = response.id.clone();
        self.present(&mut response);
        self.shown.iter_mut().for_each(item::give_up);
        let hands_back: Vec<String> = self
            .shown
            .iter()
            .filter(|item| item::is_for_client(item))
            .filter_map(item::call_id)
            .collect();
        response.output = Some(std::mem::take(&mut self.shown));
        if let Some(usage) = self.usage.sum() {
            response.rest.insert("usage".to_owned(), usage.clone());
        }
        let shown = response.id.as_deref();
        if let (Some(shown), Some(last)) = (shown, last)
            && shown != last
        {
            let turn = HiddenTurn {
                id: Some(last),
                hidden: Vec::new(),
            };
            hidden_turns.keep(shown, turn);
        }
        let anchor = conversation(&self.request).or(shown);
        if let Some(anchor) = anchor.filter(|_| !self.pending.is_empty()) {
            for call in hands_back {
                let turn = HiddenTurn {
                    id: None,
                    hidden: self.pending.clone(),
                };
                hidden_turns.keep(&name_of(anchor, &call), turn);
            }
        }
        response
    }

    /// Makes a response what the client asked for.
    fn present(&self, response: &mut ResponsesReply) {
        let members = &mut response.rest;
        if let Some(Value::Array(tools)) = members.get_mut("tools") {
            tools.retain(|tool| {
                let name = tool.get("name").and_then(Value::as_str);
                name.is_none_or(|name| self.available.resolved(name).is_none())
            });
        }
        if members.contains_key("tool_choice") {
            members.insert("tool_choice".to_owned(), self.repeated.tool_choice.clone());
        }
        if let Some(previous) = &self.repeated.previous {
            members.insert("previous_response_id".to_owned(), previous.clone());
        }
        self.stream.make_alike(response);
    }

    /// Takes an event, and gives what the client is shown of it.
    fn event(&mut self, mut event: Map<String, Value>) -> Result<Vec<Bytes>, Refusal> {
        let kind = event
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        self.stream.count(&event);
        match kind.as_str() {
            "error" => {
                let error = event.shift_remove("error").filter(Value::is_object);
                Err(Refusal::BrokeOff(error.unwrap_or(event.into())))
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                if let Some(response) = take_response(&mut event) {
                    self.stream.end(kind, response);
                }
                Ok(Vec::new())
            }
            "response.created" | "response.queued" | "response.in_progress" => {
                let Some(mut response) = take_response(&mut event) else {
                    return Err(Refusal::malformed("an event holds no response"));
                };
                if self.stream.is_later_round() {
                    return Ok(Vec::new());
                }
                self.stream.begin(&response);
                self.present(&mut response);
                event.insert("response".to_owned(), response.into());
                Ok(vec![self.stream.numbered(event)])
            }
            _ => self.stream.of_item(
                &kind,
                event,
                &self.available,
                &mut self.ids,
                &mut self.shown,
            ),
        }
    }
}

/// Takes the response out of an event.
fn take_response(event: &mut Map<String, Value>) -> Option<ResponsesReply> {
    serde_json::from_value(event.shift_remove("response")?).ok()
}

/// The items of an input.
fn list(input: Option<Value>) -> Vec<Value> {
    match input {
        Some(Value::Array(items)) => items,
        Some(Value::String(text)) => vec![json!({"role": "user", "content": text})],
        _ => Vec::new(),
    }
}

fn conversation(request: &Map<String, Value>) -> Option<&str> {
    match request.get("conversation")? {
        Value::String(id) => Some(id),
        other => other.get("id")?.as_str(),
    }
}

fn name_of(anchor: &str, call: &str) -> String {
    format!("{anchor}/{call}")
}

/// Puts into a request what its client did not see, or carries in another form.
fn restore(request: &mut Map<String, Value>, hidden_turns: &HiddenTurns) {
    let previous = request.get("previous_response_id").and_then(Value::as_str);
    let anchor = previous
        .or_else(|| conversation(request))
        .map(str::to_owned);
    if let Some(Value::Array(items)) = request.get_mut("input") {
        let calls: Vec<String> = items.iter().filter_map(item::call_id).collect();
        let pending = anchor.as_ref().and_then(|anchor| {
            calls
                .iter()
                .find_map(|call| hidden_turns.turn(&name_of(anchor, call)))
        });
        let carried = std::mem::take(items).into_iter().flat_map(item::carried);
        let hidden = pending.into_iter().flat_map(|turn| turn.hidden);
        *items = hidden.chain(carried).collect();
    }
    let known = request.get("previous_response_id").and_then(Value::as_str);
    if let Some(id) = known.and_then(|known| hidden_turns.turn(known)?.id) {
        request.insert("previous_response_id".to_owned(), id.into());
    }
}
