//! Prompts for models that answer with code (Transformers Agents' and our own), and their answers.
//! A template is filled with the lines of the toolbox and a task.

mod chat_prompt;
mod code;
mod run_prompt;
mod solution;
mod template;
mod toolbox;

pub use chat_prompt::{ChatHistory, ChatPrompt};
pub use code::{CodeAnswer, code_prompt};
pub use run_prompt::RunPrompt;
pub use solution::{Solution, SolutionError};
pub use template::{PROMPT_TEMPLATE_BYTES_MAX, PromptError};
pub use toolbox::toolbox_line;

/// The two kinds of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMode {
    /// One task, without a memory.
    Run,
    /// A task of a conversation.
    Chat,
}

/// A template of one of the two kinds.
#[derive(Debug, Clone)]
pub enum PromptTemplate {
    /// For one task.
    Run(RunPrompt),
    /// For a conversation.
    Chat(ChatPrompt),
}

impl PromptMode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Run, Self::Chat];

    /// The file of a repository in which the template is kept.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Run => "run_prompt_template.txt",
            Self::Chat => "chat_prompt_template.txt",
        }
    }

    /// The sequences at which to stop the model: they begin the next task or turn, which the model
    /// must not write.
    pub fn stop_sequences(self) -> &'static [&'static str] {
        match self {
            Self::Run => &["Task:"],
            Self::Chat => &["Human:", "====="],
        }
    }

    /// The part of `answer` before the first stop sequence. Some endpoints give the sequence
    /// back with the text, and some do not stop.
    pub fn before_stop(self, answer: &str) -> &str {
        let stops = self.stop_sequences().iter();
        let end = stops.filter_map(|stop| answer.find(stop)).min();
        &answer[..end.unwrap_or(answer.len())]
    }

    /// The default template.
    pub fn default_template(self) -> &'static str {
        match self {
            Self::Run => RunPrompt::DEFAULT,
            Self::Chat => ChatPrompt::DEFAULT,
        }
    }

    /// Takes `text` for a template.
    ///
    /// # Errors
    /// The same as [`RunPrompt::new`] and [`ChatPrompt::new`].
    pub fn template(self, text: impl Into<String>) -> Result<PromptTemplate, PromptError> {
        Ok(match self {
            Self::Run => PromptTemplate::Run(RunPrompt::new(text)?),
            Self::Chat => PromptTemplate::Chat(ChatPrompt::new(text)?),
        })
    }

    /// Splits a model's answer into its explanation and its code.
    ///
    /// # Errors
    /// A [`SolutionError`] for a model that did not write as it was asked to.
    pub fn read(self, answer: &str) -> Result<Solution, SolutionError> {
        match self {
            Self::Run => solution::of_run(answer),
            Self::Chat => solution::of_chat(answer),
        }
    }
}

#[cfg(test)]
mod tests;
