//! `tool export`: prints the toolbox's functions as API definitions or code, or writes bundles.
//! Bundles hold tools, for other programs to install.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use tool_hub_agent::definition::declare::Language;
use tool_hub_agent::definition::{Dialect, Loss, LossKind};
use tool_hub_manifest::FunctionSpec;

use crate::compiler_process::this_program;
use crate::files;
use crate::installable::server_json::CommandPackage;
use crate::installable::{InstallableTool, mcpb, plugin, server_json};
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::toolbox::functions::specs_of;

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

    #[command(flatten)]
    bundle: BundleFlags,

    /// Only these tools of the toolbox [default: all]
    names: Vec<String>,
}

/// Flags that write tools for other programs to install.
#[derive(Debug, Args)]
struct BundleFlags {
    /// Write one tool as an MCPB bundle, which desktop clients install with a click
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "defer", "plugin", "server_json"])]
    mcpb: Option<PathBuf>,

    /// Leave this program out of the bundle: then `tool` must be on the client's search path
    #[arg(long, requires = "mcpb")]
    thin: bool,

    /// Write tools into a new directory as an agent plugin; the directory's name is the plugin's
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "defer", "server_json"])]
    plugin: Option<PathBuf>,

    /// Print the `server.json` of one tool for the MCP registry
    #[arg(long, requires = "package", conflicts_with_all = ["format", "defer"])]
    server_json: bool,

    /// The published package of this command that clients run for it, as pypi:NAME@VERSION or
    /// npm:NAME@VERSION
    #[arg(long, value_name = "PACKAGE", requires = "server_json")]
    package: Option<CommandPackage>,
}

/// The largest program that is put into a bundle.
const PROGRAM_BYTES_MAX: u64 = 1 << 30;

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
        if self.bundle.is_wanted() {
            let tools = InstallableTool::of_toolbox(&self.names, session).await?;
            self.bundle.write(&tools, session)?;
            return Ok(ExitCode::SUCCESS);
        }
        let specs = specs_of(&self.names, session).await?;
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

impl BundleFlags {
    fn is_wanted(&self) -> bool {
        self.mcpb.is_some() || self.plugin.is_some() || self.server_json
    }

    fn write(&self, tools: &[InstallableTool], session: &Session) -> anyhow::Result<()> {
        let Session { config, printer } = session;
        if let Some(directory) = &self.plugin {
            let directory = config.settings.place(directory);
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            write_directory(&directory, plugin::plugin(&name, tools)?)?;
            printer.note(&format!(
                "wrote {} as a plugin to {}",
                counted(tools.len(), "tool"),
                directory.display()
            ));
            return Ok(());
        }
        let [tool] = tools else {
            let found = counted(tools.len(), "tool");
            return Err(
                Problem::user(format!("a bundle holds one tool, and this is {found}"))
                    .hint("name the one: tool export --mcpb FILE NAME")
                    .into(),
            );
        };
        if let Some(file) = &self.mcpb {
            let program = match self.thin {
                true => None,
                false => {
                    let program = files::read_regular(&this_program()?, PROGRAM_BYTES_MAX);
                    Some(program.context("this program cannot be read")?)
                }
            };
            let file = config.settings.place(file);
            files::write(&file, &mcpb::bundle(tool, program.as_deref())?)?;
            printer.note(&format!("wrote `{}` to {}", tool.key, file.display()));
        }
        if let Some(package) = &self.package {
            printer.json(&server_json::server_json(tool, package)?)?;
        }
        Ok(())
    }
}

/// Writes the files of a plugin into the new directory `directory`: all of them, or none.
fn write_directory(directory: &Path, written: Vec<plugin::PluginFile>) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", directory.display());
    if directory
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        return Err(
            Problem::user(format!("{} is not empty", directory.display()))
                .hint("name a directory that does not exist yet, or remove this one")
                .into(),
        );
    }
    let parent = directory.parent().unwrap_or(Path::new("."));
    let temporary = tempfile::tempdir_in(parent).with_context(failed)?;
    for (path, bytes) in written {
        files::write_new(&temporary.path().join(path), &bytes)?;
    }
    files::make_public(temporary.path())?;
    std::fs::rename(temporary.path(), directory).with_context(failed)?;
    // The directory has another name now, and is to stay.
    let _ = temporary.keep();
    Ok(())
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
