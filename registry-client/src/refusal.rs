//! Turns refusals of a registry, network failures and unusable answers into the client's errors.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use tool_hub_manifest::CommitId;
use url::Url;

use crate::error::{Act, Answer, ClientError, excerpt};

/// Reads the answer's texts out of headers and body. Headers win, as a HEAD has no body.
pub(crate) fn answer(status: u16, headers: &HeaderMap, body: &[u8]) -> Answer {
    let header = |name| {
        let value = headers.get(name)?;
        Some(excerpt(&String::from_utf8_lossy(value.as_bytes())))
    };
    Answer {
        status,
        code: header("x-error-code"),
        message: header("x-error-message").or_else(|| error_member(body)),
        request_id: header("x-request-id"),
    }
}

/// Only whole seconds are read; a date is as good as nothing said.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// The error for an answer that is not the one that was hoped for.
pub(crate) fn classify(
    act: &Act,
    endpoint: &Url,
    signed_in: bool,
    answer: Answer,
    retry_after: Option<Duration>,
) -> ClientError {
    let act = act.clone();
    let endpoint = Box::new(endpoint.clone());
    // The code says more than the status: a missing repo is a 401 to whoever is anonymous.
    match (answer.code.as_deref(), answer.status) {
        (Some("RepoNotFound"), 401 | 403 | 404) => {
            return repo_not_found(act, endpoint, signed_in, answer);
        }
        (Some("GatedRepo"), _) => {
            return ClientError::Forbidden {
                act,
                answer: Box::new(answer),
            };
        }
        (Some("RevisionNotFound"), 404) => {
            if let Act::FindRevision(repo, revision) = act {
                return ClientError::RevisionNotFound { repo, revision };
            }
        }
        _ => {}
    }
    let answer = Box::new(answer);
    match answer.status {
        401 if !signed_in => ClientError::TokenMissing { act, endpoint },
        401 => ClientError::TokenRefused {
            act,
            endpoint,
            answer,
        },
        403 => ClientError::Forbidden { act, answer },
        404 => match act {
            Act::FindRevision(repo, revision) => ClientError::RevisionNotFound { repo, revision },
            act @ (Act::ExchangeIdentity(_) | Act::Publishers(_)) => {
                ClientError::Refused { act, answer }
            }
            act => repo_not_found_unless_file(act, endpoint, signed_in, answer),
        },
        409 | 412 => match act {
            Act::Create(repo) | Act::Commit(repo) => ClientError::Conflict {
                repo,
                head: None,
                answer,
            },
            act => ClientError::Refused { act, answer },
        },
        429 => ClientError::RateLimited {
            act,
            retry_after,
            answer,
        },
        500..=599 => ClientError::ServerFailed { act, answer },
        _ => ClientError::Refused { act, answer },
    }
}

/// The error for a request that got no response.
pub(crate) fn not_sent(act: &Act, endpoint: &Url, source: reqwest::Error) -> ClientError {
    if source.is_connect() {
        return ClientError::Unreachable {
            act: act.clone(),
            endpoint: Box::new(endpoint.clone()),
            mirror_of: None,
            source: source.without_url(),
        };
    }
    broken(act, source)
}

/// The error for a connection that broke. The URL is taken out: that of a redirected
/// download carries a signature.
pub(crate) fn broken(act: &Act, source: reqwest::Error) -> ClientError {
    ClientError::Broken {
        act: act.clone(),
        source: source.without_url(),
    }
}

/// The error for an answer that no honest registry gives.
pub(crate) fn nonsense(act: &Act, what: &str) -> ClientError {
    ClientError::Nonsense {
        act: act.clone(),
        what: excerpt(what),
    }
}

/// The error for a redirect to `target`, of which only scheme, host and port are shown.
pub(crate) fn redirect(act: &Act, target: &Url, rule: &'static str) -> ClientError {
    let mut host = format!("{}://{}", target.scheme(), target.host_str().unwrap_or(""));
    if let Some(port) = target.port() {
        host = format!("{host}:{port}");
    }
    ClientError::Redirect {
        act: act.clone(),
        host: excerpt(&host),
        rule,
    }
}

/// A commit id that a registry sent.
pub(crate) fn commit(act: &Act, text: &str) -> Result<CommitId, ClientError> {
    text.parse()
        .map_err(|error| nonsense(act, &format!("{error}")))
}

fn repo_not_found(act: Act, endpoint: Box<Url>, signed_in: bool, answer: Answer) -> ClientError {
    match act.repo() {
        Some(repo) => ClientError::RepoNotFound {
            repo: repo.clone(),
            endpoint,
            signed_in,
        },
        None => ClientError::Refused {
            act,
            answer: Box::new(answer),
        },
    }
}

fn repo_not_found_unless_file(
    act: Act,
    endpoint: Box<Url>,
    signed_in: bool,
    answer: Box<Answer>,
) -> ClientError {
    // A file that was listed a moment ago and a tag's commit are not the repo itself.
    match act {
        Act::Download(..) | Act::Tag(..) => ClientError::Refused { act, answer },
        act => repo_not_found(act, endpoint, signed_in, *answer),
    }
}

fn error_member(body: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    let text = value.get("error").or_else(|| value.get("message"))?;
    text.as_str().map(excerpt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(act: Act, signed_in: bool, status: u16, code: &str, expect: &str) {
        let answer = Answer {
            status,
            code: (!code.is_empty()).then(|| code.to_owned()),
            message: None,
            request_id: None,
        };
        let endpoint = "https://example.org".parse().unwrap();
        let error = classify(&act, &endpoint, signed_in, answer, None);
        let shown = format!("{error:?}");
        let variant = shown.split([' ', '{', '(']).next().unwrap_or_default();
        assert_eq!(variant, expect, "{shown}");
    }

    #[test]
    fn every_status_has_its_error() {
        let repo = || "demo/x".parse().unwrap();
        let list = || Act::ListVersions(repo());
        let find = || Act::FindRevision(repo(), "main".into());
        check(list(), false, 401, "RepoNotFound", "RepoNotFound");
        check(list(), true, 404, "RepoNotFound", "RepoNotFound");
        check(list(), true, 404, "", "RepoNotFound");
        check(list(), false, 401, "", "TokenMissing");
        check(list(), true, 401, "", "TokenRefused");
        check(list(), true, 403, "", "Forbidden");
        check(list(), false, 401, "GatedRepo", "Forbidden");
        check(find(), true, 404, "RevisionNotFound", "RevisionNotFound");
        check(find(), true, 404, "", "RevisionNotFound");
        check(find(), true, 404, "RepoNotFound", "RepoNotFound");
        check(Act::Commit(repo()), true, 412, "", "Conflict");
        check(Act::Commit(repo()), true, 409, "", "Conflict");
        check(Act::Tag(repo(), "v1.0.0".into()), true, 409, "", "Refused");
        check(Act::Search, true, 429, "", "RateLimited");
        check(Act::Search, true, 500, "", "ServerFailed");
        check(Act::Search, true, 507, "", "ServerFailed");
        check(Act::Search, true, 400, "", "Refused");
        check(Act::Search, true, 304, "", "Refused");
        check(Act::Identify, true, 404, "", "Refused");
        check(Act::Identify, false, 401, "RepoNotFound", "Refused");
    }

    #[test]
    fn a_redirect_shows_no_signature() {
        let target = "https://cdn.example.org:444/x?signature=secret"
            .parse()
            .unwrap();
        let shown = redirect(&Act::Search, &target, "no").to_string();
        assert!(shown.contains("https://cdn.example.org:444,"), "{shown}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
