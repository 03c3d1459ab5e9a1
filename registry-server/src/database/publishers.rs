//! Stores the trusted publishers of repositories, what became of them, and used identity tokens.

use super::connection::Database;
use super::keys::{PublisherKey, RepositoryKey};
use super::rows::from_row;
use super::sql::select;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;

/// A workflow that may publish to a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Publisher {
    pub(crate) id: PublisherKey,
    /// The issuer of its identity tokens.
    pub(crate) issuer: String,
    /// The name of the repository with the sources, at the issuer's build service.
    pub(crate) project: String,
    pub(crate) workflow: String,
    /// Empty for any environment, and for none.
    pub(crate) environment: String,
    /// The build service's number for the owner of the project; none until it was seen.
    pub(crate) owner_id: Option<String>,
    /// The name of the account that added it.
    pub(crate) added_by: String,
    pub(crate) created_ms: i64,
}

from_row!(Publisher {
    id,
    issuer,
    project,
    workflow,
    environment,
    owner_id,
    added_by,
    created_ms
});

/// Those who may publish versions of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionSource {
    /// Whoever may write, and the trusted publishers.
    AnyWriter,
    /// The trusted publishers alone.
    Publishers,
}

/// Something that happened to the publishers of a repository, or that one of them did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublisherEvent {
    /// The name of the account; the owner of the repository where a publisher did it.
    pub(crate) account: String,
    pub(crate) event: String,
    pub(crate) at_ms: i64,
}

from_row!(PublisherEvent {
    account,
    event,
    at_ms
});

impl Database {
    /// The publishers of a repository, oldest first.
    pub(crate) async fn publishers(
        &self,
        repository: &RepositoryKey,
    ) -> Result<Vec<Publisher>, RegistryError> {
        Ok(select(
            "id, issuer, project, workflow, environment, owner_id, added_by, created_ms",
            "FROM trusted_publishers WHERE repository = $1 ORDER BY created_ms, id",
        )
        .bind(repository)
        .fetch_all(&self.pool)
        .await?)
    }

    /// The last `max` events of a repository, newest first.
    pub(crate) async fn publisher_events(
        &self,
        repository: &RepositoryKey,
        max: u32,
    ) -> Result<Vec<PublisherEvent>, RegistryError> {
        Ok(select(
            "account, event, at_ms",
            "FROM publisher_events WHERE repository = $1 ORDER BY number DESC LIMIT $2",
        )
        .bind(repository)
        .bind(i64::from(max))
        .fetch_all(&self.pool)
        .await?)
    }

    /// The source that versions of a repository have to come from.
    pub(crate) async fn version_source(
        &self,
        repository: &RepositoryKey,
    ) -> Result<VersionSource, RegistryError> {
        let sql = "SELECT publishers_only FROM repositories WHERE id = $1";
        let only: Option<i64> = sqlx::query_scalar(sql)
            .bind(repository)
            .fetch_optional(&self.pool)
            .await?;
        Ok(match only {
            Some(0) => VersionSource::AnyWriter,
            _ => VersionSource::Publishers,
        })
    }
}

impl WriteTransaction {
    pub(crate) async fn insert_publisher(
        &mut self,
        repository: &RepositoryKey,
        publisher: &Publisher,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO trusted_publishers (id, repository, issuer, project, workflow, environment, owner_id, added_by, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&publisher.id)
        .bind(repository)
        .bind(&publisher.issuer)
        .bind(&publisher.project)
        .bind(&publisher.workflow)
        .bind(&publisher.environment)
        .bind(publisher.owner_id.as_deref())
        .bind(&publisher.added_by)
        .bind(publisher.created_ms);
        self.run(statement).await?;
        Ok(())
    }

    /// Keeps the number of the owner that was seen first.
    pub(crate) async fn keep_owner_of_publisher(
        &mut self,
        publisher: &PublisherKey,
        owner_id: &str,
    ) -> Result<(), RegistryError> {
        let sql = "UPDATE trusted_publishers SET owner_id = $1 WHERE id = $2 AND owner_id IS NULL";
        self.run(sqlx::query(sql).bind(owner_id).bind(publisher))
            .await?;
        Ok(())
    }

    /// Removes a publisher, and revokes its tokens.
    pub(crate) async fn delete_publisher(
        &mut self,
        publisher: &PublisherKey,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = "DELETE FROM trusted_publishers WHERE id = $1";
        self.run(sqlx::query(sql).bind(publisher)).await?;
        self.revoke_tokens_of(publisher, now_ms).await
    }

    /// Decides who may publish versions of a repository.
    pub(crate) async fn take_versions_from(
        &mut self,
        repository: &RepositoryKey,
        source: VersionSource,
    ) -> Result<(), RegistryError> {
        let only = i64::from(source == VersionSource::Publishers);
        let sql = "UPDATE repositories SET publishers_only = $1 WHERE id = $2";
        self.run(sqlx::query(sql).bind(only).bind(repository))
            .await?;
        Ok(())
    }

    /// Notes what happened. The transaction has to be one to this repository.
    pub(crate) async fn note_publisher_event(
        &mut self,
        repository: &RepositoryKey,
        event: &PublisherEvent,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO publisher_events (repository, number, account, event, at_ms) \
             SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, CAST($4 AS BIGINT) \
             FROM publisher_events WHERE repository = $1",
        )
        .bind(repository)
        .bind(&event.account)
        .bind(&event.event)
        .bind(event.at_ms);
        self.run(statement).await?;
        Ok(())
    }

    /// Takes an identity token; false if it was taken before.
    pub(crate) async fn use_identity_token(
        &mut self,
        issuer: &str,
        jti: &str,
        expires_ms: i64,
    ) -> Result<bool, RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO used_identity_tokens (issuer, jti, expires_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )
        .bind(issuer)
        .bind(jti)
        .bind(expires_ms);
        Ok(self.run(statement).await? == 1)
    }

    /// Forgets the identity tokens that expired before this time, which nothing takes any more.
    pub(crate) async fn forget_identity_tokens(
        &mut self,
        before_ms: i64,
    ) -> Result<(), RegistryError> {
        let sql = "DELETE FROM used_identity_tokens WHERE expires_ms < $1";
        self.run(sqlx::query(sql).bind(before_ms)).await?;
        Ok(())
    }
}

impl PublisherEvent {
    /// An event of this moment.
    pub(crate) fn new(account: &str, event: String, at_ms: i64) -> Self {
        Self {
            account: account.to_owned(),
            event,
            at_ms,
        }
    }
}
