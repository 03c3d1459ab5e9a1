//! `tool explain`: what a model sees of the toolbox's functions, by its own chat template.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use tool_hub_agent::{Chat, ChatTemplate, Explanation, Part, Unseen};

use crate::config::Config;
use crate::loaded::LoadedTool;
use crate::model;
use crate::printer::Printer;
use crate::wording::counted;

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

    /// What the user says in the conversation
    #[arg(long, value_name = "TEXT", default_value = "Hello!")]
    message: String,

    /// Put the tools into what the user says where the template has no place for them
    #[arg(long)]
    fallback: bool,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

/// What programs read.
#[derive(Serialize)]
struct Explained<'a> {
    #[serde(flatten)]
    explanation: &'a Explanation,
    characters: usize,
    tools_characters: usize,
}

impl Explain {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let model = model::templates(&self.model, config, printer).await?;
        let source = model.choose(self.template.as_deref(), true)?;
        let template = ChatTemplate::new(source)?;
        let specs = LoadedTool::specs_of(&self.names, config, printer).await?;
        let said = [("role", "user"), ("content", &self.message)];
        let said = said.map(|(name, value)| (name.to_owned(), Value::from(value)));
        let chat = Chat {
            messages: vec![said.into_iter().collect()],
            add_generation_prompt: true,
            now: Some(jiff::Zoned::now().datetime()),
            tools_in_text: self.fallback,
            ..model.chat()
        };
        let explanation = tool_hub_agent::explain(&template, chat, &specs)?;
        let characters = explanation.text.chars().count();
        let tools_characters = explanation.text[explanation.tools.clone()].chars().count();
        if printer.wants_json() {
            printer.json(&Explained {
                explanation: &explanation,
                characters,
                tools_characters,
            })?;
        } else {
            printer.data(&in_two_columns(&explanation))?;
        }
        for unseen in &explanation.unseen {
            printer.warning(&format!("the model never reads {unseen}"));
        }
        if !specs.is_empty() && hides_all(&explanation.unseen, specs.len()) {
            printer.warning("this template has no place for tools");
            printer.hint(
                "--fallback puts them into what the user says; `tool export` lists other ways",
            );
        }
        printer.note(&format!(
            "{tools_characters} of {} are about {}",
            counted(characters, "character"),
            counted(specs.len(), "function")
        ));
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether no function is seen by its name.
fn hides_all(unseen: &[Unseen], functions: usize) -> bool {
    let names = unseen
        .iter()
        .filter(|unseen| unseen.argument.is_none() && unseen.part == Part::Name);
    names.count() == functions
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
