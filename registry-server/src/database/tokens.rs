//! Stores, finds and revokes access tokens, known only by the SHA-256 of their secret.

use sqlx::AssertSqlSafe;

use super::accounts::{ACCOUNTS, Account};
use super::connection::Database;
use super::keys::{AccountKey, PublisherKey, RepositoryKey, TokenKey};
use super::rows::from_row;
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::roles::TokenRole;

/// A token as stored.
#[derive(Debug, Clone)]
pub(crate) struct TokenRow {
    pub(crate) id: TokenKey,
    pub(crate) name: String,
    pub(crate) role: TokenRole,
    pub(crate) created_ms: i64,
    pub(crate) expires_ms: Option<i64>,
    pub(crate) revoked_ms: Option<i64>,
    /// A [`TokenScope`](crate::names::TokenScope) as it is stored.
    pub(crate) repositories: Option<String>,
    /// The publisher that it was made for, and the repository that it may publish to.
    pub(crate) publisher: Option<PublisherKey>,
    pub(crate) publishes_to: Option<RepositoryKey>,
    /// The job that it was made for: a [`JobIdentity`](tool_hub_transparency::JobIdentity) in JSON.
    pub(crate) job: Option<String>,
}

from_row!(TokenRow {
    id = "token_id", name = "token_name", role, created_ms = "token_created_ms", expires_ms,
    revoked_ms, repositories, publisher, publishes_to, job
});

/// A token with the account that it speaks for.
struct OwnedToken {
    account: Account,
    token: TokenRow,
}

from_row!(OwnedToken { ; account, token });

/// The columns of a [`TokenRow`], of `tokens t`, under names that an account's do not have.
const COLUMNS: &str = "t.id AS token_id, t.name AS token_name, t.role, t.created_ms AS token_created_ms, t.expires_ms, t.revoked_ms, \
     t.repositories, t.publisher, t.publishes_to, t.job";

impl WriteTransaction {
    pub(crate) async fn insert_token(
        &mut self,
        account: &AccountKey,
        token: &TokenRow,
        sha256: &str,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO tokens (id, account, name, role, sha256, created_ms, expires_ms, repositories, publisher, publishes_to, job) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(&token.id)
        .bind(account)
        .bind(&token.name)
        .bind(token.role.word())
        .bind(sha256)
        .bind(token.created_ms)
        .bind(token.expires_ms)
        .bind(token.repositories.as_deref())
        .bind(token.publisher.as_ref())
        .bind(token.publishes_to.as_ref())
        .bind(token.job.as_deref());
        self.run(statement).await?;
        Ok(())
    }

    /// Revokes a token; false when there is none of this id. A revoked token stays revoked at the
    /// time it first was.
    pub(crate) async fn revoke_token(
        &mut self,
        id: &TokenKey,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let statement =
            sqlx::query("UPDATE tokens SET revoked_ms = COALESCE(revoked_ms, $1) WHERE id = $2")
                .bind(now_ms)
                .bind(id);
        Ok(self.run(statement).await? == 1)
    }

    /// Revokes all tokens of a publisher.
    pub(crate) async fn revoke_tokens_of(
        &mut self,
        publisher: &PublisherKey,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "UPDATE tokens SET revoked_ms = COALESCE(revoked_ms, $1) WHERE publisher = $2",
        )
        .bind(now_ms)
        .bind(publisher);
        self.run(statement).await?;
        Ok(())
    }

    /// Deletes the tokens of publishers that expired before this time.
    pub(crate) async fn forget_publisher_tokens(
        &mut self,
        before_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = "DELETE FROM tokens WHERE publisher IS NOT NULL AND expires_ms < $1";
        self.run(sqlx::query(sql).bind(before_ms)).await?;
        Ok(())
    }
}

impl Database {
    /// The token with this hash and its owner, unless it is revoked or expired.
    pub(crate) async fn valid_token(
        &self,
        sha256: &str,
        now_ms: i64,
    ) -> Result<Option<(Account, TokenRow)>, RegistryError> {
        let sql = format!(
            "SELECT {COLUMNS}, {ACCOUNTS} JOIN tokens t ON t.account = a.id \
             WHERE t.sha256 = $1 AND t.revoked_ms IS NULL AND (t.expires_ms IS NULL OR t.expires_ms > $2)"
        );
        let found: Option<OwnedToken> = sqlx::query_as(AssertSqlSafe(sql))
            .bind(sha256)
            .bind(now_ms)
            .fetch_optional(&self.pool)
            .await?;
        Ok(found.map(|found| (found.account, found.token)))
    }

    /// All tokens of an account, oldest first, the revoked ones among them; none of a publisher.
    pub(crate) async fn tokens_of(
        &self,
        account: &AccountKey,
    ) -> Result<Vec<TokenRow>, RegistryError> {
        Ok(select(
            COLUMNS,
            "FROM tokens t WHERE t.account = $1 AND t.publisher IS NULL ORDER BY t.created_ms, t.id",
        )
        .bind(account)
        .fetch_all(&self.pool)
        .await?)
    }
}
