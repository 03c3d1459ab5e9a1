//! An agent that asks with a prompt template, as Transformers Agents does: the model goes on with
//! one text, and what the code in it comes to is the answer.

use tool_hub_agent::{
    ChatHistory, ChatPrompt, Message, PromptError, PromptMode, PromptTemplate, Role, RunPrompt,
    Solution,
};
use tool_hub_manifest::FunctionSpec;

use super::model::{ChatModel, ModelRequest};
use super::ran::Ran;
use super::{AgentLoop, Interpreter, LoopError, WrittenCode, text_of};

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

impl AgentLoop {
    pub(super) async fn run_prompted(
        &mut self,
        interpreter: &Interpreter,
        model: &dyn ChatModel,
        task: &str,
    ) -> Result<String, LoopError> {
        let Solution { explanation, code } = self.solution(interpreter, model, task).await?;
        let Some(code) = code else {
            return Ok(explanation);
        };
        if !explanation.is_empty() {
            self.watcher.said(&explanation);
        }
        match self.ran(interpreter, &code).await {
            Ran::Refused { .. } => Err(LoopError::Refused),
            Ran::Failed { message } => Err(LoopError::Code { message }),
            Ran::Done(done) => Ok(done.answer()),
        }
    }

    /// What the model writes for `task`, in its two parts. The values given for it are there when
    /// the code runs: the task has their names.
    pub(super) async fn solution(
        &mut self,
        interpreter: &Interpreter,
        model: &dyn ChatModel,
        task: &str,
    ) -> Result<Solution, LoopError> {
        let language = interpreter.language;
        let catalogue = self.toolset.catalogue();
        let specs = catalogue.specs().map(|spec| FunctionSpec {
            name: language.identifier(&spec.name),
            ..spec.clone()
        });
        let specs: Vec<FunctionSpec> = specs.collect();
        let Some(prompted) = &mut self.prompted else {
            return Err(LoopError::NoCode);
        };
        let mode = prompted.mode();
        let prompt = prompted.prompt(&specs, task)?;
        if mode == PromptMode::Run {
            // One task knows nothing of another.
            self.state.clear();
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
        self.is_cut_off = answer.is_cut_off;
        prompted.answered(prompt, text)?;
        let given = self.kept.take_given();
        self.variables.extend(given);
        self.push(Message::text(Role::User, task))?;
        self.push(Message::text(Role::Assistant, text))?;
        Ok(mode.read(text)?)
    }
}

impl From<Solution> for WrittenCode {
    fn from(solution: Solution) -> Self {
        Self {
            explanation: solution.explanation,
            code: solution.code,
        }
    }
}
