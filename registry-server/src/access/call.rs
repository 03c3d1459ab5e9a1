//! The router that admits each request before its controller runs, and the admitted `Call`.
//! A call has the body and the query.

use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use http::header::EXPECT;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::admission::Admission;
use super::caller::Visitor;
use super::route::{Access, Route, RouteMethod};
use crate::error::RegistryError;
use crate::http::{
    BaseUrl, BodyReader, Query, Refusal, Reply, Reservation, Share, Turn, drain, within,
};
use crate::rates::{Peer, Subject};
use crate::registry::Registry;

/// The longest body that is parsed on the async executor, in bytes. Longer ones are parsed on a
/// blocking thread, so that other requests do not wait.
const PARSED_AT_ONCE_MAX: usize = 64 << 10;
/// A list up to this length, in bytes, does not wait for a turn.
const SHORT_LIST_BYTES: usize = 16 << 10;

/// One admitted request.
pub(crate) struct Call<A: Admission> {
    pub(crate) registry: Registry,
    pub(crate) admitted: A::Admitted,
    pub(crate) base: BaseUrl,
    pub(crate) parts: Parts,
    /// Never locked. A body is not `Sync`; the mutex makes the call `Sync`, so that it can be lent
    /// across an await.
    body: Mutex<Body>,
    /// Resources that requests of this kind of caller share.
    share: Share,
    /// The memory that the request's body takes.
    held: Reservation,
    /// The turn of a request that needs much memory. It ends when there is room for the answer,
    /// which is in memory beside the body until then.
    turn: Arc<OnceLock<Turn>>,
}

async fn parse<T: DeserializeOwned + Send + 'static>(bytes: Vec<u8>) -> Result<T, Refusal> {
    let read = |bytes: &[u8]| {
        serde_json::from_slice(bytes)
            .map_err(|error| Refusal::bad_request(format!("invalid request body: {error}")))
    };
    if bytes.len() <= PARSED_AT_ONCE_MAX {
        return read(&bytes);
    }
    let parsing = tokio::task::spawn_blocking(move || read(&bytes)).await;
    parsing.map_err(|_| RegistryError::Damaged("parsing a body panicked".to_owned()))?
}

impl<A: Admission> Call<A> {
    pub(crate) fn query(&self) -> Query {
        Query::of(&self.parts)
    }

    /// The body, once; afterwards it is empty.
    pub(crate) fn take_body(&mut self) -> Body {
        std::mem::take(self.body.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the whole body, for routes that take no list. Its memory counts as held until the call
    /// is dropped.
    pub(crate) async fn bytes(&mut self) -> Result<Vec<u8>, Refusal> {
        self.bytes_within(self.registry.limits().plain_body_bytes_max)
            .await
    }

    /// Reads the whole body, for routes that take a list.
    pub(crate) async fn list_bytes(&mut self) -> Result<Vec<u8>, Refusal> {
        self.bytes_within(self.registry.limits().json_bytes_max)
            .await
    }

    /// Reads the whole body; after a long one, waits for a turn.
    async fn bytes_within(&mut self, bytes_max: usize) -> Result<Vec<u8>, Refusal> {
        let body = self.take_body();
        let bytes_max = bytes_max.min(self.share.body_bytes_max);
        let reader = BodyReader::new(body, &self.registry, bytes_max as u64);
        let bytes = reader.whole(&self.share.bodies, &mut self.held).await?;
        if bytes.len() > SHORT_LIST_BYTES {
            let turn = self.share.turns.list().await?;
            let _ = self.turn.set(turn);
        }
        Ok(bytes)
    }

    /// Parses a body without a list as JSON. The content type is ignored, because clients disagree
    /// on it.
    pub(crate) async fn json<T: DeserializeOwned + Send + 'static>(
        &mut self,
    ) -> Result<T, Refusal> {
        let bytes = self.bytes().await?;
        parse(bytes).await
    }

    /// Parses a body with a list as JSON.
    pub(crate) async fn json_list<T: DeserializeOwned + Send + 'static>(
        &mut self,
    ) -> Result<T, Refusal> {
        let bytes = self.list_bytes().await?;
        parse(bytes).await
    }

    /// Waits for a turn to list the files of a repository.
    pub(crate) async fn take_turn_to_list(&mut self) -> Result<(), Refusal> {
        let turn = self.share.turns.listing().await?;
        let _ = self.turn.set(turn);
        Ok(())
    }
}

/// A router that takes no route without an admission, and the list of what it took.
pub(crate) struct Routes {
    router: Router<Registry>,
    list: Vec<Route>,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self {
            router: Router::new(),
            list: Vec::new(),
        }
    }

    /// Adds a route. The controller's argument is the proof of its admission, so the two cannot
    /// differ.
    ///
    /// GET routes also answer HEAD.
    pub(crate) fn on<A, F, Fut>(
        mut self,
        method: RouteMethod,
        path: &str,
        _admission: A,
        controller: F,
    ) -> Self
    where
        A: Admission,
        F: Fn(Call<A>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Reply> + Send + 'static,
    {
        let handler = async move |State(registry): State<Registry>, request: Request| -> Response {
            run(registry, request, controller).await
        };
        self.list.push(Route {
            method,
            path: path.to_owned(),
            access: A::ACCESS,
        });
        self.router = self.router.route(path, on(method.filter(), handler));
        self
    }

    /// Answers what no route does.
    pub(crate) fn otherwise<A, F, Fut>(mut self, _admission: A, controller: F) -> Self
    where
        A: Admission,
        F: Fn(Call<A>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Reply> + Send + 'static,
    {
        let handler = async move |State(registry): State<Registry>, request: Request| -> Response {
            run(registry, request, controller).await
        };
        self.router = self.router.fallback(handler);
        self
    }

    pub(crate) fn into_router(self) -> Router<Registry> {
        self.router
    }

    pub(crate) fn list(&self) -> &[Route] {
        &self.list
    }

    pub(crate) fn into_list(self) -> Vec<Route> {
        self.list
    }
}

async fn run<A, F, Fut>(registry: Registry, request: Request, controller: F) -> Response
where
    A: Admission,
    F: Fn(Call<A>) -> Fut + Send,
    Fut: Future<Output = Reply> + Send,
{
    let (parts, body) = request.into_parts();
    let base = match A::METERED {
        true => BaseUrl::of(&registry, &parts),
        false => Ok(BaseUrl::none()),
    };
    let base = match base {
        Ok(base) => base,
        // The body of a request for another host is not read.
        Err(refusal) => return refusal.into_response(),
    };
    match admit::<A>(&registry, &parts).await {
        Ok((admitted, share)) => {
            let (answers, turn) = (share.answers.clone(), Arc::default());
            let reply = controller(Call {
                registry,
                admitted,
                base,
                parts,
                body: Mutex::new(body),
                share,
                held: Reservation::default(),
                turn: Arc::clone(&turn),
            })
            .await;
            let answer = reply.unwrap_or_else(Refusal::into_response);
            let answer = within(&answers, answer).await;
            drop(turn);
            answer
        }
        Err(refusal) => {
            // A client that asked first whether to send its body is told not to by the answer
            // itself.
            if !parts.headers.contains_key(EXPECT) {
                drain(body, &registry).await;
            }
            refusal.into_response()
        }
    }
}

async fn admit<A: Admission>(
    registry: &Registry,
    parts: &Parts,
) -> Result<(A::Admitted, Share), Refusal> {
    let visitor = Visitor::of(registry, parts).await;
    if let Some(caller) = visitor.as_ref().ok().and_then(Visitor::caller) {
        tracing::Span::current().record("account", &caller.account.name);
    }
    if A::METERED
        && let Some(subject) = subject(visitor.as_ref().ok(), parts)
    {
        registry.rates().count(subject)?;
    }
    let visitor = visitor?;
    // A ticket is given only to users who may write.
    let share = match visitor.caller().is_some() || A::ACCESS == Access::HoldsTicket {
        true => registry.known().clone(),
        false => registry.strangers().clone(),
    };
    Ok((A::admit(registry, visitor, parts).await?, share))
}

/// The bucket to count in: of a valid token wherever it is used, else of the address, so that
/// guessing tokens is counted too.
fn subject(visitor: Option<&Visitor>, parts: &Parts) -> Option<Subject> {
    match visitor.and_then(Visitor::caller) {
        Some(caller) => Some(Subject::Token(caller.token.id.clone())),
        None => parts.extensions.get::<Peer>().copied()?.subject(),
    }
}
