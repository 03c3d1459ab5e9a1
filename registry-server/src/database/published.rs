//! Records published versions of tools for good, and finds one that was published with other bytes.
//! They are remembered even after their tag or repository is deleted or moved.

use gix_hash::ObjectId;
use sqlx::AssertSqlSafe;
use tool_hub_transparency::{JobIdentity, LogRecord};

use super::connection::Database;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::logged_versions::version_record;
use super::repositories::Repository;
use super::rows::from_row;
use super::write_transaction::WriteTransaction;
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// A version of a tool, and the digests of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Publication {
    /// The version, without the `v` of its tag.
    pub(crate) version: String,
    pub(crate) commit: ObjectId,
    /// The git id of the tree with all files.
    pub(crate) tree: ObjectId,
    pub(crate) manifest: Sha256Digest,
    pub(crate) component: Option<Sha256Digest>,
}

impl Publication {
    /// The record for the log, with the job that published it; none where a name is no tool's.
    pub(crate) fn record(
        &self,
        full_name: &str,
        job: Option<JobIdentity>,
        now_ms: i64,
    ) -> Option<LogRecord> {
        let manifest = self.manifest.to_string();
        let component = self.component.map(|digest| digest.to_string());
        let digests = [Some(manifest.as_str()), component.as_deref()];
        let commit = self.commit.to_string();
        let mut record = version_record(full_name, &self.version, &commit, digests, now_ms)?;
        if let LogRecord::Version { publisher, .. } = &mut record {
            *publisher = job.map(Box::new);
        }
        Some(record)
    }
}

/// An earlier publication of the same version with other bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EarlierPublication {
    pub(crate) version: String,
    pub(crate) commit: String,
    pub(crate) published_ms: i64,
}

from_row!(EarlierPublication { version, commit = "commit_oid", published_ms });

/// The ids that lead to the repository `$1`: its own, and those from before it was moved.
const IDS: &str = "(SELECT r.kind, o.name_folded AS owner_folded, r.name_folded FROM repositories r JOIN accounts o ON o.id = r.owner \
     WHERE r.id = $1 UNION SELECT kind, owner_folded, name_folded FROM aliases WHERE repository = $1) ids";
/// Joins the versions that were published under these ids.
const OF_IDS: &str =
    "p.kind = ids.kind AND p.owner_folded = ids.owner_folded AND p.name_folded = ids.name_folded";

impl Engine {
    /// SQL that records the versions of all existing tags.
    fn publish_tags(self) -> &'static str {
        match self {
            Self::Sqlite => include_str!("../../migrations/sqlite/0106_published_before.sql"),
            Self::Postgres => include_str!("../../migrations/postgres/0106_published_before.sql"),
        }
    }
}

impl Database {
    /// True if a version of a tool was ever published under an id of this repository, even by
    /// another repository that is deleted.
    pub(crate) async fn has_published(
        &self,
        repository: &RepositoryKey,
    ) -> Result<bool, RegistryError> {
        let sql =
            format!("SELECT p.version FROM published_versions p JOIN {IDS} ON {OF_IDS} LIMIT 1");
        let found = sqlx::query(AssertSqlSafe(sql)).bind(repository);
        Ok(found.fetch_optional(&self.pool).await?.is_some())
    }
}

impl WriteTransaction {
    /// The versions of a repository that have a tag `v1.2.3`, each with the digest of its manifest.
    pub(super) async fn tagged_versions(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<Vec<(String, Sha256Digest)>, RegistryError> {
        let sql = format!(
            "SELECT p.version, p.manifest_sha256 FROM published_versions p JOIN {IDS} ON {OF_IDS} \
             JOIN refs f ON f.repository = $1 AND f.name = 'refs/tags/v' || p.version"
        );
        let versions = sqlx::query_as(AssertSqlSafe(sql)).bind(repository);
        Ok(versions.fetch_all(self.connection()).await?)
    }

    /// Records a version under every id of its repository, unless it was published before with
    /// other bytes. In that case, that publication is returned.
    ///
    /// The same bytes may be published again in another commit: clients that pinned the version
    /// still get what they pinned.
    pub(crate) async fn publish(
        &mut self,
        repository: &RepositoryKey,
        publication: &Publication,
        now_ms: i64,
    ) -> Result<Option<EarlierPublication>, RegistryError> {
        let Publication {
            version,
            commit,
            tree,
            manifest,
            component,
        } = publication;
        let component = component.map(|digest| digest.to_string());
        // A concurrent publication of the same version makes this statement wait.
        let sql = format!(
            "INSERT INTO published_versions \
             (kind, owner_folded, name_folded, version, tree, manifest_sha256, component_sha256, commit_oid, published_ms) \
             SELECT ids.kind, ids.owner_folded, ids.name_folded, $2, $3, $4, CAST($5 AS TEXT), $6, CAST($7 AS BIGINT) \
             FROM {IDS} WHERE true ON CONFLICT DO NOTHING"
        );
        let statement = sqlx::query(AssertSqlSafe(sql))
            .bind(repository)
            .bind(version)
            .bind(tree.to_string())
            .bind(manifest.to_string())
            .bind(component.clone())
            .bind(commit.to_string())
            .bind(now_ms);
        self.run(statement).await?;
        let sql = format!(
            "SELECT p.version, p.commit_oid, p.published_ms FROM published_versions p JOIN {IDS} ON {OF_IDS} WHERE p.version = $2 \
             AND (p.tree <> $3 OR p.manifest_sha256 <> $4 OR COALESCE(p.component_sha256, '') <> $5) LIMIT 1"
        );
        let earlier = sqlx::query_as(AssertSqlSafe(sql))
            .bind(repository)
            .bind(version)
            .bind(tree.to_string())
            .bind(manifest.to_string())
            .bind(component.unwrap_or_default());
        Ok(earlier.fetch_optional(self.connection()).await?)
    }

    /// After a move, records the repository's versions under its new id as well, unless one of them
    /// was published there with other bytes. In that case, that publication is returned.
    pub(crate) async fn publish_moved(
        &mut self,
        before: &Repository,
    ) -> Result<Option<EarlierPublication>, RegistryError> {
        // The old id may also have versions of an earlier repository. Only versions with a tag in
        // this one move with it.
        const MOVED: &str = "published_versions p JOIN refs f ON f.repository = $1 \
             AND f.name IN ('refs/tags/v' || p.version, 'refs/tags/V' || p.version, 'refs/tags/' || p.version) \
             JOIN repositories r ON r.id = $1 JOIN accounts o ON o.id = r.owner";
        const OLD: &str = "p.kind = $2 AND p.owner_folded = $3 AND p.name_folded = $4";
        let sql = format!(
            "INSERT INTO published_versions \
             (kind, owner_folded, name_folded, version, tree, manifest_sha256, component_sha256, commit_oid, published_ms) \
             SELECT r.kind, o.name_folded, r.name_folded, p.version, p.tree, p.manifest_sha256, p.component_sha256, p.commit_oid, \
             p.published_ms FROM {MOVED} WHERE {OLD} ON CONFLICT DO NOTHING"
        );
        let (owner, name) = (
            before.owner_name.to_ascii_lowercase(),
            before.name.to_ascii_lowercase(),
        );
        let statement = sqlx::query(AssertSqlSafe(sql))
            .bind(&before.id)
            .bind(before.kind.word())
            .bind(owner.as_str())
            .bind(name.as_str());
        self.run(statement).await?;
        let sql = format!(
            "SELECT q.version, q.commit_oid, q.published_ms FROM {MOVED} JOIN published_versions q ON q.kind = r.kind \
             AND q.owner_folded = o.name_folded AND q.name_folded = r.name_folded AND q.version = p.version \
             WHERE {OLD} AND (q.tree <> p.tree OR q.manifest_sha256 <> p.manifest_sha256 \
             OR COALESCE(q.component_sha256, '') <> COALESCE(p.component_sha256, '')) LIMIT 1"
        );
        let earlier = sqlx::query_as(AssertSqlSafe(sql))
            .bind(&before.id)
            .bind(before.kind.word())
            .bind(owner.as_str())
            .bind(name.as_str());
        Ok(earlier.fetch_optional(self.connection()).await?)
    }

    /// Records the versions of all existing tags. Needed after rows were restored, because a backup
    /// may be older than this table.
    pub(crate) async fn publish_tags(&mut self) -> Result<(), RegistryError> {
        let statement = sqlx::query(self.engine.publish_tags());
        self.run(statement).await?;
        Ok(())
    }
}
