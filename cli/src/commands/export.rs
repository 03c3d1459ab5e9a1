//! `tool export`: prints definitions of the toolbox's functions in the format of an agent's API, or
//! as declarations for code.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;
use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::definition::{Dialect, Loss, LossKind};
use tool_hub_manifest::FunctionSpec;

use crate::session::Session;
use crate::terminal::messages::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::toolbox::loaded::LoadedTool;

/// Arguments of `tool export`.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Whose definitions to write: openai, openai-strict, responses, responses-strict,
    /// anthropic, mcp or hf; or typescript or python, declarations for agents that write code
    #[arg(long, value_name = "FORMAT", default_value = "openai")]
    format: Format,

    /// Have the model search for definitions instead of reading all of them; for the formats
    /// responses, responses-strict and anthropic
    #[arg(long)]
    defer: bool,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

/// A format of definitions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    Definitions(Dialect),
    Declarations(Language),
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let dialect = text.parse().map(Self::Definitions);
        let language = text.parse().map(Self::Declarations);
        dialect.or(language).map_err(|_| {
            let names = Dialect::ALL.iter().map(|dialect| dialect.as_str());
            let names = names.chain(Language::ALL.iter().map(|language| language.as_str()));
            format!("use one of {}", names.collect::<Vec<_>>().join(", "))
        })
    }
}

impl Export {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let specs = LoadedTool::specs_of(&self.names, session).await?;
        match self.format {
            Format::Definitions(dialect) if self.defer => {
                let export = tool_hub_agent::definition::export::export(&specs, dialect);
                let export = export.deferred(dialect).ok_or_else(no_search)?;
                tell(&export.losses, specs.len(), &session.printer);
                session.printer.json(&export.tools)?;
            }
            Format::Declarations(_) if self.defer => return Err(no_search().into()),
            format => format.print(&specs, &session.printer)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Format {
    /// Prints `specs`, and warns of what is lost.
    pub(crate) fn print(self, specs: &[FunctionSpec], printer: &Printer) -> anyhow::Result<()> {
        match self {
            Self::Definitions(dialect) => {
                let export = tool_hub_agent::definition::export::export(specs, dialect);
                tell(&export.losses, specs.len(), printer);
                printer.json(&export.tools)
            }
            Self::Declarations(language) => {
                let declared = tool_hub_agent::definition::declare::declare(specs, language);
                tell(&declared.losses, specs.len(), printer);
                // Source code is a file: escaping has been done where it is written.
                printer.raw(declared.text.as_bytes())
            }
        }
    }
}

fn no_search() -> Problem {
    Problem::user("consumers of this format have no search for definitions")
        .hint("leave --defer out, or use --format responses, responses-strict or anthropic")
}

/// Warns of what the API will refuse or what was cut, one line each. What a dialect merely
/// has no place for is no fault of a tool's, and the tool still checks every argument: that
/// is told in one line.
fn tell(losses: &[Loss], functions: usize, printer: &Printer) {
    let (grave, slight): (Vec<&Loss>, Vec<&Loss>) = losses.iter().partition(|loss| {
        loss.kind.is_refusal() || matches!(loss.kind, LossKind::DescriptionCut { .. })
    });
    for loss in grave {
        printer.warning(&loss.to_string());
    }
    let concerned: BTreeSet<&str> = slight.iter().map(|loss| &*loss.function).collect();
    if !concerned.is_empty() {
        printer.note(&format!(
            "the format cannot say everything about {} of {}; left out: {}",
            concerned.len(),
            counted(functions, "function"),
            kinds(&slight)
        ));
    }
}

fn kinds(losses: &[&Loss]) -> String {
    let kinds: BTreeSet<&str> = losses
        .iter()
        .map(|loss| match &loss.kind {
            LossKind::Title => "titles",
            LossKind::OutputSchema => "the shape of results",
            LossKind::Annotations => "behaviour hints",
            LossKind::SchemaWeakened { .. } => "parts of the shape of arguments",
            LossKind::ToldInWords { .. } => "bounds of values, which the descriptions tell",
            LossKind::Reshaped { .. } => "shapes that are written as others",
            LossKind::Renamed { .. } => "names that others stand for",
            LossKind::AbsentIsNull { .. } => "leaving out beside null",
            _ => "more",
        })
        .collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}
