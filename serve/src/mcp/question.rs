//! Asks the person a tool's questions by MCP elicitation, and seals answers that clients carry.
//!
//! With a session (2025-11-25) the server sends an elicitation and the call waits. Without
//! one (2026-07-28) the call ends with "input required", and the client makes it again
//! with the answer. Answers to earlier questions of the same call travel with the client
//! as sealed state, bound to the function and its arguments, so that they cannot be put
//! before another call.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest,
    InputRequiredResult, InputResponses, ProtocolVersion, RequestStateCodec, SealOptions,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};
use tool_hub_host::{Answer, CONFIRMATION_KEY};
use tool_hub_manifest::contract::Question;

use crate::error::ServeError;

/// The time for which a client may hold answers before it makes the call again.
const STATE_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Seals the answers that travel with a client; the key lives as long as the process.
pub(super) struct Seal(RequestStateCodec);

/// Answers by the question's key, as the client gave them.
type Answers = BTreeMap<String, Value>;

/// A request that runs a guest, as far as questions are concerned.
pub(super) struct QuestionContext<'a> {
    /// The method. Sealed answers belong to it with `name` and `arguments`.
    pub(super) method: &'static str,
    /// The function or prompt that asks, by the name agents see.
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
    /// The answers to earlier questions, as the client was given them.
    pub(super) state: Option<&'a str>,
    /// The answers to the last ones.
    pub(super) responses: Option<InputResponses>,
}

/// The way to the person who can be asked during a call.
pub(super) enum QuestionChannel {
    /// The person behind a client with a session.
    Session {
        /// The client.
        peer: Peer<RoleServer>,
        /// The function or prompt that asks, by the name agents see.
        name: String,
    },
    /// The person behind a client that makes the call again with the answer.
    Stateless {
        /// The answers so far.
        answers: Answers,
        /// The function or prompt that asks, by the name agents see.
        name: String,
        /// The call that the sealed answers belong to.
        call: String,
        /// True if the client can show a form.
        can_ask: bool,
    },
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

impl QuestionChannel {
    pub(super) fn new(
        asked: QuestionContext<'_>,
        context: &RequestContext<RoleServer>,
        seal: &Seal,
    ) -> Result<Self, ErrorData> {
        let name = asked.name.to_owned();
        if !is_stateless(context) {
            return Ok(Self::Session {
                peer: context.peer.clone(),
                name,
            });
        }
        // Neither methods nor names hold a line feed.
        let call = [asked.method, asked.name, asked.arguments].join("\n");
        let mut answers = match asked.state {
            Some(state) => seal.open(state, &call)?,
            None => Answers::new(),
        };
        answers.extend(asked.responses.unwrap_or_default());
        let can_ask = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.elicitation.is_some());
        Ok(Self::Stateless {
            answers,
            name,
            call,
            can_ask,
        })
    }

    /// The result that asks the client for the answer to `question`.
    pub(super) fn input_required(
        &self,
        question: &Question,
        seal: &Seal,
    ) -> Result<InputRequiredResult, ErrorData> {
        let Self::Stateless {
            answers,
            name,
            call,
            ..
        } = self
        else {
            // A session's question is never postponed.
            return Err(ErrorData::internal_error("nobody can be asked", None));
        };
        let form = form(name, question)
            .ok_or_else(|| ErrorData::internal_error("the question makes no form", None))?;
        let state = seal.seal(answers, call)?;
        let requests = BTreeMap::from([(
            visible_key(question),
            InputRequest::Elicitation(ElicitRequest::new(form)),
        )]);
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Asks the person behind a session, or looks for the answer among those that the client sent.
    pub(super) async fn ask(&self, question: &Question) -> Answer {
        match self {
            Self::Session { peer, name } => {
                let can_ask = peer
                    .peer_info()
                    .is_some_and(|client| client.capabilities.elicitation.is_some());
                let Some(form) = form(name, question).filter(|_| can_ask) else {
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
                name,
                can_ask,
                ..
            } => {
                let given = answers.get(&visible_key(question));
                // What is no answer is asked for again.
                let given = given.and_then(|given| serde_json::from_value(given.clone()).ok());
                match given {
                    Some(result) => answer(result),
                    None if *can_ask && form(name, question).is_some() => Answer::Postponed,
                    None => Answer::Unavailable,
                }
            }
        }
    }
}

/// Returns true if the request stands alone, without a session.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    let version = context.meta.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The key of a question as agents see it, in snake_case like all names.
fn visible_key(question: &Question) -> String {
    question.key.replace('-', "_")
}

/// The question as a form; one of the tool is marked as the tool's. Absent when its schema is none
/// that a form can show.
fn form(name: &str, question: &Question) -> Option<ElicitRequestParams> {
    let requested_schema = serde_json::from_value(question.schema.clone()).ok()?;
    let message = match question.key.as_str() {
        // The host's own question names the tool.
        CONFIRMATION_KEY => question.text.clone(),
        _ => format!("The tool `{name}` asks: {}", question.text),
    };
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
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
