//! A model behind an OpenAI-compatible endpoint, as the agent loop asks it.

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use serde_json::{Map, Value, json};
use tool_hub_agent::{
    Backend, Compiler, Conversation, Dialect, EmulatedTools, Message, MessageDialect,
    emulate_tools, export,
};

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

/// A server that knows no tools, but holds a model to a grammar.
#[derive(Clone)]
struct Holding {
    backend: Backend,
    compiler: Arc<Mutex<Compiler>>,
}

/// How many sets of functions have their grammar kept: a model is offered the same ones round
/// after round.
const GRAMMARS_KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

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
        self.holding = Some(Holding {
            backend,
            compiler: Arc::new(Mutex::new(Compiler::new(GRAMMARS_KEPT))),
        });
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
        let emulated = match &self.holding {
            Some(holding) if !request.functions.is_empty() => holding.rewrite(&mut body)?,
            _ => None,
        };
        let response = self.upstream.post("/chat/completions", &body).await?;
        let mut reply = upstream::reply(response).await?;
        if let Some(emulated) = emulated {
            let read = emulated.read_reply(&mut reply);
            read.map_err(|wrong| Refusal::malformed(wrong.to_string()))?;
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

impl Holding {
    fn rewrite(&self, body: &mut Map<String, Value>) -> Result<Option<EmulatedTools>, Refusal> {
        let mut compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        let rewritten = emulate_tools(body, self.backend, &mut compiler);
        rewritten.map_err(|error| Refusal::request(error.to_string(), None))
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
