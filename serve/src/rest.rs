//! Tools over plain HTTP: a list, a call, and an OpenAPI document of all functions, for programs
//! that know nothing of agents' protocols.
//!
//! A status says what became of the request, and the body what became of the call: a tool that
//! fails has answered, so its failure comes with status 200, as text that a model can read.

mod call;
mod openapi;
mod pages;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio_util::sync::CancellationToken;

use crate::Toolset;
use crate::callee::Callee;
use crate::http::Problem;
use crate::toolset::UnknownFunction;
use pages::{Page, Pages};

/// Below it stand `tools`, `tools/{name}` and `openapi.json`.
pub const REST_PATH: &str = "/v1";

/// What every route knows.
struct Rest {
    toolset: Toolset,
    pages: Pages,
    /// Ends calls that are under way.
    stop: CancellationToken,
}

/// The routes of one caller.
pub(crate) fn routes(toolset: Toolset, stop: CancellationToken) -> Router {
    let rest = Rest {
        toolset,
        pages: Pages::default(),
        stop,
    };
    let routes = Router::new()
        .route("/tools", get(list))
        .route("/tools/{name}", get(one).merge(post(call::call)))
        .route("/openapi.json", get(document))
        .with_state(Arc::new(rest));
    Router::new()
        .nest(REST_PATH, routes)
        .fallback(nothing_there)
        .method_not_allowed_fallback(nothing_of_that_method)
}

async fn list(State(rest): State<Arc<Rest>>, headers: HeaderMap) -> Response {
    let pages = rest.pages.of(&rest.toolset);
    pages.list.answer(&headers)
}

async fn document(State(rest): State<Arc<Rest>>, headers: HeaderMap) -> Response {
    let pages = rest.pages.of(&rest.toolset);
    pages.document.answer(&headers)
}

async fn one(
    State(rest): State<Arc<Rest>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    match rest.function(&name) {
        Ok(callee) => Page::new(&pages::entry(callee.spec(), callee.definition())).answer(&headers),
        Err(problem) => problem.into_response(),
    }
}

async fn nothing_there() -> Problem {
    let detail = format!("nothing is here; {REST_PATH}/openapi.json says what is where");
    Problem::new(StatusCode::NOT_FOUND, detail)
}

async fn nothing_of_that_method() -> Problem {
    let detail = "the header `Allow` names the methods that this address has";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}

impl Rest {
    fn function(&self, name: &str) -> Result<Callee, Problem> {
        self.toolset.function(name).map_err(unknown)
    }
}

fn unknown(unknown: UnknownFunction) -> Problem {
    let problem = Problem::new(StatusCode::NOT_FOUND, unknown.to_string());
    match unknown.nearest() {
        Some(nearest) => problem.with("nearest", nearest),
        None => problem,
    }
}
