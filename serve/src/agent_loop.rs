//! An agent that a model drives: asks it, and runs the calls or the code in its answers.

mod calls;
mod code;
mod code_result;
mod error;
mod function_call;
mod message_parts;
pub(crate) mod model;
mod named_values;
mod prompted;
mod state;
mod watcher;
mod written_calls;

use std::sync::Arc;

use serde_json::Value;
use tool_hub_agent::conversation::Role;
use tool_hub_agent::prompt::PromptTemplate;

use crate::toolset::Toolset;
use prompted::Prompted;
use state::AgentState;

pub use code::{Interpreter, WrittenCode};
pub use error::LoopError;
pub use model::{ChatModel, ChatModelError, ModelAnswer, ModelRequest};
pub use named_values::{KeptMedia, NamedMedia};
pub use watcher::{Act, ApproveAll, Verdict, Watcher};
pub use written_calls::WrittenCalls;

/// The number of times that a model is asked for one answer, unless the embedder sets another.
const ROUNDS_MAX: u32 = 12;

/// A conversation with a model that has a toolbox. What was said stays from one task to the next.
///
/// ```
/// use std::pin::Pin;
/// use std::sync::Arc;
///
/// use tool_hub_agent::conversation::{Message, Role};
/// use tool_hub_serve::{
///     AgentLoop, ApproveAll, Catalogue, ChatModel, ChatModelError, ModelAnswer, ModelRequest,
///     Toolset,
/// };
///
/// /// A model that knows one answer. `OpenAiModel` is one behind an endpoint.
/// struct Oracle;
///
/// impl ChatModel for Oracle {
///     fn answer<'a>(
///         &'a self,
///         _: ModelRequest<'a>,
///     ) -> Pin<Box<dyn Future<Output = Result<ModelAnswer, ChatModelError>> + Send + 'a>> {
///         Box::pin(async { Ok(Message::text(Role::Assistant, "42").into()) })
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let toolset = Toolset::new(Catalogue::new([])?);
/// let mut agent = AgentLoop::new(toolset, Arc::new(ApproveAll));
/// assert_eq!(agent.run(&Oracle, "What is the answer?").await?.text, "42");
/// # Ok(())
/// # }
/// ```
pub struct AgentLoop {
    state: AgentState,
    interpreter: Option<Interpreter>,
    /// Absent where the model is asked in messages.
    prompted: Option<Prompted>,
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopAnswer {
    /// The model's last words.
    pub text: String,
    /// True if they were cut off, as by a limit of tokens.
    pub is_cut_off: bool,
    /// The pictures and sounds that the task made, in order.
    pub media: Vec<KeptMedia>,
}

impl AgentLoop {
    /// An agent that calls the functions of `toolset`, each after `watcher` allowed it.
    pub fn new(toolset: Toolset, watcher: Arc<dyn Watcher>) -> Self {
        Self {
            state: AgentState::new(toolset, watcher, ROUNDS_MAX),
            interpreter: None,
            prompted: None,
        }
    }

    /// The agent writes code, which `interpreter` runs, in place of calls.
    #[must_use]
    pub fn with_code(mut self, interpreter: Interpreter) -> Self {
        self.interpreter = Some(interpreter);
        self
    }

    /// The agent writes code as that of Transformers Agents does: it asks once, with `template`
    /// filled in, and answers with what the code comes to. A template for a conversation has all
    /// that was said before, and its code finds the variables of earlier code.
    #[must_use]
    pub fn with_prompted_code(self, interpreter: Interpreter, template: PromptTemplate) -> Self {
        Self {
            prompted: Some(template.into()),
            ..self.with_code(interpreter)
        }
    }

    /// Asks the model at most `rounds` times for one answer, 12 unless told otherwise. In the
    /// last it may call nothing.
    #[must_use]
    pub fn with_rounds_max(mut self, rounds: std::num::NonZeroU32) -> Self {
        self.state.rounds_max = rounds.get();
        self
    }

    /// Gives the model a value under a name: code has a variable, calls may name a picture or a
    /// sound.
    ///
    /// # Errors
    /// When `name` is no identifier of 1 to 64 letters, digits and `_`.
    pub fn give(&mut self, name: &str, value: Value) -> Result<(), LoopError> {
        self.state.values.give(name, value)
    }

    /// Has `model` do `task`. Dropping the future stops what it calls.
    ///
    /// # Errors
    /// When the model cannot be asked, answers with nothing, or calls in every round. What it did
    /// until then stays in the conversation.
    pub async fn run(
        &mut self,
        model: &dyn ChatModel,
        task: &str,
    ) -> Result<LoopAnswer, LoopError> {
        let before = (
            self.state.conversation.messages.len(),
            self.state.bytes,
            self.state.values.taken(),
        );
        let first_medium = self.state.values.media().len();
        let state = &mut self.state;
        let text = match (&self.interpreter, &mut self.prompted) {
            (Some(interpreter), Some(prompted)) => {
                prompted::run(state, interpreter, prompted, model, task).await
            }
            (Some(interpreter), None) => code::run(state, interpreter, model, task).await,
            (None, _) => calls::run(state, model, task).await,
        };
        let mut said = self.state.conversation.messages.iter().skip(before.0);
        if text.is_err() && said.all(|message| message.role != Role::Assistant) {
            // Nothing was done: the same task may be given once more.
            self.state.conversation.messages.truncate(before.0);
            self.state.bytes = before.1;
            self.state.values.take_again(before.2);
        }
        Ok(LoopAnswer {
            text: text?,
            is_cut_off: self.state.is_cut_off,
            media: self.state.values.media()[first_medium..].to_vec(),
        })
    }

    /// Has `model` write code for `task`, which is not run.
    ///
    /// # Errors
    /// When the agent writes no code, the model cannot be asked, or answers with nothing.
    pub async fn write_code(
        &mut self,
        model: &dyn ChatModel,
        task: &str,
    ) -> Result<WrittenCode, LoopError> {
        let interpreter = self.interpreter.as_ref().ok_or(LoopError::NoCode)?;
        match &mut self.prompted {
            Some(prompted) => {
                let solution =
                    prompted::solution(&mut self.state, interpreter, prompted, model, task).await?;
                Ok(solution.into())
            }
            None => code::write(&mut self.state, interpreter, model, task).await,
        }
    }
}
