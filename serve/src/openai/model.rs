//! A model behind an OpenAI-compatible endpoint, as the agent loop asks it.

use std::pin::Pin;

use reqwest::Url;
use serde_json::{Map, Value, json};
use tool_hub_agent::{Backend, Conversation, Dialect, Message, MessageDialect, export};

use super::holding::Holding;
use super::refusal::Refusal;
use super::upstream::{self, EndpointKey, GatewayError, Upstream};
use crate::agent_loop::{ChatModel, ChatModelError, ModelRequest};

/// How much of what an endpoint says of an error is repeated.
const SAID_CHARACTERS_MAX: usize = 500;

/// A model that is asked through the Chat Completions API.
#[derive(Clone)]
pub struct OpenAiModel {
    upstream: Upstream,
    model: String,
    holding: Option<Holding>,
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
            holding: None,
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
        self.holding = Some(Holding::new(backend));
        self
    }

    fn body(&self, request: ModelRequest<'_>) -> Map<String, Value> {
        let conversation = Conversation {
            messages: request.messages.to_vec(),
            kept: None,
        };
        let messages = conversation.write(MessageDialect::OpenAi).value;
        let mut body = Map::new();
        body.insert("model".to_owned(), self.model.clone().into());
        body.insert("messages".to_owned(), messages);
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

    async fn ask(&self, request: ModelRequest<'_>) -> Result<Message, Refusal> {
        let mut body = self.body(request);
        let held = match &self.holding {
            Some(holding) if !request.functions.is_empty() => Some(holding.hold(&mut body)?),
            _ => None,
        };
        let response = self.upstream.post("/chat/completions", &body).await?;
        let mut reply = upstream::reply(response).await?;
        if let Some(held) = held {
            held.read(&mut reply)?;
        }
        let message = reply.pointer_mut("/choices/0/message").map(Value::take);
        let Some(message @ Value::Object(_)) = message else {
            return Err(Refusal::malformed("its reply holds no message"));
        };
        let read = Conversation::read(MessageDialect::OpenAi, &json!([message]));
        let read = read.map_err(|error| Refusal::malformed(error.to_string()))?;
        let mut messages = read.messages.into_iter();
        messages
            .next()
            .ok_or_else(|| Refusal::malformed("its reply holds no message"))
    }
}

impl ChatModel for OpenAiModel {
    fn answer<'a>(
        &'a self,
        request: ModelRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Message, ChatModelError>> + Send + 'a>> {
        Box::pin(async move { self.ask(request).await.map_err(ChatModelError::from) })
    }
}

impl From<Refusal> for ChatModelError {
    fn from(refusal: Refusal) -> Self {
        let mut message = refusal.to_string();
        if let Refusal::Endpoint { .. } = &refusal {
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
