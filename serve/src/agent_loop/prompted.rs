//! Runs a task with a prompt template, as Transformers Agents does: the model's code is run once.
//! Its result is the answer.

use tool_hub_agent::conversation::{Message, Role};
use tool_hub_agent::prompt::{
    ChatHistory, ChatPrompt, PromptError, PromptMode, PromptTemplate, RunPrompt, Solution,
};
use tool_hub_manifest::FunctionSpec;

use super::code::{self, Interpreter, WrittenCode};
use super::code_result::CodeResult;
use super::error::LoopError;
use super::message_parts::text_of;
use super::model::{ChatModel, ModelRequest};
use super::state::AgentState;

/// A template, and what was said with it.
pub(super) enum Prompted {
    Run(RunPrompt),
    Chat {
        template: ChatPrompt,
        /// Absent before the first task.
        history: Option<ChatHistory>,
    },
}

impl From<PromptTemplate> for Prompted {
    fn from(template: PromptTemplate) -> Self {
        match template {
            PromptTemplate::Run(template) => Self::Run(template),
            PromptTemplate::Chat(template) => Self::Chat {
                template,
                history: None,
            },
        }
    }
}

impl Prompted {
    fn mode(&self) -> PromptMode {
        match self {
            Self::Run(_) => PromptMode::Run,
            Self::Chat { .. } => PromptMode::Chat,
        }
    }

    fn prompt(&mut self, specs: &[FunctionSpec], task: &str) -> Result<String, PromptError> {
        match self {
            Self::Run(template) => template.fill(specs, task),
            Self::Chat { template, history } => match history {
                Some(history) => history.ask(task),
                None => history.insert(template.begin(specs)?).ask(task),
            },
        }
    }

    fn answered(&mut self, prompt: String, answer: &str) -> Result<(), PromptError> {
        match self {
            Self::Chat {
                history: Some(history),
                ..
            } => history.answered(prompt, answer),
            _ => Ok(()),
        }
    }
}

pub(super) async fn run(
    state: &mut AgentState,
    interpreter: &Interpreter,
    prompted: &mut Prompted,
    model: &dyn ChatModel,
    task: &str,
) -> Result<String, LoopError> {
    let Solution { explanation, code } =
        solution(state, interpreter, prompted, model, task).await?;
    let Some(code) = code else {
        return Ok(explanation);
    };
    if !explanation.is_empty() {
        state.watcher.model_said(&explanation);
    }
    match code::run_once(state, interpreter, &code).await {
        CodeResult::Refused { .. } => Err(LoopError::Refused),
        CodeResult::Failed { message } => Err(LoopError::Code { message }),
        CodeResult::Finished(done) => Ok(done.answer()),
    }
}

/// Asks the model for the two parts of a solution of `task`. The values that the person gave are
/// passed when the code runs; the task names them.
pub(super) async fn solution(
    state: &mut AgentState,
    interpreter: &Interpreter,
    prompted: &mut Prompted,
    model: &dyn ChatModel,
    task: &str,
) -> Result<Solution, LoopError> {
    let language = interpreter.language;
    let catalogue = state.toolset.catalogue();
    let specs = catalogue.specs().map(|spec| FunctionSpec {
        name: language.identifier(&spec.name),
        ..spec.clone()
    });
    let specs: Vec<FunctionSpec> = specs.collect();
    let mode = prompted.mode();
    let prompt = prompted.prompt(&specs, task)?;
    if mode == PromptMode::Run {
        // In this mode, a task keeps nothing of the one before.
        state.interpreter_state.clear();
    }
    let asked = [Message::text(Role::User, prompt.as_str())];
    let answer = model
        .answer(ModelRequest {
            messages: &asked,
            functions: &[],
            must_answer: true,
            stop: mode.stop_sequences(),
        })
        .await?;
    let text = text_of(&answer.message);
    let text = mode.before_stop(&text);
    if text.trim().is_empty() {
        return Err(LoopError::Silent);
    }
    state.is_cut_off = answer.is_cut_off;
    prompted.answered(prompt, text)?;
    let given = state.values.take_given();
    state.pending_variables.extend(given);
    state.push(Message::text(Role::User, task))?;
    state.push(Message::text(Role::Assistant, text))?;
    Ok(mode.read(text)?)
}

impl From<Solution> for WrittenCode {
    fn from(solution: Solution) -> Self {
        Self {
            explanation: solution.explanation,
            code: solution.code,
        }
    }
}
