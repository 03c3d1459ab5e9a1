//! Branches and tags.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Database, Writing};
use crate::error::RegistryError;

/// A branch or tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The full name: `refs/heads/main`.
    pub(crate) name: String,
    pub(crate) commit: String,
}

impl Reference {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            name: row.try_get("name")?,
            commit: row.try_get("commit_oid")?,
        })
    }
}

impl Database {
    /// All references of a repository, by name.
    pub(crate) async fn references(
        &self,
        repository: &str,
    ) -> Result<Vec<Reference>, RegistryError> {
        let rows =
            sqlx::query("SELECT name, commit_oid FROM refs WHERE repository = $1 ORDER BY name")
                .bind(repository)
                .fetch_all(&self.pool)
                .await?;
        Ok(rows
            .iter()
            .map(Reference::from_row)
            .collect::<Result<_, _>>()?)
    }

    /// The first of three full names that exists.
    pub(crate) async fn reference_of(
        &self,
        repository: &str,
        names: [&str; 3],
    ) -> Result<Option<Reference>, RegistryError> {
        let rows = sqlx::query(
            "SELECT name, commit_oid FROM refs WHERE repository = $1 AND name IN ($2, $3, $4)",
        )
        .bind(repository)
        .bind(names[0])
        .bind(names[1])
        .bind(names[2])
        .fetch_all(&self.pool)
        .await?;
        let mut found = rows
            .iter()
            .map(Reference::from_row)
            .collect::<Result<Vec<_>, _>>()?;
        found.sort_by_key(|reference| names.iter().position(|name| *name == reference.name));
        Ok(found.into_iter().next())
    }
}

impl Writing {
    /// Adds a reference; false when there is one of this name.
    pub(crate) async fn insert_reference(
        &mut self,
        repository: &str,
        reference: &Reference,
        message: Option<&str>,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let done = sqlx::query(
            "INSERT INTO refs (repository, name, commit_oid, message, created_ms) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (repository, name) DO NOTHING",
        )
        .bind(repository)
        .bind(&reference.name)
        .bind(&reference.commit)
        .bind(message)
        .bind(now_ms)
        .execute(&mut *self.transaction)
        .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Points a reference at another commit if it still points at `expected`; false when it does not.
    ///
    /// This one statement is what serialises writers, also those of other processes on the same database.
    pub(crate) async fn advance_reference(
        &mut self,
        repository: &str,
        name: &str,
        expected: &str,
        commit: &str,
    ) -> Result<bool, RegistryError> {
        let done = sqlx::query("UPDATE refs SET commit_oid = $1 WHERE repository = $2 AND name = $3 AND commit_oid = $4")
            .bind(commit)
            .bind(repository)
            .bind(name)
            .bind(expected)
            .execute(&mut *self.transaction)
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Removes a reference; false when there is none of this name.
    pub(crate) async fn delete_reference(
        &mut self,
        repository: &str,
        name: &str,
    ) -> Result<bool, RegistryError> {
        let done = sqlx::query("DELETE FROM refs WHERE repository = $1 AND name = $2")
            .bind(repository)
            .bind(name)
            .execute(&mut *self.transaction)
            .await?;
        Ok(done.rows_affected() == 1)
    }
}
