//! Packages that a build takes from a package registry: pinned by the hashes of a lock, and
//! installed once, each lock in a directory of its own.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_manifest::Digest;

use super::{Project, process};
use crate::config::Config;
use crate::diagnosis::Problem;
use crate::files;
use crate::printer::Printer;

/// Packages, and the program that installs them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toolchain<'a> {
    /// What they are called, which their directory's name begins with.
    pub(crate) name: &'a str,
    /// What is written into the directory before anything is installed there: a lock with the
    /// hash of every package, and what it belongs to.
    pub(crate) lock: &'a [(&'a str, &'a str)],
    /// The program that installs and its arguments, with `{directory}` for the place.
    pub(crate) install: &'a [&'a str],
}

/// Has npm install what the lock in `{directory}` pins, and run nothing.
///
/// Nothing of a project is read but that lock: `--prefix` keeps npm from looking for a project
/// around the place, whose `.npmrc` may name programs, and the user's own configuration, with
/// the registry in it, stays. There is no `git` for it to start, whatever the lock says.
pub(super) const NPM_CI: [&str; 10] = [
    "npm",
    "ci",
    "--silent",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--allow-git=none",
    "--git={directory}/no-git",
    "--prefix",
    "{directory}",
];

impl Toolchain<'_> {
    /// The directory of the packages, installing them first when they are not there.
    ///
    /// They are installed beside their place and moved there when they are whole, so what is
    /// there is complete, and of two processes that install the same at once one wins.
    pub(super) async fn directory(
        &self,
        project: Project<'_>,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<PathBuf> {
        let directory = config.toolchains.join(self.directory_name());
        if directory.is_dir() {
            return Ok(directory);
        }
        std::fs::create_dir_all(&config.toolchains)
            .with_context(|| format!("{} cannot be made", config.toolchains.display()))?;
        // npm installs nothing into a directory whose name leads through a link.
        let real = config.toolchains.canonicalize()?;
        let staging = tempfile::Builder::new()
            .prefix(".installing-")
            .tempdir_in(real)?;
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

    /// The name says what was installed and how, so that nothing is taken for it that came from
    /// another lock or without one.
    fn directory_name(&self) -> String {
        let lock = self.lock.iter().flat_map(|(name, text)| [*name, *text]);
        let all: Vec<&str> = self.install.iter().copied().chain(lock).collect();
        let digest = Digest::of(all.join("\0").as_bytes()).hex();
        format!("{}-{}", self.name, &digest[..16])
    }

    async fn install_into(
        &self,
        directory: &Path,
        project: Project<'_>,
        printer: &Printer,
    ) -> anyhow::Result<()> {
        for (name, text) in self.lock {
            files::write(&directory.join(name), text.as_bytes())?;
        }
        let place = directory.to_string_lossy();
        let mut words = self
            .install
            .iter()
            .map(|word| word.replace("{directory}", &place));
        let mut command = project.command(words.next().unwrap_or_default());
        // Never where the user stands: `python3 -m` takes modules from there first.
        command.args(words).current_dir(directory);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_belongs_to_one_lock() {
        let of = |lock: &[(&str, &str)], install: &[&str]| {
            Toolchain {
                name: "x-1",
                lock,
                install,
            }
            .directory_name()
        };
        let name = of(&[("lock", "a")], &["npm"]);
        assert!(name.starts_with("x-1-") && name.len() == 20, "{name}");
        assert_eq!(name, of(&[("lock", "a")], &["npm"]));
        assert_ne!(name, of(&[("lock", "b")], &["npm"]));
        assert_ne!(name, of(&[("lock", "a")], &["npm", "--other"]));
    }
}
