//! The `Wire` before a registry that lies: whoever owns the registry changes what it answers.

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::runtime::Runtime;

use crate::support::website::serve;

/// The most bytes of a request or an answer.
const BYTES_MAX: usize = 1 << 20;

/// An answer of the registry, on its way to the user.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Answers with this text instead.
    pub(crate) fn says(&mut self, text: impl Into<Vec<u8>>) {
        self.status = StatusCode::OK;
        self.headers = HeaderMap::new();
        self.body = text.into();
    }

    /// Says that there is nothing.
    pub(crate) fn is_missing(&mut self) {
        self.says("");
        self.status = StatusCode::NOT_FOUND;
    }

    /// Replaces a text in the body, if it is there.
    pub(crate) fn replace(&mut self, from: &str, to: &str) {
        if let Ok(text) = std::str::from_utf8(&self.body) {
            self.body = text.replace(from, to).into_bytes();
        }
    }
}

/// A change of the answers to requests with this path and query.
pub(crate) type Lie = Arc<dyn Fn(&str, &mut Answer) + Send + Sync>;

/// An address that passes requests on to a registry, and lies about its answers.
pub(crate) struct Wire {
    url: String,
    lie: Arc<RwLock<Option<Lie>>>,
    _runtime: Runtime,
}

impl Wire {
    /// Starts it, honest, before the registry at `target`.
    pub(crate) fn start(target: &str) -> Self {
        let lie: Arc<RwLock<Option<Lie>>> = Arc::default();
        let (current, target) = (Arc::clone(&lie), target.trim_end_matches('/').to_owned());
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        let (url, runtime) = serve(Router::new().fallback(move |request: Request| {
            let lie = current
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            pass(client.clone(), target.clone(), lie, request)
        }));
        Self {
            url,
            lie,
            _runtime: runtime,
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Tells this lie from now on.
    pub(crate) fn lies(&self, lie: Lie) {
        *self.lie.write().unwrap_or_else(PoisonError::into_inner) = Some(lie);
    }
}

async fn pass(
    client: reqwest::Client,
    target: String,
    lie: Option<Lie>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let asked = parts.uri.path_and_query().map_or("/", |it| it.as_str());
    let body: Bytes = to_bytes(body, BYTES_MAX).await.unwrap_or_default();
    let sent = client
        .request(parts.method, format!("{target}{asked}"))
        .headers(parts.headers)
        .body(body)
        .send();
    let Ok(answer) = sent.await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let mut headers = answer.headers().clone();
    headers.remove(header::TRANSFER_ENCODING);
    headers.remove(header::CONTENT_LENGTH);
    let mut answer = Answer {
        status: answer.status(),
        headers,
        body: answer.bytes().await.unwrap_or_default().to_vec(),
    };
    if let Some(lie) = lie {
        // A lie may wait until another question comes.
        tokio::task::block_in_place(|| lie(asked, &mut answer));
    }
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}
