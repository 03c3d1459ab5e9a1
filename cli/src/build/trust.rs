//! Asks for and stores the user's consent that a project's build may run programs unsandboxed.
//! Building it in Rust runs build scripts and macros, its own and those of all that it depends on,
//! and what its settings of cargo and rustup name, with all rights of the user. So nothing of it is
//! run, the compiler's proxy included, before somebody said so: by having made the project here, at
//! a terminal, or by a flag. The same consent lets a project in JavaScript bring packages that no
//! lock names by a hash.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::consent::approval::Terminal;
use crate::files;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// The record of consents, in the user's own directory: a checkout cannot write there.
const RECORD: &str = "builds.toml";

/// Files of a project that can name programs which a build runs.
const SETTINGS: [&str; 5] = [
    "build.rs",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain.toml",
    "rust-toolchain",
];

/// The directories of the projects that may be built.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedProjects {
    #[serde(default)]
    projects: BTreeSet<PathBuf>,
}

/// Records that the project in `directory` may be built.
pub(crate) fn remember(directory: &Path, config: &Config) -> anyhow::Result<()> {
    let directory = real(directory)?;
    let mut builds = TrustedProjects::read(config)?;
    if builds.projects.insert(directory) {
        let text = toml_edit::ser::to_string_pretty(&builds)?;
        files::write_private(&config.settings.user.join(RECORD), text.as_bytes())?;
    }
    Ok(())
}

/// True if the user trusts the project in `directory` and all that it brings.
pub(crate) fn is_given(directory: &Path, config: &Config) -> anyhow::Result<bool> {
    Ok(TrustedProjects::read(config)?
        .projects
        .contains(&real(directory)?))
}

/// Obtains consent to build the project in `directory`, unless it was given before.
///
/// # Errors
/// If the user says no, or has not agreed and cannot be asked.
pub(crate) fn obtain(directory: &Path, session: &Session) -> anyhow::Result<()> {
    if is_given(directory, &session.config)? {
        return Ok(());
    }
    let place = real(directory)?;
    let shown = escape_line(&place.display().to_string());
    let warning = format!(
        "{shown} was not created by `tool new` on this machine. {}",
        what_runs(&place)
    );
    let refused = |said: &str| {
        Problem::refused(format!("{shown} was not built: {said}")).hint(format!(
            "review it, then run: tool build --trust {}",
            directory.display()
        ))
    };
    let Some(mut terminal) = Terminal::open() else {
        return Err(refused(
            "running its programs needs consent, and there is no terminal to ask at",
        )
        .caused_by(warning)
        .into());
    };
    session.printer.warning(&warning);
    if terminal.ask("Run them? Type yes to build: ")?.trim() != "yes" {
        return Err(refused("consent was not given (type the whole word yes)").into());
    }
    remember(directory, &session.config)
}

/// A description of the programs that building the project in `directory` runs.
fn what_runs(directory: &Path) -> String {
    let settings: Vec<String> = settings(directory)
        .iter()
        .map(|path| escape_line(&path.display().to_string()))
        .collect();
    let more = match settings.is_empty() {
        true => String::new(),
        false => format!(
            ", and the programs that these files define: {}",
            settings.join(", ")
        ),
    };
    format!(
        "Building it runs programs with all of your rights: the build scripts and macros of the \
         project and of its dependencies{more}"
    )
}

/// The settings files that cargo and rustup use for the project: its own, and those in the
/// directories above it, up to the root of its checkout.
fn settings(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in directory.ancestors() {
        let here = SETTINGS.iter().map(|name| place.join(name));
        found.extend(here.filter(|path| path.exists()));
        if place.join(".git").exists() {
            break;
        }
    }
    found
}

fn real(directory: &Path) -> anyhow::Result<PathBuf> {
    let real = directory.canonicalize();
    real.with_context(|| format!("{} cannot be read", directory.display()))
}

impl TrustedProjects {
    fn read(config: &Config) -> anyhow::Result<Self> {
        let path = config.settings.user.join(RECORD);
        match files::read_if_present(&path)? {
            Some(text) => toml_edit::de::from_str(&text)
                .with_context(|| format!("{} cannot be read", path.display())),
            None => Ok(Self::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_up_to_the_checkout_s_root() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for path in [
            "rust-toolchain",
            "checkout/.git/config",
            "checkout/.cargo/config.toml",
            "checkout/tools/a/build.rs",
            "checkout/tools/a/src/lib.rs",
        ] {
            files::write(&root.join(path), b"").unwrap();
        }
        let project = root.join("checkout/tools/a");
        assert_eq!(
            settings(&project),
            [
                project.join("build.rs"),
                root.join("checkout/.cargo/config.toml")
            ]
        );
        assert!(what_runs(&project).ends_with("/checkout/.cargo/config.toml"));
        assert!(what_runs(Path::new("/nowhere")).ends_with("dependencies"));
    }
}
