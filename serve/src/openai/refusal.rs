//! The errors of requests to the gateway, as error responses in the form of OpenAI's APIs.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Json, Response};
use serde_json::{Value, json};
use tool_hub_agent::constraint::WrongAnswer;

use super::headers;
use crate::audit::RefusedRoute;
use crate::quoted_text::quoted_name;

/// The header that tells clients not to make a request again by themselves.
const RETRY: &str = "x-should-retry";

#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The request cannot be answered as it is.
    #[error("{message}")]
    Request {
        message: String,
        /// The member at fault.
        param: Option<&'static str>,
    },
    /// A request to a part of the endpoint's API that clients may not use with the operator's key.
    #[error("`{asked}` is not available through this server; available: {}", .available.join(", "))]
    Route {
        asked: String,
        available: &'static [&'static str],
    },
    /// The endpoint refused; its client reads its own words.
    #[error("the endpoint answered with status {status}")]
    Endpoint {
        status: StatusCode,
        headers: Box<HeaderMap>,
        body: Bytes,
    },
    /// The endpoint broke off in the middle of a stream; its client reads its own words.
    #[error("the endpoint broke off")]
    BrokeOff(Value),
    #[error("the endpoint does not answer: {0}")]
    Unreachable(String),
    #[error("the endpoint's answer cannot be used: {0}")]
    Malformed(String),
    #[error(
        "the endpoint's replies take all the memory that there is for them; send this request again"
    )]
    Busy,
    #[error("the model still calls tools in round {rounds}, the last")]
    Rounds { rounds: u32 },
    #[error("timed out after {seconds} seconds")]
    Time { seconds: u64 },
    #[error("the server is being stopped")]
    Stopping,
    #[error("the request was not forwarded, because the audit log cannot be written")]
    Unnoted,
    #[error("the system gave no random bytes")]
    Random(#[source] getrandom::Error),
    /// A tool has run, so that the same request would run it a second time.
    #[error(transparent)]
    AfterCalls(Box<Refusal>),
}

impl Refusal {
    pub(super) fn request(message: impl Into<String>, param: Option<&'static str>) -> Self {
        Self::Request {
            message: message.into(),
            param,
        }
    }

    /// The refusal of a request that is not passed on.
    pub(super) fn route(method: &Method, uri: &Uri, available: &'static [&'static str]) -> Self {
        Self::Route {
            available,
            asked: quoted_name(&format!("{method} {}", uri.path())),
        }
    }

    /// The error for a connection that could not be made, or that broke.
    pub(super) fn unreachable(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut innermost: &dyn std::error::Error = &error;
        while let Some(cause) = innermost.source() {
            innermost = cause;
        }
        Self::Unreachable(innermost.to_string())
    }

    pub(super) fn malformed(message: impl Into<String>) -> Self {
        Self::Malformed(message.into())
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Request { .. } => StatusCode::BAD_REQUEST,
            Self::Route { .. } => StatusCode::NOT_FOUND,
            Self::Endpoint { status, .. } => *status,
            Self::BrokeOff(_) | Self::Unreachable(_) | Self::Malformed(_) => {
                StatusCode::BAD_GATEWAY
            }
            Self::Rounds { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Time { .. } => StatusCode::GATEWAY_TIMEOUT,
            Self::Busy | Self::Stopping | Self::Unnoted => StatusCode::SERVICE_UNAVAILABLE,
            Self::Random(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::AfterCalls(refusal) => refusal.status(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Request { .. } => "invalid_request",
            Self::Route { .. } => "route_refused",
            Self::Endpoint { .. } | Self::BrokeOff(_) => "endpoint_refused",
            Self::Unreachable(_) => "endpoint_unreachable",
            Self::Malformed(_) => "endpoint_malformed",
            Self::Busy => "busy",
            Self::Rounds { .. } => "rounds_max",
            Self::Time { .. } => "timeout",
            Self::Stopping => "stopping",
            Self::Unnoted => "audit_log",
            Self::Random(_) => "internal",
            Self::AfterCalls(refusal) => refusal.code(),
        }
    }

    /// The error as the member `error` of an answer.
    pub(super) fn error(&self) -> Value {
        match self {
            Self::AfterCalls(refusal) => return refusal.error(),
            Self::BrokeOff(error) => return error.clone(),
            Self::Endpoint { body, .. } => {
                // A stream shows no status, so the endpoint's own error has to say it all.
                let body: Option<Value> = serde_json::from_slice(body).ok();
                if let Some(error @ Value::Object(_)) = body.as_ref().map(|body| &body["error"]) {
                    return error.clone();
                }
            }
            _ => {}
        }
        let param = match self {
            Self::Request { param, .. } => *param,
            _ => None,
        };
        let kind = match self.status() {
            status if status.is_client_error() => "invalid_request_error",
            _ => "server_error",
        };
        json!({"message": self.to_string(), "type": kind, "param": param, "code": self.code()})
    }
}

impl From<WrongAnswer> for Refusal {
    fn from(wrong: WrongAnswer) -> Self {
        Self::malformed(wrong.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::AfterCalls(refusal) => {
                let mut response = refusal.into_response();
                let never = HeaderValue::from_static("false");
                response.headers_mut().insert(RETRY, never);
                response
            }
            Self::Endpoint {
                status,
                headers,
                body,
            } => {
                let mut response = Response::new(Body::from(body));
                *response.status_mut() = status;
                *response.headers_mut() = headers::response_headers(&headers);
                response
            }
            refusal => {
                tracing::warn!(%refusal, "a request of the gateway was refused");
                let body = Json(json!({ "error": refusal.error() }));
                let mut response = (refusal.status(), body).into_response();
                if let Self::Route { .. } = refusal {
                    response.extensions_mut().insert(RefusedRoute);
                }
                response
            }
        }
    }
}
