//! Access tokens, known to the database by the SHA-256 of their secret only.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::accounts::Account;
use super::{Database, Writing};
use crate::error::RegistryError;

/// A token as stored.
#[derive(Debug, Clone)]
pub(crate) struct TokenRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) created_ms: i64,
    pub(crate) expires_ms: Option<i64>,
    pub(crate) revoked_ms: Option<i64>,
}

impl TokenRow {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("token_id")?,
            name: row.try_get("token_name")?,
            role: row.try_get("role")?,
            created_ms: row.try_get("token_created_ms")?,
            expires_ms: row.try_get("expires_ms")?,
            revoked_ms: row.try_get("revoked_ms")?,
        })
    }
}

impl Writing {
    pub(crate) async fn insert_token(
        &mut self,
        account: &str,
        token: &TokenRow,
        sha256: &str,
    ) -> Result<(), RegistryError> {
        sqlx::query(
            "INSERT INTO tokens (id, account, name, role, sha256, created_ms, expires_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(&token.id)
        .bind(account)
        .bind(&token.name)
        .bind(&token.role)
        .bind(sha256)
        .bind(token.created_ms)
        .bind(token.expires_ms)
        .execute(&mut *self.transaction)
        .await?;
        Ok(())
    }

    /// Revokes a token; false when there is none of this id. A revoked token stays revoked at the time it first was.
    pub(crate) async fn revoke_token(
        &mut self,
        id: &str,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let done =
            sqlx::query("UPDATE tokens SET revoked_ms = COALESCE(revoked_ms, $1) WHERE id = $2")
                .bind(now_ms)
                .bind(id)
                .execute(&mut *self.transaction)
                .await?;
        Ok(done.rows_affected() == 1)
    }
}

impl Database {
    /// The token with this hash and its owner, unless it is revoked or expired.
    pub(crate) async fn valid_token(
        &self,
        sha256: &str,
        now_ms: i64,
    ) -> Result<Option<(Account, TokenRow)>, RegistryError> {
        let row = sqlx::query(
            "SELECT t.id AS token_id, t.name AS token_name, t.role, t.created_ms AS token_created_ms, t.expires_ms, t.revoked_ms, \
             a.id, a.kind, a.name, a.full_name, a.email, a.created_ms \
             FROM tokens t JOIN accounts a ON a.id = t.account \
             WHERE t.sha256 = $1 AND t.revoked_ms IS NULL AND (t.expires_ms IS NULL OR t.expires_ms > $2)",
        )
        .bind(sha256)
        .bind(now_ms)
        .fetch_optional(&self.pool)
        .await?;
        match row {
            Some(row) => Ok(Some((Account::from_row(&row)?, TokenRow::from_row(&row)?))),
            None => Ok(None),
        }
    }

    /// All tokens of an account, oldest first, the revoked ones among them.
    pub(crate) async fn tokens_of(&self, account: &str) -> Result<Vec<TokenRow>, RegistryError> {
        let rows = sqlx::query(
            "SELECT id AS token_id, name AS token_name, role, created_ms AS token_created_ms, expires_ms, revoked_ms \
             FROM tokens WHERE account = $1 ORDER BY created_ms, id",
        )
        .bind(account)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows
            .iter()
            .map(TokenRow::from_row)
            .collect::<Result<_, _>>()?)
    }
}
