//! Runs one REST call: arguments are the request's body, the answer is JSON or events.
//! Events are for a client that wants to see progress.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Json, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use rmcp::model::{ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tool_hub_host::{Interaction, Progress, Usage};
use tool_hub_manifest::contract::{Failure, FailureKind, Outcome};

use super::state::RestState;
use crate::audit::FrontEnd;
use crate::http::problem::Problem;
use crate::mcp::result::{of_failure, of_reply};
use crate::message_limits::KEEP_ALIVE;
use crate::prepared_call::PreparedCall;

/// Reports that wait while the client reads slowly; further ones are dropped.
const REPORTS_WAITING_MAX: usize = 16;

pub(super) async fn call(
    State(rest): State<Arc<RestState>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let call = match Call::new(&rest, &name, &headers, &body) {
        Ok(call) => call,
        Err(problem) => return problem.into_response(),
    };
    // It may be large, and the call may take long.
    drop(body);
    if !wants_events(&headers) {
        return match call.run(None).await {
            Ok(answer) => Json(answer).into_response(),
            Err(problem) => problem.into_response(),
        };
    }
    let alive = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(events(call)).keep_alive(alive).into_response()
}

/// The answer to a call.
#[derive(Serialize)]
struct Answer {
    /// The blocks of content that the Model Context Protocol has.
    content: Vec<ContentBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<Value>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
    /// The source of the text, as the Model Context Protocol is told.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    provenance: Option<MetaObject>,
}

/// A call that may be made.
struct Call {
    prepared: PreparedCall,
    stop: CancellationToken,
}

impl Call {
    fn new(
        rest: &RestState,
        name: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Self, Problem> {
        let resolved = rest.function(name)?;
        Ok(Self {
            prepared: PreparedCall::new(&resolved, arguments(headers, body)?),
            stop: rest.stop.clone(),
        })
    }

    /// Makes the call. Dropping the future stops it.
    async fn run(self, reports: Option<mpsc::Sender<Progress>>) -> Result<Answer, Problem> {
        let interaction = Arc::new(CallInteraction {
            reports,
            had_a_turn: AtomicBool::new(false),
        });
        let called = self.prepared.run(FrontEnd::Rest, interaction.clone());
        let outcome = tokio::select! {
            biased;
            outcome = called => outcome,
            () = self.stop.cancelled() => {
                // The tool may have done what it was called for, so nobody should repeat it
                // unasked.
                let message = "the server was stopped while the tool ran";
                Failure::new(FailureKind::Failed, message).into()
            }
        };
        let function = &self.prepared.function;
        let provenance = function.provenance().cloned();
        match outcome {
            Outcome::Reply(reply) => {
                let result = of_reply(function.shape(), reply);
                Ok(Answer {
                    content: result.content,
                    structured: result.structured_content,
                    is_error: false,
                    failure: None,
                    provenance,
                })
            }
            Outcome::Failure(failure) => {
                let had_a_turn = interaction.had_a_turn.load(Relaxed);
                if let Some(status) = never_began(&failure).filter(|_| !had_a_turn) {
                    let problem = Problem::new(status, failure.to_string());
                    return Err(problem.with("failure", json!(failure)));
                }
                let result = of_failure(&function.spec().name, &failure);
                Ok(Answer {
                    content: result.content,
                    structured: None,
                    is_error: true,
                    failure: Some(failure),
                    provenance,
                })
            }
        }
    }
}

/// The caller's side of a running call. Nobody can be asked: plain HTTP has no way back.
struct CallInteraction {
    reports: Option<mpsc::Sender<Progress>>,
    /// True if the tool ran at all.
    had_a_turn: AtomicBool,
}

impl Interaction for CallInteraction {
    fn progress(&self, progress: Progress) {
        if let Some(reports) = &self.reports {
            // A full queue means that the client reads slowly; the next report is better.
            let _ = reports.try_send(progress);
        }
    }

    fn used(&self, usage: &Usage) {
        self.had_a_turn.store(!usage.guest.is_zero(), Relaxed);
    }
}

/// The status of a request whose call came to nothing before the tool had a turn. What the tool
/// itself says, even of its arguments, is an outcome.
fn never_began(failure: &Failure) -> Option<StatusCode> {
    match &failure.kind {
        FailureKind::MalformedArgument => Some(StatusCode::UNPROCESSABLE_ENTITY),
        FailureKind::HostLimit { limit, .. } if *limit == "input_bytes" => {
            Some(StatusCode::PAYLOAD_TOO_LARGE)
        }
        FailureKind::Unavailable => Some(StatusCode::SERVICE_UNAVAILABLE),
        _ => None,
    }
}

/// The body as the text of JSON; no body is no arguments.
fn arguments(headers: &HeaderMap, body: &[u8]) -> Result<String, Problem> {
    if body.is_empty() {
        return Ok("{}".to_owned());
    }
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|value| value.split(';').next());
    if !essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json")) {
        let detail = "send the arguments as JSON, with `Content-Type: application/json`";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    match serde_json::from_slice::<&RawValue>(body) {
        Ok(text) => Ok(text.get().to_owned()),
        Err(error) => {
            let detail = format!("the body is not valid JSON: {error}");
            Err(Problem::new(StatusCode::BAD_REQUEST, detail))
        }
    }
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .any(|range| range.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// A call whose client is sent its progress. It runs in a task of its own: otherwise a client that
/// does not read would delay its end and stop its clock.
enum CallStream {
    Running(JoinSet<Result<Answer, Problem>>),
    Ended(Event),
    Over,
}

/// `progress` as often as the tool reports it, then `outcome`, or `problem` where the call never
/// began. Dropping the stream stops the call.
fn events(call: Call) -> impl Stream<Item = Result<Event, Infallible>> {
    let (sender, reports) = mpsc::channel(REPORTS_WAITING_MAX);
    let mut run = JoinSet::new();
    run.spawn(call.run(Some(sender)));
    stream::unfold((CallStream::Running(run), reports), |(mut state, mut reports)| async move {
        if let CallStream::Running(run) = &mut state {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => return Some((progress(report), (state, reports))),
                ended = run.join_next() => state = CallStream::Ended(end(joined(ended))),
            }
        }
        // What was reported before the end is told before it.
        if let Ok(report) = reports.try_recv() {
            return Some((progress(report), (state, reports)));
        }
        match std::mem::replace(&mut state, CallStream::Over) {
            CallStream::Ended(event) => Some((event, (CallStream::Over, reports))),
            _ => None,
        }
    })
    .map(Ok)
}

/// The answer of a task that has ended; one that broke down has none.
fn joined(ended: Option<Result<Result<Answer, Problem>, JoinError>>) -> Result<Answer, Problem> {
    match ended {
        Some(Ok(result)) => result,
        _ => {
            let detail = "internal error while handling the call";
            Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail))
        }
    }
}

fn progress(report: Progress) -> Event {
    // JSON has no infinities.
    let number = |number: f64| number.is_finite().then_some(number);
    event(
        "progress",
        &json!({
            "done": number(report.done),
            "total": report.total.and_then(number),
            "message": report.message,
        }),
    )
}

fn end(ended: Result<Answer, Problem>) -> Event {
    match ended {
        Ok(answer) => event("outcome", &json!(answer)),
        Err(problem) => event("problem", &problem.to_json()),
    }
}

/// JSON has no line breaks of its own, so it is one line of data.
fn event(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}
