//! A model for the agent loop, asked through the Chat Completions API of an endpoint.

use std::num::NonZeroU32;
use std::pin::Pin;

use reqwest::Url;
use serde_json::{Map, Value, json};
use tool_hub_agent::constraint::Backend;
use tool_hub_agent::conversation::{Conversation, Message, MessageDialect, MessageError, Role};
use tool_hub_agent::definition::Dialect;
use tool_hub_agent::definition::export::export;

use super::grammar_enforcement::GrammarEnforcement;
use super::refusal::Refusal;
use super::upstream::{self, EndpointKey, GatewayError, Upstream};
use crate::agent_loop::model::{ChatModel, ChatModelError, ModelAnswer, ModelRequest};
use crate::budget::{Budget, Share};

/// The most characters of an endpoint's error that are repeated.
const SAID_CHARACTERS_MAX: usize = 500;

/// A model that is asked through the Chat Completions API.
#[derive(Clone)]
pub struct OpenAiModel {
    upstream: Upstream,
    model: String,
    enforcement: Option<GrammarEnforcement>,
    tokens_max: Option<NonZeroU32>,
    replies: Share,
}

impl OpenAiModel {
    /// The model `model` at the endpoint `url`, its base URL. One without a path gets the usual
    /// one, `/v1`.
    ///
    /// # Errors
    /// As [`Gateway::new`](crate::Gateway::new).
    pub fn new(url: Url, model: impl Into<String>) -> Result<Self, GatewayError> {
        Ok(Self {
            upstream: Upstream::new(url)?,
            model: model.into(),
            enforcement: None,
            tokens_max: None,
            replies: Budget::new().share(1),
        })
    }

    /// Shows `key` to the endpoint.
    #[must_use]
    pub fn with_key(mut self, key: EndpointKey) -> Self {
        self.upstream.show(key);
        self
    }

    /// Holds the model to calls by a grammar, as `backend` takes it, and offers no tools: for
    /// servers that know none. The model makes one call at a time.
    #[must_use]
    pub fn held_by(mut self, backend: Backend) -> Self {
        self.enforcement = Some(GrammarEnforcement::new(backend));
        self
    }

    /// Has each answer of the model end after at most `tokens`, as the endpoint counts them: its
    /// member `max_tokens`.
    #[must_use]
    pub fn with_tokens_max(mut self, tokens: NonZeroU32) -> Self {
        self.tokens_max = Some(tokens);
        self
    }

    fn body(&self, request: ModelRequest<'_>) -> Map<String, Value> {
        let conversation = Conversation {
            messages: request.messages.to_vec(),
            source_form: None,
        };
        let messages = conversation.write(MessageDialect::OpenAi).value;
        let mut body = Map::new();
        body.insert("model".to_owned(), self.model.clone().into());
        body.insert("messages".to_owned(), messages);
        if let Some(tokens) = self.tokens_max {
            body.insert("max_tokens".to_owned(), tokens.get().into());
        }
        if !request.stop.is_empty() {
            body.insert("stop".to_owned(), request.stop.into());
        }
        if !request.functions.is_empty() {
            let tools = export(request.functions, Dialect::OpenAi).tools;
            body.insert("tools".to_owned(), tools);
            if request.must_answer {
                body.insert("tool_choice".to_owned(), "none".into());
            }
        }
        body
    }

    async fn ask(&self, request: ModelRequest<'_>) -> Result<ModelAnswer, Refusal> {
        let mut body = self.body(request);
        let held = match &self.enforcement {
            Some(enforcement) if !request.functions.is_empty() => {
                Some(enforcement.hold(&mut body)?)
            }
            _ => None,
        };
        let response = self.upstream.post(upstream::CHAT, &body).await?;
        let mut reply = upstream::reply(response, &self.replies).await?.value;
        let mut problems = Vec::new();
        if let Some(Err(wrong)) = held.map(|held| held.read(&mut reply)) {
            problems.push(wrong.to_string());
        }
        if let Some(error) = reply.get("error").filter(|error| error.is_object()) {
            return Err(Refusal::BrokeOff(error.clone()));
        }
        let message = reply.pointer_mut("/choices/0/message").map(Value::take);
        let Some(mut message @ Value::Object(_)) = message else {
            return Err(Refusal::malformed("its reply holds no message"));
        };
        problems.extend(take_unreadable_calls(&mut message));
        let message = read(message).map_err(|error| Refusal::malformed(error.to_string()))?;
        let reason = reply.pointer("/choices/0/finish_reason");
        Ok(ModelAnswer {
            message,
            problems,
            is_cut_off: reason.is_some_and(|reason| reason == "length"),
        })
    }
}

fn read(message: Value) -> Result<Message, MessageError> {
    let read = Conversation::read(MessageDialect::OpenAi, &json!([message]))?;
    let messages = read.messages.into_iter();
    Ok(messages
        .last()
        .unwrap_or_else(|| Message::new(Role::Assistant, [])))
}

/// Takes the calls out of a message that cannot be read as calls, and says of each why.
fn take_unreadable_calls(message: &mut Value) -> Vec<String> {
    let mut problems = Vec::new();
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    let Some(calls) = calls else {
        return problems;
    };
    calls.retain(|call| {
        let alone = read(json!({"role": "assistant", "tool_calls": [call]}));
        let why = match alone {
            Ok(_) => return true,
            Err(MessageError::Arguments { message, .. }) => {
                format!("its arguments are no JSON object: {message}")
            }
            Err(error) => error.to_string(),
        };
        let name = call.pointer("/function/name").and_then(Value::as_str);
        let name: String = name.unwrap_or("a function").chars().take(80).collect();
        problems.push(format!(
            "The call of `{name}` was not made: {why}.\n\
             To mend it: make the call again, with all arguments as one JSON object."
        ));
        false
    });
    if calls.is_empty() {
        message["tool_calls"] = Value::Null;
    }
    problems
}

impl ChatModel for OpenAiModel {
    fn answer<'a>(
        &'a self,
        request: ModelRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<ModelAnswer, ChatModelError>> + Send + 'a>> {
        Box::pin(async move { self.ask(request).await.map_err(ChatModelError::from) })
    }
}

impl From<Refusal> for ChatModelError {
    fn from(refusal: Refusal) -> Self {
        let mut message = refusal.to_string();
        if let Refusal::Endpoint { .. } | Refusal::BrokeOff(_) = &refusal {
            let error = refusal.error();
            let said = error["message"].as_str().unwrap_or_default();
            let said: String = said.chars().take(SAID_CHARACTERS_MAX).collect();
            if said != message && !said.is_empty() {
                message.push_str(": ");
                message.push_str(&said);
            }
        }
        Self::new(message, None)
    }
}
