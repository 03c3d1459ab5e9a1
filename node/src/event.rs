//! The `Event` that tells JavaScript of an operation's progress, questions, result or error.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

use crate::inspection::NativeInspection;
use crate::tools::NativeTools;

/// An event of an operation. After one of kind `reply`, `failure`, `done` or `error` there are no
/// more.
#[napi(object, object_from_js = false)]
pub struct Event {
    /// The number that JavaScript gave to the operation.
    pub operation: u32,
    /// The kind of event.
    pub kind: &'static str,
    /// The event as JSON, unless it is an object below.
    pub text: Option<String>,
    /// The binary parts that `text` counts.
    pub blobs: Option<Vec<Buffer>>,
    /// The inspection that was asked for.
    pub inspection: Option<NativeInspection>,
    /// The functions that were asked for.
    pub tools: Option<NativeTools>,
}

impl Event {
    /// The end of an operation, which brings what is set beside it.
    pub(crate) fn done(operation: u32) -> Self {
        Self {
            text: None,
            ..Self::new(operation, "done", String::new())
        }
    }

    /// An event that is all in `text`, which is JSON.
    pub(crate) fn new(operation: u32, kind: &'static str, text: String) -> Self {
        Self {
            operation,
            kind,
            text: Some(text),
            blobs: None,
            inspection: None,
            tools: None,
        }
    }
}
