//! Sends a call's progress and log entries to its client as notifications while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
#[expect(deprecated, reason = "clients of older revisions want log entries")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;
use tokio::sync::mpsc;
use tool_hub_host::{LogEntry, LogLevel, Progress};

/// Reports that wait while the client reads slowly; further ones are dropped.
const WAITING_MAX: usize = 16;

/// The sender of a call's reports.
pub(super) struct Reports {
    has_progress: bool,
    level: Option<LogLevel>,
    /// Absent once the call is over, or when nobody wants to know.
    sender: Mutex<Option<mpsc::Sender<Report>>>,
}

/// The receiver of the reports, for the client that wants them.
pub(super) struct Forwarding {
    token: Option<ProgressToken>,
    reports: mpsc::Receiver<Report>,
}

enum Report {
    Progress(Progress),
    Log(LogEntry),
}

impl Reports {
    /// The channel for the reports that the client wants: progress, if the request has a token, and
    /// log entries from `level` on.
    pub(super) fn wanted(
        context: &RequestContext<RoleServer>,
        level: Option<LogLevel>,
    ) -> (Self, Option<Forwarding>) {
        let token = context.meta.get_progress_token();
        let has_progress = token.is_some();
        let (sender, forwarding) = match has_progress || level.is_some() {
            true => {
                let (sender, reports) = mpsc::channel(WAITING_MAX);
                (Some(sender), Some(Forwarding { token, reports }))
            }
            false => (None, None),
        };
        let reports = Self {
            has_progress,
            level,
            sender: Mutex::new(sender),
        };
        (reports, forwarding)
    }

    pub(super) fn progress(&self, progress: Progress) {
        if self.has_progress {
            self.send(Report::Progress(progress));
        }
    }

    pub(super) fn logged(&self, entry: &LogEntry) {
        if self.level.is_some_and(|level| entry.level >= level) {
            self.send(Report::Log(entry.clone()));
        }
    }

    /// Ends the reports.
    pub(super) fn end(&self) {
        self.sender().take();
    }

    fn send(&self, report: Report) {
        if let Some(sender) = &*self.sender() {
            // A full queue means that the client reads slowly; the next report is better.
            let _ = sender.try_send(report);
        }
    }

    fn sender(&self) -> MutexGuard<'_, Option<mpsc::Sender<Report>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forwarding {
    /// Tells the client until the reports end. `name` is who reports.
    pub(super) async fn forward(mut self, name: &str, peer: &Peer<RoleServer>) {
        let mut last = f64::NEG_INFINITY;
        while let Some(report) = self.reports.recv().await {
            let sent = match (report, &self.token) {
                // The protocol demands that progress grows; JSON has no infinities.
                (Report::Progress(progress), Some(token))
                    if progress.done.is_finite() && progress.done > last =>
                {
                    last = progress.done;
                    peer.notify_progress(notification(progress, token)).await
                }
                (Report::Progress(_), _) => continue,
                #[expect(deprecated, reason = "clients of older revisions want log entries")]
                (Report::Log(entry), _) => peer.notify_logging_message(message(entry, name)).await,
            };
            if let Err(error) = sent {
                tracing::debug!(%error, "a report could not be sent");
            }
        }
    }
}

fn notification(progress: Progress, token: &ProgressToken) -> ProgressNotificationParam {
    let mut notification = ProgressNotificationParam::new(token.clone(), progress.done);
    notification.total = progress.total.filter(|total| total.is_finite());
    notification.message = progress.message;
    notification
}

#[expect(deprecated, reason = "clients of older revisions want log entries")]
fn message(entry: LogEntry, name: &str) -> LoggingMessageNotificationParam {
    let level = match entry.level {
        LogLevel::Trace | LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Warn => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
        LogLevel::Critical => LoggingLevel::Critical,
    };
    let data = json!({ "context": entry.context, "message": entry.message });
    let mut message = LoggingMessageNotificationParam::new(level, data);
    message.logger = Some(name.to_owned());
    message
}
