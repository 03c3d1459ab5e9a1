//! `tool explain`: what a model sees of the toolbox's functions, by its own chat template.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use tool_hub_agent::{Chat, ChatTemplate, Explanation, ModelTemplates, Part, Unseen};
use tool_hub_manifest::ToolRef;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files::read_if_present;
use crate::loaded::LoadedTool;
use crate::printer::Printer;
use crate::wording::counted;

/// What a model's repository says of its templates.
const CONFIGURATION: &str = "tokenizer_config.json";
const TEMPLATE: &str = "chat_template.jinja";
/// Templates beside it, by the names that are usual for them.
const ADDITIONAL: [(&str, &str); 2] = [
    ("additional_chat_templates/tool_use.jinja", "tool_use"),
    ("additional_chat_templates/rag.jinja", "rag"),
];
/// All of them.
const FILES: [&str; 4] = [CONFIGURATION, TEMPLATE, ADDITIONAL[0].0, ADDITIONAL[1].0];
/// The longest of those files, in bytes. Some configurations name every token.
const FILE_BYTES_MAX: u64 = 16 << 20;

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
        let model = self.model(config, printer).await?;
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

    /// The templates of the model that is meant.
    async fn model(&self, config: &Config, printer: &Printer) -> anyhow::Result<ModelTemplates> {
        let path = Path::new(&self.model);
        if path.is_dir() {
            return of_files(FILES.map(|name| (name, path.join(name))));
        }
        if path.is_file() {
            let is_configuration = path.extension().is_some_and(|it| it == "json");
            let name = if is_configuration {
                CONFIGURATION
            } else {
                TEMPLATE
            };
            return of_files([(name, path.to_owned())]);
        }
        let reference: ToolRef = self.model.parse().map_err(|_| {
            let what = format!("`{}` is no file, no directory and no model", self.model);
            Problem::user(what).hint("a model on the registry is written as owner/name")
        })?;
        let client = config.client(&config.endpoint, printer)?;
        let at = client.resolve(&reference).await?;
        let texts = client.texts(&at, &FILES, FILE_BYTES_MAX);
        read(texts.await?)
    }
}

/// Reads those of `files` that are there.
fn of_files<const N: usize>(files: [(&'static str, PathBuf); N]) -> anyhow::Result<ModelTemplates> {
    let mut texts = Vec::new();
    for (name, path) in files {
        let text = read_if_present(&path)?;
        texts.extend(text.map(|text| (name, text)));
    }
    read(texts)
}

/// Reads the files of a model, in whatever order they come: a template of its own goes before the
/// configuration's.
fn read(texts: Vec<(&'static str, String)>) -> anyhow::Result<ModelTemplates> {
    let text_of = |wanted: &str| texts.iter().find(|(name, _)| *name == wanted);
    let model = match text_of(CONFIGURATION) {
        Some((_, configuration)) => ModelTemplates::from_tokenizer_config(configuration)?,
        None => ModelTemplates::default(),
    };
    let own = [(TEMPLATE, None)].into_iter();
    let own = own.chain(ADDITIONAL.map(|(file, name)| (file, Some(name))));
    Ok(own.fold(model, |model, (file, name)| match text_of(file) {
        Some((_, template)) => model.with_template(name, template.as_str()),
        None => model,
    }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_of_its_own_goes_first_in_whatever_order_they_come() {
        let mut texts = vec![
            (
                CONFIGURATION,
                r#"{"chat_template": "old", "bos_token": "<s>"}"#.to_owned(),
            ),
            (TEMPLATE, "own".to_owned()),
        ];
        for _ in 0..2 {
            let model = read(texts.clone()).unwrap();
            assert_eq!(model.choose(None, false).unwrap(), "own");
            assert_eq!(model.special_tokens()["bos_token"], "<s>");
            texts.reverse();
        }
    }
}
