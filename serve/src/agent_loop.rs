//! An agent: a model that is asked, whose calls are run, and that is asked again with what came of
//! them, until it answers. It calls functions one by one, or writes code that calls them.

mod code;
mod error;
mod kept;
mod model;
mod prompted;
mod ran;
mod watcher;
mod written;

use std::sync::Arc;

use serde_json::{Map, Value};
use tool_hub_agent::{
    Content, Conversation, Message, PromptTemplate, Role, ToolCall, ToolResult, repair,
};
use tool_hub_host::Nobody;
use tool_hub_manifest::FunctionSpec;
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome, Reply};

use crate::result::CallResult;
use crate::{FrontEnd, Toolset, tolerance};

pub use code::{Interpreter, WrittenCode};
pub use error::LoopError;
pub use kept::{KeptMedia, NamedMedia};
pub use model::{ChatModel, ChatModelError, ModelAnswer, ModelRequest};
pub use watcher::{Act, Nodding, Verdict, Watcher};
pub use written::WrittenCalls;

use kept::Kept;
use prompted::Prompted;

/// How often a model is asked for one answer, where nobody says otherwise.
const ROUNDS_MAX: u32 = 12;
/// Calls of one message that are run; further ones are answered with a failure.
const CALLS_MAX: usize = 64;
/// Of how many things in one message the model is told that they could not be read.
const PROBLEMS_MAX: usize = 16;
/// How much a conversation may hold, in bytes of text.
const CONVERSATION_BYTES_MAX: usize = 16 << 20;

/// A conversation with a model that has a toolbox. What was said stays from one task to the next.
///
/// ```
/// use std::pin::Pin;
/// use std::sync::Arc;
///
/// use tool_hub_agent::{Message, Role};
/// use tool_hub_serve::{
///     AgentLoop, Catalogue, ChatModel, ChatModelError, ModelAnswer, ModelRequest, Nodding, Toolset,
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
/// let mut agent = AgentLoop::new(toolset, Arc::new(Nodding));
/// assert_eq!(agent.run(&Oracle, "What is the answer?").await?.text, "42");
/// # Ok(())
/// # }
/// ```
pub struct AgentLoop {
    toolset: Toolset,
    conversation: Conversation,
    watcher: Arc<dyn Watcher>,
    kept: Kept,
    rounds_max: u32,
    interpreter: Option<Interpreter>,
    /// Absent where the model is asked in messages.
    prompted: Option<Prompted>,
    /// What the interpreter keeps from one piece of code to the next.
    state: String,
    /// Values that no code has got yet.
    variables: Map<String, Value>,
    bytes: usize,
    /// Whether the model's last words were cut off.
    is_cut_off: bool,
}

/// What a task came to.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopAnswer {
    /// The model's last words.
    pub text: String,
    /// Whether they were cut off, as by a limit of tokens.
    pub is_cut_off: bool,
    /// The pictures and sounds that the task made, in order.
    pub media: Vec<KeptMedia>,
}

impl AgentLoop {
    /// An agent that calls the functions of `toolset`, each after `watcher` allowed it.
    pub fn new(toolset: Toolset, watcher: Arc<dyn Watcher>) -> Self {
        Self {
            toolset,
            conversation: Conversation::default(),
            watcher,
            kept: Kept::default(),
            rounds_max: ROUNDS_MAX,
            interpreter: None,
            prompted: None,
            state: String::new(),
            variables: Map::new(),
            bytes: 0,
            is_cut_off: false,
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
        self.rounds_max = rounds.get();
        self
    }

    /// Gives the model a value under a name: code has a variable, calls may name a picture or a
    /// sound.
    ///
    /// # Errors
    /// When `name` is no identifier of 1 to 64 letters, digits and `_`.
    pub fn give(&mut self, name: &str, value: Value) -> Result<(), LoopError> {
        self.kept.give(name, value)
    }

    /// What was said, for whoever wants to keep it.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
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
            self.conversation.messages.len(),
            self.bytes,
            self.kept.told(),
        );
        let first_medium = self.kept.media().len();
        let text = match self.interpreter.clone() {
            Some(interpreter) if self.prompted.is_some() => {
                self.run_prompted(&interpreter, model, task).await
            }
            Some(interpreter) => self.run_code(&interpreter, model, task).await,
            None => self.run_calls(model, task).await,
        };
        let mut said = self.conversation.messages.iter().skip(before.0);
        if text.is_err() && said.all(|message| message.role != Role::Assistant) {
            // Nothing was done: the same task may be given once more.
            self.conversation.messages.truncate(before.0);
            self.bytes = before.1;
            self.kept.tell_again(before.2);
        }
        Ok(LoopAnswer {
            text: text?,
            is_cut_off: self.is_cut_off,
            media: self.kept.media()[first_medium..].to_vec(),
        })
    }

    async fn run_calls(&mut self, model: &dyn ChatModel, task: &str) -> Result<String, LoopError> {
        let specs: Vec<FunctionSpec> = self.listed();
        let told = self.kept.tell();
        let task = match told.is_empty() {
            true => task.to_owned(),
            false => format!("{task}\n\n{told}"),
        };
        self.push(Message::text(Role::User, task))?;
        for round in 1..=self.rounds_max {
            let is_last = round == self.rounds_max;
            let request = ModelRequest {
                messages: &self.conversation.messages,
                functions: &specs,
                must_answer: is_last,
                stop: &[],
            };
            let answer = model.answer(request).await?;
            let (text, calls) = (text_of(&answer.message), calls_of(&answer.message));
            self.is_cut_off = answer.is_cut_off;
            self.push(answer.message)?;
            if calls.is_empty() && answer.problems.is_empty() {
                return if text.is_empty() {
                    Err(LoopError::Silent)
                } else {
                    Ok(text)
                };
            }
            if !text.is_empty() {
                self.watcher.said(&text);
            }
            if is_last {
                // Nobody would be told what came of the calls.
                break;
            }
            self.answer_calls(&calls).await?;
            self.tell_problems(&answer.problems)?;
        }
        Err(LoopError::Rounds {
            rounds: self.rounds_max,
        })
    }

    async fn answer_calls(&mut self, calls: &[ToolCall]) -> Result<(), LoopError> {
        let mut results = Vec::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            results.push(Content::Result(self.result(index, call).await));
        }
        self.push(Message::new(Role::Tool, results))
    }

    /// Tells the model what of its answer could not be read.
    fn tell_problems(&mut self, problems: &[String]) -> Result<(), LoopError> {
        if problems.is_empty() {
            return Ok(());
        }
        let told = problems[..problems.len().min(PROBLEMS_MAX)].join("\n");
        self.watcher.misread(&told);
        self.push(Message::text(Role::User, told))
    }

    fn listed(&self) -> Vec<FunctionSpec> {
        let listed = self.toolset.listed();
        listed.iter().map(|callee| callee.spec().clone()).collect()
    }

    /// Runs one call.
    async fn result(&mut self, index: usize, call: &ToolCall) -> ToolResult {
        let came = if index < CALLS_MAX {
            let arguments = self.kept.filled_in(&call.arguments);
            called(
                &self.toolset,
                &*self.watcher,
                Reader::Model,
                &call.name,
                &arguments,
            )
            .await
        } else {
            let message = format!("more than {CALLS_MAX} functions were called at once");
            Err(Failure::new(FailureKind::LimitReached, message))
        };
        let result = match came {
            Ok(reply) => CallResult::of_reply(self.kept.keep_media(&call.name, reply)),
            Err(mut failure) => {
                let unknown = self.kept.unknown_in(&call.arguments);
                if let Some(unknown) =
                    unknown.filter(|_| failure.kind == FailureKind::InvalidArgument)
                {
                    let fix = failure.fix.take().map(|fix| format!("; {fix}"));
                    failure.fix = Some(unknown + &fix.unwrap_or_default());
                }
                CallResult::of_failure(&call.name, &failure)
            }
        };
        ToolResult {
            call_id: call.id.clone(),
            name: Some(call.name.clone()),
            is_error: result.is_failure,
            content: vec![Content::Text(result.text()).into()],
        }
    }

    /// Adds to the conversation, while there is room.
    fn push(&mut self, message: Message) -> Result<(), LoopError> {
        if message.parts.is_empty() {
            return Ok(());
        }
        self.bytes += bytes_of(&message);
        if self.bytes > CONVERSATION_BYTES_MAX {
            return Err(LoopError::TooLong {
                bytes_max: CONVERSATION_BYTES_MAX,
            });
        }
        self.conversation.messages.push(message);
        Ok(())
    }
}

/// Who reads what a function answers.
#[derive(Clone, Copy)]
enum Reader {
    /// The model, which is told how its arguments were read.
    Model,
    /// Code, to which that would be one more value.
    Code,
}

/// Calls the function that agents call `name`, if `watcher` allows it, and tells it what came.
async fn called(
    toolset: &Toolset,
    watcher: &dyn Watcher,
    reader: Reader,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Reply, Failure> {
    let callee = toolset
        .function(name)
        .map_err(|unknown| Failure::new(FailureKind::UnknownFunction, unknown.to_string()))?;
    // What is shown is what will run.
    let text = Value::Object(arguments.clone()).to_string();
    let (callee, text) = callee.meant(text);
    let (text, note) = match repair(&callee.spec().input_schema, &text) {
        Some(read) => (read.arguments, Some(read.note)),
        None => (text, None),
    };
    let act = Act::Call {
        function: callee.spec(),
        arguments: &text,
    };
    if let Verdict::Refused { why } = watcher.allows(act).await {
        return Err(refused(why));
    }
    let outcome = callee.call(FrontEnd::Loop, &text, Arc::new(Nobody)).await;
    let outcome = match (note, reader) {
        (Some(note), Reader::Model) => tolerance::noted(outcome, note, callee.spec()),
        _ => outcome,
    };
    watcher.came(callee.spec(), &outcome);
    match outcome {
        Outcome::Reply(reply) => Ok(reply),
        Outcome::Failure(failure) => Err(failure),
    }
}

/// What the model reads of a call that somebody refused.
fn refused(why: Option<String>) -> Failure {
    let failure = Failure::new(FailureKind::Failed, "the user declined this call");
    failure.with_fix(match why {
        Some(why) => format!("the user says: {why}"),
        None => "do without it, or ask the user what to do".to_owned(),
    })
}

/// What a model says in `message`, without what it thinks.
fn text_of(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        Content::Text(text) | Content::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn calls_of(message: &Message) -> Vec<ToolCall> {
    let calls = message.parts.iter().filter_map(|part| match &part.content {
        Content::Call(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// About how much of a request a message takes.
fn bytes_of(message: &Message) -> usize {
    let parts = message.parts.iter().map(|part| match &part.content {
        Content::Text(text) | Content::Refusal(text) => text.len(),
        Content::Call(call) => Value::Object(call.arguments.clone()).to_string().len(),
        Content::Result(result) => {
            let texts = result.content.iter().map(|part| match &part.content {
                Content::Text(text) => text.len(),
                _ => 0,
            });
            texts.sum()
        }
        Content::Reasoning(reasoning) => reasoning.text.len(),
        _ => 0,
    });
    parts.sum()
}
