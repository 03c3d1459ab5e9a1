//! `tool grammar`: prints a constraint of a model's output to valid calls, or checks a text by it.
//! The calls are of the toolbox's functions or a file's. Another constraint may be given instead.

mod constraint_flags;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tool_hub_agent::constraint::{
    Backend, CompiledConstraint, Constraint, ConstraintError, Format, ToolChoice,
};
use tool_hub_agent::conversation::answer::ANSWER_BYTES_MAX;
use tool_hub_agent::definition::Loss;
use tool_hub_manifest::FunctionSpec;

use crate::files::{Limit, shown, text_or_input};
use crate::session::Session;
use crate::terminal::exit::Exit;
use crate::terminal::phrases::nearest;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::definitions;
use crate::toolbox::functions::specs_named;
use constraint_flags::ConstraintFlags;

/// The longest text that is held against a constraint.
const CHECKED: Limit = Limit {
    name: "answer_bytes",
    bytes_max: ANSWER_BYTES_MAX,
    hint: "no answer of a model is read that is longer",
};

/// Arguments of `tool grammar`.
#[derive(Debug, Args)]
pub(crate) struct Grammar {
    /// How to write it: json-schema, regex, gbnf or lark [default: json-schema, or as the
    /// constraint is written; regex for a choice]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Print the member of a request instead: for tgi, vllm, llama.cpp, sglang or openai
    #[arg(long, value_name = "BACKEND", conflicts_with = "format")]
    backend: Option<Backend>,

    /// What the model may do: auto, required, the name of a function, or the object of a request
    #[arg(
        long,
        value_name = "CHOICE",
        default_value = "required",
        conflicts_with = "own"
    )]
    tool_choice: String,

    /// Constrain calls to the functions defined in this file, in the format of OpenAI, Anthropic,
    /// MCP or Transformers, instead of the toolbox's; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "own")]
    from: Option<PathBuf>,

    #[command(flatten)]
    own: ConstraintFlags,

    /// Say whether the text in this file is allowed, or else what a model is told; `-` for
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "backend"])]
    check: Option<PathBuf>,

    /// Only these tools of the toolbox, or functions as agents name them [default: all]
    #[arg(conflicts_with_all = ["own", "from"])]
    names: Vec<String>,
}

impl Grammar {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let constraint = match self.own.constraint(config)? {
            Some(own) => own,
            None => self.calls(session).await?,
        };
        if let Some(file) = &self.check {
            return self.held_against(&constraint, file, session);
        }
        match self.backend {
            Some(backend) => {
                let constrained = constraint.for_backend(backend)?;
                self.tell(&constrained.losses, printer);
                printer.json(&constrained.members)?;
            }
            None => {
                let format = self.format.unwrap_or(constraint.plain_format());
                let compiled = constraint.compile(format)?;
                self.tell(&compiled.losses, printer);
                print(&compiled, format, printer)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn calls(&self, session: &Session) -> anyhow::Result<Constraint> {
        let choice = self.choice()?;
        let specs = match &self.from {
            Some(file) => defined(file, &session.config.settings.working, &session.printer)?,
            None => specs_named(&self.names, session).await?,
        };
        if specs.is_empty() {
            return Err(Problem::user("the toolbox has no tools that could be called")
                .hint("load one with: tool load owner/name (not needed with --from, --schema, --regex, --choice or --grammar)")
                .into());
        }
        let constraint = Constraint::calls(&specs, &choice).map_err(|error| match &error {
            ConstraintError::NoSuchFunction { name } => {
                let hint = suggestion(name, &specs);
                Problem::user(error.to_string()).hint(hint).into()
            }
            _ => anyhow::Error::from(error),
        })?;
        Ok(constraint.ok_or_else(|| {
            Problem::user("--tool-choice forbids calls, so there is no grammar to print")
                .hint("leave --tool-choice out, or say auto, required or a function's name")
        })?)
    }

    fn choice(&self) -> anyhow::Result<ToolChoice> {
        let text = &self.tool_choice;
        let choice = match text.starts_with('{') {
            true => serde_json::from_str(text).map_err(|error| {
                Problem::user(format!("--tool-choice is not valid JSON: {error}"))
            })?,
            false => Value::from(text.as_str()),
        };
        Ok(ToolChoice::read(Some(&choice), true)?)
    }

    /// Says whether what stands in `file` is allowed, and if not what the model is told.
    fn held_against(
        &self,
        constraint: &Constraint,
        file: &Path,
        session: &Session,
    ) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        if self.own.is_grammar() {
            let what = "a grammar of one's own is read by the server that it is for, and not here";
            return Err(Problem::user(what)
                .hint("--check takes calls, --schema, --regex and --choice")
                .into());
        }
        let text = text_or_input(file, &config.settings.working, &CHECKED)?;
        // Files of text end in a line feed, which is no part of an answer.
        let answer = text.strip_suffix('\n').unwrap_or(&text);
        let refused = constraint.check(answer).err().map(|it| it.to_string());
        if printer.wants_json() {
            printer.json(&json!({"is_allowed": refused.is_none(), "told": refused}))?;
        }
        match refused {
            None => printer.note(&format!("{} is allowed", shown(file))),
            Some(_) if printer.wants_json() => return Ok(Exit::User.into()),
            Some(told) => return Err(Problem::user(told).into()),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, losses: &[Loss], printer: &Printer) {
        for loss in losses {
            printer.warning(&loss.to_string());
        }
        match self.own.is_given() {
            _ if losses.is_empty() => {}
            true => printer.hint("hold what a model writes against all of it with --check"),
            false => {
                printer.note("what a model writes is checked before a tool is called, all the same")
            }
        }
    }
}

fn print(compiled: &CompiledConstraint, format: Format, printer: &Printer) -> anyhow::Result<()> {
    if format == Format::JsonSchema {
        let schema: Value = serde_json::from_str(&compiled.text)?;
        printer.json(&schema)
    } else if printer.wants_json() {
        printer.json(&json!({"format": format.as_str(), "text": compiled.text}))
    } else {
        printer.data(&compiled.text)
    }
}

/// The functions that a file defines. Definitions that cannot be read are reported and skipped.
fn defined(file: &Path, working: &Path, printer: &Printer) -> anyhow::Result<Vec<FunctionSpec>> {
    let import = definitions::read(file, working)?;
    for skipped in &import.skipped {
        printer.warning(&format!("left out: {skipped}"));
    }
    Ok(import.specs)
}

/// The function that `name` probably means: one that is written alike, or the tool's own name of
/// it.
fn suggestion(name: &str, specs: &[FunctionSpec]) -> String {
    let names: Vec<&str> = specs.iter().map(|spec| &*spec.name).collect();
    let own = |known: &&&str| known.ends_with(&format!("__{name}"));
    match names.iter().find(own).copied().or(nearest(name, &names)) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are: {}", names.join(", ")),
    }
}
