//! Exit codes and hints for errors of templates, conversations, prompts and constraints.

use tool_hub_agent::constraint::ConstraintError;
use tool_hub_agent::conversation::MessageError;
use tool_hub_agent::conversation::chat_template::TemplateError;
use tool_hub_agent::prompt::PromptError;

use super::{Hint, one};
use crate::terminal::exit::Exit;

impl Hint for ConstraintError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(matches!(self, Self::TooLarge { .. }))
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Recursive { .. } => one("use: --format gbnf or --format lark"),
            _ => Vec::new(),
        }
    }
}

impl Hint for TemplateError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(matches!(self, Self::TooMuch { .. }))
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Refused { .. } => {
                one("another --template of the model may take the conversation")
            }
            _ => Vec::new(),
        }
    }
}

impl Hint for MessageError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(matches!(self, Self::TooMuch { .. }))
    }

    fn hints(&self) -> Vec<String> {
        match self {
            Self::Unexpected { .. } => {
                one("--from says whose form it has: hf, openai, responses or anthropic")
            }
            _ => Vec::new(),
        }
    }
}

impl Hint for PromptError {
    fn exit(&self) -> Exit {
        Exit::of_refusal(matches!(self, Self::LongTemplate | Self::LongPrompt))
    }

    fn hints(&self) -> Vec<String> {
        Vec::new()
    }
}
