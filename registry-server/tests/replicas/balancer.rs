//! A load balancer: one address for two servers, which get the requests in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::{CONNECTION, TRANSFER_ENCODING};

#[derive(Clone)]
struct Balancer {
    endpoints: [String; 2],
    turn: Arc<AtomicUsize>,
    client: reqwest::Client,
}

/// Starts the balancer and gives back its address and how many requests it has passed on.
pub(crate) async fn start(endpoints: [String; 2]) -> (String, Arc<AtomicUsize>) {
    let turn = Arc::new(AtomicUsize::new(0));
    let balancer = Balancer {
        endpoints,
        turn: Arc::clone(&turn),
        client: reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap(),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(pass_on).with_state(balancer);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (endpoint, turn)
}

/// The `Host` header stays, so the servers make their links with the balancer's address.
async fn pass_on(State(balancer): State<Balancer>, request: Request) -> Response {
    let turn = balancer.turn.fetch_add(1, Ordering::Relaxed);
    let (mut parts, body) = request.into_parts();
    parts.headers.remove(CONNECTION);
    parts.headers.remove(TRANSFER_ENCODING);
    let url = format!("{}{}", balancer.endpoints[turn % 2], parts.uri);
    let answer = balancer
        .client
        .request(parts.method, url)
        .headers(parts.headers)
        .body(reqwest::Body::wrap_stream(body.into_data_stream()))
        .send()
        .await
        .unwrap();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    response.headers_mut().remove(TRANSFER_ENCODING);
    *response.body_mut() = Body::from_stream(answer.bytes_stream());
    response
}
