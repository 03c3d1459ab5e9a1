//! An answer in rounds: the model is asked, its calls are run, and it is asked again with their
//! results, until it calls nothing that is run here.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use super::calls::{self, Call};
use super::events::{self, Events, Received, Sink};
use super::grammar_enforcement::as_chunk;
use super::headers;
use super::hidden_turns::HiddenTurns;
use super::offered::Offered;
use super::refusal::Refusal;
use super::reply_memory::{KeptReplies, ReplyReservation};
use super::state::GatewayState;
use super::upstream;
use crate::failed_calls::FailedCalls;
use crate::result::CallResult;
use crate::toolset::Toolset;

/// How long an answer may take, all rounds and calls together. OpenAI's clients wait for ten
/// minutes and then ask again, which would run the same tools twice.
const TIME_MAX: Duration = Duration::from_secs(9 * 60);

/// One of the two APIs, in the middle of a request: how requests, replies and results are written.
pub(super) trait Api: Sized + Send + Sync + 'static {
    /// Begins with what the client sent.
    fn open(request: Map<String, Value>, shared: &GatewayState) -> Result<Self, Refusal>;

    /// Whether the model is offered anything that is run here.
    fn offers_functions(&self) -> bool {
        self.offered().is_ours()
    }

    fn offered(&self) -> &Offered;

    /// Adds to the request what a model needs since results were stored.
    fn offer_later(&mut self, toolset: &Toolset);

    /// What the model is asked next.
    fn request(&self) -> &Map<String, Value>;

    /// The same, as the client may change it.
    fn request_mut(&mut self) -> &mut Map<String, Value>;

    /// Takes a whole reply.
    fn take_reply(&mut self, reply: Value) -> Result<(), Refusal>;

    /// Takes an event of a reply, and gives those that the client is shown.
    fn take_event(&mut self, event: Value) -> Result<Vec<Bytes>, Refusal>;

    /// The approximate number of bytes kept of this reply's events.
    fn kept_bytes(&self) -> usize;

    /// Takes note that a reply has no further events. `was_done` when the endpoint said so.
    fn end_stream(&mut self, was_done: bool) -> Result<(), Refusal>;

    /// What the reply asks for.
    fn turn(&mut self) -> Result<Turn, Refusal>;

    /// Takes the results of the turn's calls, in their order, and gives the events that the
    /// client is shown.
    fn answer(&mut self, calls: &[Call], results: Vec<CallResult>) -> Vec<Bytes>;

    /// The answer, when the last reply was a whole one.
    fn finish(&mut self, hidden_turns: &HiddenTurns) -> Result<Value, Refusal>;

    /// The last events of the answer, when the last reply was a stream.
    fn finish_stream(&mut self, hidden_turns: &HiddenTurns) -> Result<Vec<Bytes>, Refusal>;

    /// How a stream breaks off.
    fn break_off(&mut self, refusal: &Refusal) -> Vec<Bytes>;
}

/// What a reply asks for.
pub(super) struct Turn {
    /// Calls that are run here.
    pub(super) ours: Vec<Call>,
    /// Whether the client has calls to answer, too.
    pub(super) hands_back: bool,
}

/// What the endpoint gives.
enum EndpointReply {
    /// A reply, whole or as events, that has not been read.
    Response(reqwest::Response),
    /// A whole reply, of a model that is held to calls.
    Reply(Value),
}

/// Whether the model is asked again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Ask,
    Finish,
}

/// An answer under way.
struct ToolLoop<A> {
    shared: Arc<GatewayState>,
    api: A,
    /// Of the client's request.
    head: Parts,
    round: u32,
    deadline: Instant,
    has_run: bool,
    failed: FailedCalls,
    /// How much the results of further calls may take up.
    room: usize,
    /// The memory of all replies so far, and of the last whole one as it was read.
    kept: KeptReplies,
    last: Option<ReplyReservation>,
}

impl<A: Api> ToolLoop<A> {
    fn new(shared: Arc<GatewayState>, api: A, head: Parts) -> Self {
        Self {
            kept: KeptReplies::of(&shared.replies),
            last: None,
            shared,
            api,
            head,
            round: 0,
            deadline: Instant::now() + TIME_MAX,
            has_run: false,
            failed: FailedCalls::default(),
            room: calls::RESULTS_BYTES_MAX,
        }
    }

    /// Asks the model for the next round.
    async fn ask(&mut self) -> Result<EndpointReply, Refusal> {
        self.round += 1;
        let gateway = &self.shared.gateway;
        if self.round > 1 {
            // A choice that forces a call would force one in every round.
            let choice = if self.round < gateway.rounds_max && !self.failed.are_repeated() {
                "auto"
            } else {
                "none"
            };
            self.api.offer_later(&self.shared.toolset);
            let request = self.api.request_mut();
            if choice == "none" || request.contains_key("tool_choice") {
                request.insert("tool_choice".to_owned(), choice.into());
            }
        }
        let (upstream, request) = (&gateway.upstream, self.api.request());
        let Some(enforcement) = gateway.enforcement(request) else {
            let asked = upstream.ask(&self.head, request);
            return self.in_time(asked).await.map(EndpointReply::Response);
        };
        let mut request = request.clone();
        let held = enforcement.hold(&mut request)?;
        let response = self.in_time(upstream.ask(&self.head, &request)).await?;
        let mut reply = self.read(response).await?;
        held.read(&mut reply)
            .map_err(|wrong| Refusal::malformed(wrong.to_string()))?;
        Ok(EndpointReply::Reply(reply))
    }

    /// Reads a whole reply.
    async fn read(&mut self, response: reqwest::Response) -> Result<Value, Refusal> {
        let read = upstream::reply(response, &self.shared.replies);
        let whole = self.in_time(read).await?;
        self.kept.add(whole.bytes)?;
        self.last = Some(whole.held);
        Ok(whole.value)
    }

    /// Runs the calls of the last reply, and gives the events that the client is shown.
    async fn act(&mut self) -> Result<(Vec<Bytes>, Step), Refusal> {
        let turn = self.api.turn()?;
        if turn.ours.is_empty() {
            return Ok((Vec::new(), Step::Finish));
        }
        let rounds_max = self.shared.gateway.rounds_max;
        if self.round >= rounds_max {
            return Err(Refusal::Rounds { rounds: rounds_max });
        }
        self.has_run = true;
        let mut room = self.room;
        let mut failed = std::mem::take(&mut self.failed);
        let run = calls::run(self.api.offered(), &turn.ours, &mut room, &mut failed);
        let results = self.in_time(async { Ok(run.await) }).await?;
        self.failed = failed;
        self.room = room;
        let shown = self.api.answer(&turn.ours, results);
        let next = if turn.hands_back {
            Step::Finish
        } else {
            Step::Ask
        };
        Ok((shown, next))
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<T, Refusal> {
        let seconds = TIME_MAX.as_secs();
        tokio::select! {
            done = timeout_at(self.deadline, work) => done.unwrap_or(Err(Refusal::Time { seconds })),
            () = self.shared.stop.cancelled() => Err(Refusal::Stopping),
        }
    }

    /// A request that has run something must not be made again by a client that retries.
    fn refused(&self, refusal: Refusal) -> Refusal {
        match self.has_run {
            true => Refusal::AfterCalls(Box::new(refusal)),
            false => refusal,
        }
    }

    async fn whole(&mut self) -> Result<Response, Refusal> {
        loop {
            let mut headers = HeaderMap::new();
            let reply = match self.ask().await? {
                EndpointReply::Response(response) => {
                    headers = headers::response_headers(response.headers());
                    headers.remove(header::CONTENT_LENGTH);
                    headers.remove(header::CONTENT_TYPE);
                    self.read(response).await?
                }
                EndpointReply::Reply(reply) => reply,
            };
            self.api.take_reply(reply)?;
            if self.act().await?.1 == Step::Finish {
                let answer = self.api.finish(&self.shared.hidden_turns)?;
                return Ok((headers, Json(answer)).into_response());
            }
        }
    }

    async fn stream(&mut self, first: EndpointReply, sink: &Sink) -> Result<(), Refusal> {
        let mut reply_at_hand = first;
        loop {
            self.show_reply(reply_at_hand, sink).await?;
            let (shown, next) = self.act().await?;
            sink.send_all(shown).await;
            if next == Step::Finish {
                let last = self.api.finish_stream(&self.shared.hidden_turns)?;
                sink.send_all(last).await;
                return Ok(());
            }
            reply_at_hand = self.ask().await?;
        }
    }

    async fn show_reply(
        &mut self,
        reply_at_hand: EndpointReply,
        sink: &Sink,
    ) -> Result<(), Refusal> {
        let response = match reply_at_hand {
            EndpointReply::Response(response) => response,
            EndpointReply::Reply(reply) => {
                sink.send_all(self.api.take_event(as_chunk(reply))?).await;
                return self.api.end_stream(true);
            }
        };
        let mut events = Events::of(response, &self.shared.replies)?;
        let was_done = loop {
            match self.in_time(events.next()).await? {
                Some(Received::Event(event)) => {
                    let before = self.api.kept_bytes();
                    let shown = self.api.take_event(event)?;
                    self.kept.add(self.api.kept_bytes() - before)?;
                    sink.send_all(shown).await;
                }
                Some(Received::Done) => break true,
                None => break false,
            }
        };
        self.api.end_stream(was_done)
    }
}

/// Answers with one body.
pub(super) async fn whole<A: Api>(
    shared: Arc<GatewayState>,
    api: A,
    head: Parts,
) -> Result<Response, Refusal> {
    let mut tool_loop = ToolLoop::new(shared, api, head);
    let answered = tool_loop.whole().await;
    answered.map_err(|refusal| tool_loop.refused(refusal))
}

/// Answers with events, as the model's replies come. What the endpoint refuses at once is an
/// answer with its status.
pub(super) async fn streamed<A: Api>(
    shared: Arc<GatewayState>,
    api: A,
    head: Parts,
) -> Result<Response, Refusal> {
    let mut tool_loop = ToolLoop::new(shared, api, head);
    let first = tool_loop.ask().await?;
    Ok(events::response(move |sink| async move {
        if let Err(refusal) = tool_loop.stream(first, &sink).await {
            tracing::warn!(%refusal, "an answer of the gateway broke off");
            sink.send_all(tool_loop.api.break_off(&refusal)).await;
        }
    }))
}
