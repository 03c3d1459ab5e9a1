//! Serves tools over plain HTTP to any program: a list, a call, and an OpenAPI document.
//!
//! A status says what became of the request, and the body what became of the call: a tool that
//! fails has answered, so its failure comes with status 200, as text that a model can read.

mod cached_documents;
mod call;
mod openapi;
mod state;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tokio_util::sync::CancellationToken;

use crate::http::problem::Problem;
use crate::paths::REST_PATH;
use crate::toolset::Toolset;
use cached_documents::{Page, PageCache};
use state::RestState;

/// The routes of one caller.
pub(crate) fn routes(toolset: Toolset, stop: CancellationToken) -> Router {
    let rest = RestState {
        toolset,
        pages: PageCache::default(),
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

async fn list(State(rest): State<Arc<RestState>>, headers: HeaderMap) -> Response {
    let pages = rest.pages.of(&rest.toolset);
    pages.list.answer(&headers)
}

async fn document(State(rest): State<Arc<RestState>>, headers: HeaderMap) -> Response {
    let pages = rest.pages.of(&rest.toolset);
    pages.document.answer(&headers)
}

async fn one(
    State(rest): State<Arc<RestState>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    match rest.function(&name) {
        Ok(resolved) => Page::new(&cached_documents::entry(
            resolved.spec(),
            resolved.definition(),
        ))
        .answer(&headers),
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
