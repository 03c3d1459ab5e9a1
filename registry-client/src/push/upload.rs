//! Carries the files of a push into `hf-hub`, and its progress out of it.

use std::collections::HashMap;

use hf_hub::progress::{ProgressEvent, ProgressHandler, UploadEvent};
use tokio::sync::mpsc;
use tool_hub_manifest::{Interpreter, Verified};

use crate::progress::Progress;

/// A component that is uploaded without being copied.
pub(super) struct Component(pub(super) Verified);

impl AsRef<[u8]> for Component {
    fn as_ref(&self) -> &[u8] {
        self.0.component()
    }
}

/// An interpreter that is uploaded without being copied.
pub(super) struct InterpreterBytes(pub(super) Interpreter);

impl AsRef<[u8]> for InterpreterBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.component()
    }
}

/// Carries events out of `hf-hub`, whose handlers must own what they use.
pub(super) struct Watcher(pub(super) mpsc::UnboundedSender<ProgressEvent>);

impl ProgressHandler for Watcher {
    fn on_progress(&self, event: &ProgressEvent) {
        // Nobody listens after the push has ended.
        let _ = self.0.send(event.clone());
    }
}

/// Turns the totals that `hf-hub` tells of each file into steps.
pub(super) fn forward(
    event: ProgressEvent,
    advanced: &mut HashMap<String, u64>,
    progress: &dyn Progress,
) {
    let ProgressEvent::Upload(UploadEvent::Progress { files, .. }) = event else {
        return;
    };
    for file in files {
        let before = advanced.entry(file.filename.clone()).or_default();
        if file.bytes_completed > *before {
            progress.advanced(&file.filename, file.bytes_completed - *before);
            *before = file.bytes_completed;
        }
    }
}
