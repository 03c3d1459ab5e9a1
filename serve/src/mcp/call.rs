//! One call: from the request's arguments to the tool and back, with progress, questions
//! and cancellation.

use std::future::Future;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, InputRequiredResult, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::mpsc;
use tool_hub_host::{Failure, FailureKind, Interaction, Progress};

use super::question::{Asked, Asker, Line, Seal};
use super::result;
use super::wire::RawArguments;
use crate::toolset::Callee;

/// Reports that wait while the client reads slowly; further ones are dropped.
const PROGRESS_WAITING_MAX: usize = 16;

/// What a guest came to.
pub(super) enum Came<T> {
    Answer(T),
    Failure(Failure),
    /// The person has to answer first.
    Question(InputRequiredResult),
}

pub(super) async fn call(
    callee: &Callee,
    request: CallToolRequestParams,
    mut context: RequestContext<RoleServer>,
    seal: &Seal,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = arguments(&request, &mut context)?;
    let asked = Asked {
        method: "tools/call",
        name: &request.name,
        arguments: &arguments,
        state: request.request_state.as_deref(),
        responses: request.input_responses,
    };
    let called = async |interaction| callee.call(&arguments, interaction).await.into_result();
    Ok(match run(asked, &context, seal, called).await? {
        Came::Answer(reply) => result::of_reply(callee.shape(), reply).into(),
        Came::Failure(failure) => result::of_failure(&callee.spec().name, &failure).into(),
        Came::Question(required) => required.into(),
    })
}

/// Runs a guest for a request: with progress where the client wants it, with questions, and
/// until the request is cancelled.
pub(super) async fn run<T, F>(
    asked: Asked<'_>,
    context: &RequestContext<RoleServer>,
    seal: &Seal,
    call: impl FnOnce(Arc<dyn Interaction>) -> F,
) -> Result<Came<T>, ErrorData>
where
    F: Future<Output = Result<T, Failure>>,
{
    let asker = Asker::new(asked, context, seal)?;
    let (line, reports) = match context.meta.get_progress_token() {
        Some(token) => {
            let (sender, reports) = mpsc::channel(PROGRESS_WAITING_MAX);
            (Line::new(asker, Some(sender)), Some((reports, token)))
        }
        None => (Line::new(asker, None), None),
    };
    let line = Arc::new(line);
    let called = call(Arc::clone(&line) as Arc<dyn Interaction>);
    let came = tokio::select! {
        biased;
        came = reported(called, &line, reports, &context.peer) => came,
        // Dropping the call's future stops the guest.
        () = context.ct.cancelled() => {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        }
    };
    match came {
        Ok(answer) => Ok(Came::Answer(answer)),
        Err(failure) => match &failure.kind {
            FailureKind::InputRequired(question) => line
                .asker()
                .input_required(question, seal)
                .map(Came::Question),
            _ => Ok(Came::Failure(failure)),
        },
    }
}

/// The arguments as JSON text: as the client wrote them where the transport kept that.
fn arguments(
    request: &CallToolRequestParams,
    context: &mut RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    if let Some(RawArguments(text)) = context.extensions.remove() {
        return Ok(text);
    }
    match &request.arguments {
        Some(arguments) => serde_json::to_string(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None)),
        None => Ok("{}".to_owned()),
    }
}

/// Waits for a call; where the client wants progress, forwards it until the call is over and
/// no longer, since reports must not follow the result.
async fn reported<T>(
    called: impl Future<Output = T>,
    line: &Line,
    reports: Option<(mpsc::Receiver<Progress>, ProgressToken)>,
    peer: &Peer<RoleServer>,
) -> T {
    let Some((reports, token)) = reports else {
        return called.await;
    };
    let called = async {
        let came = called.await;
        line.hang_up();
        came
    };
    let (came, ()) = tokio::join!(called, forward(reports, token, peer));
    came
}

async fn forward(
    mut reports: mpsc::Receiver<Progress>,
    token: ProgressToken,
    peer: &Peer<RoleServer>,
) {
    let mut last = f64::NEG_INFINITY;
    while let Some(report) = reports.recv().await {
        // The protocol demands that progress grows; JSON has no infinities.
        if !report.done.is_finite() || report.done <= last {
            continue;
        }
        last = report.done;
        let mut notification = ProgressNotificationParam::new(token.clone(), report.done);
        notification.total = report.total.filter(|total| total.is_finite());
        notification.message = report.message;
        if let Err(error) = peer.notify_progress(notification).await {
            tracing::debug!(%error, "progress could not be sent");
        }
    }
}
