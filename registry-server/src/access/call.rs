//! From a route to its controller, through its scope.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use http::header::EXPECT;
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::caller::Visitor;
use super::route::{Route, RouteMethod};
use super::scope::Scope;
use crate::http::{BaseUrl, Query, Refusal, Reply, drain, read_bounded};
use crate::rates::{Peer, Subject};
use crate::registry::Registry;

/// One admitted request.
pub(crate) struct Call<S: Scope> {
    pub(crate) registry: Registry,
    pub(crate) admitted: S::Admitted,
    pub(crate) base: BaseUrl,
    pub(crate) parts: Parts,
    /// Nothing locks this: a body is not `Sync`, and the lock only makes a call one, so that it can be lent across an await.
    body: Mutex<Body>,
}

impl<S: Scope> Call<S> {
    pub(crate) fn query(&self) -> Query {
        Query::of(&self.parts)
    }

    /// The body, once; afterwards it is empty.
    pub(crate) fn take_body(&mut self) -> Body {
        std::mem::take(self.body.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// The whole body, for small ones.
    pub(crate) async fn bytes(&mut self) -> Result<Vec<u8>, Refusal> {
        let body = self.take_body();
        let limits = self.registry.limits();
        read_bounded(body, limits, limits.json_bytes_max).await
    }

    /// The body as JSON. The content type is not looked at: the clients do not agree on it.
    pub(crate) async fn json<T: DeserializeOwned>(&mut self) -> Result<T, Refusal> {
        let bytes = self.bytes().await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Refusal::bad_request(format!("the body is not what this route takes: {error}"))
        })
    }
}

/// A router that takes no route without a scope, and the list of what it took.
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

    /// Adds a route. The controller's argument is the proof of the scope, so the two cannot differ.
    ///
    /// GET routes also answer HEAD.
    pub(crate) fn on<S, F, Fut>(
        mut self,
        method: RouteMethod,
        path: &str,
        _scope: S,
        controller: F,
    ) -> Self
    where
        S: Scope,
        F: Fn(Call<S>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Reply> + Send + 'static,
    {
        let handler = async move |State(registry): State<Registry>, request: Request| -> Response {
            run(registry, request, controller).await
        };
        self.list.push(Route {
            method,
            path: path.to_owned(),
            access: S::ACCESS,
        });
        self.router = self.router.route(path, on(method.filter(), handler));
        self
    }

    /// Answers what no route does.
    pub(crate) fn otherwise<S, F, Fut>(mut self, _scope: S, controller: F) -> Self
    where
        S: Scope,
        F: Fn(Call<S>) -> Fut + Clone + Send + Sync + 'static,
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

    pub(crate) fn into_list(self) -> Vec<Route> {
        self.list
    }
}

async fn run<S, F, Fut>(registry: Registry, request: Request, controller: F) -> Response
where
    S: Scope,
    F: Fn(Call<S>) -> Fut + Send,
    Fut: Future<Output = Reply> + Send,
{
    let (parts, body) = request.into_parts();
    match admit::<S>(&registry, &parts).await {
        Ok((admitted, base)) => {
            let reply = controller(Call {
                registry,
                admitted,
                base,
                parts,
                body: Mutex::new(body),
            })
            .await;
            reply.unwrap_or_else(Refusal::into_response)
        }
        Err(refusal) => {
            // A client that asked first whether to send its body is told not to by the answer itself.
            if !parts.headers.contains_key(EXPECT) {
                drain(body, registry.limits()).await;
            }
            refusal.into_response()
        }
    }
}

async fn admit<S: Scope>(
    registry: &Registry,
    parts: &Parts,
) -> Result<(S::Admitted, BaseUrl), Refusal> {
    let base = BaseUrl::of(registry, parts)?;
    let visitor = Visitor::of(registry, parts).await;
    if let Some(caller) = visitor.as_ref().ok().and_then(Visitor::caller) {
        tracing::Span::current().record("account", &caller.account.name);
    }
    if S::METERED
        && let Some(subject) = subject(visitor.as_ref().ok(), parts)
    {
        registry.rates().count(subject)?;
    }
    Ok((S::admit(registry, visitor?, parts).await?, base))
}

/// Who is counted: a valid token wherever it is used, else the address, so that guessing tokens is counted too.
fn subject(visitor: Option<&Visitor>, parts: &Parts) -> Option<Subject> {
    match visitor.and_then(Visitor::caller) {
        Some(caller) => Some(Subject::Token(caller.token.id.clone())),
        None => parts.extensions.get::<Peer>().copied()?.subject(),
    }
}
