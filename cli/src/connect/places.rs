//! Where clients keep what they are configured by, on each operating system.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

/// Whom a configuration is for.
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
    /// What `CLAUDE_CONFIG_DIR` says.
    pub(crate) claude: Option<PathBuf>,
    /// What `CODEX_HOME` says.
    pub(crate) codex: Option<PathBuf>,
    /// What `COPILOT_HOME` says.
    pub(crate) copilot: Option<PathBuf>,
}

impl ClientPlaces {
    /// Where desktop programs keep things.
    pub(super) fn applications(&self, system: System) -> PathBuf {
        match system {
            System::Macos => self.home.join("Library/Application Support"),
            System::Linux | System::Windows => self.config.clone(),
        }
    }

    /// `directory` as a variable says, else `usual` below the home directory.
    pub(super) fn told(&self, directory: Option<&Path>, usual: &str) -> PathBuf {
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
