//! Keeps warnings until a thread of Python hands them to its module `warnings`.

use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

/// The frame of the user's own line: below it is the Python half's.
const USERS_FRAME: i32 = 2;

/// Warnings that Python does not have yet. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct KeptWarnings(Arc<Mutex<Vec<String>>>);

impl KeptWarnings {
    /// Keeps one, on any thread.
    pub(crate) fn keep(&self, text: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }

    /// Hands all that are kept to Python.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let texts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for text in texts {
            // Escaped text holds no zero byte.
            PyErr::warn(
                py,
                &py.get_type::<PyUserWarning>(),
                &CString::new(text)?,
                USERS_FRAME,
            )?;
        }
        Ok(())
    }
}
