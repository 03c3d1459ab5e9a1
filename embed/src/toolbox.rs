//! The `Toolbox` on disk, made by the command `tool`, whose approved tools an embedder loads.

use std::path::{Path, PathBuf};

use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::error::Error;
use crate::tools::{Members, Tools};
use crate::workspace::Workspace;

/// A toolbox on disk. What the user approved in it needs no further approval, and nothing else of
/// it runs.
#[derive(Debug, Clone)]
pub struct Toolbox {
    workspace: Workspace,
    directory: PathBuf,
}

impl Toolbox {
    /// The toolbox in `directory`; without one the nearest upwards of the workspace's directory,
    /// else the user's own.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open(workspace: Workspace, directory: Option<&Path>) -> Result<Self, Error> {
        let settings = workspace.settings();
        let toolbox = match directory {
            Some(directory) => OpenToolbox::open_named(directory, settings)?,
            None => OpenToolbox::open(settings)?,
        };
        Ok(Self {
            directory: toolbox.directory().to_owned(),
            workspace,
        })
    }

    /// The directory that it is in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The tools called `names`, as they are approved at this moment. Without names they are all
    /// that can be used.
    ///
    /// # Errors
    /// When a tool that is named is not approved or cannot be loaded.
    ///
    /// # Panics
    /// On a thread of the runtime.
    pub fn tools(&self, names: Vec<String>) -> Result<Tools, Error> {
        let directory = self.directory.clone();
        let members = Members::Toolbox { directory, names };
        Tools::load(self.workspace.clone(), members)
    }
}
