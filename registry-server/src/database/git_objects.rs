//! Stores and reads git trees, and the SHA-256 and size, not the bytes, of each git blob's content.
//! For a scrub it lists git trees and commits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use gix_hash::ObjectId;
use gix_object::Kind;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, FromRow};

use super::connection::Database;
use super::contents::ClaimedContents;
use super::engine::Engine;
use super::keys::RepositoryKey;
use super::rows::from_row;
use super::sql::{BATCH_MAX, placeholders, select};
use super::stored_object_id::object_id;
use super::write_transaction::WriteTransaction;
use super::write_transaction::insertions;
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// Blobs asked for at once; each takes about 120 bytes of the answer.
const BLOBS_MAX: usize = 10_000;

/// The content of a file: where it is stored and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: u64,
    pub(crate) form: BlobForm,
}

/// The form of the git blob itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlobForm {
    /// The file.
    Plain,
    /// An LFS pointer to the file.
    Pointer,
}

impl Engine {
    /// Gives those of the repository `$1` whose ids are in the JSON list `$2` as one text, `oid
    /// sha256 size form,…`; null when there are none.
    fn blobs(self) -> &'static str {
        match self {
            // CROSS JOIN: each is looked up, however many the repository has.
            Self::Sqlite => {
                "SELECT string_agg(b.oid || ' ' || b.sha256 || ' ' || b.size_bytes || ' ' || b.form, ',') \
                 FROM json_each($2) AS wanted CROSS JOIN blobs b WHERE b.repository = $1 AND b.oid = wanted.value"
            }
            Self::Postgres => {
                "SELECT string_agg(b.oid || ' ' || b.sha256 || ' ' || b.size_bytes || ' ' || b.form, ',') \
                 FROM blobs b WHERE b.repository = $1 AND b.oid = ANY (ARRAY(SELECT json_array_elements_text(CAST($2 AS JSON))))"
            }
        }
    }
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
        repository: &RepositoryKey,
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
    ///
    /// # Errors
    ///
    /// The errors of [`Database::objects`].
    pub(crate) async fn blobs(
        &self,
        repository: &RepositoryKey,
        oids: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Blob>, RegistryError> {
        let mut oids = oids.to_vec();
        oids.sort_unstable();
        oids.dedup();
        let mut blobs = HashMap::with_capacity(oids.len());
        for batch in oids.chunks(BLOBS_MAX) {
            // One row for all: a row of its own for each costs the driver several times what
            // finding it costs the database.
            let found: Option<String> = sqlx::query_scalar(self.engine.blobs())
                .bind(repository)
                .bind(json_list(batch))
                .fetch_one(&self.pool)
                .await?;
            for blob in found.iter().flat_map(|found| found.split(',')) {
                let (oid, blob) = Blob::listed(blob)?;
                blobs.insert(oid, blob);
            }
        }
        if blobs.len() < oids.len() {
            self.ensure_repository(repository).await?;
        }
        Ok(blobs)
    }

    /// The rows of these objects, where they are stored.
    ///
    /// # Errors
    ///
    /// [`RegistryError::RepositoryGone`] when some are missing because the repository was deleted
    /// since its tree was first looked at.
    pub(super) async fn objects<T>(
        &self,
        columns: &'static str,
        repository: &RepositoryKey,
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
#[derive(Debug, Clone)]
pub(crate) struct StoredGitObject {
    pub(crate) repository: RepositoryKey,
    pub(crate) oid: String,
    /// The object without its header.
    pub(crate) data: Vec<u8>,
}

from_row!(StoredGitObject {
    repository,
    oid,
    data
});

impl Database {
    /// Trees or commits of all repositories, in order, at most `limit` after a repository and an
    /// id.
    pub(crate) async fn git_objects_after(
        &self,
        kind: Kind,
        after: &(RepositoryKey, String),
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
    /// Reads one blob as [`Engine::blobs`] writes it.
    fn listed(text: &str) -> Result<(ObjectId, Self), RegistryError> {
        let mut words = text.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let oid = object_id(word())?;
        let (sha256, size, form) = (word(), word(), word());
        let blob = Self {
            sha256: Sha256Digest::from_hex(sha256)
                .ok_or_else(|| RegistryError::Damaged(format!("sha256 {sha256:?}")))?,
            size_bytes: size
                .parse()
                .map_err(|_| RegistryError::Damaged(format!("file size {size:?}")))?,
            form: BlobForm::from_word(form)
                .ok_or_else(|| RegistryError::Damaged(format!("blob form {form:?}")))?,
        };
        Ok((oid, blob))
    }
}

impl WriteTransaction {
    pub(crate) async fn insert_trees(
        &mut self,
        repository: &RepositoryKey,
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

    /// Records the content of blobs that a commit names and that this transaction has claimed, and
    /// tells how many no commit named before.
    pub(crate) async fn insert_blobs(
        &mut self,
        repository: &RepositoryKey,
        blobs: &BTreeMap<ObjectId, Blob>,
        claimed: &ClaimedContents,
    ) -> Result<u64, RegistryError> {
        self.upsert_blobs(repository, blobs, claimed, None).await
    }

    /// Records the content of a blob that awaits its commit; false when the repository has it.
    pub(crate) async fn insert_uploaded_blob(
        &mut self,
        repository: &RepositoryKey,
        oid: &ObjectId,
        blob: &Blob,
        claimed: &ClaimedContents,
        now_ms: i64,
    ) -> Result<bool, RegistryError> {
        let one = BTreeMap::from([(*oid, *blob)]);
        let changed = self.upsert_blobs(repository, &one, claimed, Some(now_ms));
        Ok(changed.await? == 1)
    }

    /// Adds blobs or updates them. The text of an LFS pointer that was committed without its object
    /// is a plain blob; it becomes a pointer when the object arrives, but not where a version was
    /// published, because versions never change.
    async fn upsert_blobs(
        &mut self,
        repository: &RepositoryKey,
        blobs: &BTreeMap<ObjectId, Blob>,
        claimed: &ClaimedContents,
        uploaded_ms: Option<i64>,
    ) -> Result<u64, RegistryError> {
        let sql = [
            "INSERT INTO blobs (repository, oid, sha256, size_bytes, form, uploaded_ms)",
            "ON CONFLICT (repository, oid) DO UPDATE SET \
             sha256 = CASE excluded.form WHEN 'pointer' THEN excluded.sha256 ELSE blobs.sha256 END, \
             size_bytes = CASE excluded.form WHEN 'pointer' THEN excluded.size_bytes ELSE blobs.size_bytes END, \
             form = CASE excluded.form WHEN 'pointer' THEN excluded.form ELSE blobs.form END, \
             uploaded_ms = CASE WHEN blobs.uploaded_ms IS NULL THEN NULL ELSE excluded.uploaded_ms END \
             WHERE blobs.uploaded_ms IS NOT NULL OR (blobs.form = 'plain' AND excluded.form = 'pointer' AND NOT EXISTS \
             (SELECT 1 FROM published_versions p JOIN accounts o ON o.name_folded = p.owner_folded JOIN repositories r \
             ON r.owner = o.id AND r.kind = p.kind AND r.name_folded = p.name_folded WHERE r.id = blobs.repository))",
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

/// `["ce01…","4b82…"]`, of one id at least.
fn json_list(oids: &[ObjectId]) -> String {
    let mut list = String::with_capacity(oids.len() * 43 + 2);
    for oid in oids {
        let before = if list.is_empty() { '[' } else { ',' };
        // Writing to a text never fails.
        let _ = write!(list, "{before}\"{oid}\"");
    }
    list + "]"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(number: usize) -> ObjectId {
        object_id(&format!("{number:040}")).unwrap()
    }

    #[tokio::test]
    async fn more_blobs_than_one_query_takes_are_all_found() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        for statement in [
            "INSERT INTO accounts (id, kind, name, name_folded, full_name, created_ms) VALUES ('a', 'user', 'a', 'a', 'a', 0)",
            "INSERT INTO repositories (id, kind, owner, name, name_folded, private, created_ms, modified_ms) \
             VALUES ('one', 'model', 'a', 'one', 'one', 0, 0, 0), ('two', 'model', 'a', 'two', 'two', 0, 0, 0)",
            "WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < 10000) \
             INSERT INTO blobs (repository, oid, sha256, size_bytes, form) \
             SELECT 'one', printf('%040d', i), printf('%064d', i), i, CASE i WHEN 7 THEN 'pointer' ELSE 'plain' END FROM numbers",
        ] {
            let inserted = sqlx::query(statement).execute(&database.pool).await;
            inserted.unwrap();
        }
        // One is not there, and one is asked for twice.
        let mut oids: Vec<ObjectId> = (0..=10_001).rev().map(oid).collect();
        oids.push(oid(7));
        let [one, two, three] = ["one", "two", "three"].map(RepositoryKey::from);
        let blobs = database.blobs(&one, &oids).await.unwrap();
        assert_eq!(blobs.len(), 10_001);
        assert!(blobs.len() > BLOBS_MAX);
        assert_eq!(blobs[&oid(10_000)].size_bytes, 10_000);
        assert_eq!(blobs[&oid(8)].form, BlobForm::Plain);
        let sha256 = Sha256Digest::from_hex(&format!("{:064}", 7)).unwrap();
        let expect = Blob {
            sha256,
            size_bytes: 7,
            form: BlobForm::Pointer,
        };
        assert_eq!(blobs[&oid(7)], expect);
        assert!(!blobs.contains_key(&oid(10_001)));
        assert!(database.blobs(&two, &oids).await.unwrap().is_empty());
        assert!(database.blobs(&one, &[]).await.unwrap().is_empty());
        let gone = database.blobs(&three, &oids).await;
        assert!(matches!(gone, Err(RegistryError::RepositoryGone)));
    }
}
