//! The `PendingCall`: the state to return to if a held-back call turns out to be reasoning.

use crate::conversation::answer::trimmed_text::Sink;

/// The state before a call that may turn out to be reasoning. It is restored if the reasoning is
/// closed later.
#[derive(Debug)]
pub(super) struct PendingCall {
    /// The offset at which the call begins.
    pub(super) start: usize,
    /// The number of unreported events from before the call, which are reported in any case.
    pub(super) events: usize,
    /// The text from before the call.
    pub(super) text: Sink,
}
