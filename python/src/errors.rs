//! Turns errors into the exceptions that the Python half defines.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tool_hub_embed::{Error, ErrorKind};

/// The exception for `error`.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Refused => class(py, "RefusedError"),
        ErrorKind::Registry => class(py, "HubError"),
        _ => class(py, "Error"),
    };
    match class.and_then(|class| class.call1((error.text(), error.hint()))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

/// A plain `Error` of `text`, with the advice `hint`.
pub(crate) fn raised_with(py: Python<'_>, text: &str, hint: &str) -> PyErr {
    match class(py, "Error").and_then(|class| class.call1((text, hint))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failed) => failed,
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS.get_or_try_init(py, || py.import("tool_hub._errors").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}
