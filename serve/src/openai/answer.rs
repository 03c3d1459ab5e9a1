//! Answers a request to the gateway, whole or streamed, by a tool loop with the endpoint's model.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tool_hub_manifest::contract::{Failure, Reply};

use super::api::Api;
use super::calls::{self, Call};
use super::enforced_stream::EnforcedStream;
use super::events::{self, Events, Received, Sink};
use super::grammar_enforcement::EnforcedReply;
use super::headers;
use super::refusal::Refusal;
use super::reply_memory::{KeptReplies, ReplyReservation};
use super::state::GatewayState;
use super::upstream;
use crate::call_result::CallResult;
use crate::tool_loop::{self, CallEnd, Expected, ToolLoop, Turn};

/// The longest time that an answer may take, all rounds and calls together. OpenAI's clients wait
/// for ten minutes and then ask again, which would run the same tools twice.
const TIME_MAX: Duration = Duration::from_secs(9 * 60);

/// A reply of the endpoint, whole or as events, that has not been read.
struct EndpointReply {
    response: reqwest::Response,
    /// Present where a grammar stands for tools.
    enforced: Option<EnforcedReply>,
}

/// An answer under way.
struct Answer<A> {
    shared: Arc<GatewayState>,
    api: A,
    /// The head of the client's request.
    head: Parts,
    /// The sink of the client's events; absent if it wants one body.
    sink: Option<Sink>,
    has_asked: bool,
    /// The reply to the first request, where it was made before the loop began.
    first: Option<EndpointReply>,
    /// The headers of the last whole reply.
    headers: HeaderMap,
    has_run: bool,
    /// The bytes that the results of further calls may take up.
    room: usize,
    /// The memory of all replies so far, and of the last whole one as it was read.
    kept: KeptReplies,
    last: Option<ReplyReservation>,
}

impl<A: Api> Answer<A> {
    fn new(shared: Arc<GatewayState>, api: A, head: Parts) -> Self {
        Self {
            kept: KeptReplies::of(&shared.replies),
            shared,
            api,
            head,
            sink: None,
            has_asked: false,
            first: None,
            headers: HeaderMap::new(),
            has_run: false,
            room: calls::RESULTS_BYTES_MAX,
            last: None,
        }
    }

    /// Sends the endpoint the next request.
    async fn request(&mut self, expected: Expected) -> Result<EndpointReply, Refusal> {
        if std::mem::replace(&mut self.has_asked, true) {
            // A choice that forces a call would force one in every round.
            let choice = match expected {
                Expected::CallsOrAnswer => "auto",
                Expected::Answer => "none",
            };
            self.api.offer_later(&self.shared.toolset);
            let request = self.api.request_mut();
            if expected == Expected::Answer || request.contains_key("tool_choice") {
                request.insert("tool_choice".to_owned(), choice.into());
            }
        }
        let gateway = &self.shared.gateway;
        let (upstream, request) = (&gateway.upstream, self.api.request());
        let Some(enforcement) = gateway.enforcement(request) else {
            return Ok(EndpointReply {
                response: upstream.ask(&self.head, request).await?,
                enforced: None,
            });
        };
        let mut request = request.clone();
        let enforced = enforcement.hold(&mut request)?;
        Ok(EndpointReply {
            response: upstream.ask(&self.head, &request).await?,
            enforced: Some(enforced),
        })
    }

    /// Takes a whole reply.
    async fn take_whole(&mut self, reply: EndpointReply) -> Result<(), Refusal> {
        self.headers = headers::response_headers(reply.response.headers());
        self.headers.remove(header::CONTENT_LENGTH);
        self.headers.remove(header::CONTENT_TYPE);
        let mut whole = upstream::reply(reply.response, &self.shared.replies).await?;
        self.kept.add(whole.bytes)?;
        self.last = Some(whole.held);
        if let Some(enforced) = reply.enforced {
            enforced.read(&mut whole.value)?;
        }
        self.api.take_reply(whole.value)
    }

    /// Takes the events of a reply, and shows the client what it should see of them.
    async fn take_events(&mut self, reply: EndpointReply) -> Result<(), Refusal> {
        let replies = &self.shared.replies;
        let mut events = Events::of(reply.response, replies)?;
        let enforced = reply.enforced.filter(EnforcedReply::is_held);
        let mut enforced = enforced.map(|reply| EnforcedStream::new(reply, replies));
        let was_done = loop {
            match events.next().await? {
                Some(Received::Event(event)) => {
                    let event = match &mut enforced {
                        Some(enforced) => enforced.chunk(event)?,
                        None => event,
                    };
                    self.take_event(event).await?;
                }
                Some(Received::Done) => break true,
                None => break false,
            }
        };
        if let Some(enforced) = enforced {
            self.take_event(enforced.finish()?).await?;
        }
        self.api.end_stream(was_done)
    }

    async fn take_event(&mut self, event: Value) -> Result<(), Refusal> {
        let before = self.api.kept_bytes();
        let shown = self.api.take_event(event)?;
        self.kept.add(self.api.kept_bytes() - before)?;
        self.show(shown).await;
        Ok(())
    }

    /// Shows events to a client that wants them.
    async fn show(&self, events: Vec<Bytes>) {
        if let Some(sink) = &self.sink {
            sink.send_all(events).await;
        }
    }

    /// The body of a whole answer.
    fn finish(&mut self) -> Result<Response, Refusal> {
        let answer = self.api.finish(&self.shared.hidden_turns)?;
        let headers = std::mem::take(&mut self.headers);
        Ok((headers, Json(answer)).into_response())
    }

    /// A request that has run something must not be made again by a client that retries.
    fn refused(&self, refusal: Refusal) -> Refusal {
        match self.has_run {
            true => Refusal::AfterCalls(Box::new(refusal)),
            false => refusal,
        }
    }
}

impl<A: Api> ToolLoop for Answer<A> {
    type Call = Call;
    type Result = CallResult;
    type Error = Refusal;

    async fn ask(&mut self, expected: Expected) -> Result<Turn<Call>, Refusal> {
        let reply = match self.first.take() {
            Some(reply) => reply,
            None => self.request(expected).await?,
        };
        match self.sink {
            Some(_) => self.take_events(reply).await?,
            None => self.take_whole(reply).await?,
        }
        self.api.turn()
    }

    fn calls_at_once(&self) -> usize {
        self.api.available().at_once
    }

    fn make_call(&mut self, call: &Call) -> BoxFuture<'static, CallEnd> {
        self.has_run = true;
        calls::make(self.api.available(), call)
    }

    fn end_call(&mut self, call: &Call, result: Result<Reply, Failure>) -> CallResult {
        calls::result(&call.name, result, &mut self.room)
    }

    async fn take_results(
        &mut self,
        calls: &[Call],
        results: Vec<CallResult>,
    ) -> Result<(), Refusal> {
        let shown = self.api.answer(calls, results);
        self.show(shown).await;
        Ok(())
    }

    fn too_many_rounds(&self, round: u32) -> Refusal {
        Refusal::Rounds { rounds: round }
    }
}

/// The end of an answer's time.
struct Deadline {
    at: Instant,
    stop: CancellationToken,
}

impl Deadline {
    fn new(shared: &GatewayState) -> Self {
        Self {
            at: Instant::now() + TIME_MAX,
            stop: shared.stop.clone(),
        }
    }

    /// Ends `work` at the deadline, and when the server stops.
    async fn bound<T>(&self, work: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
        let seconds = TIME_MAX.as_secs();
        tokio::select! {
            done = timeout_at(self.at, work) => done.unwrap_or(Err(Refusal::Time { seconds })),
            () = self.stop.cancelled() => Err(Refusal::Stopping),
        }
    }
}

/// Answers with one body.
pub(super) async fn whole<A: Api>(
    shared: Arc<GatewayState>,
    api: A,
    head: Parts,
) -> Result<Response, Refusal> {
    let (deadline, rounds_max) = (Deadline::new(&shared), shared.gateway.rounds_max);
    let mut answer = Answer::new(shared, api, head);
    let ended = deadline
        .bound(tool_loop::run(&mut answer, rounds_max))
        .await;
    ended
        .and_then(|()| answer.finish())
        .map_err(|refusal| answer.refused(refusal))
}

/// Answers with events, as the model's replies come. What the endpoint refuses at once is an
/// answer with its status.
pub(super) async fn streamed<A: Api>(
    shared: Arc<GatewayState>,
    api: A,
    head: Parts,
) -> Result<Response, Refusal> {
    let (deadline, rounds_max) = (Deadline::new(&shared), shared.gateway.rounds_max);
    let mut answer = Answer::new(shared, api, head);
    let first = deadline
        .bound(answer.request(Expected::CallsOrAnswer))
        .await?;
    answer.first = Some(first);
    Ok(events::response(move |sink| async move {
        answer.sink = Some(sink);
        let ended = deadline
            .bound(tool_loop::run(&mut answer, rounds_max))
            .await;
        let last = ended.and_then(|()| answer.api.finish_stream(&answer.shared.hidden_turns));
        let last = last.unwrap_or_else(|refusal| {
            tracing::warn!(%refusal, "an answer of the gateway broke off");
            answer.api.break_off(&refusal)
        });
        answer.show(last).await;
    }))
}
