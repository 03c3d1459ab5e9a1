//! The callers of the rights matrix: each one's token, and rights before the token limits them.

use std::time::Duration;

use time::OffsetDateTime;
use tool_hub_registry_server::{MemberRole, NewToken, TokenRole, TokenScope};

use crate::support::TestRegistry;

/// Somebody with some token.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) name: &'static str,
    /// The whole header.
    pub(super) authorization: Option<String>,
    pub(super) token: Token,
    /// Rights in what alice owns and in what the organisation owns, before the token limits them.
    pub(super) in_alice: Role,
    pub(super) in_acme: Role,
}

/// The state and the rights of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Absent,
    Refused,
    /// A role, and the ids it is limited to.
    Good {
        writes: bool,
        only: Option<Vec<&'static str>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Stranger,
    Reads,
    Writes,
    Manages,
}

use Role::{Manages, Reads, Stranger, Writes};

pub(super) async fn callers(hub: &TestRegistry) -> Vec<Caller> {
    for (user, role) in [
        ("reader", MemberRole::Read),
        ("writer", MemberRole::Write),
        ("manager", MemberRole::Admin),
    ] {
        hub.registry.add_user(user, None).await.unwrap();
        hub.registry.add_member("acme", user, role).await.unwrap();
    }
    let mut callers = vec![
        caller("nobody", None, Token::Absent, Stranger, Stranger),
        caller(
            "a guess",
            Some(format!("Bearer hf_{}", "0".repeat(64))),
            Token::Refused,
            Stranger,
            Stranger,
        ),
        caller(
            "another scheme",
            Some("Basic YWxpY2U6eA==".to_owned()),
            Token::Refused,
            Stranger,
            Stranger,
        ),
        caller(
            "expired",
            Some(expired(hub).await),
            Token::Refused,
            Manages,
            Manages,
        ),
        caller(
            "revoked",
            Some(revoked(hub).await),
            Token::Refused,
            Manages,
            Manages,
        ),
    ];
    for (name, user, role, only, in_alice, in_acme) in [
        (
            "owner reads",
            "alice",
            TokenRole::Read,
            None,
            Manages,
            Manages,
        ),
        ("owner", "alice", TokenRole::Write, None, Manages, Manages),
        (
            "owner reads elsewhere",
            "alice",
            TokenRole::Read,
            Some(vec!["alice/taken"]),
            Manages,
            Manages,
        ),
        (
            "owner writes elsewhere",
            "alice",
            TokenRole::Write,
            Some(vec!["alice/taken", "bob/*"]),
            Manages,
            Manages,
        ),
        (
            "owner reads here",
            "alice",
            TokenRole::Read,
            Some(vec!["alice/closed", "acme/closed"]),
            Manages,
            Manages,
        ),
        (
            "owner writes here",
            "alice",
            TokenRole::Write,
            Some(vec!["Alice/Open", "alice/closed", "alice/old"]),
            Manages,
            Manages,
        ),
        (
            "owner writes in one name space",
            "alice",
            TokenRole::Write,
            Some(vec!["acme/*"]),
            Manages,
            Manages,
        ),
        (
            "stranger",
            "bob",
            TokenRole::Write,
            None,
            Stranger,
            Stranger,
        ),
        (
            "stranger with a large claim",
            "bob",
            TokenRole::Write,
            Some(vec!["alice/*", "acme/*"]),
            Stranger,
            Stranger,
        ),
        (
            "member reads",
            "reader",
            TokenRole::Write,
            None,
            Stranger,
            Reads,
        ),
        (
            "member writes",
            "writer",
            TokenRole::Write,
            None,
            Stranger,
            Writes,
        ),
        (
            "member writes, token reads",
            "writer",
            TokenRole::Read,
            None,
            Stranger,
            Writes,
        ),
        (
            "member manages",
            "manager",
            TokenRole::Write,
            None,
            Stranger,
            Manages,
        ),
        (
            "member manages elsewhere",
            "manager",
            TokenRole::Write,
            Some(vec!["acme/taken"]),
            Stranger,
            Manages,
        ),
    ] {
        let scope = only.clone().map_or(TokenScope::All, |only: Vec<&str>| {
            TokenScope::Only(only.iter().map(|text| text.parse().unwrap()).collect())
        });
        let made = hub
            .registry
            .create_limited_token(user, name, role, scope, None)
            .await
            .unwrap();
        let token = Token::Good {
            writes: role == TokenRole::Write,
            only,
        };
        callers.push(caller(name, Some(bearer(&made)), token, in_alice, in_acme));
    }
    callers
}

impl Caller {
    pub(super) fn standing(&self, owner: &str) -> Role {
        match owner {
            "alice" => self.in_alice,
            "acme" => self.in_acme,
            _ => Stranger,
        }
    }

    pub(super) fn reaches(&self, owner: &str, name: &str) -> bool {
        match &self.token {
            Token::Good {
                only: Some(only), ..
            } => only.iter().any(|pattern| {
                let (of, one) = pattern.split_once('/').unwrap();
                of.eq_ignore_ascii_case(owner) && (one == "*" || one.eq_ignore_ascii_case(name))
            }),
            _ => true,
        }
    }
}

fn caller(
    name: &'static str,
    authorization: Option<String>,
    token: Token,
    in_alice: Role,
    in_acme: Role,
) -> Caller {
    Caller {
        name,
        authorization,
        token,
        in_alice,
        in_acme,
    }
}

fn bearer(token: &NewToken) -> String {
    format!("Bearer {}", token.secret.expose())
}

async fn expired(hub: &TestRegistry) -> String {
    let later = OffsetDateTime::now_utc() + Duration::from_secs(60);
    let made = hub
        .registry
        .create_token("alice", "expired", TokenRole::Write, Some(later))
        .await
        .unwrap();
    hub.run_sql("UPDATE tokens SET expires_ms = 1 WHERE name = 'expired'")
        .await
        .unwrap();
    bearer(&made)
}

async fn revoked(hub: &TestRegistry) -> String {
    let made = hub
        .registry
        .create_token("alice", "x", TokenRole::Write, None)
        .await
        .unwrap();
    hub.registry.revoke_token(&made.summary.id).await.unwrap();
    bearer(&made)
}
