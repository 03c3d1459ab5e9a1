//! Writes a streamed Chat Completions answer: chunks of all rounds that look like one reply's.

use axum::body::Bytes;
use serde_json::{Map, Value, json};

use super::reply::{Reply, ToolCall};
use crate::openai::events::{done, event};
use crate::openai::refusal::Refusal;

/// The members that are the same in every chunk, whichever round it is of.
const ALIKE: [&str; 3] = ["id", "created", "model"];
/// The text between the texts of two rounds, so that words do not run together.
const BETWEEN_ROUNDS: &str = "\n\n";

/// The part of the answer that the client was shown.
#[derive(Default)]
pub(super) struct Stream {
    /// The members of a chunk beside its choices.
    first: Option<Map<String, Value>>,
    has_role: bool,
    /// True if text was shown, in an earlier round and in this one.
    has_earlier_text: bool,
    has_text: bool,
    is_later_round: bool,
    usage: Option<Value>,
}

impl Stream {
    /// Takes a chunk into `reply`, and gives what the client is shown of it.
    pub(super) fn take(&mut self, chunk: Value, reply: &mut Reply) -> Result<Vec<Bytes>, Refusal> {
        let Value::Object(mut chunk) = chunk else {
            return Err(Refusal::malformed("a chunk is not an object"));
        };
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(Refusal::BrokeOff(error.clone()));
        }
        let choices = match chunk.shift_remove("choices") {
            Some(Value::Array(choices)) => choices,
            _ => Vec::new(),
        };
        let usage = chunk.shift_remove("usage").filter(|usage| !usage.is_null());
        let has_usage = usage.is_some();
        self.usage = usage.or(self.usage.take());
        self.make_alike(&mut chunk);
        if choices.is_empty() && !has_usage && !self.is_later_round {
            chunk.insert("choices".to_owned(), json!([]));
            return Ok(vec![event(None, &chunk.into())]);
        }
        let mut shown = Vec::new();
        // There is one choice, since more cannot be asked for.
        if let Some(Value::Object(choice)) = choices.into_iter().next()
            && let Some(choice) = self.choice(choice, reply)?
        {
            chunk.insert("choices".to_owned(), json!([choice]));
            shown.push(event(None, &chunk.into()));
        }
        Ok(shown)
    }

    fn make_alike(&mut self, chunk: &mut Map<String, Value>) {
        // Some servers begin with a chunk that has no content and no id yet.
        let named = self
            .first
            .as_ref()
            .filter(|first| first.get("id").is_some_and(|id| id != ""));
        match named {
            Some(first) => {
                for name in ALIKE {
                    if let Some(value) = first.get(name) {
                        chunk.insert(name.to_owned(), value.clone());
                    }
                }
            }
            None => {
                let mut first = chunk.clone();
                // It pads one chunk.
                first.shift_remove("obfuscation");
                self.first = Some(first);
            }
        }
    }

    /// The part of a choice that the client is shown, if any.
    fn choice(
        &mut self,
        mut choice: Map<String, Value>,
        reply: &mut Reply,
    ) -> Result<Option<Value>, Refusal> {
        let mut delta = match choice.shift_remove("delta") {
            Some(Value::Object(delta)) => delta,
            _ => Map::new(),
        };
        reply.add(&delta)?;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            reply.finish_reason = Some(reason.to_owned());
        }
        // Calls are held back: the client gets only those it must answer, from `finish`.
        delta.shift_remove("tool_calls");
        if self.has_role {
            delta.shift_remove("role");
            delta.retain(|_, value| !value.is_null() && *value != "");
        }
        self.has_role = true;
        if let Some(Value::String(text)) = delta.get_mut("content")
            && !text.is_empty()
        {
            if self.has_earlier_text && !self.has_text {
                text.insert_str(0, BETWEEN_ROUNDS);
            }
            self.has_text = true;
        }
        let says_more = choice.iter().any(|(name, value)| {
            !matches!(name.as_str(), "index" | "finish_reason") && !value.is_null()
        });
        if delta.is_empty() && !says_more {
            return Ok(None);
        }
        choice.insert("delta".to_owned(), delta.into());
        choice.insert("finish_reason".to_owned(), Value::Null);
        Ok(Some(choice.into()))
    }

    /// Ends a round, and gives what it cost.
    pub(super) fn end_round(&mut self) -> Option<Value> {
        self.has_earlier_text |= std::mem::take(&mut self.has_text);
        self.is_later_round = true;
        self.usage.take()
    }

    /// The last chunks: the calls that the client has to answer, the reason why the answer ends,
    /// and the usage, if the endpoint reports it. The usage has a chunk of its own, without a
    /// choice, only if the client asked for it; other clients do not expect such a chunk.
    pub(super) fn finish(
        &self,
        calls: &[ToolCall],
        reason: &str,
        usage: Option<&Value>,
        asked_usage: bool,
    ) -> Vec<Bytes> {
        let mut events = Vec::new();
        let choice = |delta: Value, reason: Option<&str>| json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
        let calls: Vec<Value> = calls.iter().enumerate().map(indexed).collect();
        if !calls.is_empty() {
            events.push(self.chunk(choice(json!({ "tool_calls": calls }), None), None));
        }
        let beside = usage.filter(|_| !asked_usage);
        events.push(self.chunk(choice(json!({}), Some(reason)), beside));
        if usage.is_some() && asked_usage {
            events.push(self.chunk(json!([]), usage));
        }
        events.push(done());
        events
    }

    fn chunk(&self, choices: Value, usage: Option<&Value>) -> Bytes {
        let mut chunk = self.first.clone().unwrap_or_default();
        chunk.insert("choices".to_owned(), choices);
        if let Some(usage) = usage {
            chunk.insert("usage".to_owned(), usage.clone());
        }
        event(None, &chunk.into())
    }
}

fn indexed((index, call): (usize, &ToolCall)) -> Value {
    let mut written = call.written.clone();
    written["index"] = index.into();
    written
}

/// The events of an answer that breaks off: clients read the error, and nothing after it.
pub(super) fn broken_off(refusal: &Refusal) -> Vec<Bytes> {
    vec![event(None, &json!({ "error": refusal.error() })), done()]
}
