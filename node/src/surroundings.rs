//! The `Surroundings` that JavaScript tells of: variables, directory, registry, toolbox, compiler.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use serde::Deserialize;
use tool_hub_embed::{CompilerProgram, Error, Workspace};

/// What the process stands in, read by JavaScript.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Surroundings {
    directory: PathBuf,
    variables: HashMap<String, String>,
    /// A registry in place of the one that the variables name.
    endpoint: Option<String>,
    /// The toolbox in place of the one in force.
    pub(crate) toolbox: Option<PathBuf>,
    /// The command of this version, which compiles.
    compiler: Option<PathBuf>,
}

impl Surroundings {
    pub(crate) fn read(json: &str) -> napi::Result<Self> {
        serde_json::from_str(json).map_err(|error| napi::Error::from_reason(error.to_string()))
    }

    pub(crate) fn workspace(mut self) -> Result<Workspace, Error> {
        if let Some(endpoint) = self.endpoint {
            self.variables.insert("HF_ENDPOINT".to_owned(), endpoint);
        }
        let variables = self.variables;
        let variable = move |name: &str| variables.get(name).map(OsString::from);
        let workspace = Workspace::new(variable, self.directory, None)?;
        let compiler = self.compiler.map(|path| CompilerProgram { path });
        Ok(workspace.with_compiler(compiler))
    }
}
