//! What is known of a call when its guest is gone.

use std::sync::{Arc, Mutex, PoisonError};

use tool_hub_manifest::Limits;

use crate::grant::{self, Denial};
use crate::interaction::Output;
use crate::tool::Loaded;
use crate::{Failure, FailureKind, Interaction};

use super::streams::Captured;
use super::time::Time;

/// What outlives the guest of a call.
pub(crate) struct Record {
    pub(crate) time: Time,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) denials: Denials,
    pub(crate) limits: Limits,
    pub(crate) interaction: Arc<dyn Interaction>,
    /// What the manifest asks for and the user did not grant.
    absent: Arc<[Denial]>,
}

/// What the host refused during a call, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Denials(Arc<Mutex<Vec<Denial>>>);

impl Denials {
    pub(crate) fn add(&self, denial: Denial) {
        let mut denials = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A guest may try as often as it likes; one refusal explains all.
        if denials.len() < 8 && !denials.contains(&denial) {
            denials.push(denial);
        }
    }

    fn last(&self) -> Option<Denial> {
        let denials = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        denials.last().cloned()
    }
}

impl Record {
    /// The record of a call of `tool` that begins.
    pub(crate) fn new(tool: &Loaded, interaction: Arc<dyn Interaction>) -> Self {
        Self {
            time: Time::new(),
            stdout: Captured::new(tool.limits.output_stream_bytes),
            stderr: Captured::new(tool.limits.output_stream_bytes),
            denials: Denials::default(),
            limits: tool.limits,
            interaction,
            absent: tool.absent.clone(),
        }
    }

    /// A record of a call of no tool in particular.
    #[cfg(test)]
    pub(crate) fn blank() -> Self {
        Self {
            time: Time::new(),
            stdout: Captured::new(0),
            stderr: Captured::new(0),
            denials: Denials::default(),
            limits: Limits::standard(),
            interaction: Arc::new(crate::Nobody),
            absent: Arc::new([]),
        }
    }

    /// Adds to a failure that is the tool's own what the host knows: a refusal that led to
    /// it, or something that was asked for and is not there.
    pub(crate) fn explain(&self, mut failure: Failure) -> Failure {
        if matches!(
            failure.kind,
            FailureKind::HostLimit { .. } | FailureKind::InputRequired(_)
        ) {
            return failure;
        }
        if let Some(denial) = self.denials.last() {
            failure.message = format!("{} ({})", failure.message, denial.message());
            failure.fix = Some(denial.fix());
            failure.kind = FailureKind::Denied {
                capability: denial.capability(),
            };
            failure.retryable = false;
        } else if let Some(reminder) = grant::reminder(&self.absent) {
            failure.fix = match failure.fix {
                None => Some(reminder),
                // The tool knows that something is missing, but not how this host grants it.
                Some(fix) if failure.kind == FailureKind::PermissionDenied => {
                    Some(format!("{fix}; {reminder}"))
                }
                fix => fix,
            };
        }
        failure
    }

    /// Hands what the guest wrote to the embedder.
    pub(crate) fn deliver_output(&self) {
        let (stdout, dropped) = self.stdout.contents();
        let (stderr, more) = self.stderr.contents();
        self.interaction.output(&Output {
            stdout,
            stderr,
            dropped_bytes: dropped + more,
        });
    }
}
