//! Questions of a tool to the person, in both eras of the protocol.
//!
//! With a session (2025-11-25) the server sends an elicitation and the call waits. Without
//! one (2026-07-28) the call ends with "input required", and the client makes it again
//! with the answer. Answers to earlier questions of the same call travel with the client
//! as sealed state, bound to the function and its arguments, so that they cannot be put
//! before another call.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, InputRequiredResult, ProtocolVersion, RequestStateCodec,
    SealOptions,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tool_hub_host::{Answer, Interaction, Progress, Question};

use crate::ServeError;

/// How long a client may hold answers before it makes the call again.
const STATE_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Seals the answers that travel with a client; the key lives as long as the process.
pub(super) struct Seal(RequestStateCodec);

/// Answers by the question's key, as the client gave them.
type Answers = BTreeMap<String, Value>;

/// Who can be asked during a call.
pub(super) enum Asker {
    /// The person behind a client with a session.
    Session {
        /// The client.
        peer: Peer<RoleServer>,
        /// The function that asks, by the name agents see.
        function: String,
    },
    /// The person behind a client that makes the call again with the answer.
    Stateless {
        /// The answers so far.
        answers: Answers,
        /// The function that asks, by the name agents see.
        function: String,
        /// Whether the client can show a form.
        can_ask: bool,
    },
}

/// The agent's side of one running call.
pub(super) struct Line {
    asker: Asker,
    /// Absent once the call is over, or when nobody wants to know.
    progress: Mutex<Option<mpsc::Sender<Progress>>>,
}

impl Seal {
    pub(super) fn new() -> Result<Self, ServeError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(ServeError::Random)?;
        let codec = RequestStateCodec::try_new(key).expect("32 bytes are long enough for a key");
        Ok(Self(codec))
    }

    fn seal(&self, answers: &Answers, call: &str) -> Result<String, ErrorData> {
        let options = SealOptions::new()
            .associated_data(call.as_bytes())
            .ttl(STATE_LIFETIME);
        self.0
            .seal_json_with(answers, &options)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn open(&self, state: &str, call: &str) -> Result<Answers, ErrorData> {
        self.0
            .open_json_with(state, call.as_bytes())
            .map_err(|error| {
                ErrorData::invalid_params(
                    format!("requestState does not belong to this call: {error}"),
                    None,
                )
            })
    }
}

impl Asker {
    pub(super) fn new(
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        arguments: &str,
        seal: &Seal,
    ) -> Result<Self, ErrorData> {
        let function = request.name.to_string();
        let is_stateless = context
            .meta
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if !is_stateless {
            return Ok(Self::Session {
                peer: context.peer.clone(),
                function,
            });
        }
        let mut answers = match &request.request_state {
            Some(state) => seal.open(state, &bound_to(&function, arguments))?,
            None => Answers::new(),
        };
        answers.extend(request.input_responses.clone().unwrap_or_default());
        let can_ask = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.elicitation.is_some());
        Ok(Self::Stateless {
            answers,
            function,
            can_ask,
        })
    }

    /// The result that asks the client for the answer to `question`.
    pub(super) fn input_required(
        &self,
        question: &Question,
        arguments: &str,
        seal: &Seal,
    ) -> Result<CallToolResponse, ErrorData> {
        let Self::Stateless {
            answers, function, ..
        } = self
        else {
            // A session's question is never postponed.
            return Err(ErrorData::internal_error("nobody can be asked", None));
        };
        let form = form(function, question)
            .ok_or_else(|| ErrorData::internal_error("the question makes no form", None))?;
        let state = seal.seal(answers, &bound_to(function, arguments))?;
        let requests = BTreeMap::from([(
            question.key.clone(),
            InputRequest::Elicitation(ElicitRequest::new(form)),
        )]);
        Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
    }

    async fn ask(&self, question: &Question) -> Answer {
        match self {
            Self::Session { peer, function } => {
                let can_ask = peer
                    .peer_info()
                    .is_some_and(|client| client.capabilities.elicitation.is_some());
                let Some(form) = form(function, question).filter(|_| can_ask) else {
                    return Answer::Unavailable;
                };
                match peer.create_elicitation(form).await {
                    Ok(result) => answer(result),
                    Err(error) => {
                        tracing::debug!(%error, "the client did not answer a question");
                        Answer::Unavailable
                    }
                }
            }
            Self::Stateless {
                answers,
                function,
                can_ask,
            } => match answers.get(&question.key) {
                Some(given) => match serde_json::from_value(given.clone()) {
                    Ok(result) => answer(result),
                    Err(error) => {
                        tracing::debug!(%error, "the client's answer is malformed");
                        Answer::Unavailable
                    }
                },
                None if *can_ask && form(function, question).is_some() => Answer::Postponed,
                None => Answer::Unavailable,
            },
        }
    }
}

impl Line {
    pub(super) fn new(asker: Asker, progress: Option<mpsc::Sender<Progress>>) -> Self {
        Self {
            asker,
            progress: Mutex::new(progress),
        }
    }

    /// Who is asked.
    pub(super) fn asker(&self) -> &Asker {
        &self.asker
    }

    /// Ends the reports.
    pub(super) fn hang_up(&self) {
        self.reports().take();
    }

    fn reports(&self) -> MutexGuard<'_, Option<mpsc::Sender<Progress>>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Interaction for Line {
    fn progress(&self, progress: Progress) {
        if let Some(sender) = &*self.reports() {
            // A full queue means that the client reads slowly; the next report is better.
            let _ = sender.try_send(progress);
        }
    }

    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.asker.ask(question))
    }
}

/// What sealed answers belong to: function names hold no line feed.
fn bound_to(function: &str, arguments: &str) -> String {
    format!("{function}\n{arguments}")
}

/// The question as a form, marked as the tool's. Absent when its schema is none that a
/// form can show.
fn form(function: &str, question: &Question) -> Option<ElicitRequestParams> {
    let requested_schema = serde_json::from_value(question.schema.clone()).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("The tool `{function}` asks: {}", question.text),
        requested_schema,
    })
}

fn answer(result: ElicitResult) -> Answer {
    match result.action {
        ElicitationAction::Accept => {
            Answer::Given(result.content.unwrap_or_else(|| Value::Object(Map::new())))
        }
        ElicitationAction::Decline => Answer::Declined,
        // Whatever a later revision adds, it is no answer.
        _ => Answer::Cancelled,
    }
}
