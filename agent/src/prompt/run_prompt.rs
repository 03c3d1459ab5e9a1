//! The template of a run prompt, which asks for code that solves one task.

use tool_hub_manifest::FunctionSpec;

use super::template::{ALL_TOOLS, PromptError, Template};
use super::toolbox::toolbox_lines;

const TASK: &str = "<<prompt>>";
const PLACES: [(&str, &str); 2] = [(ALL_TOOLS, "the list of tools"), (TASK, "the task")];

/// A template that asks for the solution of one task.
///
/// ```
/// use tool_hub_agent::prompt::RunPrompt;
///
/// let template = RunPrompt::new("Tools:\n<<all_tools>>\n\nTask: \"<<prompt>>\"\n\nI will")?;
/// assert!(template.fill(&[], "Draw a tree")?.ends_with("Task: \"Draw a tree\"\n\nI will"));
/// # Ok::<(), tool_hub_agent::prompt::PromptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RunPrompt(Template);

impl RunPrompt {
    /// The default template.
    pub const DEFAULT: &str = include_str!("run.txt");

    /// Takes a template that contains `<<all_tools>>` and `<<prompt>>`. A model's answer continues
    /// it, and is read as if it began with `I will use the following`.
    ///
    /// # Errors
    /// [`PromptError::NoPlace`] where one of them is missing, [`PromptError::LongTemplate`].
    pub fn new(text: impl Into<String>) -> Result<Self, PromptError> {
        Template::new(text.into(), &PLACES).map(Self)
    }

    /// The prompt that offers `tools` for `task`.
    ///
    /// # Errors
    /// [`PromptError::LongPrompt`].
    pub fn fill(&self, tools: &[FunctionSpec], task: &str) -> Result<String, PromptError> {
        let lines = toolbox_lines(tools);
        self.0.fill(&[(ALL_TOOLS, &lines), (TASK, task)])
    }
}
