//! A model whose calls stand in what it writes, because its server does not read them.

use std::pin::Pin;

use tool_hub_agent::{AnswerFormat, Content, Message, Reasoning, Role};

use super::model::{ChatModel, ChatModelError, ModelRequest};
use super::{calls_of, text_of};

/// How often a model is asked again for calls that cannot be read.
const MENDS_MAX: usize = 2;

/// A model that writes calls as `format` has them.
#[derive(Debug, Clone)]
pub struct WrittenCalls<M> {
    model: M,
    format: AnswerFormat,
}

impl<M> WrittenCalls<M> {
    /// Reads what `model` writes as `format` says. Calls that its server read already stay.
    pub fn new(model: M, format: AnswerFormat) -> Self {
        Self { model, format }
    }
}

impl<M: ChatModel> WrittenCalls<M> {
    /// Asks until the calls can be read: a model that is told what is wrong usually mends it.
    async fn ask(&self, request: ModelRequest<'_>) -> Result<Message, ChatModelError> {
        let mut messages = request.messages.to_vec();
        let mut mends = 0;
        loop {
            let request = ModelRequest {
                messages: &messages,
                ..request
            };
            let message = self.model.answer(request).await?;
            let calls_nothing = request.must_answer || request.functions.is_empty();
            if calls_nothing || !calls_of(&message).is_empty() {
                return Ok(message);
            }
            let text = text_of(&message);
            let answer = self.format.read(&text, "", request.functions);
            if answer.problems.is_empty() || !answer.calls.is_empty() {
                let reasoning = answer.reasoning.map(|text| {
                    Content::Reasoning(Reasoning {
                        text,
                        ..Reasoning::default()
                    })
                });
                let said = Some(answer.text).filter(|text| !text.is_empty());
                let calls = answer.calls.into_iter().map(Content::Call);
                let parts = reasoning.into_iter().chain(said.map(Content::Text));
                return Ok(Message::new(Role::Assistant, parts.chain(calls)));
            }
            let problems = answer.problems.iter().map(ToString::to_string);
            let told = problems.collect::<Vec<_>>().join("\n");
            if mends == MENDS_MAX {
                let message = format!("the model's calls cannot be read: {told}");
                return Err(ChatModelError::new(message, None));
            }
            mends += 1;
            messages.push(message);
            messages.push(Message::text(Role::User, told));
        }
    }
}

impl<M: ChatModel> ChatModel for WrittenCalls<M> {
    fn answer<'a>(
        &'a self,
        request: ModelRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Message, ChatModelError>> + Send + 'a>> {
        Box::pin(self.ask(request))
    }
}
