//! The Python class `Answer`: the reply or failure of a finished call, its parts, and its usage.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use tool_hub_embed::{ContentBody, ResourceContents};

/// A call that is over.
#[pyclass(frozen, module = "tool_hub._native")]
pub(crate) struct Answer(pub(crate) tool_hub_embed::Answer);

/// Kind, message, fix, argument and whether the same call may succeed later.
type Failure<'a> = (
    &'static str,
    &'a str,
    Option<&'a str>,
    Option<&'a str>,
    bool,
);

#[pymethods]
impl Answer {
    /// The failure, if it failed.
    #[getter]
    fn failure(&self) -> Option<Failure<'_>> {
        let failure = self.0.failure()?;
        Some((
            failure.kind.as_str(),
            &failure.message,
            failure.fix.as_deref(),
            failure.argument.as_deref(),
            failure.retryable,
        ))
    }

    /// The value as JSON.
    #[getter]
    fn structured(&self) -> Option<&str> {
        self.0.structured()
    }

    /// The reply or the failure as a model is shown it.
    fn text(&self) -> String {
        self.0.text()
    }

    /// All parts.
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let parts = self.0.content().iter();
        parts_of(py, parts.map(|content| &content.body))
    }

    /// The parts that answer the caller, without notes for a model.
    fn value_parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        parts_of(py, self.0.value_parts())
    }

    /// The time and bytes that the call used; each name ends with its unit.
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(usage) = self.0.usage() else {
            return Ok(None);
        };
        let numbers = [
            ("total_us", micros(usage.total)),
            ("queued_us", micros(usage.queued)),
            ("guest_us", micros(usage.guest)),
            ("host_us", micros(usage.host)),
            ("input_bytes", usage.input_bytes),
            ("output_bytes", usage.output_bytes),
            ("memory_bytes", usage.memory_bytes),
            ("http_requests", usage.http_requests),
            ("http_sent_bytes", usage.http_sent_bytes),
            ("http_received_bytes", usage.http_received_bytes),
            ("storage_operations", usage.storage_operations),
        ];
        let told = PyDict::new(py);
        for (name, number) in numbers {
            told.set_item(name, number)?;
        }
        Ok(Some(told))
    }
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Each part as a tuple that begins with its kind.
fn parts_of<'py, 'a>(
    py: Python<'py>,
    parts: impl Iterator<Item = &'a ContentBody>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for part in parts {
        match part {
            ContentBody::Text(text) => list.append(("text", text))?,
            ContentBody::Image { media_type, data } => {
                list.append(("image", media_type, PyBytes::new(py, data)))?;
            }
            ContentBody::Audio { media_type, data } => {
                list.append(("audio", media_type, PyBytes::new(py, data)))?;
            }
            ContentBody::Link(link) => list.append((
                "link",
                &link.uri,
                &link.name,
                link.title.as_deref(),
                link.description.as_deref(),
                link.media_type.as_deref(),
                link.size,
            ))?,
            ContentBody::Resource(resource) => {
                let contents = match &resource.contents {
                    ResourceContents::Text(text) => text.into_pyobject(py)?.into_any(),
                    ResourceContents::Blob(bytes) => PyBytes::new(py, bytes).into_any(),
                };
                let media_type = resource.media_type.as_deref();
                list.append(("resource", &resource.uri, media_type, contents))?;
            }
        }
    }
    Ok(list)
}
