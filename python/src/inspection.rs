//! The class `Inspection` of the native half: what a package asks for; `approve` loads its tools.

use pyo3::prelude::*;
use tool_hub_embed::GrantRequest;

use crate::errors::raised;
use crate::tools::Tools;

/// A verified and inspected tool.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Inspection(pub(crate) tool_hub_embed::Inspection);

#[pymethods]
impl Inspection {
    #[getter]
    fn name(&self) -> &str {
        self.0.found().name.as_str()
    }

    #[getter]
    fn version(&self) -> String {
        self.0.found().version.to_string()
    }

    #[getter]
    fn description(&self) -> &str {
        &self.0.found().description
    }

    #[getter]
    fn publisher(&self) -> Option<&str> {
        self.0.publisher()
    }

    #[getter]
    fn signer(&self) -> Option<String> {
        self.0.signer()
    }

    #[getter]
    fn published(&self) -> Option<&str> {
        self.0.published()
    }

    #[getter]
    fn digest(&self) -> String {
        self.0.digest()
    }

    /// Access, what, why and whether the component could use it, for each capability.
    #[getter]
    fn capabilities(&self) -> Vec<(String, String, String, bool)> {
        let capabilities = self.0.found().capabilities.iter();
        let plain = capabilities.map(|it| {
            let access = it.access.to_string();
            (access, it.what.clone(), it.why.clone(), it.used)
        });
        plain.collect()
    }

    /// The names of the functions.
    #[getter]
    fn functions(&self) -> Vec<&str> {
        let functions = self.0.found().functions.iter();
        functions.map(|function| function.name.as_str()).collect()
    }

    #[getter]
    fn refusals(&self) -> Vec<String> {
        self.0
            .found()
            .refusals
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[getter]
    fn warnings(&self) -> &[String] {
        &self.0.found().warnings
    }

    fn report(&self) -> String {
        self.0.report()
    }

    fn full_report(&self) -> String {
        self.0.full_report()
    }

    /// `grants` is JSON.
    fn approve(&self, py: Python<'_>, digest: &str, grants: &str) -> PyResult<Tools> {
        let approved = py.detach(|| self.0.approve(digest, GrantRequest::read(grants)?));
        Ok(Tools(approved.map_err(|error| raised(py, &error))?))
    }
}
