//! Refusals: error answers in the form the Hub's clients read, also made from internal errors.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::database::DatabaseFailure;
use crate::error::RegistryError;

/// The result of a controller.
pub(crate) type Reply = Result<Response, Refusal>;

/// Longest message that also goes into a header.
const HEADER_MESSAGE_CHARS_MAX: usize = 300;

/// The kind of thing that is not there; clients choose their error types by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotFound {
    Repository,
    Revision,
    Entry,
}

impl NotFound {
    fn word(self) -> &'static str {
        match self {
            Self::Repository => "RepoNotFound",
            Self::Revision => "RevisionNotFound",
            Self::Entry => "EntryNotFound",
        }
    }
}

/// A refused request: a status, a message for people and, where clients tell cases apart, a code.
///
/// Boxed, because it is the rare half of nearly every result here.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Parts>);

#[derive(Debug)]
struct Parts {
    status: StatusCode,
    code: Option<NotFound>,
    message: String,
    fields: Map<String, Value>,
    headers: HeaderMap,
}

/// The body of a refusal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    #[serde(flatten)]
    fields: Map<String, Value>,
    /// For people.
    error: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            status,
            code: None,
            message: message.into(),
            fields: Map::new(),
            headers: HeaderMap::new(),
        }))
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    pub(crate) fn revision_not_found(revision: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("Invalid rev id: {revision}"))
            .code(NotFound::Revision)
    }

    pub(crate) fn entry_not_found(path: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("Entry not found: {path}")).code(NotFound::Entry)
    }

    pub(crate) fn too_large(what: &str, bytes_max: u64) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("{what} is longer than {bytes_max} bytes"),
        )
    }

    /// The refusal of what may succeed in a moment. It tells clients when to come again.
    pub(crate) fn try_again(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
            .header(RETRY_AFTER, HeaderValue::from_static("2"))
    }

    pub(crate) fn code(mut self, code: NotFound) -> Self {
        self.0.code = Some(code);
        self
    }

    /// Adds a field to the JSON body.
    pub(crate) fn field(mut self, name: &str, value: Value) -> Self {
        self.0.fields.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Self {
        if matches!(error, RegistryError::Sha1Collision) {
            return Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string());
        }
        if matches!(error, RegistryError::ContentCollected { .. }) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a commit lost a race"
            );
            return Self::try_again(
                "a file of this commit was being collected as garbage; send the commit again",
            );
        }
        if disk_is_full(&error) {
            tracing::error!(error = &error as &dyn std::error::Error, "no space is left");
            return Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "the registry has no space left",
            );
        }
        if trouble(&error) == Some(DatabaseFailure::ZeroByte) {
            return Self::bad_request("a zero byte has no place in a text");
        }
        if matches!(error, RegistryError::RepositoryGone) {
            return Self::new(StatusCode::NOT_FOUND, "Repository not found")
                .code(NotFound::Repository);
        }
        if matches!(error, RegistryError::RightEnded) {
            return Self::forbidden(
                "your right to change this repository ended while this request was under way: \
                 the token, your role or the trusted publisher is gone, and nothing was changed",
            );
        }
        if trouble(&error) == Some(DatabaseFailure::Busy) || storage_is_away(&error) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the database or the storage has no time or is out of reach"
            );
            return Self::try_again("the registry is overloaded or being restarted; try again");
        }
        // What went wrong inside is for the operator; the client gets the request id to quote.
        tracing::error!(error = &error as &dyn std::error::Error, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the registry failed; quote the request id to its operator",
        )
    }
}

/// The meaning of a failure of the database, if it is one and no fault of this program.
fn trouble(error: &RegistryError) -> Option<DatabaseFailure> {
    match error {
        RegistryError::Query(error) => DatabaseFailure::of(error),
        _ => None,
    }
}

/// A server that holds the content does not answer, or answers with a failure of its own, however
/// often it is asked.
fn storage_is_away(error: &RegistryError) -> bool {
    matches!(
        error,
        RegistryError::Content(object_store::Error::Generic { store: "S3", .. })
    )
}

fn disk_is_full(error: &RegistryError) -> bool {
    if trouble(error) == Some(DatabaseFailure::Full) {
        return true;
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::StorageFull
        {
            return true;
        }
        cause = error.source();
    }
    false
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Parts {
            status,
            code,
            message,
            fields,
            headers: extra,
        } = *self.0;
        let header = HeaderValue::from_str(&header_text(&message));
        let error = message;
        let body = json!(ErrorBody { fields, error });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.extend(extra);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(code) = code {
            headers.insert(
                HeaderName::from_static("x-error-code"),
                HeaderValue::from_static(code.word()),
            );
        }
        if let Ok(message) = header {
            headers.insert(HeaderName::from_static("x-error-message"), message);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// A HEAD answer has no body, so the message also travels in a header, which holds visible ASCII
/// only.
fn header_text(message: &str) -> String {
    message
        .chars()
        .take(HEADER_MESSAGE_CHARS_MAX)
        .map(|c| {
            if c == ' ' || c.is_ascii_graphic() {
                c
            } else {
                '?'
            }
        })
        .collect()
}
