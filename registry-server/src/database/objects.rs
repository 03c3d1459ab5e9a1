//! Git trees, and the content that git blobs stand for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gix_hash::ObjectId;
use gix_object::Kind;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, FromRow};

use super::contents::Claimed;
use super::writing::insertions;
use super::{BATCH_MAX, Database, Writing, placeholders, select};
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// The content of a file: where it is stored and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: u64,
    pub(crate) form: BlobForm,
}

/// What the git blob itself holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlobForm {
    /// The file.
    Plain,
    /// An LFS pointer to the file.
    Pointer,
}

impl BlobForm {
    fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Pointer => "pointer",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Plain, Self::Pointer]
            .into_iter()
            .find(|form| form.word() == word)
    }
}

impl Database {
    /// The bytes of each of these trees.
    pub(crate) async fn trees(
        &self,
        repository: &str,
        oids: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Vec<u8>>, RegistryError> {
        let rows: Vec<(String, Vec<u8>)> = self
            .objects("oid, data FROM trees", repository, oids)
            .await?;
        rows.into_iter()
            .map(|(oid, data)| Ok((object_id(&oid)?, data)))
            .collect()
    }

    /// The content each of these blobs stands for.
    pub(crate) async fn blobs(
        &self,
        repository: &str,
        oids: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Blob>, RegistryError> {
        let rows: Vec<(String, String, i64, String)> = self
            .objects("oid, sha256, size_bytes, form FROM blobs", repository, oids)
            .await?;
        rows.into_iter()
            .map(|(oid, sha256, size, form)| {
                Ok((object_id(&oid)?, Blob::stored(&sha256, size, &form)?))
            })
            .collect()
    }

    /// The rows of these objects, where they are stored.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when some are missing because the repository was deleted since its tree was first looked at.
    pub(super) async fn objects<T>(
        &self,
        columns: &'static str,
        repository: &str,
        oids: &[ObjectId],
    ) -> Result<Vec<T>, RegistryError>
    where
        T: for<'r> FromRow<'r, AnyRow> + Send + Unpin,
    {
        let oids: BTreeSet<&ObjectId> = oids.iter().collect();
        let oids: Vec<&ObjectId> = oids.into_iter().collect();
        let mut rows = Vec::with_capacity(oids.len());
        for batch in oids.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT {columns} WHERE repository = $1 AND oid IN ({})",
                placeholders(2, batch.len())
            );
            let mut query = sqlx::query_as::<_, T>(AssertSqlSafe(sql)).bind(repository);
            for oid in batch {
                query = query.bind(oid.to_string());
            }
            rows.extend(query.fetch_all(&self.pool).await?);
        }
        if rows.len() < oids.len() {
            self.ensure_repository(repository).await?;
        }
        Ok(rows)
    }
}

/// A git tree or commit as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct StoredGitObject {
    pub(crate) repository: String,
    pub(crate) oid: String,
    /// The object without its header.
    pub(crate) data: Vec<u8>,
}

impl Database {
    /// Trees or commits of all repositories, in order, at most `limit` after a repository and an id.
    pub(crate) async fn git_objects_after(
        &self,
        kind: Kind,
        after: &(String, String),
        limit: i64,
    ) -> Result<Vec<StoredGitObject>, RegistryError> {
        let table = match kind {
            Kind::Commit => "repository, oid, data FROM commits",
            _ => "repository, oid, data FROM trees",
        };
        let condition = "WHERE (repository, oid) > ($1, $2) ORDER BY repository, oid LIMIT $3";
        Ok(select(table, condition)
            .bind(&after.0)
            .bind(&after.1)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }
}

impl Blob {
    fn stored(sha256: &str, size: i64, form: &str) -> Result<Self, RegistryError> {
        Ok(Self {
            sha256: Sha256Digest::from_hex(sha256)
                .ok_or_else(|| RegistryError::Damaged(format!("sha256 {sha256:?}")))?,
            size_bytes: u64::try_from(size)
                .map_err(|_| RegistryError::Damaged(format!("file size {size}")))?,
            form: BlobForm::from_word(form)
                .ok_or_else(|| RegistryError::Damaged(format!("blob form {form:?}")))?,
        })
    }
}

impl Writing {
    pub(crate) async fn insert_trees(
        &mut self,
        repository: &str,
        trees: &BTreeMap<ObjectId, Vec<u8>>,
    ) -> Result<(), RegistryError> {
        let sql = [
            "INSERT INTO trees (repository, oid, data)",
            "ON CONFLICT (repository, oid) DO NOTHING",
        ];
        let statements = insertions(sql, 3, trees.iter(), |statement, (oid, data)| {
            statement
                .bind(repository.to_owned())
                .bind(oid.to_string())
                .bind(data.clone())
        });
        self.run_all(statements).await?;
        Ok(())
    }

    /// Records the content of blobs that a commit names and that this transaction has claimed, and tells how many no commit named before.
    pub(crate) async fn insert_blobs(
        &mut self,
        repository: &str,
        blobs: &BTreeMap<ObjectId, Blob>,
        claimed: &Claimed,
    ) -> Result<u64, RegistryError> {
        self.upsert_blobs(repository, blobs, claimed, None).await
    }

    /// Records the content of a blob that awaits its commit; false when the repository has it.
    pub(crate) async fn insert_uploaded_blob(
        &mut self,
        repository: &str,
        oid: &ObjectId,
        blob: &Blob,
        claimed: &Claimed,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let one = BTreeMap::from([(*oid, *blob)]);
        let changed = self.upsert_blobs(repository, &one, claimed, Some(now_ms));
        Ok(changed.await? == 1)
    }

    /// A blob that somebody committed as text and that is an LFS pointer stands for the object from the moment it is there, as in git.
    async fn upsert_blobs(
        &mut self,
        repository: &str,
        blobs: &BTreeMap<ObjectId, Blob>,
        claimed: &Claimed,
        uploaded_ms: Option<i64>,
    ) -> Result<u64, RegistryError> {
        let sql = [
            "INSERT INTO blobs (repository, oid, sha256, size_bytes, form, uploaded_ms)",
            "ON CONFLICT (repository, oid) DO UPDATE SET \
             sha256 = CASE excluded.form WHEN 'pointer' THEN excluded.sha256 ELSE blobs.sha256 END, \
             size_bytes = CASE excluded.form WHEN 'pointer' THEN excluded.size_bytes ELSE blobs.size_bytes END, \
             form = CASE excluded.form WHEN 'pointer' THEN excluded.form ELSE blobs.form END, \
             uploaded_ms = CASE WHEN blobs.uploaded_ms IS NULL THEN NULL ELSE excluded.uploaded_ms END \
             WHERE blobs.uploaded_ms IS NOT NULL OR (blobs.form = 'plain' AND excluded.form = 'pointer')",
        ];
        let statements = insertions(sql, 6, blobs.iter(), |statement, (oid, blob)| {
            debug_assert!(
                claimed.covers(&blob.sha256),
                "{} is not claimed",
                blob.sha256
            );
            statement
                .bind(repository.to_owned())
                .bind(oid.to_string())
                .bind(blob.sha256.to_string())
                .bind(i64::try_from(blob.size_bytes).unwrap_or(i64::MAX))
                .bind(blob.form.word())
                .bind(uploaded_ms)
        });
        self.run_all(statements).await
    }
}

/// Reads an object id the database gave back.
pub(crate) fn object_id(hex: &str) -> Result<ObjectId, RegistryError> {
    ObjectId::from_hex(hex.as_bytes())
        .map_err(|_| RegistryError::Damaged(format!("object id {hex:?}")))
}
