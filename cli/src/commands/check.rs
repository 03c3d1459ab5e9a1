//! `tool check`: compares a package's manifest with its component, and finds poor descriptions.
//! Those mislead agents. It also tells whether the project's sources changed since the build.

mod remarks;
mod staleness;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tool_hub_toolbox::built_package;

use crate::build::{self, Sources};
use crate::commands::load::refusals::check_refusals;
use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;
use crate::toolbox::fetching;

pub(crate) use remarks::{Remark, of as remarks_on, show, steering_characters};
pub(crate) use staleness::staleness;

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
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let path = config.settings.working.join(&self.path);
        let verified = built_package::read(&path)?;
        let dependencies = fetching::dependencies_of(verified.manifest(), session).await?;
        let inspection = fetching::inspect_package(&verified, &dependencies)?;
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
        if let Some(proposal) = proposal(&path) {
            printer.hint(&proposal);
        }
        if self.strict && !remarks.is_empty() {
            return Err(Problem::user("there are remarks, and --strict allows none").into());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The advice to ask for more capabilities, where `path` is a project whose sources use more.
/// Nothing where its manifest or its sources cannot be read, which `tool build` tells.
fn proposal(path: &Path) -> Option<String> {
    if !path.is_dir() || built_package::directory(path).ok()? == path {
        return None;
    }
    let author = build::read_author_manifest(path).ok()?;
    let section = author.build.as_ref()?;
    let sources = Sources::of(path).ok()?;
    build::proposal(path, &sources, section, &author.capabilities)
}
