//! `tool check`: checks a built package against its claims, its descriptions for what misleads
//! agents, and its sources for changes since.

mod remarks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tool_hub_toolbox::built_package;

use crate::build::Sources;
use crate::commands::load::check_refusals;
use crate::session::Session;
use crate::terminal::messages::counted;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

pub(crate) use remarks::{Remark, of as remarks_on, steering_characters};

/// Arguments of `tool check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The project, package or component
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,

    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
}

impl Check {
    pub(crate) fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let path = config.settings.working.join(&self.path);
        let verified = built_package::read(&path)?;
        let inspection = tool_hub_host::inspect(&verified)?;
        check_refusals(&inspection)?;
        let mut remarks: Vec<Remark> = staleness(&path, &self.path)?.into_iter().collect();
        remarks.extend(remarks_on(&inspection));
        if printer.wants_json() {
            printer.json(&serde_json::json!({ "name": inspection.name, "remarks": remarks }))?;
        } else {
            show(&remarks, printer);
            let functions = inspection.functions.len();
            let agree = if functions == 1 { "agrees" } else { "agree" };
            printer.note(&format!(
                "{} {}: {} {agree} with the component, {}",
                inspection.name,
                inspection.version,
                counted(functions, "function"),
                counted(remarks.len(), "remark")
            ));
        }
        if self.strict && !remarks.is_empty() {
            return Err(Problem::user("there are remarks, and --strict allows none").into());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Tells what could be said better, a warning each.
pub(crate) fn show(remarks: &[Remark], printer: &Printer) {
    for remark in remarks {
        printer.warning(&format!("{}: {}", remark.place, remark.message));
    }
}

/// A remark where `path` is a project that changed after its package was built.
pub(crate) fn staleness(path: &Path, shown: &Path) -> anyhow::Result<Option<Remark>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let package = built_package::directory(path)?;
    if package == path {
        return Ok(None);
    }
    let change = Sources::change_since(path, &package)?;
    Ok(change.map(|change| {
        Remark::of_tool(format!(
            "the package is not what the sources say: {change}; run: tool build {}",
            shown.display()
        ))
    }))
}
