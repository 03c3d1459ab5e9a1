//! Turns errors into the exceptions that the Python half defines.

use pyo3::prelude::*;
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
    // Looked up each time: in a child, a lock that a thread of its parent held would never open.
    let module = py.import("tool_hub._errors")?;
    Ok(module.getattr(name)?.cast_into::<PyType>()?)
}
