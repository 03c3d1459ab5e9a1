//! `tool parse`: reads a model's answer in the format of its family, and prints its text, calls and
//! problems.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};
use tool_hub_agent::conversation::ToolCall;
use tool_hub_agent::conversation::answer::{
    ANSWER_BYTES_MAX, Answer, AnswerFormat, AnswerProblem, UnreadCall, check,
};
use tool_hub_manifest::FunctionSpec;

use crate::files::{Limit, text_or_input};
use crate::session::Session;
use crate::terminal::escape::escape_json;
use crate::terminal::exit::Exit;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::text::chat_templates;
use crate::toolbox::functions::specs_of;

/// The longest prompt.
const PROMPT: Limit = Limit {
    name: "prompt_bytes",
    bytes_max: 16 << 20,
    hint: "its end is enough: what the answer goes on with",
};
/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Arguments of `tool parse`.
#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// The model: owner/name on the registry, a directory with its tokenizer's files, or a
    /// template in a file
    #[arg(long = "as", value_name = "MODEL", conflicts_with = "format")]
    model: Option<String>,

    /// The model's family, if its files are missing or do not identify it [default: generic]
    #[arg(long, value_name = "FAMILY")]
    format: Option<String>,

    /// Hold the calls against the toolbox's functions, or those of some tools: --tools=NAME,…
    #[arg(long, value_name = "NAME", num_args = 0.., require_equals = true, value_delimiter = ',')]
    tools: Option<Vec<String>>,

    /// What the model read before it answered, where that began the answer
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,

    /// The answer [default: standard input]
    #[arg(default_value = STANDARD_INPUT, hide_default_value = true)]
    file: PathBuf,
}

/// The answer's parts as programs read them.
#[derive(Serialize)]
struct ParsedAnswer {
    format: &'static str,
    text: String,
    reasoning: Option<String>,
    calls: Vec<Call>,
    notes: Vec<String>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct Call {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    arguments: Map<String, Value>,
}

impl Parse {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let format = self.format(session).await?;
        let offered = match &self.tools {
            Some(names) => Some(specs_of(names, session).await?),
            None => None,
        };
        let prompt = match &self.prompt {
            Some(path) => text_or_input(path, &config.settings.working, &PROMPT)?,
            None => String::new(),
        };
        // More bytes than the format reads, so that an answer that is too long is a problem.
        let answer = read(&self.file, ANSWER_BYTES_MAX + 4)?;
        let read = format.read(&answer, &prompt, offered.as_deref().unwrap_or_default());
        let is_beyond_a_limit = read.problems.iter().any(AnswerProblem::is_limit);
        let mut parsed = parsed(format.name(), read, offered.as_deref());
        if self.model.is_none() && self.format.is_none() {
            let unread = UnreadCall::find(&parsed.text);
            parsed.problems.extend(unread.as_ref().map(no_notation));
        }
        if printer.wants_json() {
            printer.json(&parsed)?;
        } else {
            print(&parsed, printer)?;
        }
        Ok(match parsed.problems.is_empty() {
            true => ExitCode::SUCCESS,
            false if is_beyond_a_limit => Exit::Refused.into(),
            false => Exit::User.into(),
        })
    }

    /// The format in which the model writes.
    async fn format(&self, session: &Session) -> anyhow::Result<AnswerFormat> {
        let Some(name) = &self.model else {
            let named = self.format.as_ref().map(|name| name.parse());
            return Ok(named.transpose()?.unwrap_or_else(AnswerFormat::generic));
        };
        let model = chat_templates::templates(name, session).await?;
        let family = model.answer_family();
        match (model.answer_template(), family) {
            (Ok(Some(format)), _) => Ok(format),
            (Ok(None), Some(format)) => Ok(format),
            (Err(error), Some(format)) => {
                session
                    .printer
                    .warning(&format!("{error}; read as {} instead", format.name()));
                Ok(format)
            }
            (Ok(None), None) => Err(no_family(name).into()),
            (Err(error), None) => Err(no_family(name).caused_by(error).into()),
        }
    }
}

/// The error for a model of unknown family. Calls read in a wrong format would be lost as text.
fn no_family(model: &str) -> Problem {
    let families: Vec<&str> = AnswerFormat::names().collect();
    Problem::user(format!(
        "the chat template of `{model}` belongs to no known model family"
    ))
    .hint(format!(
        "name one instead with --format: {}",
        families.join(", ")
    ))
}

/// The problem for a call that was left in the text because the model was not named.
fn no_notation(unread: &UnreadCall) -> String {
    let families = match &unread.families[..] {
        [] => AnswerFormat::names().collect(),
        families => families.to_vec(),
    };
    format!(
        "`{}` seems to begin a call, but no notation fits that is known without the model; name \
         the model with --as, or its family with --format: {}",
        unread.marker,
        families.join(", ")
    )
}

/// Reads at most `bytes_max` bytes of a text, without a character that this limit cuts.
fn read(path: &PathBuf, bytes_max: usize) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let limit = bytes_max as u64;
    let outcome = if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    outcome.with_context(|| format!("`{}` cannot be read", path.display()))?;
    let is_cut = bytes.len() == bytes_max;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if is_cut && error.utf8_error().error_len().is_none() => {
            let end = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(end);
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(_) => {
            let what = format!("`{}` is not text in UTF-8", path.display());
            Err(Problem::user(what).into())
        }
    }
}

fn parsed(format: &'static str, read: Answer, offered: Option<&[FunctionSpec]>) -> ParsedAnswer {
    let mut parsed = ParsedAnswer {
        format,
        text: read.text,
        reasoning: read.reasoning,
        calls: Vec::new(),
        notes: Vec::new(),
        problems: read.problems.iter().map(ToString::to_string).collect(),
    };
    for call in read.calls {
        match offered {
            None => parsed.calls.push(shown(call)),
            Some(offered) => match check(call, offered) {
                Ok(checked) => {
                    parsed.calls.push(shown(checked.call));
                    parsed.notes.extend(checked.note);
                }
                Err(problem) => parsed.problems.push(problem.to_string()),
            },
        }
    }
    parsed
}

fn shown(call: ToolCall) -> Call {
    Call {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
    }
}

/// Prints the reasoning with a mark before each line, the text, and a line for each call.
fn print(parsed: &ParsedAnswer, printer: &Printer) -> anyhow::Result<()> {
    let mut lines = Vec::new();
    for line in parsed.reasoning.iter().flat_map(|text| text.lines()) {
        lines.push(format!("> {line}"));
    }
    lines.extend(parsed.text.lines().map(str::to_owned));
    for call in &parsed.calls {
        lines.push(escape_json(&serde_json::to_string(call)?));
    }
    if !lines.is_empty() {
        printer.text(&lines.join("\n"))?;
    }
    parsed.notes.iter().for_each(|note| printer.note(note));
    let problems = parsed.problems.iter();
    problems.for_each(|problem| printer.warning(problem));
    Ok(())
}
