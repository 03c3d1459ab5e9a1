//! What is known of a call when its guest is gone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_hub_manifest::Limits;

use crate::grant::{self, Denial, ToolIdentity};
use crate::interaction::Output;
use crate::secret::{Mask, Secrets};
use crate::size::Size;
use crate::tool::Loaded;
use crate::usage::{Counts, micros};
use crate::{Failure, FailureKind, Interaction, Usage};

use super::audit;
use super::logging::Log;
use super::streams::Captured;
use super::time::Time;

/// What outlives the guest of a call.
pub(crate) struct Record {
    /// The tool's name, and the command that grants it more.
    pub(crate) tool: Arc<ToolIdentity>,
    pub(crate) time: Time,
    pub(crate) counts: Counts,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    log: Mutex<Log>,
    pub(crate) secrets: Secrets,
    pub(crate) denials: Denials,
    pub(crate) limits: Limits,
    pub(crate) interaction: Arc<dyn Interaction>,
    /// What the manifest asks for and the user did not grant.
    absent: Arc<[Denial]>,
}

/// What the host refused during a call, in order.
#[derive(Debug, Default)]
pub(crate) struct Denials(Mutex<Refused>);

#[derive(Debug, Default)]
struct Refused {
    denials: Vec<Denial>,
    /// The limit that was reached last, and its value.
    limit: Option<(&'static str, u64)>,
}

impl Denials {
    pub(crate) fn add(&self, denial: Denial) {
        let denials = &mut self.lock().denials;
        // A guest may try as often as it likes; one refusal explains all.
        if denials.len() < 8 && !denials.contains(&denial) {
            audit::refused(denial.tool(), denial.capability());
            denials.push(denial);
        }
    }

    /// Notes that `limit` was reached by something that does not end the call.
    pub(crate) fn reached(&self, limit: &'static str, value: u64) {
        self.lock().limit = Some((limit, value));
    }

    /// The limit that was reached last, and its value.
    pub(crate) fn limit(&self) -> Option<(&'static str, u64)> {
        self.lock().limit
    }

    fn last(&self) -> Option<Denial> {
        self.lock().denials.last().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Refused> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    /// The record of a call of `tool` that begins.
    pub(crate) fn new(tool: &Loaded, interaction: Arc<dyn Interaction>) -> Self {
        Self {
            tool: tool.known.clone(),
            time: Time::new(),
            counts: Counts::default(),
            stdout: Captured::new(tool.limits.output_stream_bytes, &tool.secrets),
            stderr: Captured::new(tool.limits.output_stream_bytes, &tool.secrets),
            log: Mutex::default(),
            secrets: tool.secrets.clone(),
            denials: Denials::default(),
            limits: tool.limits,
            interaction,
            absent: tool.absent.clone(),
        }
    }

    /// A record of a call of no tool in particular.
    #[cfg(test)]
    pub(crate) fn blank(limits: Limits) -> Self {
        Self {
            tool: Arc::new(ToolIdentity {
                name: String::new(),
                command: String::new(),
            }),
            time: Time::new(),
            counts: Counts::default(),
            stdout: Captured::new(0, &Secrets::default()),
            stderr: Captured::new(0, &Secrets::default()),
            log: Mutex::default(),
            secrets: Secrets::default(),
            denials: Denials::default(),
            limits,
            interaction: Arc::new(crate::Nobody),
            absent: Arc::new([]),
        }
    }

    /// The call has a place, or waited for one in vain.
    pub(crate) fn queued(&self) {
        let waited = self.time.total().as_nanos();
        let waited = u64::try_from(waited).unwrap_or(u64::MAX);
        self.counts.queued_ns.add(waited);
    }

    /// What the guest has logged.
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a call as it leaves the host: failures are explained, then secrets are masked.
    /// Masking comes last, because explanations may repeat the guest's text.
    pub(crate) fn released<T: Mask>(&self, came: Result<T, Failure>) -> Result<T, Failure> {
        came.map_err(|failure| self.explain(failure))
            .masked(&self.secrets)
    }

    /// Adds the host's knowledge to a failure of the tool itself: a refusal or limit that led to
    /// it, or something that was asked for and does not exist.
    fn explain(&self, mut failure: Failure) -> Failure {
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
                capability: denial.capability().to_owned(),
            };
            failure.retryable = false;
        } else if let Some((limit, value)) = self.denials.limit() {
            let reached = format!("limit {limit} = {value} was reached");
            failure.message = format!("{} ({reached})", failure.message);
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

    /// Tells the embedder what the call wrote and used.
    pub(crate) fn close<T: Size>(&self, came: &Result<T, Failure>) {
        self.deliver_output();
        let usage = self.usage(came.bytes());
        self.interaction.used(&usage);
        let outcome = match came {
            Ok(_) => "reply",
            Err(failure) => failure.kind.as_str(),
        };
        tracing::Span::current().record("outcome", outcome);
        tracing::info!(
            target: "tool_hub_host::call",
            outcome,
            total_us = micros(usage.total),
            queued_us = micros(usage.queued),
            guest_us = micros(usage.guest),
            host_us = micros(usage.host),
            input_bytes = usage.input_bytes,
            output_bytes = usage.output_bytes,
            memory_bytes = usage.memory_bytes,
            http_requests = usage.http_requests,
            http_sent_bytes = usage.http_sent_bytes,
            http_received_bytes = usage.http_received_bytes,
            storage_operations = usage.storage_operations,
            "done"
        );
    }

    fn usage(&self, output_bytes: usize) -> Usage {
        let counts = &self.counts;
        let (total, guest) = (self.time.total(), self.time.ran());
        let queued = Duration::from_nanos(counts.queued_ns.get());
        Usage {
            total,
            queued,
            guest,
            host: total.saturating_sub(queued + guest),
            input_bytes: counts.input_bytes.get(),
            output_bytes: output_bytes as u64,
            memory_bytes: counts.memory_bytes.get(),
            http_requests: counts.http_requests.get(),
            http_sent_bytes: counts.http_sent_bytes.get(),
            http_received_bytes: counts.http_received_bytes.get(),
            storage_operations: counts.storage_operations.get(),
        }
    }

    /// Hands what the guest wrote to the embedder.
    fn deliver_output(&self) {
        let (stdout, stdout_dropped) = self.stdout.contents();
        let (stderr, stderr_dropped) = self.stderr.contents();
        let (log, log_dropped) = self.finished_log();
        self.interaction.output(&Output {
            stdout,
            stderr,
            log,
            dropped_bytes: stdout_dropped + stderr_dropped + log_dropped,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_led_to_a_failure_is_named() {
        let record = Record::blank(Limits::standard());
        let failure = || Failure::new(FailureKind::Failed, "no answer");
        assert_eq!(record.explain(failure()), failure());
        record.denials.reached("http_in_flight", 16);
        let explained = record.explain(failure());
        let named = "no answer (limit http_in_flight = 16 was reached)";
        assert_eq!(explained.message, named);
        assert_eq!(explained.kind, FailureKind::Failed);
    }
}
