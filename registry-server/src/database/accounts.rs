//! Stores and finds users, organisations and the roles of members.

use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};

use super::connection::Database;
use super::keys::AccountKey;
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::roles::MemberRole;

/// A user or an organisation.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) id: AccountKey,
    pub(crate) kind: AccountKind,
    pub(crate) name: String,
    pub(crate) full_name: String,
    pub(crate) email: Option<String>,
    pub(crate) created_ms: i64,
}

impl Account {
    /// The address in the commits of this account; without one of its own, one that cannot receive
    /// mail.
    pub(crate) fn commit_email(&self) -> String {
        self.email
            .clone()
            .unwrap_or_else(|| format!("{}@users.noreply.invalid", self.name))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountKind {
    User,
    Organisation,
}

impl AccountKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Organisation => "organisation",
        }
    }
}

/// The columns and the table of an [`Account`].
pub(super) const ACCOUNTS: &str =
    "a.id, a.kind, a.name, a.full_name, a.email, a.created_ms FROM accounts a";

impl FromRow<'_, AnyRow> for Account {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            kind: row.try_get("kind")?,
            name: row.try_get("name")?,
            full_name: row.try_get("full_name")?,
            email: row.try_get("email")?,
            created_ms: row.try_get("created_ms")?,
        })
    }
}

impl WriteTransaction {
    /// Adds an account; false when the name is taken.
    pub(crate) async fn insert_account(
        &mut self,
        account: &Account,
    ) -> Result<bool, RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO accounts (id, kind, name, name_folded, full_name, email, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name_folded) DO NOTHING",
        )
        .bind(&account.id)
        .bind(account.kind.word())
        .bind(&account.name)
        .bind(account.name.to_ascii_lowercase())
        .bind(&account.full_name)
        .bind(account.email.as_deref())
        .bind(account.created_ms);
        Ok(self.run(statement).await? == 1)
    }

    /// Makes a user a member of an organisation, or changes the role of one who is.
    pub(crate) async fn upsert_member(
        &mut self,
        organisation: &AccountKey,
        member: &AccountKey,
        role: MemberRole,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO members (organisation, member, role) VALUES ($1, $2, $3) \
             ON CONFLICT (organisation, member) DO UPDATE SET role = excluded.role",
        )
        .bind(organisation)
        .bind(member)
        .bind(role.word());
        self.run(statement).await?;
        Ok(())
    }
}

impl Database {
    /// The account of this name, whatever its case.
    pub(crate) async fn account(&self, name: &str) -> Result<Option<Account>, RegistryError> {
        Ok(select(ACCOUNTS, "WHERE a.name_folded = $1")
            .bind(name.to_ascii_lowercase())
            .fetch_optional(&self.pool)
            .await?)
    }

    /// All users, by name.
    pub(crate) async fn users(&self) -> Result<Vec<Account>, RegistryError> {
        Ok(
            select(ACCOUNTS, "WHERE a.kind = 'user' ORDER BY a.name_folded")
                .fetch_all(&self.pool)
                .await?,
        )
    }

    /// The organisations a user belongs to, by name.
    pub(crate) async fn organisations_of(
        &self,
        member: &AccountKey,
    ) -> Result<Vec<Account>, RegistryError> {
        let found = select(
            ACCOUNTS,
            "JOIN members m ON m.organisation = a.id WHERE m.member = $1 ORDER BY a.name_folded",
        );
        Ok(found.bind(member).fetch_all(&self.pool).await?)
    }

    /// The role a user has in an organisation.
    pub(crate) async fn member_role(
        &self,
        organisation: &AccountKey,
        member: &AccountKey,
    ) -> Result<Option<MemberRole>, RegistryError> {
        let role =
            sqlx::query_scalar("SELECT role FROM members WHERE organisation = $1 AND member = $2");
        Ok(role
            .bind(organisation)
            .bind(member)
            .fetch_optional(&self.pool)
            .await?)
    }
}
