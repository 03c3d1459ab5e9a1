//! Identifies the caller of a request by its bearer token.

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use tool_hub_transparency::JobIdentity;

use super::secret_hash::hash;
use crate::clock;
use crate::database::accounts::Account;
use crate::database::keys::RepositoryKey;
use crate::database::repositories::Repository;
use crate::database::tokens::TokenRow;
use crate::database::write_authority::{Needed, WriteAuthority};
use crate::http::Refusal;
use crate::names::TokenScope;
use crate::registry::Registry;
use crate::roles::TokenRole;

/// Somebody with a valid token.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) account: Account,
    pub(crate) token: TokenRow,
}

impl Caller {
    pub(crate) fn role(&self) -> TokenRole {
        self.token.role
    }

    /// The authority on which the caller makes a change, to be held against what is true once the
    /// repository is locked.
    pub(crate) fn authority(&self, needed: Needed) -> WriteAuthority {
        WriteAuthority::new(&self.account.id, &self.token.id, needed)
    }

    /// The repositories in which the token has its owner's rights.
    pub(crate) fn scope(&self) -> TokenScope {
        TokenScope::from_stored(self.token.repositories.as_deref())
    }

    /// The one repository that the token may publish to, where it is one of a trusted publisher.
    pub(crate) fn publishes_to(&self) -> Option<&RepositoryKey> {
        self.token.publishes_to.as_ref()
    }

    /// The job that the token was made for, where it is one of a trusted publisher.
    pub(crate) fn job(&self) -> Option<JobIdentity> {
        serde_json::from_str(self.token.job.as_deref()?).ok()
    }

    /// True if the token has its owner's rights in this repository.
    pub(super) fn reaches(&self, repository: &Repository) -> bool {
        match self.publishes_to() {
            Some(only) => *only == repository.id,
            None => self
                .scope()
                .covers(&repository.owner_name, &repository.name),
        }
    }
}

/// Whoever sent a request.
#[derive(Debug, Clone)]
pub(crate) enum Visitor {
    Anonymous,
    SignedIn(Box<Caller>),
}

impl Visitor {
    /// Reads the token of a request. A token that is not valid is an error, also where none is
    /// needed: silence would hide from its owner that it expired.
    pub(crate) async fn of(registry: &Registry, parts: &Parts) -> Result<Self, Refusal> {
        let Some(secret) = bearer(&parts.headers)? else {
            return Ok(Self::Anonymous);
        };
        // The lookup is by hash, so how long it takes says nothing about how much of a guess was
        // right.
        let found = registry
            .database()
            .valid_token(&hash(secret), clock::now_ms())
            .await?;
        match found {
            Some((account, token)) => Ok(Self::SignedIn(Box::new(Caller { account, token }))),
            None => Err(invalid_credentials()),
        }
    }

    pub(crate) fn caller(&self) -> Option<&Caller> {
        match self {
            Self::Anonymous => None,
            Self::SignedIn(caller) => Some(caller),
        }
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| invalid_credentials())?;
    match text.split_once(' ') {
        Some((scheme, secret))
            if scheme.eq_ignore_ascii_case("bearer") && !secret.trim().is_empty() =>
        {
            Ok(Some(secret.trim()))
        }
        _ => Err(invalid_credentials()),
    }
}

/// Python keeps a 401 with exactly this text apart from "repository not found".
fn invalid_credentials() -> Refusal {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "Invalid credentials in Authorization header",
    )
}
