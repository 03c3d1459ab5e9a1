//! The `Workspace` of an embedder: its settings, its function for warnings, its `CompilerProgram`.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tool_hub_toolbox::Settings;
use tool_hub_toolbox::notices::Notices;
use tool_hub_toolbox::variables::Variables;
use url::Url;

use crate::error::Error;
use crate::warnings::Warnings;

/// Registry, tokens and directories of whoever embeds tools. Cloning is cheap.
#[derive(Clone)]
pub struct Workspace {
    settings: Arc<Settings>,
    compiler: Option<CompilerProgram>,
    warnings: Arc<Warnings>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("settings", &self.settings)
            .field("compiler", &self.compiler)
            .finish_non_exhaustive()
    }
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
            warnings: Arc::new(Warnings(Box::new(drop))),
        })
    }

    /// The same, with components compiled by `program`. Without one they are compiled in this
    /// process.
    #[must_use]
    pub fn with_compiler(mut self, program: Option<CompilerProgram>) -> Self {
        self.compiler = program;
        self
    }

    /// The same, with `warn` called when something is not as it should be although nothing fails: a
    /// tool is left out of the toolbox, a token goes over the network unencrypted. Its text is one
    /// line, escaped. Without this, warnings are dropped.
    #[must_use]
    pub fn with_warnings(mut self, warn: impl Fn(String) + Send + Sync + 'static) -> Self {
        self.warnings = Arc::new(Warnings(Box::new(warn)));
        self
    }

    pub(crate) fn notices(&self) -> &dyn Notices {
        &*self.warnings
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn compiler(&self) -> Option<&CompilerProgram> {
        self.compiler.as_ref()
    }
}
