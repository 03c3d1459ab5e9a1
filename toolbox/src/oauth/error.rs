//! The `SignInError`: a service refused a sign-in or its renewal, or did not answer as it should.

use oauth2::{ErrorResponseType, RequestTokenError, StandardErrorResponse};

use crate::bounded_http::HttpError;

/// The longest text of a service that an error repeats, in characters.
const SERVICE_CHARACTERS_MAX: usize = 300;

/// The reason that a service gave no access token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// The person, or the service for them, said no.
    #[error("the sign-in was refused")]
    Refused,
    /// The person did not enter the code in time.
    #[error("the code was not entered in time")]
    Expired,
    /// An earlier sign-in was withdrawn, or is too old.
    #[error("the sign-in is not valid any more")]
    SignedOut,
    /// The service answered with another error.
    #[error("the service answered: {0}")]
    Service(String),
    /// The service did not answer, or its answer does not belong to the question.
    #[error("the service does not answer as it should")]
    NoAnswer(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl SignInError {
    pub(super) fn of<T>(error: RequestTokenError<HttpError, StandardErrorResponse<T>>) -> Self
    where
        T: ErrorResponseType + std::fmt::Display + 'static,
    {
        match error {
            RequestTokenError::ServerResponse(answer) => {
                match answer.error().to_string().as_str() {
                    "access_denied" => Self::Refused,
                    "expired_token" => Self::Expired,
                    "invalid_grant" => Self::SignedOut,
                    code => {
                        let more = answer
                            .error_description()
                            .map(|text| format!("{code}: {text}"));
                        let said = more.unwrap_or_else(|| code.to_owned());
                        Self::Service(said.chars().take(SERVICE_CHARACTERS_MAX).collect())
                    }
                }
            }
            RequestTokenError::Request(error) => Self::NoAnswer(Box::new(error)),
            RequestTokenError::Parse(error, _) => {
                // Its source may hold the token that was being read.
                let place = error.path().to_string();
                Self::NoAnswer(format!("`{place}` is missing or of another type").into())
            }
            RequestTokenError::Other(reason) => Self::NoAnswer(reason.into()),
        }
    }
}
