//! From a project directory to a component: one file per language.

mod card;
mod functions;
mod javascript;
mod npm;
mod process;
mod python;
mod rust;
mod sources;
mod toolchain;
mod trust;
mod walk;
mod wit;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tokio::process::Command;
use tool_hub_manifest::{Build, Language};
use tool_hub_registry_client::COMPONENT_BYTES_MAX;

use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files;
use crate::printer::Printer;
use crate::signals;

pub(crate) use card::{FinishedCard, finished as finished_card};
pub(crate) use functions::{Functions, specs};
pub(crate) use process::{converse, output_of, spawn, status_of};
pub(crate) use rust::{TARGET, ensure_target, has_target};
pub(crate) use sources::Sources;
pub(crate) use toolchain::Toolchain;
pub(crate) use trust::{obtain as obtain_trust, remember as remember_trust};
pub(crate) use wit::{WitFile, add_packages, package_directory, wit_files};

/// A project that is about to be built.
#[derive(Debug, Clone, Copy)]
struct Project<'a> {
    /// The directory that holds the author's manifest.
    directory: &'a Path,
    /// The manifest's `[build]` section.
    build: &'a Build,
    /// What was written around plain functions, where the project is made of them.
    functions: Option<&'a Functions>,
    /// Where everything is put that goes when the build ends.
    scratch: &'a Path,
}

impl Project<'_> {
    /// The directory that holds the project's WIT.
    fn wit(&self) -> PathBuf {
        let written = self.functions.map(Functions::generated);
        written.unwrap_or(self.directory).join("wit")
    }

    /// A program of a build: what it leaves behind when it is ended goes too.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("TMPDIR", self.scratch);
        command
    }
}

/// Builds the component of the project in `directory` and returns its bytes.
///
/// # Errors
/// When a build tool cannot be had or fails, and when the user asks to stop. Nothing runs and
/// no temporary file is left in any case.
pub(crate) async fn component(
    directory: &Path,
    build: &Build,
    functions: Option<&Functions>,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<Vec<u8>> {
    let scratch = tempfile::Builder::new()
        .prefix("tool-build-")
        .tempdir()
        .context("a temporary directory cannot be made")?;
    let project = Project {
        directory,
        build,
        functions,
        scratch: scratch.path(),
    };
    let built = match build.language {
        Language::Rust => rust::build(project, printer).await,
        Language::Python => python::build(project, config, printer).await,
        Language::Javascript => javascript::build(project, config, printer).await,
    };
    built.map_err(or_interrupted)
}

/// The component that a program of a build has left at `path`.
fn built(path: &Path) -> anyhow::Result<Vec<u8>> {
    files::read_regular(path, COMPONENT_BYTES_MAX)
        .with_context(|| format!("{} cannot be read", path.display()))
}

/// What fails after the user asked to stop fails for no other reason.
pub(crate) fn or_interrupted(error: anyhow::Error) -> anyhow::Error {
    if signals::is_stopping() {
        return Problem::interrupted().into();
    }
    error
}
