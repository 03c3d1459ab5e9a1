//! The class `Workspace`: registry and directories in force, with load, search, push, toolbox.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use tool_hub_embed::{CompilerProgram, Visibility, load, push, search};

use crate::errors::raised;
use crate::inspection::Inspection;
use crate::toolbox::Toolbox;
use crate::waiting::wait;
use crate::warnings::KeptWarnings;

/// Registry and directories, and the warnings of what is done with them.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Workspace(tool_hub_embed::Workspace, KeptWarnings);

/// A tool that a search found: repo, description, version, functions, downloads, likes, private.
type Found = (
    String,
    Option<String>,
    Option<String>,
    Vec<String>,
    u64,
    u64,
    bool,
);

#[pymethods]
impl Workspace {
    /// `variables` are the environment's, `compiler` the path of this version's command `tool`.
    #[new]
    fn new(
        py: Python<'_>,
        variables: HashMap<String, OsString>,
        working: PathBuf,
        compiler: Option<PathBuf>,
    ) -> PyResult<Self> {
        let variable = move |name: &str| variables.get(name).cloned();
        let workspace = tool_hub_embed::Workspace::new(variable, working, None);
        let workspace = workspace.map_err(|error| raised(py, &error))?;
        let compiler = compiler.map(|path| CompilerProgram { path });
        let warnings = KeptWarnings::default();
        let kept = warnings.clone();
        let workspace = workspace.with_warnings(move |text| kept.keep(text));
        Ok(Self(workspace.with_compiler(compiler), warnings))
    }

    fn load(&self, py: Python<'_>, subject: &str) -> PyResult<Inspection> {
        let loaded = wait(py, &self.0, load(&self.0, subject))?;
        self.1.warn(py)?;
        let inspection = loaded.map_err(|error| raised(py, &error))?;
        Ok(Inspection(inspection))
    }

    /// The tools of the toolbox in `directory`, or of the one in force.
    fn toolbox(&self, py: Python<'_>, directory: Option<PathBuf>) -> PyResult<Toolbox> {
        let opened = tool_hub_embed::Toolbox::open(self.0.clone(), directory.as_deref());
        let toolbox = opened.map_err(|error| raised(py, &error))?;
        Ok(Toolbox(toolbox, self.1.clone()))
    }

    fn search(&self, py: Python<'_>, query: &str, limit: usize) -> PyResult<Vec<Found>> {
        let results = wait(py, &self.0, search(&self.0, query, limit))?;
        self.1.warn(py)?;
        let results = results.map_err(|error| raised(py, &error))?;
        let found = results.found.into_iter().map(|found| {
            let (version, functions) = found
                .tool
                .map(|tool| (tool.version, tool.functions))
                .unzip();
            (
                found.repo.to_string(),
                found.description,
                version,
                functions.unwrap_or_default(),
                found.downloads,
                found.likes,
                found.private,
            )
        });
        Ok(found.collect())
    }

    /// The repo, the version, the commit, the page and the digest of what is pushed.
    fn push(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        repo: &str,
        private: bool,
    ) -> PyResult<[String; 5]> {
        let visibility = match private {
            true => Visibility::Private,
            false => Visibility::Public,
        };
        let pushed = wait(py, &self.0, push(&self.0, &directory, repo, visibility))?;
        self.1.warn(py)?;
        let pushed = pushed.map_err(|error| raised(py, &error))?;
        Ok([
            pushed.repo.to_string(),
            pushed.version,
            pushed.commit,
            pushed.url,
            pushed.digest.to_string(),
        ])
    }
}
