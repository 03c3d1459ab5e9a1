//! The `Watch` over a call: it collects what the call used and what its tool wrote meanwhile.
//! It also has the person asked who is there.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use tool_hub_host::{Answer, CONFIRMATION_KEY, CONFIRMED, Interaction, Output, Question, Usage};
use tool_hub_toolbox::byte_size::ByteSize;

use crate::terminal::escape::escape_line;
use crate::terminal::form;

/// Collects what a call used and what its tool wrote. It shows no progress.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    person: Person,
    usage: Mutex<Option<Usage>>,
    output: Mutex<Output>,
}

/// Who answers questions during a call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Person {
    /// Nobody.
    #[default]
    Nobody,
    /// The person at the terminal, if there is one.
    Terminal,
    /// The author of a test, which runs the author's own tool: confirms every call, and answers no
    /// question of the tool.
    Author,
}

impl Watch {
    /// A watch over a call during which `person` can be asked.
    pub(crate) fn with(person: Person) -> Self {
        Self {
            person,
            ..Self::default()
        }
    }

    /// The call's use of resources, once it is over.
    pub(crate) fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tool's standard streams and its log, line by line, each marked with `name`, so that
    /// nobody takes them for the command's own.
    pub(crate) fn written(&self, name: &str) -> Vec<String> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            lines.extend(text.lines().map(|line| marked(name, stream, line)));
        }
        lines.extend(output.log.iter().map(|entry| {
            let level = format!("{:?}", entry.level).to_lowercase();
            marked(
                name,
                &level,
                &format!("{}: {}", entry.context, entry.message),
            )
        }));
        if output.dropped_bytes > 0 {
            let more = ByteSize(output.dropped_bytes);
            lines.push(format!("{name} wrote {more} more, which were not kept"));
        }
        lines
    }
}

impl Interaction for Watch {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let answer = match self.person {
            Person::Terminal if form::can_ask() => {
                let question = question.clone();
                let asked = tokio::task::spawn_blocking(move || form::ask(&question));
                return Box::pin(async { asked.await.unwrap_or(Answer::Cancelled) });
            }
            Person::Author if question.key == CONFIRMATION_KEY => {
                Answer::Given(json!({ CONFIRMED: true }))
            }
            _ => Answer::Unavailable,
        };
        Box::pin(std::future::ready(answer))
    }

    fn used(&self, usage: &Usage) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Some(*usage);
    }

    fn output(&self, output: &Output) {
        *self.output.lock().unwrap_or_else(PoisonError::into_inner) = output.clone();
    }
}

fn marked(name: &str, stream: &str, line: &str) -> String {
    format!("[{name} {stream}] {}", escape_line(line))
}
