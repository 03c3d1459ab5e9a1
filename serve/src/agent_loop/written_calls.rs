//! A wrapper around a model that reads the calls out of its text, for servers that do not.

use std::pin::Pin;

use tool_hub_agent::conversation::answer::AnswerFormat;
use tool_hub_agent::conversation::{Content, Message, Reasoning, Role};

use super::message_parts::{calls_of, text_of};
use super::model::{ChatModel, ChatModelError, ModelAnswer, ModelRequest};

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
    async fn ask(&self, request: ModelRequest<'_>) -> Result<ModelAnswer, ChatModelError> {
        let mut answer = self.model.answer(request).await?;
        if !calls_of(&answer.message).is_empty() {
            return Ok(answer);
        }
        let text = text_of(&answer.message);
        let read = self.format.read(&text, "", request.functions);
        // Where no call can be read, the message stays as it was written.
        if read.problems.is_empty() || !read.calls.is_empty() {
            let reasoning = read.reasoning.map(|text| {
                Content::Reasoning(Reasoning {
                    text,
                    ..Reasoning::default()
                })
            });
            let said = Some(read.text).filter(|text| !text.is_empty());
            let calls = read.calls.into_iter().map(Content::Call);
            let parts = reasoning.into_iter().chain(said.map(Content::Text));
            answer.message = Message::new(Role::Assistant, parts.chain(calls));
        }
        let problems = read.problems.iter().map(ToString::to_string);
        answer.problems.extend(problems);
        Ok(answer)
    }
}

impl<M: ChatModel> ChatModel for WrittenCalls<M> {
    fn answer<'a>(
        &'a self,
        request: ModelRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<ModelAnswer, ChatModelError>> + Send + 'a>> {
        Box::pin(self.ask(request))
    }
}
