//! Stores, moves, deletes and lists branches, tags and the references of pull requests.

use gix_hash::ObjectId;
use sqlx::any::AnyRow;
use sqlx::{FromRow, Row as _};

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::select;
use super::stored_object_id::object_id_in;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;

/// A branch, a tag or the commits of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The full name: `refs/heads/main`.
    pub(crate) name: String,
    pub(crate) commit: ObjectId,
}

impl FromRow<'_, AnyRow> for Reference {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            name: row.try_get("name")?,
            commit: object_id_in(row, "commit_oid")?,
        })
    }
}

/// The columns and the table of a [`Reference`].
const REFERENCES: &str = "name, commit_oid FROM refs";

impl Database {
    /// All references of a repository, by name.
    pub(crate) async fn references(
        &self,
        repository: &RepositoryKey,
    ) -> Result<Vec<Reference>, RegistryError> {
        Ok(select(REFERENCES, "WHERE repository = $1 ORDER BY name")
            .bind(repository)
            .fetch_all(&self.pool)
            .await?)
    }

    /// The first of three full names that exists.
    pub(crate) async fn reference_of(
        &self,
        repository: &RepositoryKey,
        names: [&str; 3],
    ) -> Result<Option<Reference>, RegistryError> {
        let found: Vec<Reference> =
            select(REFERENCES, "WHERE repository = $1 AND name IN ($2, $3, $4)")
                .bind(repository)
                .bind(names[0])
                .bind(names[1])
                .bind(names[2])
                .fetch_all(&self.pool)
                .await?;
        let place = |found: &Reference| names.iter().position(|name| *name == found.name);
        Ok(found.into_iter().min_by_key(place))
    }
}

impl WriteTransaction {
    /// Adds a reference; false when there is one of this name.
    pub(crate) async fn insert_reference(
        &mut self,
        repository: &RepositoryKey,
        reference: &Reference,
        message: Option<&str>,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO refs (repository, name, commit_oid, message, created_ms) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (repository, name) DO NOTHING",
        )
        .bind(repository)
        .bind(&reference.name)
        .bind(reference.commit.to_string())
        .bind(message)
        .bind(now_ms);
        Ok(self.run(statement).await? == 1)
    }

    /// Points a reference at another commit if it still points at `expected`; false when it does
    /// not.
    ///
    /// This one statement makes a commit that was built on an old state fail, whoever moved the
    /// branch and on whatever server.
    pub(crate) async fn advance_reference(
        &mut self,
        repository: &RepositoryKey,
        name: &str,
        expected: &ObjectId,
        commit: &ObjectId,
    ) -> Result<bool, RegistryError> {
        let statement = sqlx::query("UPDATE refs SET commit_oid = $1 WHERE repository = $2 AND name = $3 AND commit_oid = $4")
            .bind(commit.to_string())
            .bind(repository)
            .bind(name)
            .bind(expected.to_string());
        Ok(self.run(statement).await? == 1)
    }

    /// Removes a reference; false when there is none of this name.
    pub(crate) async fn delete_reference(
        &mut self,
        repository: &RepositoryKey,
        name: &str,
    ) -> Result<bool, RegistryError> {
        let statement = sqlx::query("DELETE FROM refs WHERE repository = $1 AND name = $2")
            .bind(repository)
            .bind(name);
        Ok(self.run(statement).await? == 1)
    }
}
