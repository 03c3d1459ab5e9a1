//! Finds clients' configuration directories on each operating system, for user or project scope.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use serde::Serialize;

use crate::settings::environment::variable;

/// The scope of a configuration: the user's or a project's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// You, in every project
    User,
    /// Whoever works in this project
    Project,
}

impl Scope {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The directories of a user that clients look into.
#[derive(Debug)]
pub(crate) struct ClientPlaces {
    pub(crate) home: PathBuf,
    /// `~/.config` or what `XDG_CONFIG_HOME` says; on Windows `%APPDATA%`.
    pub(crate) config: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`.
    pub(crate) claude: Option<PathBuf>,
    /// The value of `CODEX_HOME`.
    pub(crate) codex: Option<PathBuf>,
    /// The value of `COPILOT_HOME`.
    pub(crate) copilot: Option<PathBuf>,
}

impl ClientPlaces {
    /// Reads the environment.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let base =
            etcetera::choose_base_strategy().context("the home directory cannot be found")?;
        let directory = |name: &str, value: Option<String>| -> anyhow::Result<Option<PathBuf>> {
            let path = value.map(std::path::absolute).transpose();
            path.with_context(|| format!("{name} is not a path"))
        };
        Ok(Self {
            home: base.home_dir().to_owned(),
            config: base.config_dir(),
            claude: directory("CLAUDE_CONFIG_DIR", variable("CLAUDE_CONFIG_DIR"))?,
            codex: directory("CODEX_HOME", variable("CODEX_HOME"))?,
            copilot: directory("COPILOT_HOME", variable("COPILOT_HOME"))?,
        })
    }

    /// The directory for the configuration of desktop programs.
    pub(super) fn applications(&self, system: System) -> PathBuf {
        match system {
            System::Macos => self.home.join("Library/Application Support"),
            System::Linux | System::Windows => self.config.clone(),
        }
    }

    /// `directory` as a variable says, else `usual` below the home directory.
    pub(super) fn directory_or(&self, directory: Option<&Path>, usual: &str) -> PathBuf {
        directory.map_or_else(|| self.home.join(usual), Path::to_owned)
    }
}

/// The operating systems that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    Macos,
    Windows,
}

impl System {
    /// The one that this program was built for.
    pub(super) const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };
}
