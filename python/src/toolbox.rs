//! The class `Toolbox` of the native half: a toolbox on disk, whose approved tools it loads.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::errors::raised;
use crate::tools::Tools;
use crate::warnings::KeptWarnings;

/// A toolbox on disk.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Toolbox(pub(crate) tool_hub_embed::Toolbox, pub(crate) KeptWarnings);

#[pymethods]
impl Toolbox {
    /// The directory that it is in.
    #[getter]
    fn directory(&self) -> PathBuf {
        self.0.directory().to_owned()
    }

    /// The tools called `names`, all where none is named.
    fn tools(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Tools> {
        let tools = py.detach(|| self.0.tools(names));
        self.1.warn(py)?;
        Ok(Tools(tools.map_err(|error| raised(py, &error))?))
    }
}
