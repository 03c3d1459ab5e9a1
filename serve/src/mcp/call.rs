//! Runs a tool for an MCP request, such as a call, with progress, questions and cancellation.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tool_hub_host::{Answer, Interaction, LogEntry, Progress};
use tool_hub_manifest::contract::{Failure, FailureKind, Question};

use super::line_transport::RawArguments;
use super::question::{QuestionChannel, QuestionContext, Seal};
use super::report::Reports;
use super::result;
use super::session::Session;
use crate::audit::Auditor;
use crate::audit::FrontEnd;
use crate::prepared_call::PreparedCall;
use crate::resolved_function::ResolvedFunction;

/// The client of a request.
#[derive(Clone, Copy)]
pub(super) struct Client<'a> {
    pub(super) session: &'a Session,
    pub(super) seal: &'a Seal,
    /// The log for the guests that it runs.
    pub(super) auditor: Option<&'a Auditor>,
}

/// The result of a guest.
pub(super) enum GuestResult<T> {
    Answer(T),
    Failure(Failure),
    /// The person has to answer first.
    Question(InputRequiredResult),
}

/// The client's side of one running call.
struct CallInteraction {
    asker: QuestionChannel,
    reports: Reports,
}

impl Interaction for CallInteraction {
    fn progress(&self, progress: Progress) {
        self.reports.progress(progress);
    }

    fn logged(&self, entry: &LogEntry) {
        self.reports.logged(entry);
    }

    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.asker.ask(question))
    }
}

pub(super) async fn call(
    resolved: ResolvedFunction,
    mut request: CallToolRequestParams,
    mut context: RequestContext<RoleServer>,
    client: Client<'_>,
) -> Result<CallToolResponse, ErrorData> {
    let written = arguments(&request, &mut context)?;
    // They may be large, and the call may take long.
    request.arguments = None;
    let call = PreparedCall::new(&resolved, written);
    let function = &call.function;
    // Questions and their answers belong to the function that asks.
    request.name = function.spec().name.clone().into();
    let asked = QuestionContext {
        method: "tools/call",
        name: &request.name,
        arguments: &call.arguments,
        state: request.request_state.as_deref(),
        responses: request.input_responses,
    };
    let called = async |interaction| call.run(FrontEnd::Mcp, interaction).await.into_result();
    let result = match run(asked, &context, client, called).await? {
        GuestResult::Answer(reply) => result::of_reply(function.shape(), reply),
        GuestResult::Failure(failure) => result::of_failure(&function.spec().name, &failure),
        GuestResult::Question(required) => return Ok(required.into()),
    };
    Ok(result::marked(result, function.provenance()).into())
}

/// Runs a guest for a request: with questions, with the reports that the client wants, and until
/// the request is cancelled.
pub(super) async fn run<T, F>(
    asked: QuestionContext<'_>,
    context: &RequestContext<RoleServer>,
    client: Client<'_>,
    call: impl FnOnce(Arc<dyn Interaction>) -> F,
) -> Result<GuestResult<T>, ErrorData>
where
    F: Future<Output = Result<T, Failure>>,
{
    let name = asked.name;
    let (reports, forwarding) = Reports::wanted(context, client.session.level());
    let asker = QuestionChannel::new(asked, context, client.seal)?;
    let interaction = Arc::new(CallInteraction { asker, reports });
    let called = call(Arc::clone(&interaction) as Arc<dyn Interaction>);
    let called = async {
        let Some(forwarding) = forwarding else {
            return called.await;
        };
        // Reports must not follow the result.
        let called = async {
            let result = called.await;
            interaction.reports.end();
            result
        };
        let (result, ()) = tokio::join!(called, forwarding.forward(name, &context.peer));
        result
    };
    match unless_cancelled(context, called).await? {
        Ok(answer) => Ok(GuestResult::Answer(answer)),
        Err(failure) => match &failure.kind {
            FailureKind::InputRequired(question) => interaction
                .asker
                .input_required(question, client.seal)
                .map(GuestResult::Question),
            _ => Ok(GuestResult::Failure(failure)),
        },
    }
}

/// Awaits `answer`, unless the request is cancelled before. Dropping the future stops guests.
pub(super) async fn unless_cancelled<T>(
    context: &RequestContext<RoleServer>,
    answer: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        answer = answer => Ok(answer),
        () = context.ct.cancelled() => {
            Err(ErrorData::internal_error("the call was cancelled", None))
        }
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
