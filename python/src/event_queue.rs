//! The class `EventQueue`: events and answers of calls, until a thread of Python's takes them.
//!
//! An event loop is woken through a socket that it watches, once for all that came since it looked
//! last. Whoever puts something in never takes the interpreter's lock, for which it would wait as
//! long as Python computes.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use tool_hub_embed::{Error, Event, LogEntry, PerProcess};

use crate::answer::Answer;
use crate::tool_requests::{Call, Question};
use crate::wake::{self, Socket};

/// The events of all calls of one event loop. A fork's child has none of its parent's.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct EventQueue {
    shared: PerProcess<Arc<Shared>>,
    /// The end that the loop watches.
    woken: Socket,
}

/// The end of a queue into which things are put.
#[derive(Clone)]
pub(crate) struct Sender(Arc<Shared>);

struct Shared {
    waiting: Mutex<VecDeque<(u64, Said)>>,
    wakes: Socket,
}

/// Something that the call with a number says.
pub(crate) enum Said {
    Event(Event),
    Over(tool_hub_embed::Answer),
}

impl Sender {
    pub(crate) fn send(&self, call: u64, said: Said) {
        let mut waiting = self.0.lock();
        let was_empty = waiting.is_empty();
        waiting.push_back((call, said));
        drop(waiting);
        if was_empty {
            // A full socket wakes the loop, too; a closed one has nobody behind it.
            let _ = (&self.0.wakes).write(&[1]);
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, Said)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventQueue {
    pub(crate) fn sender(&self) -> Result<Sender, Error> {
        let shared = self.shared.get().ok_or(Error::Forked)?;
        Ok(Sender(shared.clone()))
    }
}

#[pymethods]
impl EventQueue {
    #[new]
    fn new() -> PyResult<Self> {
        let (woken, wakes) = wake::pair()?;
        woken.set_nonblocking(true)?;
        wakes.set_nonblocking(true)?;
        Ok(Self {
            shared: PerProcess::with(Arc::new(Shared {
                waiting: Mutex::default(),
                wakes,
            })),
            woken,
        })
    }

    /// The number of the socket that is readable when there is something to take.
    fn fileno(&self) -> i64 {
        wake::number(&self.woken)
    }

    /// All that came: the call's number, and its `Answer` or an event, a tuple that begins with its
    /// kind.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let Some(shared) = self.shared.get() else {
            return Ok(PyList::empty(py));
        };
        // First the bytes, then the queue: what comes between is announced again.
        let mut bytes = [0; 64];
        while matches!((&self.woken).read(&mut bytes), Ok(read) if read == bytes.len()) {}
        let waiting = std::mem::take(&mut *shared.lock());
        let taken = PyList::empty(py);
        for (call, said) in waiting {
            let said = match said {
                Said::Over(answer) => Bound::new(py, Answer(answer))?.into_any(),
                Said::Event(event) => told(py, event)?,
            };
            taken.append((call, said))?;
        }
        Ok(taken)
    }
}

/// An event as a tuple that begins with its kind.
pub(crate) fn told(py: Python<'_>, event: Event) -> PyResult<Bound<'_, PyAny>> {
    let tuple = match event {
        Event::Progress(progress) => {
            let told = ("progress", progress.done, progress.total, progress.message);
            told.into_pyobject(py)?.into_any()
        }
        Event::Question(question, asked) => {
            let question = Question::new(question, asked);
            ("question", question).into_pyobject(py)?.into_any()
        }
        Event::Call {
            name,
            arguments,
            asked,
        } => {
            let call = Call::new(name, arguments, asked);
            ("call", call).into_pyobject(py)?.into_any()
        }
        Event::Output(output) => {
            let stdout = PyBytes::new(py, &output.stdout);
            let stderr = PyBytes::new(py, &output.stderr);
            let log: Vec<_> = output.log.into_iter().map(entry).collect();
            let told = ("output", stdout, stderr, log, output.dropped_bytes);
            told.into_pyobject(py)?.into_any()
        }
        _ => ("unknown",).into_pyobject(py)?.into_any(),
    };
    Ok(tuple)
}

/// Level, context and message.
fn entry(entry: LogEntry) -> (String, String, String) {
    let level = format!("{:?}", entry.level).to_lowercase();
    (level, entry.context, entry.message)
}
