//! Sends the toolbox's warnings to the JavaScript thread whose operation they belong to.

use std::sync::Weak;

use serde_json::json;
use tool_hub_embed::{Notice, Notices};

use crate::event::Event;
use crate::thread::Thread;

/// Notices of one operation, and of the tools that it loaded for as long as its thread lives.
pub(crate) struct SentNotices {
    pub(crate) thread: Weak<Thread>,
    pub(crate) operation: u32,
}

impl Notices for SentNotices {
    fn notice(&self, notice: &Notice<'_>) {
        if let Some(thread) = self.thread.upgrade().filter(|_| notice.is_warning()) {
            let text = json!(notice.to_string()).to_string();
            thread
                .mailbox
                .put(Event::new(self.operation, "notice", text));
        }
    }
}
