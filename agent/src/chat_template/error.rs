//! Why nothing is printed.

/// A template cannot be read, or does not print a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The template is not Jinja.
    #[error("the chat template cannot be read{}: {message}", at(*line))]
    Syntax {
        /// Counted from one.
        line: Option<usize>,
        /// What is wrong, in the engine's words.
        message: String,
    },
    /// The template does not take such conversations, and says so itself.
    #[error("the chat template refuses the conversation: {message}")]
    Refused {
        /// The template's own words.
        message: String,
    },
    /// The template breaks down.
    #[error("the chat template fails{}: {message}", at(*line))]
    Failed {
        /// Counted from one.
        line: Option<usize>,
        /// Why, in the engine's words.
        message: String,
    },
    /// The template is too long or too deep, takes too many steps or too much memory, or prints too
    /// much.
    #[error("the chat template goes beyond a limit ({limit} = {value})")]
    TooMuch {
        /// Which limit.
        limit: &'static str,
        /// What it allows.
        value: usize,
    },
    /// A message, a tool or a document has the text of a control token.
    #[error(
        "what the conversation says has the control token `{}`", .token.escape_debug()
    )]
    ControlToken {
        /// Which.
        token: String,
    },
    /// The last message cannot be continued.
    #[error("the last message cannot be continued: {why}")]
    NotContinued {
        /// Why not.
        why: &'static str,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" in line {line}"))
        .unwrap_or_default()
}

impl From<tool_hub_jinja::Error> for TemplateError {
    fn from(error: tool_hub_jinja::Error) -> Self {
        use tool_hub_jinja::Error;
        match error {
            Error::Syntax { line, message } => Self::Syntax {
                line: Some(line),
                message,
            },
            Error::Failed { line, message } => Self::Failed {
                line: Some(line),
                message,
            },
            Error::Raised(message) => Self::Refused { message },
            Error::TooMuch { limit, value } => Self::TooMuch { limit, value },
            other => Self::Failed {
                line: None,
                message: other.to_string(),
            },
        }
    }
}
