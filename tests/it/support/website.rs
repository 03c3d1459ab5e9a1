//! A website of the tests: an HTTP server on a free port that remembers what it was asked for.
//! The port is on the loopback address.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::http::Uri;
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

/// Answers `pages` on a free port as long as the runtime lives; the origin.
pub(crate) fn serve(pages: Router) -> (String, Runtime) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let listener = runtime
        .block_on(TcpListener::bind("127.0.0.1:0"))
        .expect("a free port");
    let origin = format!("http://{}", listener.local_addr().expect("an address"));
    runtime.spawn(async move { axum::serve(listener, pages).await });
    (origin, runtime)
}

/// A running website. It ends when it goes out of scope.
pub(crate) struct Website {
    origin: String,
    asked: Arc<Mutex<Vec<String>>>,
    _runtime: Runtime,
}

impl Website {
    /// Starts a website that answers a path with `page`.
    pub(crate) fn start<F>(page: F) -> Self
    where
        F: Fn(&str) -> Response + Clone + Send + Sync + 'static,
    {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let pages = Router::new().fallback(move |uri: Uri| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(uri.path().to_owned());
            std::future::ready(page(uri.path()))
        });
        let (origin, runtime) = serve(pages);
        Self {
            origin,
            asked,
            _runtime: runtime,
        }
    }

    /// Its origin, as it is asked for and granted.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The paths that it was asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
