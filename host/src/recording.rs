//! The `HttpRecorder` trait, by which tests of a tool record its HTTP requests and replay them.

use bytes::Bytes;

/// Stands between a tool and the network, for tests. A request reaches it after it passed the gate
/// that checks grants, methods and bodies, which it cannot open any further.
///
/// The values of the tool's secret variables are masked in all that it is given. What a recording
/// holds in another form, such as compressed, is not searched.
pub trait HttpRecorder: Send + Sync {
    /// Says what becomes of a request.
    fn decide(&self, request: &RecordedRequest) -> HttpDecision;

    /// Takes an exchange with the network, after [`HttpDecision::Send`].
    fn record(&self, request: &RecordedRequest, response: &RecordedResponse);
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpDecision {
    /// It is answered with this; nothing is sent.
    Answer(RecordedResponse),
    /// It is refused, because nothing is recorded for it.
    Refuse,
    /// It is sent.
    Send,
}

/// A request without its header fields, which may hold what is secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordedRequest {
    /// Such as `GET`.
    pub method: String,
    /// The absolute URL.
    pub url: String,
    /// The whole body.
    pub body: Bytes,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedResponse {
    /// Such as 200.
    pub status: u16,
    /// The header fields in their order, without those that are for one connection or set cookies.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
}
