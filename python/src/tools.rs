//! The classes `Tools` and `UnderWay` of the native half: functions, and calls that run.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tool_hub_embed::{
    CallLimits, CallerName, Error, Event, Events, Listener, PerProcess, Presentation,
    ToolboxFunction, process,
};

use crate::answer::Answer;
use crate::errors::{raised, raised_with};
use crate::event_queue::{EventQueue, Said, told};
use crate::waiting::wait;

/// The interval at which Ctrl-C is looked for.
const SLICE: Duration = Duration::from_millis(50);

/// Functions that may be called.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Tools(pub(crate) tool_hub_embed::Tools);

/// A call that runs on the host's threads.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct UnderWay(PerProcess<AbortHandle>);

/// What Python wants to hear of: the kinds of events, a JSON list, and the functions that the tool
/// may call, each with name, description and schema as JSON.
type Wanted = (String, Vec<(String, String, String)>);

#[pymethods]
impl Tools {
    /// The functions as JSON.
    fn functions(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(self.0.functions()))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The same functions as a model reads them.
    fn presented(
        &self,
        py: Python<'_>,
        answer_bytes_max: Option<usize>,
        listed_max: Option<usize>,
    ) -> PyResult<Self> {
        let presentation = Presentation {
            answer_bytes_max,
            listed_max,
        };
        let presented = py.detach(|| self.0.presented(presentation));
        Ok(Self(presented.map_err(|error| raised(py, &error))?))
    }

    /// The same functions with lower limits, which are a JSON object.
    fn limited(&self, py: Python<'_>, limits: &str) -> PyResult<Self> {
        let limits: CallLimits = serde_json::from_str(limits).map_err(|error| {
            let text = format!("the limits cannot be read: {error}");
            raised_with(
                py,
                &text,
                "name limits as the reference does: `cpu_ms=1000`",
            )
        })?;
        Ok(Self(self.0.limited(&limits)))
    }

    /// The limits of a call of the function `name`, a JSON object; none if no tool has it.
    fn limits(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let limits = py.detach(|| self.0.limits(name));
        let limits = limits.map_err(|error| raised(py, &error))?;
        let written = limits
            .map(|limits| serde_json::to_string(&limits))
            .transpose();
        written.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The same functions; each call is noted in the audit log at `path`, as a call of `caller`.
    fn audited(&self, py: Python<'_>, path: PathBuf, caller: &str) -> PyResult<Self> {
        let caller: CallerName = caller.parse().map_err(|error| {
            let hint = "write 1 to 64 of letters, digits and `._@-`";
            raised_with(py, &format!("{error}"), hint)
        })?;
        let audited = py.detach(|| self.0.audited(&path, caller));
        audited.map(Self).map_err(|error| {
            let path = path.display();
            let text = format!("the audit log {path} cannot be written: {error}");
            raised_with(py, &text, "name a file that can be appended to")
        })
    }

    /// Calls a function on this thread, with nobody to hear of it.
    fn call(&self, py: Python<'_>, name: &str, arguments: String) -> PyResult<Answer> {
        let call = py.detach(|| self.0.call(name, arguments, Listener::new(None)));
        let call = call.map_err(|error| raised(py, &error))?;
        Ok(Answer(wait(py, self.0.workspace(), call)?))
    }

    /// Calls a function, and hands its events to `listener` on this thread. The call goes on
    /// meanwhile. Whatever `listener` raises ends it, and so does a fork in the child.
    fn call_with(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: String,
        wanted: Wanted,
        listener: Bound<'_, PyAny>,
    ) -> PyResult<Answer> {
        let (sender, events) = mpsc::unbounded_channel();
        let send = move |event| {
            // A call that was ended has nobody to tell.
            let _ = sender.send(event);
        };
        let call = self.started(py, name, arguments, wanted, send)?;
        let mut under_way = PerProcess::with((events, Ended(call)));
        loop {
            let Some((events, call)) = under_way.get_mut() else {
                return Err(raised(py, &Error::Forked));
            };
            let next = async {
                tokio::select! {
                    biased;
                    Some(event) = events.recv() => Next::Event(event),
                    answer = &mut call.0 => Next::Over(answer),
                    () = tokio::time::sleep(SLICE) => Next::Slice,
                }
            };
            match wait(py, self.0.workspace(), next)? {
                Next::Event(event) => {
                    listener.call1((told(py, event)?,))?;
                }
                Next::Over(Ok(answer)) => {
                    while let Ok(event) = events.try_recv() {
                        listener.call1((told(py, event)?,))?;
                    }
                    return Ok(Answer(answer));
                }
                Next::Over(Err(error)) => {
                    return Err(pyo3::exceptions::PyRuntimeError::new_err(error.to_string()));
                }
                Next::Slice => py.check_signals()?,
            }
        }
    }

    /// Begins a call whose events and answer go to `queue`, with the number `call`.
    #[pyo3(signature = (name, arguments, queue, call, wanted = None))]
    fn begin(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: String,
        queue: &EventQueue,
        call: u64,
        wanted: Option<Wanted>,
    ) -> PyResult<UnderWay> {
        let sender = queue.sender().map_err(|error| raised(py, &error))?;
        let listener = match wanted {
            None => Listener::new(None),
            Some(wanted) => {
                let sender = sender.clone();
                let send = move |event| sender.send(call, Said::Event(event));
                listener(wanted, send)?
            }
        };
        let begun = py.detach(|| {
            let running = self.0.call(name, arguments, listener)?;
            let process = process::get(self.0.workspace())?;
            let task = process.spawn(async move { sender.send(call, Said::Over(running.await)) });
            Ok(UnderWay(PerProcess::with(task.abort_handle())))
        });
        begun.map_err(|error: Error| raised(py, &error))
    }
}

#[pymethods]
impl UnderWay {
    /// Ends the call, if it is not over and this process makes it.
    fn cancel(&self) {
        if let Some(call) = self.0.get() {
            call.abort();
        }
    }
}

impl Tools {
    fn started(
        &self,
        py: Python<'_>,
        name: &str,
        arguments: String,
        wanted: Wanted,
        send: impl Fn(Event) + Send + Sync + 'static,
    ) -> PyResult<tokio::task::JoinHandle<tool_hub_embed::Answer>> {
        let listener = listener(wanted, send)?;
        let started = py.detach(|| {
            let call = self.0.call(name, arguments, listener)?;
            Ok(process::get(self.0.workspace())?.spawn(call))
        });
        started.map_err(|error: Error| raised(py, &error))
    }
}

enum Next {
    Event(Event),
    Over(Result<tool_hub_embed::Answer, tokio::task::JoinError>),
    Slice,
}

/// A call that ends when this is dropped.
struct Ended(tokio::task::JoinHandle<tool_hub_embed::Answer>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn listener(
    (wanted, functions): Wanted,
    send: impl Fn(Event) + Send + Sync + 'static,
) -> PyResult<Listener> {
    let wanted =
        serde_json::from_str(&wanted).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let functions = functions.into_iter();
    let functions = functions.map(|(name, description, schema)| ToolboxFunction {
        name,
        description,
        input_schema: serde_json::from_str(&schema).unwrap_or_default(),
    });
    Ok(Listener::new(Some(Events {
        send: Box::new(send),
        wanted,
        functions: functions.collect(),
    })))
}
