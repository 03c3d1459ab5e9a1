//! Keeps the toolbox's warnings until a thread of Python hands them to `warnings`.

use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use tool_hub_embed::{Notice, Notices};

/// The frame of the user's own line: below it is the Python half's.
const USERS_FRAME: i32 = 2;

/// Notices that nobody was warned of yet.
#[derive(Default)]
pub(crate) struct KeptNotices(Mutex<Vec<String>>);

impl KeptNotices {
    /// Warns of what is kept, by Python's `warnings`.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let texts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for text in texts {
            // A text with a zero byte in it cannot be shown whole.
            let text = CString::new(text.replace('\0', ""))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, USERS_FRAME)?;
        }
        Ok(())
    }

    /// The same notices, for the host's threads to add to.
    pub(crate) fn told(self: &Arc<Self>) -> Arc<dyn Notices> {
        Arc::clone(self) as Arc<dyn Notices>
    }
}

impl Notices for KeptNotices {
    fn notice(&self, notice: &Notice<'_>) {
        if notice.is_warning() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(notice.to_string());
        }
    }
}
