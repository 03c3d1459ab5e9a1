//! Events on standard error, for whoever looks after a process: which, and in which form.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// The form of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people
    #[default]
    Text,
    /// A line of JSON for programs
    Json,
}

/// What a command logs where nobody asks for anything.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logging {
    pub(crate) format: LogFormat,
    /// Which events, as `TOOL_HUB_LOG` writes it; nothing for none.
    pub(crate) events: Option<&'static str>,
}

/// Sends the events that `asked` names, or those of the command's own, to standard error.
pub(crate) fn start(asked: Option<&str>, logging: Logging) {
    let Some(events) = asked.or(logging.events) else {
        return;
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(events))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match logging.format {
        LogFormat::Text => subscriber.init(),
        LogFormat::Json => subscriber
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .init(),
    }
}
