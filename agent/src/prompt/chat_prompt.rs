//! The chat prompt of Transformers Agents: its template, and the conversation that follows it.

use tool_hub_manifest::FunctionSpec;

use super::solution::strip;
use super::template::{ALL_TOOLS, PromptError, Template, append};
use super::toolbox::toolbox_lines;

const PLACES: [(&str, &str); 1] = [(ALL_TOOLS, "the list of tools")];

/// A template that begins a conversation.
///
/// ```
/// use tool_hub_agent::prompt::ChatPrompt;
///
/// let mut history = ChatPrompt::new("Tools:\n<<all_tools>>\n=====\n")?.begin(&[])?;
/// let prompt = history.ask("Hi")?;
/// assert!(prompt.ends_with("=====\n\nHuman: Hi\n\nAssistant: "));
/// history.answered(prompt, " Hello! ")?;
/// assert!(history.ask("Bye")?.ends_with("Assistant: Hello!\n\nHuman: Bye\n\nAssistant: "));
/// # Ok::<(), tool_hub_agent::prompt::PromptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChatPrompt(Template);

/// The conversation so far, as the model reads it.
#[derive(Debug, Clone)]
pub struct ChatHistory(String);

impl ChatPrompt {
    /// The default template.
    pub const DEFAULT: &str = include_str!("chat.txt");

    /// Takes a template with `<<all_tools>>` in it. The turns follow it.
    ///
    /// # Errors
    /// [`PromptError::NoPlace`] where that is missing, [`PromptError::LongTemplate`].
    pub fn new(text: impl Into<String>) -> Result<Self, PromptError> {
        Template::new(text.into(), &PLACES).map(Self)
    }

    /// Begins a conversation in which `tools` are offered until its end. Tools that are loaded
    /// later are offered in the next conversation.
    ///
    /// # Errors
    /// [`PromptError::LongPrompt`].
    pub fn begin(&self, tools: &[FunctionSpec]) -> Result<ChatHistory, PromptError> {
        let lines = toolbox_lines(tools);
        self.0.fill(&[(ALL_TOOLS, &lines)]).map(ChatHistory)
    }
}

impl ChatHistory {
    /// The prompt that asks for `task` next. Nothing is remembered until
    /// [`answered`](Self::answered).
    ///
    /// # Errors
    /// [`PromptError::LongPrompt`], also where the conversation has become too long.
    pub fn ask(&self, task: &str) -> Result<String, PromptError> {
        let mut prompt = self.0.clone();
        append(&mut prompt, &["\nHuman: ", task, "\n\nAssistant: "])?;
        Ok(prompt)
    }

    /// Remembers the turn: the prompt, and what the model answered to it.
    ///
    /// # Errors
    /// [`PromptError::LongPrompt`]; the turn is not remembered then.
    pub fn answered(&mut self, mut prompt: String, answer: &str) -> Result<(), PromptError> {
        append(&mut prompt, &[strip(answer), "\n"])?;
        self.0 = prompt;
        Ok(())
    }
}
