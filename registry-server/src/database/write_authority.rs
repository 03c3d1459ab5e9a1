//! Asks again, once a repository is locked, if whoever writes to it still may.
//!
//! Rights are checked before a request's body arrives, which may take minutes. A token that is
//! revoked meanwhile, a member who loses a role, a publisher that is removed must not write any
//! more; and a repository may have another name, another owner or other readers by then.

use super::connection::Database;
use super::keys::{AccountKey, PublisherKey, RepositoryKey, TokenKey};
use super::repositories::{REPOSITORIES, Repository};
use super::rows::from_row;
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::error::RegistryError;
use crate::names::TokenScope;
use crate::roles::{MemberRole, TokenRole};

/// The grounds on which somebody may write to a repository: a token of an account.
#[derive(Debug, Clone)]
pub(crate) struct WriteAuthority {
    account: AccountKey,
    token: TokenKey,
    needed: Needed,
}

/// The right that a change needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needed {
    /// To write what is in a repository.
    Write,
    /// To change its settings, move and delete it.
    Manage,
}

impl Needed {
    /// True if a member with this role has the right.
    fn is_met_by(self, role: MemberRole) -> bool {
        match role {
            MemberRole::Read => false,
            MemberRole::Write => self == Self::Write,
            MemberRole::Admin => true,
        }
    }
}

/// A token with what its account may do where it writes.
struct Standing {
    role: TokenRole,
    revoked_ms: Option<i64>,
    expires_ms: Option<i64>,
    repositories: Option<String>,
    publisher: Option<PublisherKey>,
    publishes_to: Option<RepositoryKey>,
    /// The repository of its publisher; none where that was removed.
    published_repository: Option<RepositoryKey>,
    member_role: Option<MemberRole>,
}

from_row!(Standing {
    role,
    revoked_ms,
    expires_ms,
    repositories,
    publisher,
    publishes_to,
    published_repository,
    member_role
});

impl WriteAuthority {
    /// The authority of a token of this account.
    pub(crate) fn new(account: &AccountKey, token: &TokenKey, needed: Needed) -> Self {
        Self {
            account: account.clone(),
            token: token.clone(),
            needed,
        }
    }
}

impl Standing {
    /// True if the token is good, and reaches the repository.
    fn reaches(&self, repository: &Repository, now_ms: i64) -> bool {
        let is_good = self.revoked_ms.is_none() && self.expires_ms.is_none_or(|at| at > now_ms);
        if !is_good || self.role != TokenRole::Write {
            return false;
        }
        match (&self.publisher, &self.publishes_to) {
            (None, None) => TokenScope::from_stored(self.repositories.as_deref())
                .covers(&repository.owner_name, &repository.name),
            (_, to) => [to, &self.published_repository]
                .into_iter()
                .all(|it| it.as_ref() == Some(&repository.id)),
        }
    }
}

impl Database {
    /// Starts a write transaction to a repository, as [`write_to`](Database::write_to) does, if
    /// whoever writes still may. The repository is as it is from now on until the transaction ends.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when it was deleted meanwhile, and
    /// [`RegistryError::RightEnded`].
    pub(crate) async fn write_as(
        &self,
        authority: &WriteAuthority,
        repository: &RepositoryKey,
    ) -> Result<(WriteTransaction, Repository), RegistryError> {
        let mut writing = self.write_to(repository).await?;
        let found = select(REPOSITORIES, "WHERE r.id = $1").bind(repository);
        let found: Option<Repository> = found.fetch_optional(writing.connection()).await?;
        let found = found.ok_or(RegistryError::RepositoryGone)?;
        writing.require(authority, &found).await?;
        Ok((writing, found))
    }
}

impl WriteTransaction {
    /// Makes sure that somebody may still write to a repository.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RightEnded`] when they may not.
    pub(crate) async fn require(
        &mut self,
        authority: &WriteAuthority,
        repository: &Repository,
    ) -> Result<(), RegistryError> {
        let standing = select(
            "t.role, t.revoked_ms, t.expires_ms, t.repositories, t.publisher, t.publishes_to, \
             p.repository AS published_repository, m.role AS member_role",
            "FROM tokens t LEFT JOIN trusted_publishers p ON p.id = t.publisher \
             LEFT JOIN members m ON m.organisation = $3 AND m.member = t.account \
             WHERE t.id = $1 AND t.account = $2",
        );
        let standing = standing
            .bind(&authority.token)
            .bind(&authority.account)
            .bind(&repository.owner);
        let standing: Option<Standing> = standing.fetch_optional(self.connection()).await?;
        let may_write = standing.is_some_and(|it| {
            let is_owner = authority.account == repository.owner;
            let role = it.member_role;
            let has_right = is_owner || role.is_some_and(|role| authority.needed.is_met_by(role));
            has_right && it.reaches(repository, clock::now_ms())
        });
        match may_write {
            true => Ok(()),
            false => Err(RegistryError::RightEnded),
        }
    }
}
