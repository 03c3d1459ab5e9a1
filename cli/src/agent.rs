//! Flags of `tool run` and `tool chat`, and the agent of a model and tools that they set up.
//! It does tasks by calls of the tools, or by code that the model writes.

mod watcher;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::json;
use tool_hub_agent::constraint::Backend;
use tool_hub_agent::conversation::answer::AnswerFormat;
use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::prompt::PromptMode;
use tool_hub_manifest::ToolKey;
use tool_hub_serve::{
    AgentLoop, Catalogue, ChatModel, Interpreter, KeptMedia, LoopAnswer, OpenAiModel, Presentation,
    Toolset, WrittenCalls,
};
use tool_hub_toolbox::open_toolbox::OpenToolbox;
use url::Url;

use crate::files;
use crate::session::Session;
use crate::settings::model_endpoint;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::prompt_template;
use crate::text::{arguments, media};
use crate::toolbox::{functions, sandbox};
use watcher::TerminalWatcher;

/// The most files of one name in a directory, each with a number.
const FILES_MAX: u32 = 1_000;

/// Flags for the model, its tools and the person who watches.
#[derive(Debug, Args)]
pub(crate) struct AgentFlags {
    /// The OpenAI-compatible endpoint that has the model [env: TOOL_HUB_OPENAI_URL]
    #[arg(long = "openai", value_name = "URL")]
    url: Option<Url>,

    /// A file that holds the endpoint's key [default: the variable TOOL_HUB_OPENAI_KEY]
    #[arg(long = "openai-key-file", value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// The model, as the endpoint calls it [env: TOOL_HUB_OPENAI_MODEL]
    #[arg(long)]
    model: Option<String>,

    /// The endpoint does not read the model's calls: read them in its text, as models of this
    /// family write them; `generic` for any
    #[arg(long, value_name = "FAMILY", conflicts_with_all = ["code", "hold_by"])]
    read_as: Option<AnswerFormat>,

    /// The endpoint knows no tools: hold the model to calls by a grammar, in the form that this
    /// server takes: tgi, vllm, llama.cpp or sglang
    #[arg(long, value_name = "SERVER", conflicts_with = "code", value_parser = model_endpoint::grammar_backend)]
    hold_by: Option<Backend>,

    /// How often the model is asked for one answer; in the last round it may call nothing
    #[arg(long, value_name = "COUNT", default_value_t = 12,
          value_parser = clap::value_parser!(u32).range(1..=64))]
    rounds: u32,

    /// How many tokens each answer of the model may have, as the endpoint counts them
    #[arg(long, value_name = "COUNT")]
    max_tokens: Option<NonZeroU32>,

    /// Run calls and code without asking
    #[arg(long, short)]
    yes: bool,

    /// Have the model write code that calls the tools, Python where nothing else is said; it runs
    /// in the sandbox
    #[arg(
        long,
        value_name = "LANGUAGE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "python"
    )]
    code: Option<CodeLanguage>,

    /// The tool of the toolbox that runs code [default: run_python or run_javascript]
    #[arg(long, value_name = "NAME", requires = "code")]
    interpreter: Option<ToolKey>,

    /// Ask as Transformers Agents does, with this prompt template: a file, or a data set on the
    /// registry as owner/name; what the code comes to is the answer
    #[arg(long, value_name = "FILE|REPO", requires = "code")]
    template: Option<String>,

    /// Give the model a value: name=value, or name=@file for a file (repeatable)
    ///
    /// A picture or a sound is handed to functions as it is; code has a variable of that name.
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<String>,

    /// Write pictures and sounds that the tools make into this directory
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,

    /// The toolbox in this directory [default: the nearest upwards, else your own]
    #[arg(long, value_name = "DIR")]
    toolbox: Option<PathBuf>,
}

/// The use of an agent: a task, or a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// One task.
    Run,
    /// One task, for which code is written and not run.
    Write,
    /// Tasks one after another.
    Chat,
}

/// A language in which a model writes code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CodeLanguage {
    Python,
    Javascript,
}

/// An agent that is ready for tasks.
pub(crate) struct Agent<'a> {
    agent: AgentLoop,
    model: Box<dyn ChatModel>,
    /// True if calls are read in the text that the model writes.
    reads_calls: bool,
    save: Option<PathBuf>,
    printer: &'a Printer,
}

impl AgentFlags {
    /// Loads the tools of the toolbox, those of `names` only where some are named, and makes the
    /// client of the model.
    ///
    /// # Errors
    /// When no model is named, a tool cannot be loaded, or nobody is there to allow calls.
    pub(crate) async fn open<'a>(
        &self,
        purpose: Purpose,
        names: &[String],
        session: &'a Session,
    ) -> anyhow::Result<Agent<'a>> {
        let Session { config, printer } = session;
        let save = self
            .save
            .as_ref()
            .map(|directory| config.settings.place(directory));
        if let Some(directory) = &save {
            // Before any work is done for it.
            std::fs::create_dir_all(directory)
                .with_context(|| format!("{} cannot be written to", directory.display()))?;
        }
        let model = self.model(session)?;
        let mode = match purpose {
            Purpose::Chat => PromptMode::Chat,
            Purpose::Run | Purpose::Write => PromptMode::Run,
        };
        let template = match &self.template {
            Some(_) if self.code == Some(CodeLanguage::Javascript) => {
                return Err(
                    Problem::user("a prompt template asks for Python, not JavaScript")
                        .hint("write --code, or leave --template out")
                        .into(),
                );
            }
            Some(named) => Some(prompt_template::find(Some(named), mode, session).await?),
            None => None,
        };
        // Code that is written and not run needs no consent.
        let yes = self.yes || purpose == Purpose::Write;
        let watcher = Arc::new(TerminalWatcher::new(*printer, yes)?);
        let toolbox = match &self.toolbox {
            Some(directory) => OpenToolbox::open_named(directory, &config.settings)?,
            None => OpenToolbox::open(&config.settings)?,
        };
        let (host, store) = (
            sandbox::open_host_with_servers(session)?,
            config.settings.open_store()?,
        );
        let loader = sandbox::loader(&host, &store, config);
        let mut runs_code = None;
        let interpreter = match self.code {
            Some(language) => {
                let name = self.interpreter.as_ref().map(ToolKey::as_str);
                let member = toolbox.member(name.unwrap_or(language.interpreter()))?;
                runs_code = Some(member.key);
                let loaded = loader.load(member).await?;
                Some(Interpreter::new(loaded.tool, language.into())?)
            }
            None => None,
        };
        let mut members = toolbox.usable(names, printer)?;
        members.retain(|member| Some(member.key) != runs_code);
        let loaded = loader.load_all(members).await?;
        let mut offers = Vec::new();
        for tool in &loaded {
            offers.extend(functions::offers(tool)?);
        }
        let mut catalogue = Catalogue::new(offers)?;
        if interpreter.is_none() {
            // Code reads long answers by itself.
            catalogue = catalogue.presented(Presentation::default())?;
        }
        let mut agent = AgentLoop::new(Toolset::new(catalogue), watcher);
        if let Some(rounds) = NonZeroU32::new(self.rounds) {
            agent = agent.with_rounds_max(rounds);
        }
        agent = match (interpreter, template) {
            (Some(interpreter), Some(template)) => agent.with_prompted_code(interpreter, template),
            (Some(interpreter), None) => agent.with_code(interpreter),
            (None, _) => agent,
        };
        for pair in &self.variables {
            let (name, value) = arguments::variable(pair, &config.settings.working)?;
            agent.give(&name, value)?;
        }
        Ok(Agent {
            agent,
            model,
            reads_calls: self.code.is_some() || self.read_as.is_some() || self.hold_by.is_some(),
            save,
            printer,
        })
    }

    fn model(&self, session: &Session) -> anyhow::Result<Box<dyn ChatModel>> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => session.config.model_endpoint()?.ok_or_else(|| {
                Problem::user("no endpoint is named that has a model")
                    .hint("write --openai URL, or set TOOL_HUB_OPENAI_URL")
            })?,
        };
        let name = self.model.clone().or_else(|| session.config.model());
        let name = name.ok_or_else(|| {
            Problem::user("no model is named")
                .hint("write --model NAME, or set TOOL_HUB_OPENAI_MODEL")
        })?;
        let key = model_endpoint::key(&url, self.key_file.as_deref(), session)?;
        let mut model = OpenAiModel::new(url, name)?;
        if let Some(key) = key {
            model = model.with_key(key);
        }
        if let Some(tokens) = self.max_tokens {
            model = model.with_tokens_max(tokens);
        }
        if let Some(backend) = self.hold_by {
            model = model.held_by(backend);
        }
        Ok(match &self.read_as {
            Some(format) => Box::new(WrittenCalls::new(model, format.clone())),
            None => Box::new(model),
        })
    }
}

impl CodeLanguage {
    /// The tool that runs it where no other is named.
    fn interpreter(self) -> &'static str {
        match self {
            Self::Python => "run_python",
            Self::Javascript => "run_javascript",
        }
    }
}

impl From<CodeLanguage> for Language {
    fn from(language: CodeLanguage) -> Self {
        match language {
            CodeLanguage::Python => Self::Python,
            CodeLanguage::Javascript => Self::TypeScript,
        }
    }
}

impl Agent<'_> {
    /// Does a task, and prints the answer.
    ///
    /// # Errors
    /// When there is no answer, or pictures and sounds cannot be written.
    pub(crate) async fn run(&mut self, task: &str) -> anyhow::Result<()> {
        let LoopAnswer {
            text,
            is_cut_off,
            media,
        } = self.agent.run(&*self.model, task).await?;
        if is_cut_off {
            let limit = "the endpoint cut the answer off, probably at its limit of tokens";
            self.printer.warning(limit);
        }
        if !self.reads_calls && has_call(&text) {
            self.printer
                .warning("the answer has a call in its text, which the endpoint did not read");
            self.printer
                .hint("have it read with --read-as FAMILY; `--read-as generic` knows most");
        }
        let mut told = Vec::new();
        for kept in &media {
            let file = self.saved(kept)?;
            let KeptMedia { name, media } = kept;
            let bytes = media.data.len();
            match &file {
                Some(file) => self.printer.note(&format!(
                    "{name}: {}, {bytes} bytes, in {}",
                    media.media_type,
                    file.display()
                )),
                None => self.printer.note(&format!(
                    "{name}: {}, {bytes} bytes; --save DIR writes it to a file",
                    media.media_type
                )),
            }
            told.push(json!({
                "name": name, "media_type": media.media_type, "bytes": bytes, "file": file,
            }));
        }
        if self.printer.wants_json() {
            return self.printer.json(&json!({"text": text, "media": told}));
        }
        self.printer.text(&text)
    }

    /// Has the model write code for a task, and prints it without running it.
    ///
    /// # Errors
    /// When the model writes none, or cannot be asked.
    pub(crate) async fn write_code(&mut self, task: &str) -> anyhow::Result<()> {
        let written = self.agent.write_code(&*self.model, task).await?;
        let Some(code) = written.code else {
            return Err(Problem::user("the model wrote no code")
                .hint(format!("it says: {}", written.explanation))
                .into());
        };
        if self.printer.wants_json() {
            let explanation = written.explanation;
            return self
                .printer
                .json(&json!({"explanation": explanation, "code": code}));
        }
        if !written.explanation.is_empty() {
            self.printer.note(&written.explanation);
        }
        self.printer.text(&code)
    }

    /// Writes a picture or a sound into the directory for them, where there is one. A file that
    /// is there already is left as it is.
    fn saved(&self, kept: &KeptMedia) -> anyhow::Result<Option<PathBuf>> {
        let Some(directory) = &self.save else {
            return Ok(None);
        };
        let ending = media::file_ending(&kept.media.media_type);
        let mut names = (0..FILES_MAX).map(|number| match number {
            0 => format!("{}.{ending}", kept.name),
            number => format!("{}-{number}.{ending}", kept.name),
        });
        let free = names.find(|name| !directory.join(name).exists());
        let path = free.map(|name| directory.join(name)).ok_or_else(|| {
            Problem::user(format!("{} holds files of every name", directory.display()))
                .hint("name another directory")
        })?;
        files::write_new(&path, &kept.media.data)
            .with_context(|| format!("{} cannot be written to", directory.display()))?;
        Ok(Some(path))
    }
}

/// True if a text has a call in it, as some family of models writes them.
fn has_call(text: &str) -> bool {
    let generic = AnswerFormat::generic();
    !generic.read(text, "", &[]).calls.is_empty()
}
