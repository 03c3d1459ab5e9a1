//! The `Refusal` of a request by the proxy, in words for whoever reads the program's error.

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Empty, Full};
use tool_hub_egress::DialError;

/// The body of an answer.
pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// A request that the proxy does not pass on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("this is a proxy; send the whole address, or CONNECT")]
    NotForProxy,
    #[error("this is not a plain origin: {0}")]
    Origin(String),
    #[error("not granted: {0}")]
    NotGranted(String),
    #[error("{what} is not granted for {origin}")]
    Method { what: String, origin: String },
    #[error("the request has two lengths")]
    Lengths,
    #[error("cannot reach {origin}: {error}")]
    Dial { origin: String, error: DialError },
    #[error("{origin} did not answer: {error}")]
    Exchange { origin: String, error: String },
}

impl Refusal {
    pub(super) fn response(&self) -> Response<Body> {
        let status = match self {
            Self::NotForProxy | Self::Origin(_) | Self::Lengths => StatusCode::BAD_REQUEST,
            Self::NotGranted(_) | Self::Method { .. } => StatusCode::FORBIDDEN,
            Self::Dial {
                error: DialError::Address,
                ..
            } => StatusCode::FORBIDDEN,
            Self::Dial { .. } | Self::Exchange { .. } => StatusCode::BAD_GATEWAY,
        };
        let text = Full::new(Bytes::from(format!("{self}\n")));
        let mut response = Response::new(text.map_err(|never| match never {}).boxed());
        *response.status_mut() = status;
        response
    }
}

/// A body without a byte.
pub(super) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}
