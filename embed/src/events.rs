//! The events of a running call, the `Listener` that hands them to its caller, and replies to them.
//!
//! They are progress, questions, calls of functions beside the tool, and output.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use tokio::sync::oneshot;
use tool_hub_host::{Answer, Interaction, Output, Progress, ToolboxFunction, Usage};
use tool_hub_manifest::contract::{Content, Failure, FailureKind, Outcome, Question, Reply};

/// Something that happens while a call runs.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The call has come this far.
    Progress(Progress),
    /// The tool asks the person.
    Question(Question, Asked<Answer>),
    /// The tool calls one of [`Events::functions`] with the text of a JSON object.
    Call {
        /// The function.
        name: String,
        /// Its arguments.
        arguments: String,
        /// Takes the outcome.
        asked: Asked<Outcome>,
    },
    /// The output of the tool to its standard streams and its log, sent once the call is over.
    Output(Output),
}

/// A kind of event that somebody may want to hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// [`Event::Progress`].
    Progress,
    /// [`Event::Question`].
    Question,
    /// [`Event::Output`].
    Output,
}

/// The kinds of events that somebody wants, the function that takes them, which must not block, and
/// the functions that the tool may call. An unwanted question is [`Answer::Unavailable`].
pub struct Events {
    /// Takes the events.
    pub send: Box<dyn Fn(Event) + Send + Sync>,
    /// The kinds that it takes.
    pub wanted: Vec<EventKind>,
    /// The functions that the tool may call, each with an [`Event::Call`].
    pub functions: Vec<ToolboxFunction>,
}

/// The way to answer a question or a call of the tool. Dropping it unanswered gives up what was
/// asked.
#[derive(Debug)]
pub struct Asked<T>(oneshot::Sender<T>);

impl<T> Asked<T> {
    /// Answers. The call may be over by now, which is nobody's fault.
    pub fn answer(self, answer: T) {
        let _ = self.0.send(answer);
    }
}

/// The side of a call that listens to it.
pub struct Listener {
    events: Option<Events>,
    usage: Mutex<Option<Usage>>,
}

impl Listener {
    /// Takes `events`; nothing if nobody listens.
    pub fn new(events: Option<Events>) -> Self {
        Self {
            events,
            usage: Mutex::default(),
        }
    }

    /// The time and bytes that the call used, known once it is over.
    pub(crate) fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the tool may ask it for something, and wait for that.
    pub(crate) fn answers(&self) -> bool {
        let functions = self.events.as_ref().map_or(0, |it| it.functions.len());
        functions > 0 || self.wanted(EventKind::Question).is_some()
    }

    fn wanted(&self, kind: EventKind) -> Option<&Events> {
        let events = self.events.as_ref()?;
        events.wanted.contains(&kind).then_some(events)
    }
}

impl Interaction for Listener {
    fn progress(&self, progress: Progress) {
        if let Some(events) = self.wanted(EventKind::Progress) {
            (events.send)(Event::Progress(progress));
        }
    }

    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let Some(events) = self.wanted(EventKind::Question) else {
            return Box::pin(std::future::ready(Answer::Unavailable));
        };
        let (sender, answer) = oneshot::channel();
        (events.send)(Event::Question(question.clone(), Asked(sender)));
        Box::pin(async { answer.await.unwrap_or(Answer::Cancelled) })
    }

    fn functions(&self) -> Vec<ToolboxFunction> {
        let events = self.events.as_ref();
        events.map_or_else(Vec::new, |events| events.functions.clone())
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        let has = |events: &&Events| events.functions.iter().any(|known| known.name == name);
        let Some(events) = self.events.as_ref().filter(has) else {
            let message = format!("there is no function `{name}`");
            let failure = Failure::new(FailureKind::NotFound, message);
            return Box::pin(std::future::ready(failure.into()));
        };
        let (sender, outcome) = oneshot::channel();
        (events.send)(Event::Call {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            asked: Asked(sender),
        });
        Box::pin(async {
            outcome.await.unwrap_or_else(|_| {
                let message = "nobody answered the call";
                Failure::new(FailureKind::Unavailable, message).into()
            })
        })
    }

    fn output(&self, output: &Output) {
        if let Some(events) = self.wanted(EventKind::Output) {
            (events.send)(Event::Output(output.clone()));
        }
    }

    fn used(&self, usage: &Usage) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Some(*usage);
    }
}

/// The reply of a function beside the tool that gave `json`, the text of a JSON value.
pub fn value_reply(json: String) -> Outcome {
    Outcome::Reply(Reply {
        structured: Some(json),
        ..Reply::default()
    })
}

/// The reply of a function beside the tool that gave `text`.
pub fn text_reply(text: String) -> Outcome {
    Outcome::Reply(Reply {
        content: vec![Content::text(text)],
        ..Reply::default()
    })
}

/// The failure of a function beside the tool, by the name of its kind. An unknown kind, and one
/// that takes more than a name, becomes [`FailureKind::Failed`].
pub fn failure_of_kind(kind: &str, message: String) -> Failure {
    let kinds = [
        FailureKind::InvalidArgument,
        FailureKind::NotFound,
        FailureKind::PermissionDenied,
        FailureKind::Conflict,
        FailureKind::LimitReached,
        FailureKind::Unavailable,
        FailureKind::Internal,
        FailureKind::UnknownFunction,
        FailureKind::Trapped,
    ];
    let mut kinds = kinds.into_iter();
    let found = kinds.find(|known| known.as_str() == kind);
    Failure::new(found.unwrap_or(FailureKind::Failed), message)
}
