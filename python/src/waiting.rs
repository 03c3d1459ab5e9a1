//! Waits for futures without the interpreter's lock, and hears signals meanwhile.

use std::future::Future;
use std::time::Duration;

use pyo3::prelude::*;
use tool_hub_embed::{Error, PerProcess, Workspace, process};

use crate::errors::raised;

/// The interval at which Ctrl-C is looked for.
const SLICE: Duration = Duration::from_millis(50);

/// Runs `future` on this thread until it is done or a signal's handler raises. In a child that such
/// a handler forks it is neither polled nor dropped.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    workspace: &Workspace,
    future: impl Future<Output = T> + Send,
) -> PyResult<T> {
    let mut future = PerProcess::with(Box::pin(future));
    loop {
        let polled = py.detach(|| {
            let future = future.get_mut().ok_or(Error::Forked)?;
            let process = process::get(workspace)?;
            let slice = async { tokio::time::timeout(SLICE, future.as_mut()).await.ok() };
            Ok::<_, Error>(process.block_on(slice))
        });
        match polled.map_err(|error| raised(py, &error))? {
            Some(done) => return Ok(done),
            None => py.check_signals()?,
        }
    }
}
