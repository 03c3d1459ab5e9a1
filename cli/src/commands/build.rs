//! `tool build`: builds a project and writes the package, manifest and card included, to `dist`.

pub(crate) mod built_project;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_host::IncludedPackage;
use tool_hub_manifest::{Digest, Interpreter, Verified};
use tool_hub_toolbox::built_package::DIRECTORY as PACKAGE_DIRECTORY;

use crate::build::{self, Form};
use crate::commands::check;
use crate::commands::load::refusals::check_refusals;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::toolbox::fetching;

use built_project::BuiltProject;

/// The most packages that are named after a build.
const PACKAGES_TOLD_MAX: usize = 20;

/// Arguments of `tool build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The project
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// Build with all that the project brings, without asking, and from now on: in Rust its
    /// build scripts and macros and those of all that it depends on, in JavaScript the packages
    /// in its node_modules
    #[arg(long)]
    trust: bool,

    /// Run the tool on the interpreter of another package, from now on: owner/name,
    /// owner/name@version, or a path from the project to a package or project
    ///
    /// Shows the package and asks. tool.toml names it then, and interpreter.lock pins its digest.
    #[arg(long, value_name = "PACKAGE")]
    interpreter: Option<String>,

    /// Approve the interpreter of another package without asking, for exactly this digest of it
    #[arg(long, value_name = "DIGEST")]
    approve: Option<Digest>,
}

impl Build {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let directory = config.settings.working.join(&self.directory);
        if self.trust {
            build::read_author_manifest(&directory)?;
            build::remember_trust(&directory, config)?;
        }
        let (anew, approved) = (self.interpreter.as_deref(), self.approve);
        build::pin_interpreter(&directory, anew, approved, session).await?;
        let built = BuiltProject::of(&directory, Form::Package, session).await?;
        let verified = &built.verified;
        let inspection = fetching::inspect_package(verified, &built.dependencies)?;
        if !inspection.dependencies.is_empty() {
            check_refusals(&inspection)?;
        }
        let remarks = check::remarks_on(&inspection);
        built.write(&directory)?;
        let manifest = verified.manifest();
        if printer.wants_json() {
            printer.json(&json!({
                "directory": directory.join(PACKAGE_DIRECTORY),
                "name": manifest.name,
                "version": manifest.version,
                "functions": manifest.functions.keys().collect::<Vec<_>>(),
                "bytes": verified.component().len(),
                "digest": verified.pin().digest(),
                "interpreter": verified.interpreter().map(Interpreter::digest),
                "packages": built.packages,
                "remarks": remarks,
            }))?;
        } else {
            note_built(verified, &self.directory, printer);
            note_packages(&built.packages, printer);
            check::show(&remarks, printer);
        }
        if let Some(proposal) = &built.proposal {
            printer.hint(proposal);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Says which packages of others are part of what was built.
fn note_packages(packages: &[IncludedPackage], printer: &Printer) {
    let told = packages.iter().take(PACKAGES_TOLD_MAX);
    let mut told: Vec<String> = told
        .map(
            |IncludedPackage {
                 name,
                 version,
                 license,
                 ..
             }| {
                let license = license.as_deref().unwrap_or("no license said");
                format!("{name} {version} ({license})")
            },
        )
        .collect();
    if let Some(left_out @ 1..) = packages.len().checked_sub(PACKAGES_TOLD_MAX) {
        told.push(format!("and {left_out} more (all with --json)"));
    }
    if !told.is_empty() {
        printer.note(&format!("with {}", told.join(", ")));
    }
}

/// Says what was built, in the directory that the user calls `shown`.
pub(crate) fn note_built(verified: &Verified, shown: &Path, printer: &Printer) {
    let manifest = verified.manifest();
    let functions = manifest.functions.keys();
    let functions: Vec<&str> = functions.map(|name| name.as_str()).collect();
    printer.note(&format!(
        "built {} {} in {}: {} bytes, {}",
        manifest.name,
        manifest.version,
        shown.join(PACKAGE_DIRECTORY).display(),
        verified.component().len(),
        functions.join(", ")
    ));
}
