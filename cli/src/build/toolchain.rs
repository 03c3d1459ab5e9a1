//! Installs locked packages: build tools for JavaScript and Python, and a project's npm packages.
//! Each lock pins them by hash, and is installed once, in a directory of its own.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;
use tool_hub_host::authoring::BuildTool;
use tool_hub_manifest::Digest;

use super::process;
use super::project::Project;
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// Packages to install, and the command that installs them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toolchain<'a> {
    /// The name of the packages, used as the prefix of their directory's name.
    pub(crate) name: &'a str,
    /// The files to write before installing, as name and text: a lock with the hash of every
    /// package, and the manifest it belongs to.
    pub(crate) lock: &'a [(&'a str, &'a str)],
    /// The install command and its arguments; `{directory}` stands for the directory.
    pub(crate) install: &'a [&'a str],
}

/// Makes npm install the packages of the lock in `{directory}`, and run no scripts.
///
/// npm reads nothing of the project but that lock: `--prefix` keeps it from looking for a project
/// around the directory, whose `.npmrc` may name programs. The user's own configuration, which may
/// name their registry, is read. npm finds no `git` to start, whatever the lock says.
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

/// Makes pip install the wheels that `{directory}/requirements.txt` names by hashes.
pub(super) const PIP_INSTALL: [&str; 12] = [
    "python3",
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "--require-hashes",
    "--target",
    "{directory}",
    "--requirement",
    "{directory}/requirements.txt",
];

impl Toolchain<'_> {
    /// Installs the packages unless they are there, and returns their directory.
    ///
    /// They are installed beside their final place and then moved, so the directory is always
    /// complete. If two processes install the same packages at once, one of them wins.
    pub(super) async fn directory(
        &self,
        project: Project<'_>,
        session: &Session,
    ) -> anyhow::Result<PathBuf> {
        let Session { config, printer } = session;
        let directory = config.settings.toolchains.join(self.directory_name());
        if directory.is_dir() {
            return Ok(directory);
        }
        std::fs::create_dir_all(&config.settings.toolchains)
            .with_context(|| format!("{} cannot be made", config.settings.toolchains.display()))?;
        // npm installs nothing into a directory that is reached through a link.
        let real = config.settings.toolchains.canonicalize()?;
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

    /// The name holds a digest of the lock and the command, so packages installed from another
    /// lock, or without one, are never used instead.
    pub(super) fn directory_name(&self) -> String {
        let lock = self.lock.iter().flat_map(|(name, text)| [*name, *text]);
        let all: Vec<&str> = self.install.iter().copied().chain(lock).collect();
        let digest = Digest::of(all.join("\0").as_bytes()).hex();
        format!("{}-{}", self.name, &digest[..16])
    }

    /// The packages that are asked for, with the versions that the lock has of them.
    pub(super) fn build_tools(&self) -> Vec<BuildTool> {
        let (name, text) = self.lock[0];
        let tool = |name: &str, version: &str| BuildTool {
            name: name.to_owned(),
            version: version.to_owned(),
        };
        if name.ends_with(".json") {
            let manifest: Value = serde_json::from_str(text).unwrap_or_default();
            let named = manifest["dependencies"].as_object().into_iter().flatten();
            return named
                .map(|(name, version)| tool(name, version.as_str().unwrap_or_default()))
                .collect();
        }
        let words = text.split_whitespace();
        let named = words.filter_map(|word| word.split_once("=="));
        named.map(|(name, version)| tool(name, version)).collect()
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
        // Never the user's working directory: `python3 -m` imports modules from there first.
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
pub(super) mod pins {
    use super::Toolchain;

    /// Asserts that pip installs what `toolchain` names by hashes, and nothing else.
    #[track_caller]
    pub(in crate::build) fn assert_pinned(toolchain: &Toolchain<'_>) {
        let [(_, requirements)] = toolchain.lock else {
            panic!("it has one lock");
        };
        let joined = requirements.replace("\\\n", " ");
        let lines = joined.lines().filter(|line| !line.trim().is_empty());
        let packages: Vec<Vec<&str>> = lines.map(|it| it.split_whitespace().collect()).collect();
        assert!(!packages.is_empty());
        for package in packages {
            let (name, hashes) = package.split_first().unwrap();
            let pinned = name.split_once("==").unwrap();
            assert!(pinned.1.starts_with(|c: char| c.is_ascii_digit()), "{name}");
            assert!(!hashes.is_empty(), "{name}");
            for hash in hashes {
                let hex = hash.strip_prefix("--hash=sha256:").unwrap();
                assert_eq!(hex.len(), 64, "{name}");
            }
        }
        for flag in ["--require-hashes", "--only-binary=:all:", "--no-deps"] {
            assert!(toolchain.install.contains(&flag), "{flag}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_asked_for_have_versions() {
        let told = |name: &'static str, text: &'static str| {
            let toolchain = Toolchain {
                name: "x-1",
                lock: &[(name, text)],
                install: &[],
            };
            let tools = toolchain.build_tools().into_iter();
            let tools: Vec<_> = tools
                .map(|it| format!("{} {}", it.name, it.version))
                .collect();
            tools.join(", ")
        };
        let requirements = "a==1.0 \\\n    --hash=sha256:00\nb==2 --hash=sha256:11\n";
        assert_eq!(told("requirements.txt", requirements), "a 1.0, b 2");
        let manifest = r#"{"dependencies": {"@a/b": "1.0.0", "c": "2.0.0"}}"#;
        assert_eq!(told("package.json", manifest), "@a/b 1.0.0, c 2.0.0");
    }

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
