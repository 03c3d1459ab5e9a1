//! `tool explain`: renders a chat template with the toolbox's functions; shows what is omitted.

mod conversation_flags;

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use tool_hub_agent::conversation::chat_template::{Chat, ChatTemplate};
use tool_hub_agent::conversation::explain::Explanation;

use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::text::chat_templates;
use crate::toolbox::functions::specs_of;
use conversation_flags::ConversationFlags;

/// The most unread names that are told one by one.
const UNSEEN_TOLD_MAX: usize = 20;

/// Arguments of `tool explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The model: owner/name on the registry, a directory with its tokenizer's files, or a
    /// template in a file
    #[arg(long = "as", value_name = "MODEL")]
    model: String,

    /// Which of the model's templates, if it has several [default: the one for tools]
    #[arg(long, value_name = "NAME")]
    template: Option<String>,

    #[command(flatten)]
    said: ConversationFlags,

    /// Put the tools into what the user says where the template has no place for them
    #[arg(long)]
    fallback: bool,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

/// The explanation as programs read it.
#[derive(Serialize)]
struct ExplanationJson<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    characters: usize,
    tools_characters: usize,
}

impl Explain {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let printer = &session.printer;
        let model = chat_templates::templates(&self.model, session).await?;
        let specs = specs_of(&self.names, session).await?;
        let source = model.choose(self.template.as_deref(), !specs.is_empty())?;
        let template = ChatTemplate::new(source)?;
        let chat = Chat {
            now: Some(jiff::Zoned::now().datetime()),
            tools_in_text: self.fallback,
            ..self.said.in_chat(model.chat(), session)?
        };
        let explanation = tool_hub_agent::conversation::explain::explain(&template, chat, &specs)?;
        let characters = explanation.text.chars().count();
        let tools_characters = explanation.text[explanation.tools.clone()].chars().count();
        if printer.wants_json() {
            printer.json(&ExplanationJson {
                explanation: &explanation,
                characters,
                tools_characters,
            })?;
        } else {
            printer.data(&in_two_columns(&explanation))?;
        }
        tell_unseen(&explanation, printer);
        printer.note(&format!(
            "{tools_characters} of {} are about {}",
            counted(characters, "character"),
            counted(specs.len(), "function")
        ));
        Ok(ExitCode::SUCCESS)
    }
}

/// Warns of what the model never reads; if it reads nothing of the tools, of that alone.
fn tell_unseen(explanation: &Explanation, printer: &Printer) {
    let unseen = &explanation.unseen;
    if !unseen.is_empty() && explanation.tools.is_empty() {
        printer
            .warning("the model reads nothing of the tools: this template has no place for tools");
        printer
            .hint("--fallback puts them into what the user says; `tool export` lists other ways");
        return;
    }
    for unseen in unseen.iter().take(UNSEEN_TOLD_MAX) {
        printer.warning(&format!("the model never reads {unseen}"));
    }
    if unseen.len() > UNSEEN_TOLD_MAX {
        let more = unseen.len() - UNSEEN_TOLD_MAX;
        printer.warning(&format!("nor {more} more; --json lists all"));
    }
}

/// The text with a mark before each line that is about tools. A line that is so in part is
/// broken there.
fn in_two_columns(explanation: &Explanation) -> String {
    let (text, tools) = (&explanation.text, explanation.tools.clone());
    let parts = [
        ("  ", &text[..tools.start]),
        ("> ", &text[tools.clone()]),
        ("  ", &text[tools.end..]),
    ];
    let mut columns = String::new();
    for (margin, part) in parts {
        for line in part.lines() {
            columns.push_str(margin);
            columns.push_str(line);
            columns.push('\n');
        }
    }
    columns
}
