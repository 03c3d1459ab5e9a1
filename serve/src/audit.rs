//! The audit log: the `Audit` trait for records of calls and requests, and the `Auditor`.
//! It reports each with its caller and outcome.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::http::Method;
use axum::response::Response;
use serde::Serialize;
use tool_hub_host::{
    Answer, Interaction, LogEntry, Output, Progress, Tool, ToolboxFunction, Usage,
};
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome, Question};
use tool_hub_manifest::{Digest, ToolName};

use crate::http::caller_name::CallerName;

/// The longest part of an address that is noted.
const URI_BYTES_MAX: usize = 1_024;
/// The longest part of a method that is recorded, in bytes.
const METHOD_BYTES_MAX: usize = 32;

/// Records calls. All methods are called on threads that answer clients, so none may take long.
pub trait Audit: Send + Sync {
    /// Checks that notes can be taken. A call that could not be noted is not made.
    ///
    /// # Errors
    /// When they cannot; the call is answered with a failure that does not say why.
    fn ready(&self) -> io::Result<()>;

    /// Takes note of a call that is over. A log that fails here keeps the note and is not
    /// [`ready`](Self::ready) until it has written it.
    fn note(&self, call: &AuditedCall<'_>);

    /// Records a request to the endpoint behind a [`Gateway`](crate::Gateway), in the same way.
    fn note_request(&self, request: &AuditedRequest<'_>);
}

/// A request to the endpoint behind a gateway, without its body and the answer's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuditedRequest<'a> {
    /// The time at which it was made.
    pub began: SystemTime,
    /// The caller who made it.
    pub caller: &'a CallerName,
    /// Its method, cut to 32 bytes.
    pub method: &'a str,
    /// Its path without the query, cut to 1,024 bytes.
    pub path: &'a str,
    /// The outcome: `answered`; `refused` if clients may not make such requests, so that the
    /// endpoint never saw it; or `cancelled` if the client left before the answer.
    pub outcome: &'static str,
    /// The status of the answer, from the endpoint or from this server.
    pub status: Option<u16>,
    /// The time until the answer began.
    pub elapsed: Duration,
}

/// Marks the response to a request that clients may not make.
#[derive(Clone, Copy)]
pub(crate) struct RefusedRoute;

/// A call, without what was said in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuditedCall<'a> {
    /// The time when it was made.
    pub began: SystemTime,
    /// The caller.
    pub caller: &'a CallerName,
    /// The front end that it came through.
    pub front_end: FrontEnd,
    /// The function, prompt or resource that was asked for.
    pub subject: Subject<'a>,
    /// The tool that has it.
    pub tool: &'a ToolName,
    /// The component that ran.
    pub component: Digest,
    /// `reply`, the kind of the failure, or `cancelled` where nobody waited for the end.
    pub outcome: &'static str,
    /// The time that it took.
    pub elapsed: Duration,
    /// The resources that it used. Absent when it was cancelled, or refused by the log.
    pub usage: Option<Usage>,
}

/// The way a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FrontEnd {
    /// The Model Context Protocol.
    Mcp,
    /// Plain HTTP.
    Rest,
    /// A model behind an OpenAI-compatible endpoint.
    OpenAi,
    /// An agent of this program's own.
    Loop,
    /// The program that embeds the toolset.
    Embedded,
}

/// The part of a tool that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Subject<'a> {
    /// To run a function, by the name that agents call.
    Function(&'a str),
    /// To fill in a prompt, by the name that people see.
    Prompt(&'a str),
    /// To read the resource of an address, of which there are at most 1,024 bytes.
    Resource(&'a str),
}

impl<'a> Subject<'a> {
    pub(crate) fn resource(uri: &'a str) -> Self {
        Self::Resource(&uri[..uri.floor_char_boundary(URI_BYTES_MAX)])
    }
}

/// A call that is about to be made.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) tool: &'a Tool,
    pub(crate) front_end: FrontEnd,
}

/// The log and the caller's name for the calls of a toolset.
#[derive(Clone)]
pub(crate) struct Auditor {
    log: Arc<dyn Audit>,
    caller: CallerName,
}

impl Auditor {
    pub(crate) fn new(log: Arc<dyn Audit>, caller: CallerName) -> Self {
        Self { log, caller }
    }

    async fn call<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        request: Request<'_>,
        interaction: Arc<dyn Interaction>,
        call: impl FnOnce(Arc<dyn Interaction>) -> F,
    ) -> Result<T, Failure> {
        if let Err(error) = self.log.ready() {
            tracing::error!(%error, "a call was refused: it could not be noted");
            return Err(refusal());
        }
        let metered = Arc::new(Metered {
            interaction,
            usage: Mutex::default(),
        });
        let mut under_way = CallUnderWay {
            auditor: self,
            request,
            began: (SystemTime::now(), Instant::now()),
            metered: metered.clone(),
            outcome: "cancelled",
        };
        let result = call(metered).await;
        under_way.outcome = match &result {
            Ok(_) => "reply",
            Err(failure) => failure.kind.as_str(),
        };
        result
    }
}

impl Auditor {
    /// Answers a request of a gateway and records it, even if the future is dropped before its end.
    ///
    /// # Errors
    /// If it could not be recorded; then it is not answered.
    pub(crate) async fn request(
        &self,
        method: &Method,
        path: &str,
        answer: impl Future<Output = Response>,
    ) -> io::Result<Response> {
        self.log.ready()?;
        let method = method.as_str();
        let mut under_way = PendingRequest {
            auditor: self,
            method: &method[..method.floor_char_boundary(METHOD_BYTES_MAX)],
            path: &path[..path.floor_char_boundary(URI_BYTES_MAX)],
            began: (SystemTime::now(), Instant::now()),
            outcome: "cancelled",
            status: None,
        };
        let response = answer.await;
        under_way.status = Some(response.status().as_u16());
        under_way.outcome = match response.extensions().get::<RefusedRoute>() {
            Some(RefusedRoute) => "refused",
            None => "answered",
        };
        Ok(response)
    }
}

/// A request that is recorded when this is dropped, whatever its outcome.
struct PendingRequest<'a> {
    auditor: &'a Auditor,
    method: &'a str,
    path: &'a str,
    began: (SystemTime, Instant),
    outcome: &'static str,
    status: Option<u16>,
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        let (began, clock) = self.began;
        self.auditor.log.note_request(&AuditedRequest {
            began,
            caller: &self.auditor.caller,
            method: self.method,
            path: self.path,
            outcome: self.outcome,
            status: self.status,
            elapsed: clock.elapsed(),
        });
    }
}

/// Makes a call and records it if there is an auditor, even if the future is dropped before its
/// end, which stops the call.
pub(crate) async fn audited<T, F: Future<Output = Result<T, Failure>>>(
    auditor: Option<&Auditor>,
    request: Request<'_>,
    interaction: Arc<dyn Interaction>,
    call: impl FnOnce(Arc<dyn Interaction>) -> F,
) -> Result<T, Failure> {
    match auditor {
        Some(auditor) => auditor.call(request, interaction, call).await,
        None => call(interaction).await,
    }
}

fn refusal() -> Failure {
    let message = "no calls are made: the audit log cannot be written";
    Failure::new(FailureKind::Unavailable, message)
        .with_fix("tell whoever runs the tools; call again once it is mended")
        .retryable()
}

/// A call that is noted when it ends, however it does.
struct CallUnderWay<'a> {
    auditor: &'a Auditor,
    request: Request<'a>,
    began: (SystemTime, Instant),
    metered: Arc<Metered>,
    outcome: &'static str,
}

impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        let (began, clock) = self.began;
        self.auditor.log.note(&AuditedCall {
            began,
            caller: &self.auditor.caller,
            front_end: self.request.front_end,
            subject: self.request.subject,
            tool: self.request.tool.name(),
            component: self.request.tool.pin().component,
            outcome: self.outcome,
            elapsed: clock.elapsed(),
            usage: *self
                .metered
                .usage
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        });
    }
}

/// Passes everything on, and keeps what the call used.
struct Metered {
    interaction: Arc<dyn Interaction>,
    /// The usage of the last attempt: arguments that were refused may be repaired.
    usage: Mutex<Option<Usage>>,
}

impl Interaction for Metered {
    fn progress(&self, progress: Progress) {
        self.interaction.progress(progress);
    }

    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        self.interaction.ask(question)
    }

    fn functions(&self) -> Vec<ToolboxFunction> {
        self.interaction.functions()
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
        self.interaction.call(name, arguments)
    }

    fn logged(&self, entry: &LogEntry) {
        self.interaction.logged(entry);
    }

    fn output(&self, output: &Output) {
        self.interaction.output(output);
    }

    fn used(&self, usage: &Usage) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Some(*usage);
        self.interaction.used(usage);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_hub_host::LogLevel;

    use super::*;

    /// Notes what it is told and asked.
    #[derive(Default)]
    struct Caller(Mutex<Vec<&'static str>>);

    impl Caller {
        fn note(&self, what: &'static str) {
            self.0.lock().unwrap().push(what);
        }
    }

    impl Interaction for Caller {
        fn progress(&self, _: Progress) {
            self.note("progress");
        }

        fn ask<'a>(&'a self, _: &'a Question) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
            self.note("ask");
            Box::pin(std::future::ready(Answer::Declined))
        }

        fn functions(&self) -> Vec<ToolboxFunction> {
            self.note("functions");
            Vec::new()
        }

        fn call<'a>(
            &'a self,
            _: &'a str,
            _: &'a str,
        ) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'a>> {
            self.note("call");
            let failure = Failure::new(FailureKind::NotFound, String::new());
            Box::pin(std::future::ready(failure.into()))
        }

        fn logged(&self, _: &LogEntry) {
            self.note("logged");
        }

        fn output(&self, _: &Output) {
            self.note("output");
        }
    }

    #[tokio::test]
    async fn the_caller_of_an_audited_call_hears_all_of_it() {
        let caller = Arc::new(Caller::default());
        let metered = Metered {
            interaction: caller.clone(),
            usage: Mutex::default(),
        };
        metered.progress(Progress {
            done: 1.0,
            total: None,
            message: None,
        });
        let question = Question {
            key: "sure".to_owned(),
            text: String::new(),
            schema: Value::Null,
        };
        metered.ask(&question).await;
        metered.functions();
        metered.call("add", &json!({}).to_string()).await;
        metered.logged(&LogEntry {
            level: LogLevel::Info,
            context: String::new(),
            message: String::new(),
        });
        metered.output(&Output {
            stdout: Vec::new(),
            stderr: Vec::new(),
            log: Vec::new(),
            dropped_bytes: 0,
        });
        let heard = caller.0.lock().unwrap().clone();
        assert_eq!(
            heard,
            ["progress", "ask", "functions", "call", "logged", "output"]
        );
    }
}
