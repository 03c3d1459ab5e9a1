//! The `Workspace`: the settings of whoever embeds tools, and the program that compiles for them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use tool_hub_toolbox::Settings;
use tool_hub_toolbox::variables::Variables;
use url::Url;

use crate::error::Error;

/// Registry, tokens and directories of whoever embeds tools. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Workspace {
    settings: Arc<Settings>,
    compiler: Option<CompilerProgram>,
}

/// The command `tool` of this very version, which compiles components in a process of its own.
/// The embedder trusts it as itself, so it is never looked up by name.
#[derive(Debug, Clone)]
pub struct CompilerProgram {
    /// The path of the executable.
    pub path: PathBuf,
}

impl Workspace {
    /// The workspace that the variables describe which `lookup` finds, those of the command, with
    /// relative paths below `working`. `endpoint` goes before the registry that they name.
    ///
    /// # Errors
    /// When a variable or `config.toml` cannot be used, or no directory can be found.
    pub fn new(
        lookup: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
        working: impl Into<PathBuf>,
        endpoint: Option<Url>,
    ) -> Result<Self, Error> {
        let settings = Settings::resolve(Variables::new(lookup), working.into(), endpoint)?;
        Ok(Self {
            settings: settings.into(),
            compiler: None,
        })
    }

    /// The same, with components compiled by `program`. Without one they are compiled in this
    /// process.
    #[must_use]
    pub fn with_compiler(mut self, program: Option<CompilerProgram>) -> Self {
        self.compiler = program;
        self
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn compiler(&self) -> Option<&CompilerProgram> {
        self.compiler.as_ref()
    }
}
