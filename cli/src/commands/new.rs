//! `tool new`: scaffolds a tool that builds and passes its own check at once.

mod definitions;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::ToolName;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;
use crate::scaffold::{Body, Defined, PlainFile, Template, scaffold};

/// Arguments of `tool new`.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The tool's name: a-z, 0-9 and `-`
    name: ToolName,

    /// What to write it in [default: rust, or the language of the file of functions]
    #[arg(long, value_enum)]
    lang: Option<Template>,

    /// A file of plain functions with documentation, which become the tool, in Python,
    /// JavaScript, TypeScript or Rust; or one with definitions of functions to write, as OpenAI,
    /// Anthropic, MCP (`tools/list`) or Transformers (`tool_config.json`) have them, `-` for
    /// standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Where to put it [default: a directory called like the tool]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl New {
    pub(crate) fn execute(&self, config: &Config, printer: &Printer) -> anyhow::Result<ExitCode> {
        let shown = match &self.directory {
            Some(directory) => directory.clone(),
            None => PathBuf::from(self.name.as_str()),
        };
        let directory = config.working.join(&shown);
        if directory.exists() {
            return Err(Problem::user(format!("{} exists already", shown.display()))
                .hint("choose another name, or another place with --directory")
                .into());
        }
        let (body, lang) = self.body(config)?;
        scaffold(&directory, &self.name, lang, &body)?;
        match &body {
            Body::Greeter => {}
            Body::Defined(defined) => definitions::tell(defined, printer),
            Body::Plain(plain) => definitions::tell_plain(plain, printer),
        }
        if printer.wants_json() {
            let mut answer = json!({ "directory": directory, "language": lang.name() });
            match &body {
                Body::Greeter => {}
                Body::Defined(defined) => {
                    answer["functions"] = defined.functions().into();
                    answer["losses"] = defined.losses().into();
                }
                Body::Plain(plain) => {
                    answer["functions"] = plain.functions().into();
                    answer["losses"] = plain.losses().into();
                }
            }
            printer.json(&answer)?;
        } else {
            printer.note(&format!("created {} ({})", shown.display(), lang.name()));
            if let Body::Defined(_) = &body {
                printer.hint(&format!(
                    "write the functions in {}, which answer that they are not written yet",
                    shown.join(lang.source()).display()
                ));
            }
            printer.hint(&format!("build it with: tool build {}", shown.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What the project holds, and the language it is in.
    fn body(&self, config: &Config) -> anyhow::Result<(Body, Template)> {
        let lang = self.lang.unwrap_or(Template::Rust);
        let Some(file) = &self.from else {
            return Ok((Body::Greeter, lang));
        };
        let Some(found) = PlainFile::template(file) else {
            let import = definitions::read(file, &config.working)?;
            return Ok((Body::Defined(Defined::of(import)), lang));
        };
        if self.lang.is_some_and(|lang| lang != found) {
            let (file, found) = (file.display(), found.name());
            let problem = Problem::user(format!("{file} is written in {found}"));
            return Err(problem
                .hint(format!("leave --lang out, or write --lang {found}"))
                .into());
        }
        let plain = PlainFile::read(&config.working.join(file), file, found)?;
        Ok((Body::Plain(plain), found))
    }
}
