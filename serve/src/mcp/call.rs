//! One call: from the request's arguments to the tool and back, with progress, questions
//! and cancellation.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::mpsc;
use tool_hub_host::{FailureKind, Interaction, Outcome, Progress};

use super::question::{Asker, Line, Seal};
use super::result;
use super::wire::RawArguments;
use crate::toolset::Callee;

/// Reports that wait while the client reads slowly; further ones are dropped.
const PROGRESS_WAITING_MAX: usize = 16;

pub(super) async fn call(
    callee: Callee,
    mut request: CallToolRequestParams,
    mut context: RequestContext<RoleServer>,
    seal: &Seal,
) -> Result<CallToolResponse, ErrorData> {
    let (callee, arguments) = callee.meant(arguments(&request, &mut context)?);
    // Questions and their answers belong to the function that asks.
    request.name = callee.spec().name.clone().into();
    let asker = Asker::new(&request, &context, &arguments, seal)?;
    let cancelled = context.ct.clone();
    let (line, reports) = match context.meta.get_progress_token() {
        Some(token) => {
            let (sender, reports) = mpsc::channel(PROGRESS_WAITING_MAX);
            (Line::new(asker, Some(sender)), Some((reports, token)))
        }
        None => (Line::new(asker, None), None),
    };
    let line = Arc::new(line);
    let outcome = tokio::select! {
        biased;
        outcome = run(&callee, &arguments, &line, reports, &context.peer) => outcome,
        // Dropping the call's future stops the guest.
        () = cancelled.cancelled() => {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        }
    };
    let result = match outcome {
        Outcome::Reply(reply) => result::of_reply(callee.shape(), reply),
        Outcome::Failure(failure) => match &failure.kind {
            FailureKind::InputRequired(question) => {
                return line.asker().input_required(question, &arguments, seal);
            }
            _ => result::of_failure(&callee.spec().name, &failure),
        },
    };
    Ok(result::marked(result, callee.mark()).into())
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

/// Runs the call; where the client wants progress, forwards it until the call is over and
/// no longer, since reports must not follow the result.
async fn run(
    callee: &Callee,
    arguments: &str,
    line: &Arc<Line>,
    reports: Option<(mpsc::Receiver<Progress>, ProgressToken)>,
    peer: &Peer<RoleServer>,
) -> Outcome {
    let interaction = Arc::clone(line) as Arc<dyn Interaction>;
    let called = callee.call(arguments, interaction);
    let Some((reports, token)) = reports else {
        return called.await;
    };
    let called = async {
        let outcome = called.await;
        line.hang_up();
        outcome
    };
    let (outcome, ()) = tokio::join!(called, forward(reports, token, peer));
    outcome
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
