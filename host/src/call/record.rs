//! The `Record` of a call: collects its time, output, log and refusals, and masks its result.
//! It outlives the guest, names what led to a failure, and tells the embedder what the call used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_hub_manifest::Limits;
use tool_hub_manifest::contract::{Failure, FailureKind};

use crate::approval::denial::{self, Denial, ToolIdentity};
use crate::call::audit;
use crate::call::log::{self, Log};
use crate::call::policy::Policy;
use crate::call::size::Size;
use crate::call::streams::CapturedStream;
use crate::call::time::Time;
use crate::interaction::usage::{Counts, Usage, micros};
use crate::interaction::{Interaction, LogEntry, Output};
use crate::secret::Secrets;
use crate::secret::mask::Mask;

/// The part of a call that outlives its guest.
pub(crate) struct Record {
    pub(crate) tool: Arc<ToolIdentity>,
    /// Shared with the calls of dependencies that this one makes.
    pub(crate) time: Arc<Time>,
    /// The time that the guest, and what it calls, may have run by the clock of `time`.
    pub(crate) cpu_until: Duration,
    pub(crate) counts: Counts,
    pub(crate) stdout: CapturedStream,
    pub(crate) stderr: CapturedStream,
    log: Mutex<Log>,
    pub(crate) secrets: Secrets,
    pub(crate) denials: Denials,
    pub(crate) limits: Limits,
    pub(crate) interaction: Arc<dyn Interaction>,
    /// The capabilities that the manifest asks for and the user did not grant.
    absent: Arc<[Denial]>,
}

/// The refusals of a call, in order.
#[derive(Debug, Default)]
pub(crate) struct Denials(Mutex<Refusals>);

#[derive(Debug, Default)]
struct Refusals {
    denials: Vec<Denial>,
    /// The limit that was reached last, and its value.
    limit: Option<(&'static str, u64)>,
}

impl Denials {
    pub(crate) fn add(&self, denial: Denial) {
        let (tool, capability) = (denial.tool().to_owned(), denial.capability().to_owned());
        if self.note(denial) {
            audit::refused(&tool, &capability);
        }
    }

    /// Notes a refusal; false if it was known.
    fn note(&self, denial: Denial) -> bool {
        let denials = &mut self.lock().denials;
        // A guest may try as often as it likes; one refusal explains all.
        let is_new = denials.len() < 8 && !denials.iter().any(|known| known.is(&denial));
        if is_new {
            denials.push(denial);
        }
        is_new
    }

    /// Notes that `limit` was reached by something that does not end the call.
    pub(crate) fn note_limit(&self, limit: &'static str, value: u64) {
        self.lock().limit = Some((limit, value));
    }

    /// The limit that was reached last, and its value.
    pub(crate) fn limit(&self) -> Option<(&'static str, u64)> {
        self.lock().limit
    }

    fn last(&self) -> Option<Denial> {
        self.lock().denials.last().cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Refusals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    /// The record of a call that begins, with `limits` no higher than those of `policy`.
    pub(crate) fn new(policy: &Policy, limits: Limits, interaction: Arc<dyn Interaction>) -> Self {
        Self {
            tool: policy.tool.clone(),
            time: Arc::new(Time::new()),
            cpu_until: Duration::from_millis(limits.cpu_ms),
            counts: Counts::default(),
            stdout: CapturedStream::new(limits.output_stream_bytes, &policy.secrets),
            stderr: CapturedStream::new(limits.output_stream_bytes, &policy.secrets),
            log: Mutex::default(),
            secrets: policy.secrets.clone(),
            denials: Denials::default(),
            limits,
            interaction,
            absent: policy.absent.clone(),
        }
    }

    /// The record of a call that the guest of `caller` makes of a dependency under `policy`. Its
    /// time is the caller's, and so is the processor time that is left.
    pub(crate) fn of_dependency(
        policy: &Policy,
        caller: &Self,
        interaction: Arc<dyn Interaction>,
    ) -> Self {
        let ran = caller.time.ran();
        let own = Duration::from_millis(policy.limits.cpu_ms);
        let mut limits = policy.limits;
        let left = own.min(caller.cpu_until.saturating_sub(ran));
        limits.cpu_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        Self {
            time: caller.time.clone(),
            cpu_until: ran + left,
            ..Self::new(policy, limits, interaction)
        }
    }

    /// Adds what the call of a dependency, of which `called` is the record, used and was refused.
    pub(crate) fn add_dependency(&self, called: &Self) {
        let (counts, others) = (&self.counts, &called.counts);
        for (count, other) in [
            (&counts.http_requests, &others.http_requests),
            (&counts.http_sent_bytes, &others.http_sent_bytes),
            (&counts.http_received_bytes, &others.http_received_bytes),
            (&counts.storage_operations, &others.storage_operations),
        ] {
            count.add(other.get());
        }
        for denial in &called.denials.lock().denials {
            self.denials.note(denial.clone());
        }
    }

    /// A record of a call of no tool in particular.
    #[cfg(test)]
    pub(crate) fn blank(limits: Limits) -> Self {
        Self {
            tool: Arc::new(ToolIdentity::new(String::new())),
            time: Arc::new(Time::new()),
            cpu_until: Duration::from_millis(limits.cpu_ms),
            counts: Counts::default(),
            stdout: CapturedStream::new(0, &Secrets::default()),
            stderr: CapturedStream::new(0, &Secrets::default()),
            log: Mutex::default(),
            secrets: Secrets::default(),
            denials: Denials::default(),
            limits,
            interaction: Arc::new(crate::interaction::Nobody),
            absent: Arc::new([]),
        }
    }

    /// The call was admitted, or waited in vain.
    pub(crate) fn queued(&self) {
        let waited = self.time.total().as_nanos();
        let waited = u64::try_from(waited).unwrap_or(u64::MAX);
        self.counts.queued_ns.add(waited);
    }

    /// Adds an entry to the log.
    pub(crate) fn log(&self, entry: LogEntry) {
        let max = self.limits.output_stream_bytes;
        self.show(self.lock_log().keep(entry, max, &self.secrets));
    }

    /// The complete log of a finished call, and the number of bytes that were dropped.
    fn finish_log(&self) -> (Vec<LogEntry>, u64) {
        let mut log = self.lock_log();
        self.show(log.finish(&self.secrets));
        log.contents()
    }

    fn show(&self, entries: &[LogEntry]) {
        for entry in entries {
            log::emit(&self.tool.name, entry);
            self.interaction.logged(entry);
        }
    }

    fn lock_log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of a call as it leaves the host: failures are explained, then secrets are masked.
    /// Masking comes last, because explanations may repeat the guest's text.
    pub(crate) fn released<T: Mask>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result
            .map_err(|failure| self.explain(failure))
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
        } else if let Some(reminder) = denial::reminder(&self.absent) {
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
    pub(crate) fn close<T: Size>(&self, result: &Result<T, Failure>) {
        self.deliver_output();
        let usage = self.usage(result.bytes());
        self.interaction.used(&usage);
        let outcome = match result {
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
        let (log, log_dropped) = self.finish_log();
        log::emit_written(&self.tool.name, "stdout", &stdout);
        log::emit_written(&self.tool.name, "stderr", &stderr);
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
        record.denials.note_limit("http_in_flight", 16);
        let explained = record.explain(failure());
        let named = "no answer (limit http_in_flight = 16 was reached)";
        assert_eq!(explained.message, named);
        assert_eq!(explained.kind, FailureKind::Failed);
    }
}
