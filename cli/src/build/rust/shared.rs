//! The directory where cargo compiles all projects' dependencies: locks and cleans it for a build.
//!
//! Cargo tells packages of registries apart there, but takes a project's own package for that of
//! another project which has its name: their places within their workspaces are the same. So each
//! build locks the directory, and what another project of the same name left is removed.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio::process::Command;
use tool_hub_manifest::Digest;

use crate::build::process;
use crate::build::project::Project;
use crate::files::{self, Guard};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;
use crate::terminal::progress::Spinner;
use crate::terminal::signals::stop_requested;

/// Its name among the toolchains.
const DIRECTORY: &str = "rust-build";
/// The file that says which project built a package last.
const OWNERS: &str = "owners";

/// The directory, locked as long as this value lives.
pub(super) struct SharedBuild {
    directory: PathBuf,
    _guard: Guard,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

impl SharedBuild {
    /// Waits for the directory and removes what other projects compiled there for `target` that
    /// could be taken for `project`'s. None if cargo cannot list the project's packages or clean
    /// them: the build that follows then shows cargo's own error.
    ///
    /// # Errors
    /// When the directory cannot be made, and when the user asks to stop.
    pub(super) async fn of(
        project: Project<'_>,
        manifest: &Path,
        target: &str,
        session: &Session,
    ) -> anyhow::Result<Option<Self>> {
        let directory = session.config.settings.toolchains.join(DIRECTORY);
        let shared = Self {
            _guard: guard(&directory, &session.printer).await?,
            directory,
        };
        let taken = shared.take_over(project, manifest, target).await?;
        Ok(taken.then_some(shared))
    }

    /// Sets `command` to compile in this directory. What is finished still goes to the project's
    /// own target directory. A cargo before 1.91 ignores the setting, and compiles there.
    pub(super) fn use_for(&self, command: &mut Command) {
        command.env("CARGO_BUILD_BUILD_DIR", &self.directory);
    }

    /// Makes the project the owner of its packages' names. Returns false if cargo refused.
    async fn take_over(
        &self,
        project: Project<'_>,
        manifest: &Path,
        target: &str,
    ) -> anyhow::Result<bool> {
        let mut asking = self.cargo(project, manifest, "metadata");
        asking.args(["--no-deps", "--format-version=1"]);
        let answer = process::output_of(&mut asking).await?;
        let Ok(metadata) = serde_json::from_slice::<Metadata>(&answer.stdout) else {
            return Ok(false);
        };
        let here = match project.functions {
            // What is written around plain functions is in another place each time.
            Some(_) => project.directory.canonicalize()?,
            None => metadata.workspace_root,
        };
        let here = here.to_string_lossy();
        let mut others = Vec::new();
        for Package { name } in metadata.packages {
            if files::read_if_present(&self.owner(&name))?.is_none_or(|owner| owner != here) {
                others.push(name);
            }
        }
        if others.is_empty() {
            return Ok(true);
        }
        let mut removing = self.cargo(project, manifest, "clean");
        removing
            .args(["--release", "--target", target, "--target-dir"])
            // Only what is shared goes, not what the author's own builds left.
            .arg(project.scratch.join("target"))
            .args(others.iter().flat_map(|name| ["--package", name]));
        if !process::output_of(&mut removing).await?.status.success() {
            return Ok(false);
        }
        for name in others {
            files::write(&self.owner(&name), here.as_bytes())?;
        }
        Ok(true)
    }

    fn cargo(&self, project: Project<'_>, manifest: &Path, does: &str) -> Command {
        let mut command = project.command("cargo");
        command
            .args([does, "--quiet", "--manifest-path"])
            .arg(manifest)
            .current_dir(project.directory);
        self.use_for(&mut command);
        command
    }

    /// The file that names the project which built the package `name` last.
    fn owner(&self, name: &str) -> PathBuf {
        let name = Digest::of(name.as_bytes()).hex();
        self.directory.join(OWNERS).join(&name[..32])
    }
}

/// Waits until no other build uses the directory.
async fn guard(directory: &Path, printer: &Printer) -> anyhow::Result<Guard> {
    let directory = directory.to_owned();
    let taken = tokio::task::spawn_blocking(move || Guard::take(&directory, "lock"));
    let spinner = Spinner::start("waiting for another build".to_owned(), printer);
    let guard = tokio::select! {
        taken = taken => taken?.map_err(anyhow::Error::from),
        () = stop_requested() => Err(Problem::interrupted().into()),
    };
    spinner.finish();
    guard
}
