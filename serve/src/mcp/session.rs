//! Stores the log level and the watched resources of an MCP client, or of one request that listens.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
#[expect(deprecated, reason = "clients of older revisions set a level")]
use rmcp::model::LoggingLevel;
use tool_hub_host::LogLevel;
use tool_hub_manifest::ToolKey;

/// Resources that one client may watch at once.
pub(super) const WATCHED_MAX: usize = 256;

/// The subscriptions of a client, or of one request that listens; empty at first.
#[derive(Default)]
pub(crate) struct Session(Mutex<Subscriptions>);

#[derive(Default)]
struct Subscriptions {
    /// The least level of the log entries that are wanted.
    level: Option<LogLevel>,
    /// Watched resources, and the tool that has each.
    watched: HashMap<String, ToolKey>,
}

impl Session {
    /// The least level of the log entries that the client wants, where it wants any.
    pub(super) fn level(&self) -> Option<LogLevel> {
        self.subscriptions().level
    }

    #[expect(deprecated, reason = "clients of older revisions set a level")]
    pub(super) fn set_level(&self, level: LoggingLevel) {
        self.subscriptions().level = match level {
            LoggingLevel::Debug => Some(LogLevel::Trace),
            LoggingLevel::Info => Some(LogLevel::Info),
            LoggingLevel::Notice | LoggingLevel::Warning => Some(LogLevel::Warn),
            LoggingLevel::Error => Some(LogLevel::Error),
            LoggingLevel::Critical => Some(LogLevel::Critical),
            // No log entry of a tool has so high a level.
            LoggingLevel::Alert | LoggingLevel::Emergency => None,
        };
    }

    /// Watches the resource at `uri`, which the tool called `key` has.
    pub(super) fn watch(&self, uri: String, key: ToolKey) -> Result<(), ErrorData> {
        let watched = &mut self.subscriptions().watched;
        if watched.len() >= WATCHED_MAX && !watched.contains_key(&uri) {
            let message = format!("{WATCHED_MAX} resources are watched; unsubscribe from one");
            return Err(ErrorData::invalid_request(message, None));
        }
        watched.insert(uri, key);
        Ok(())
    }

    pub(super) fn unwatch(&self, uri: &str) {
        self.subscriptions().watched.remove(uri);
    }

    /// The watched resources of the tool called `key`, or of every tool.
    pub(super) fn watched(&self, key: Option<&ToolKey>) -> Vec<String> {
        let subscriptions = self.subscriptions();
        let watched = subscriptions.watched.iter();
        let watched = watched.filter(|(_, of)| key.is_none_or(|key| key == *of));
        watched.map(|(uri, _)| uri.clone()).collect()
    }

    fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_resources_are_watched() {
        let session = Session::default();
        let [notes, other]: [ToolKey; 2] = ["notes", "other"].map(|key| key.parse().unwrap());
        for number in 0..WATCHED_MAX {
            session
                .watch(format!("notes://{number}"), notes.clone())
                .unwrap();
        }
        assert!(
            session
                .watch("other://x".to_owned(), other.clone())
                .is_err()
        );
        session
            .watch("notes://0".to_owned(), notes.clone())
            .unwrap();
        session.unwatch("notes://0");
        session
            .watch("other://x".to_owned(), other.clone())
            .unwrap();
        assert_eq!(session.watched(Some(&other)), ["other://x"]);
        assert_eq!(session.watched(Some(&notes)).len(), WATCHED_MAX - 1);
        assert_eq!(session.watched(None).len(), WATCHED_MAX);
    }

    #[test]
    #[expect(deprecated, reason = "clients of older revisions set a level")]
    fn entries_below_the_level_are_not_wanted() {
        let session = Session::default();
        assert_eq!(session.level(), None);
        for (level, expect) in [
            (LoggingLevel::Debug, Some(LogLevel::Trace)),
            (LoggingLevel::Info, Some(LogLevel::Info)),
            (LoggingLevel::Notice, Some(LogLevel::Warn)),
            (LoggingLevel::Critical, Some(LogLevel::Critical)),
            (LoggingLevel::Emergency, None),
        ] {
            session.set_level(level);
            assert_eq!(session.level(), expect);
        }
    }
}
