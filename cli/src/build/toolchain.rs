//! Build tools of other languages: installed once, each version in a directory of its own.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{Project, process};
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::printer::Printer;

/// A build tool that comes from a package registry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toolchain {
    /// What it is called, version included; also the name of its directory.
    pub(crate) name: &'static str,
    /// The program that installs it and its arguments, with `{directory}` for the place.
    pub(crate) install: &'static [&'static str],
}

impl Toolchain {
    /// The directory of the toolchain, installing it first when it is not there.
    ///
    /// It is installed beside its place and moved there when it is whole, so a toolchain that
    /// is there is complete, and of two processes that install it at once one wins.
    pub(super) async fn directory(
        &self,
        project: Project<'_>,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<PathBuf> {
        let directory = config.toolchains.join(self.name);
        if directory.is_dir() {
            return Ok(directory);
        }
        std::fs::create_dir_all(&config.toolchains)
            .with_context(|| format!("{} cannot be made", config.toolchains.display()))?;
        let staging = tempfile::Builder::new()
            .prefix(".installing-")
            .tempdir_in(&config.toolchains)?;
        self.install_into(staging.path(), project, printer).await?;
        match std::fs::rename(staging.path(), &directory) {
            Ok(()) => {
                // It is in its place; there is nothing left to clean up.
                let _ = staging.keep();
                Ok(directory)
            }
            Err(_) if directory.is_dir() => Ok(directory),
            Err(error) => {
                Err(error).with_context(|| format!("{} cannot be made", directory.display()))
            }
        }
    }

    async fn install_into(
        &self,
        directory: &Path,
        project: Project<'_>,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        let place = directory.to_string_lossy();
        let mut words = self
            .install
            .iter()
            .map(|word| word.replace("{directory}", &place));
        let mut command = project.command(words.next().unwrap_or_default());
        command.args(words);
        let doing = format!("installing {}", self.name);
        process::run(&doing, &mut command, printer)
            .await
            .map(drop)
            .map_err(|error| {
                Problem::user(format!(
                    "{} is needed to build this tool and cannot be installed",
                    self.name
                ))
                .caused_by(error)
                .hint("look what is missing with: tool doctor")
                .into()
            })
    }
}
