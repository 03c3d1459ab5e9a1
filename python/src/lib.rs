//! The native half of the Python package `tool_hub`: its module `_native`.
//!
//! It hands plain values and JSON text to the Python half, which has the interface. Threads of the
//! host never take the interpreter's lock: what they have to say waits in a queue for a thread of
//! Python's own.

mod answer;
mod errors;
mod event_queue;
mod inspection;
mod tool_requests;
mod toolbox;
mod tools;
mod waiting;
mod wake;
mod warnings;
mod workspace;

use pyo3::prelude::*;

/// The native half of `tool_hub`. Use that package, not this module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::answer::Answer;
    #[pymodule_export]
    use crate::event_queue::EventQueue;
    #[pymodule_export]
    use crate::inspection::Inspection;
    #[pymodule_export]
    use crate::tool_requests::{Call, Question};
    #[pymodule_export]
    use crate::toolbox::Toolbox;
    #[pymodule_export]
    use crate::tools::{Tools, UnderWay};
    #[pymodule_export]
    use crate::workspace::Workspace;

    use pyo3::prelude::*;

    /// Called before this thread forks.
    #[pyfunction]
    fn forks() {
        // With the interpreter's lock: nobody who loads a tool waits for it.
        tool_hub_embed::process::forks();
    }

    /// Called after a fork in the parent.
    #[pyfunction]
    fn forked_here() {
        tool_hub_embed::process::forked_here();
    }

    /// Called after a fork in the child.
    #[pyfunction]
    fn forked() {
        tool_hub_embed::process::forked();
    }

    /// A failure as a model is shown it.
    #[pyfunction]
    fn failure_text(
        function: &str,
        kind: &str,
        message: String,
        fix: Option<String>,
        argument: Option<String>,
        retryable: bool,
    ) -> String {
        let failure = crate::tool_requests::failure(kind, message, fix, argument, retryable);
        tool_hub_embed::failure_text(function, &failure)
    }

    /// Ends all calls under way, before the interpreter does.
    #[pyfunction]
    fn stop() {
        // With the interpreter's lock, which no thread of the host takes. At the end of an
        // interpreter that is not the process's first, whoever lets go of it never gets it back.
        tool_hub_embed::process::stop();
    }
}
