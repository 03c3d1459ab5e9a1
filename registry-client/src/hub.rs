//! Sets up the `hf-hub` client, which makes changes to a registry, and translates its errors.
//! The changes are new repos, commits and tags. The client takes nothing from the environment, and
//! follows redirects only within the registry.

use std::fmt;

use hf_hub::{HFClient, HFError};
use reqwest::redirect::{Attempt, Policy};
use url::Url;

use crate::config::ClientConfig;
use crate::error::{Act, Answer, ClientError, excerpt};
use crate::limits::REDIRECTS_MAX;
use crate::refusal;
use crate::wire::base_client;

/// `hf-hub` looks for a token in the environment and in a file unless it is given one. It
/// drops a token that cannot be a header value, and this one cannot: so it stays anonymous.
const NO_TOKEN: &str = "\n";

/// An `hf-hub` client that takes nothing from the environment, caches nothing and retries nothing.
pub(crate) struct Hub {
    client: HFClient,
    endpoint: Url,
    signed_in: bool,
}

/// A redirect that `hf-hub` would have followed, token, body and all.
#[derive(Debug)]
struct RefusedRedirect {
    target: Url,
    rule: &'static str,
}

impl Hub {
    pub(crate) fn new(config: &ClientConfig) -> Result<Self, ClientError> {
        let endpoint = config.endpoint.clone();
        let token = config.token.as_ref().map_or(NO_TOKEN, |it| it.expose());
        // Endpoint, token, user agent and cache directory are all given, because the builder
        // reads the environment for each one that is not. The cache is never used: it joins
        // server-sent names into paths. Nothing is tried twice: a commit whose answer was
        // lost would come back as a conflict with itself.
        let client = HFClient::builder()
            .endpoint(endpoint.as_str().trim_end_matches('/'))
            .token(token)
            .user_agent(&config.user_agent)
            .cache_dir("")
            .cache_enabled(false)
            .retry_max_attempts(0)
            .client(base_client(config, same_origin(endpoint.clone()))?)
            .build()
            .map_err(|source| ClientError::Setup {
                endpoint: Box::new(endpoint.clone()),
                source: Box::new(source),
            })?;
        Ok(Self {
            client,
            endpoint,
            signed_in: config.token.is_some(),
        })
    }

    pub(crate) fn client(&self) -> &HFClient {
        &self.client
    }

    /// The error that names what went wrong in `act`.
    pub(crate) fn failed(&self, act: &Act, error: HFError) -> ClientError {
        let (context, retry_after) = match error {
            HFError::Http { context }
            | HFError::AuthRequired { context }
            | HFError::Forbidden { context }
            | HFError::Conflict { context } => (context, None),
            HFError::RateLimited {
                retry_after,
                context,
            } => (context, retry_after),
            HFError::RepoNotFound {
                context: Some(context),
                ..
            } => (context, None),
            HFError::Request { source, .. } => return self.not_sent(act, source),
            HFError::MalformedResponse { what, .. } => return refusal::nonsense(act, &what),
            HFError::Json(error) => return refusal::nonsense(act, &error.to_string()),
            other => {
                return ClientError::UploadFailed {
                    act: act.clone(),
                    what: excerpt(&other.to_string()),
                };
            }
        };
        let answer = Answer {
            status: context.status.as_u16(),
            code: context.error_code.as_deref().map(excerpt),
            message: context.server_message.as_deref().map(excerpt),
            request_id: context.request_id.as_deref().map(excerpt),
        };
        refusal::classify(act, &self.endpoint, self.signed_in, answer, retry_after)
    }

    fn not_sent(&self, act: &Act, error: reqwest::Error) -> ClientError {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(current) = cause {
            if let Some(refused) = current.downcast_ref::<RefusedRedirect>() {
                return refusal::redirect(act, &refused.target, refused.rule);
            }
            cause = current.source();
        }
        if error.is_decode() {
            return refusal::nonsense(act, "it is not the expected JSON");
        }
        refusal::not_sent(act, &self.endpoint, error)
    }
}

/// Follows redirects within the endpoint, as those of a renamed repo, and no others: the
/// request carries the token and perhaps a private component.
fn same_origin(endpoint: Url) -> Policy {
    Policy::custom(move |attempt| match refused(&endpoint, &attempt) {
        None => attempt.follow(),
        Some(rule) => {
            let target = attempt.url().clone();
            attempt.error(RefusedRedirect { target, rule })
        }
    })
}

fn refused(endpoint: &Url, attempt: &Attempt<'_>) -> Option<&'static str> {
    if attempt.url().origin() != endpoint.origin() {
        return Some("only the registry itself may be written to");
    }
    // The other codes turn a POST into a GET, which changes nothing.
    if !matches!(attempt.status().as_u16(), 307 | 308) {
        return Some("the redirect would change the request");
    }
    if attempt.previous().len() > REDIRECTS_MAX {
        return Some("there are too many");
    }
    None
}

impl fmt::Display for RefusedRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule)
    }
}

impl std::error::Error for RefusedRedirect {}
