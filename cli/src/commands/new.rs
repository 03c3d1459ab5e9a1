//! `tool new`: writes a new project from a template, functions, a server, an app or an API.
//! Functions are definitions or plain source code. The project builds and passes its own check at
//! once.

mod fetched_text;
mod gradio;
mod mcp;
mod npm_package;
mod openapi;
mod package;
mod server;
mod summary;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::ToolName;
use url::Url;

use crate::build;
use crate::scaffold::{
    CALLING_LANGUAGE, DefinedFunctions, FunctionSource, PlainFile, Template, function_names,
    scaffold,
};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;

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
    /// standard input; or `pypi:PACKAGE` or `pypi:PACKAGE==VERSION`, `npm:PACKAGE` or
    /// `npm:PACKAGE@VERSION`: an MCP server, whose tools are listed in the sandbox, or a package
    /// whose file with the most tools for a framework is taken
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// An MCP server that runs on this machine, whose tools the functions will be: the command
    /// that starts it, with all that follows
    ///
    /// The command is yours: it runs with your rights and outside of any sandbox, and is ended
    /// as soon as it has listed its tools.
    #[arg(long, value_name = "CMD", num_args = 1.., allow_hyphen_values = true, conflicts_with_all = ["from", "from_gradio"])]
    from_mcp: Option<Vec<OsString>>,

    /// An app of Gradio that runs at this address: the tool will call its endpoints, and asks
    /// for the right to reach that origin
    #[arg(long, value_name = "URL", conflicts_with_all = ["from", "lang"])]
    from_gradio: Option<Url>,

    /// A document of OpenAPI 3.0 or 3.1 in JSON or YAML, a file or an address, whose operations the
    /// functions will call: all of them if they are few, else those that are chosen
    #[arg(long, value_name = "DOC", conflicts_with_all = ["from", "from_mcp", "from_gradio", "lang"])]
    from_openapi: Option<String>,

    #[command(flatten)]
    openapi: openapi::OpenApiOptions,

    /// Where to put it [default: a directory called like the tool]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl New {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let shown = match &self.directory {
            Some(directory) => directory.clone(),
            None => PathBuf::from(self.name.as_str()),
        };
        let directory = config.settings.working.join(&shown);
        if directory.exists() {
            return Err(Problem::user(format!("{} exists already", shown.display()))
                .hint("choose another name, or another place with --directory")
                .into());
        }
        let (body, lang) = self.body(session).await?;
        scaffold(&directory, &self.name, lang, &body)?;
        build::remember_trust(&directory, config)?;
        summary::tell(&body, printer);
        if printer.wants_json() {
            let mut answer = json!({ "directory": directory, "language": lang.name() });
            if let Some(interface) = body.interface() {
                answer["functions"] = function_names(interface).into();
                if let FunctionSource::Plain(plain) = &body {
                    answer["left_out"] = plain.left_out().into();
                }
                let losses = interface.losses.iter().map(ToString::to_string);
                answer["losses"] = losses.collect::<Vec<_>>().into();
            }
            printer.json(&answer)?;
        } else {
            printer.note(&format!("created {} ({})", shown.display(), lang.name()));
            if let FunctionSource::OpenApiProject(calling) = &body {
                summary::tell_credentials(calling, &self.name, printer);
            }
            if let FunctionSource::Defined(_) = &body {
                printer.hint(&format!(
                    "write the functions in {}, which answer that they are not written yet",
                    shown.join(lang.source()).display()
                ));
            }
            printer.hint(&format!("build it with: tool build {}", shown.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes a project called `name` into `directory` from what `--from` takes, and trusts it, as
    /// `tool new NAME --from FROM --directory DIRECTORY` does with a server.
    ///
    /// # Errors
    /// When nothing of it can become a tool, or the project cannot be written.
    pub(crate) async fn project_from(
        from: PathBuf,
        name: &ToolName,
        directory: &Path,
        session: &Session,
    ) -> anyhow::Result<()> {
        let new = Self {
            name: name.clone(),
            lang: None,
            from: Some(from),
            from_mcp: None,
            from_gradio: None,
            from_openapi: None,
            openapi: openapi::OpenApiOptions::default(),
            directory: Some(directory.to_owned()),
        };
        let (body, lang) = new.body(session).await?;
        // Plain functions of a server's file are its helpers.
        if let FunctionSource::Plain(plain) = &body
            && plain.frameworks().is_empty()
        {
            let what = format!("no function of {} is a tool for a framework", plain.name());
            return Err(Problem::user(what).into());
        }
        scaffold(directory, name, lang, &body)?;
        build::remember_trust(directory, &session.config)?;
        summary::tell(&body, &session.printer);
        Ok(())
    }

    /// The project's contents and their language.
    async fn body(&self, session: &Session) -> anyhow::Result<(FunctionSource, Template)> {
        let lang = self.lang.unwrap_or(Template::Rust);
        if let Some(url) = &self.from_gradio {
            return Ok((
                FunctionSource::GradioProject(gradio::read(url).await?),
                CALLING_LANGUAGE,
            ));
        }
        if let Some(document) = &self.from_openapi {
            let project = openapi::read(document, &self.openapi, session).await?;
            return Ok((FunctionSource::OpenApiProject(project), Template::Python));
        }
        if let Some(words) = &self.from_mcp {
            let import =
                mcp::read(words, &session.config.settings.working, &session.printer).await?;
            return Ok((FunctionSource::Defined(DefinedFunctions::of(import)), lang));
        }
        if let Some(requirement) = self.from.as_deref().and_then(package::named) {
            let functions = package::fetched(requirement, session).await?;
            return Ok((functions, Template::Python));
        }
        if let Some(package) = self.from.as_deref().and_then(npm_package::named) {
            let functions = npm_package::fetched(package, session).await?;
            return Ok((functions, Template::Javascript));
        }
        match &self.from {
            Some(file) => self.of_file(file, &session.config, lang),
            None => Ok((FunctionSource::Greeter, lang)),
        }
    }

    fn of_file(
        &self,
        file: &Path,
        config: &Config,
        lang: Template,
    ) -> anyhow::Result<(FunctionSource, Template)> {
        let Some(found) = PlainFile::template(file) else {
            let import = crate::text::definitions::read(file, &config.settings.working)?;
            return Ok((FunctionSource::Defined(DefinedFunctions::of(import)), lang));
        };
        if self.lang.is_some_and(|lang| lang != found) {
            let (file, found) = (file.display(), found.name());
            let problem = Problem::user(format!("{file} is written in {found}"));
            return Err(problem
                .hint(format!("leave --lang out, or write --lang {found}"))
                .into());
        }
        let plain = PlainFile::read(&config.settings.working.join(file), file, found)?;
        Ok((FunctionSource::Plain(plain), found))
    }
}
