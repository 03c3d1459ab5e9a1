//! Flags of `tool explain` for the conversation: one message or a file, and the other arguments of
//! Transformers' `apply_chat_template`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value};
use tool_hub_agent::conversation::chat_template::Chat;
use tool_hub_agent::conversation::{Conversation, MessageDialect};

use crate::files::{Limit, json_or_input, shown};
use crate::session::Session;
use crate::terminal::problem::Problem;
use crate::text::conversation;

/// The longest list of documents.
const DOCUMENTS: Limit = Limit {
    name: "documents_bytes",
    bytes_max: 64 << 20,
    hint: "give it those that the answer may be drawn from, and no others",
};

#[derive(Debug, Args)]
pub(super) struct ConversationFlags {
    /// What the user says in the conversation
    #[arg(long, value_name = "TEXT", default_value = "Hello!")]
    message: String,

    /// The conversation instead: a list of messages or a request that has it, in JSON; `-` for
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "message")]
    messages: Option<PathBuf>,

    /// Whose form the messages have: hf, which are printed as they are, openai, responses or
    /// anthropic [default: hf]
    #[arg(long, value_name = "DIALECT", requires = "messages")]
    from: Option<MessageDialect>,

    /// What the answer may be drawn from: a list of documents in JSON; `-` for standard input
    #[arg(long, value_name = "FILE")]
    documents: Option<PathBuf>,

    /// What else the template is told, such as enable_thinking=false: JSON, or else text
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, Value)>,

    /// Leave the last message open, for the model to go on with its content or another member
    #[arg(
        long = "continue",
        value_name = "MEMBER",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "content"
    )]
    continued: Option<String>,

    /// Do not begin the assistant's next message
    #[arg(long)]
    no_generation_prompt: bool,
}

impl ConversationFlags {
    /// `chat` with all of it.
    pub(super) fn in_chat(&self, mut chat: Chat, session: &Session) -> anyhow::Result<Chat> {
        chat.messages = match &self.messages {
            Some(file) => self.messages_of(file, session)?,
            None => {
                let message = [("role", "user"), ("content", &self.message)];
                let members = message.map(|(name, value)| (name.to_owned(), value.into()));
                vec![Map::from_iter(members)]
            }
        };
        if let Some(file) = &self.documents {
            let value = json_or_input(file, &session.config.settings.working, &DOCUMENTS)?;
            let Value::Array(documents) = value else {
                let what = format!("{} must be a list of documents", shown(file));
                return Err(Problem::user(what)
                    .hint("write [{\"title\": …, \"text\": …}, …]")
                    .into());
            };
            chat.documents = Some(documents);
        }
        chat.variables.extend(self.variables.iter().cloned());
        chat.add_generation_prompt = !self.no_generation_prompt && self.continued.is_none();
        chat.continue_final_message = self.continued.clone();
        Ok(chat)
    }

    fn messages_of(
        &self,
        file: &Path,
        session: &Session,
    ) -> anyhow::Result<Vec<Map<String, Value>>> {
        let mut value = conversation::read(file, &session.config.settings.working)?;
        // Messages in the form of templates are left as they are: templates know other members and
        // roles.
        if let Some(dialect) = self.from.filter(|it| *it != MessageDialect::HuggingFace) {
            let conversation = Conversation::read(dialect, &value)?;
            let written = conversation.write(MessageDialect::HuggingFace);
            conversation::tell(&written.losses, &session.printer);
            value = written.value;
        }
        if let Some(list) = value.get_mut("messages") {
            value = list.take();
        }
        serde_json::from_value(value).map_err(|_| {
            Problem::user(format!("{} must be a list of messages", shown(file)))
                .hint("write [{\"role\": …, \"content\": …}, …], or say with --from whose form it has")
                .into()
        })
    }
}

fn variable(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            Ok((name.to_owned(), value))
        }
        _ => Err("write NAME=VALUE, such as enable_thinking=false".to_owned()),
    }
}
