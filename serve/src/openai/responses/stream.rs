//! Writes a streamed Responses answer: the events of all rounds, numbered as those of one.

use std::collections::{BTreeMap, HashSet};

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use super::endpoint_reply::ResponsesReply;
use super::item;
use crate::openai::available_tools::AvailableTools;
use crate::openai::calls::{Call, unique_id};
use crate::openai::events::event;
use crate::openai::refusal::Refusal;
use crate::openai::reply_memory::kept_bytes;

const CREATED_AT: &str = "created_at";

/// The members of events that are kept.
const KEPT: [&str; 3] = ["item", "response", "arguments"];

/// The part of the answer that the client was shown.
#[derive(Default)]
pub(super) struct Stream {
    /// The number of the next event.
    sequence: u64,
    /// The id and the time of the first response, which all events show.
    first: Option<(Option<String>, Option<Value>)>,
    is_later_round: bool,
    /// The items of this round.
    items: BTreeMap<u64, ShownItem>,
    /// The last event of this round and its response, until its reply is taken.
    end: Option<(String, ResponsesReply)>,
    /// The event that ended the last round whose reply was taken.
    ended_by: Option<String>,
    /// The bytes kept of the events of all rounds.
    pub(super) kept_bytes: usize,
}

/// An item of which the client knows.
struct ShownItem {
    /// The place of the item in the answer.
    shown_at: usize,
    /// The id of the call, when it is one that is run here.
    call_id: Option<String>,
    /// The item, when it is complete.
    item: Option<Value>,
}

impl Stream {
    pub(super) fn is_later_round(&self) -> bool {
        self.is_later_round
    }

    /// Takes note of the id and the time of the first response.
    pub(super) fn begin(&mut self, response: &ResponsesReply) {
        let created_at = response.rest.get(CREATED_AT).cloned();
        self.first = Some((response.id.clone(), created_at));
    }

    /// Counts what is kept of an event.
    pub(super) fn count(&mut self, event: &Map<String, Value>) {
        let kept = KEPT.iter().filter_map(|name| event.get(*name));
        self.kept_bytes += kept.map(kept_bytes).sum::<usize>();
    }

    /// Gives a response the id and the time of the first one.
    pub(super) fn make_alike(&self, response: &mut ResponsesReply) {
        let Some((id, created_at)) = self.first.clone() else {
            return;
        };
        response.id = id.or(response.id.take());
        if let Some(created_at) = created_at {
            response.rest.insert(CREATED_AT.to_owned(), created_at);
        }
    }

    /// Takes note of the event that ends a round, and its response.
    pub(super) fn end(&mut self, kind: String, response: ResponsesReply) {
        self.end = Some((kind, response));
    }

    pub(super) fn take_reply(&mut self) -> Option<ResponsesReply> {
        let (kind, response) = self.end.take()?;
        self.ended_by = Some(kind);
        Some(response)
    }

    /// The complete items of this round.
    pub(super) fn items(&self) -> impl Iterator<Item = Value> {
        self.items.values().filter_map(|known| known.item.clone())
    }

    /// Returns true if the client knows of the item at `index` of this round.
    pub(super) fn has_shown(&self, index: usize) -> bool {
        self.items.contains_key(&(index as u64))
    }

    /// The id by which the client knows the call at `index` of this round.
    pub(super) fn call_id(&self, index: usize) -> Option<&str> {
        self.items.get(&(index as u64))?.call_id.as_deref()
    }

    pub(super) fn end_round(&mut self) {
        self.is_later_round = true;
        self.items.clear();
    }

    /// An event with its number.
    pub(super) fn numbered(&mut self, mut written: Map<String, Value>) -> Bytes {
        written.insert("sequence_number".to_owned(), self.sequence.into());
        self.sequence += 1;
        let written = Value::Object(written);
        event(written["type"].as_str(), &written)
    }

    fn event(&mut self, kind: &str, members: Value) -> Bytes {
        let mut event = Map::new();
        event.insert("type".to_owned(), kind.into());
        if let Value::Object(members) = members {
            event.extend(members);
        }
        self.numbered(event)
    }

    /// An event about an item, as the client is shown it: with the item's place in the whole
    /// answer, and as an `mcp_call` if it is a call that is run here.
    pub(super) fn of_item(
        &mut self,
        kind: &str,
        mut event: Map<String, Value>,
        available: &AvailableTools,
        ids: &mut HashSet<String>,
        shown: &mut Vec<Value>,
    ) -> Result<Vec<Bytes>, Refusal> {
        let Some(index) = event.get("output_index").and_then(Value::as_u64) else {
            return Ok(vec![self.numbered(event)]);
        };
        let mut events = Vec::new();
        if !self.items.contains_key(&index) {
            let mut written = event.get("item").cloned().unwrap_or_default();
            let call = item::call(&mut written, available, |id| unique_id(id, ids))?;
            events.extend(self.announce(index, call, &written, shown));
        }
        let Some(known) = self.items.get_mut(&index) else {
            return Ok(events);
        };
        let at = known.shown_at;
        if kind == "response.output_item.done" {
            known.item = event.get("item").cloned();
        }
        if known.call_id.is_some() {
            if kind == "response.function_call_arguments.done" {
                if let Some(arguments) = event.shift_remove("arguments") {
                    shown[at]["arguments"] = arguments;
                }
                let call = &shown[at];
                let members = json!({
                    "output_index": at, "item_id": call["id"], "arguments": call["arguments"],
                });
                events.push(self.event("response.mcp_call_arguments.done", members));
            }
            return Ok(events);
        }
        if let Some(item) = &known.item {
            shown[at] = item.clone();
        }
        event.insert("output_index".to_owned(), at.into());
        events.push(self.numbered(event));
        Ok(events)
    }

    /// Gives an item its place in the answer. A call that is run here is shown at once; any other
    /// item by the endpoint's own event.
    fn announce(
        &mut self,
        index: u64,
        call: Option<Call>,
        written: &Value,
        shown: &mut Vec<Value>,
    ) -> Vec<Bytes> {
        let at = shown.len();
        let known = ShownItem {
            shown_at: at,
            call_id: call.as_ref().map(|call| call.id.clone()),
            item: None,
        };
        self.items.insert(index, known);
        let Some(call) = call else {
            shown.push(written.clone());
            return Vec::new();
        };
        let item = item::begun(&call, written);
        let about = json!({"output_index": at, "item_id": item["id"]});
        let added = json!({"output_index": at, "item": item});
        shown.push(item);
        vec![
            self.event("response.output_item.added", added),
            self.event("response.mcp_call.in_progress", about),
        ]
    }

    /// The events of a call that has been run.
    pub(super) fn ended(&mut self, index: usize, shown: &Value, is_failure: bool) -> [Bytes; 2] {
        let kind = match is_failure {
            true => "response.mcp_call.failed",
            false => "response.mcp_call.completed",
        };
        let about = json!({"output_index": index, "item_id": shown["id"]});
        let done = json!({"output_index": index, "item": shown});
        [
            self.event(kind, about),
            self.event("response.output_item.done", done),
        ]
    }

    /// The event that ends an answer.
    pub(super) fn finish(&mut self, response: ResponsesReply) -> Bytes {
        let kind = self.ended_by.take();
        let kind = kind.as_deref().unwrap_or("response.completed");
        self.event(kind, json!({ "response": response }))
    }

    /// The event of an answer that breaks off.
    pub(super) fn broken_off(&mut self, refusal: &Refusal) -> Bytes {
        let error = refusal.error();
        let members = json!({
            "code": error["code"], "message": error["message"], "param": error["param"],
        });
        self.event("error", members)
    }
}
