//! Records LFS uploads and their parts, and finds the objects that a repository has been given.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use super::connection::Database;
use super::keys::{AccountKey, RepositoryKey, TokenKey};
use super::rows::from_row;
use super::sql::{BATCH_MAX, placeholders, select};
use super::write_transaction::WriteTransaction;
use super::write_transaction::insertions;
use crate::content::Sha256Digest;
use crate::error::RegistryError;

/// A permission to upload one object of a repository, as it is made.
#[derive(Debug, Clone)]
pub(crate) struct NewUpload {
    /// The hash of the secret in the address.
    pub(crate) ticket: String,
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: u64,
    /// The length of each part, but for the last; `None` when the object comes in one piece.
    pub(crate) part_bytes: Option<u64>,
    pub(crate) expires_ms: i64,
}

/// A permission to upload one object of a repository, with those it concerns.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) ticket: String,
    pub(crate) repository: RepositoryKey,
    /// The owner of the repository.
    pub(crate) owner: AccountKey,
    /// The account whose token asked for the permission.
    pub(crate) account: AccountKey,
    pub(crate) token: TokenKey,
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: i64,
    pub(crate) part_bytes: Option<i64>,
}

from_row!(Upload {
    ticket,
    repository,
    owner,
    account,
    token,
    sha256,
    size_bytes,
    part_bytes
});

/// A part that has arrived.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) number: i64,
    pub(crate) sha256: Sha256Digest,
    pub(crate) size_bytes: i64,
}

from_row!(Part {
    number,
    sha256,
    size_bytes
});

/// A file that a repository was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UploadedFile {
    pub(crate) size_bytes: u64,
    /// No commit has named it yet.
    pub(crate) awaits_commit: bool,
}

impl Database {
    /// The upload that a ticket permits, unless it has expired or the token that asked for it is no
    /// longer good.
    pub(crate) async fn valid_upload(
        &self,
        ticket: &str,
        now_ms: i64,
    ) -> Result<Option<Upload>, RegistryError> {
        let upload = select(
            "u.ticket, u.repository, r.owner, t.account, u.token, u.sha256, u.size_bytes, u.part_bytes",
            "FROM lfs_uploads u JOIN repositories r ON r.id = u.repository JOIN tokens t ON t.id = u.token \
             WHERE u.ticket = $1 AND u.expires_ms > $2 AND t.revoked_ms IS NULL AND (t.expires_ms IS NULL OR t.expires_ms > $2)",
        );
        Ok(upload
            .bind(ticket)
            .bind(now_ms)
            .fetch_optional(&self.pool)
            .await?)
    }

    /// The parts of an upload, in order.
    pub(crate) async fn parts(&self, ticket: &str) -> Result<Vec<Part>, RegistryError> {
        let parts = select(
            "number, sha256, size_bytes",
            "FROM lfs_parts WHERE ticket = $1 ORDER BY number",
        );
        Ok(parts.bind(ticket).fetch_all(&self.pool).await?)
    }

    /// Those of these files that this repository was given before. What other repositories hold
    /// does not count: who only knows a hash must not get at the content.
    pub(crate) async fn given(
        &self,
        repository: &RepositoryKey,
        digests: &[Sha256Digest],
    ) -> Result<HashMap<Sha256Digest, UploadedFile>, RegistryError> {
        let mut given = HashMap::new();
        for batch in digests.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT sha256, MAX(size_bytes), COUNT(*) - COUNT(uploaded_ms) FROM blobs \
                 WHERE repository = $1 AND sha256 IN ({}) GROUP BY sha256",
                placeholders(2, batch.len())
            );
            let mut query =
                sqlx::query_as::<_, (Sha256Digest, i64, i64)>(AssertSqlSafe(sql)).bind(repository);
            for digest in batch {
                query = query.bind(digest.to_string());
            }
            for (digest, size, named) in query.fetch_all(&self.pool).await? {
                let found = UploadedFile {
                    size_bytes: size.max(0).unsigned_abs(),
                    awaits_commit: named == 0,
                };
                given.insert(digest, found);
            }
        }
        Ok(given)
    }

    /// The repositories with uploads that expired before `expired_ms`, or with files that await a
    /// commit since before `uploaded_ms`.
    pub(crate) async fn repositories_with_old_uploads(
        &self,
        expired_ms: i64,
        uploaded_ms: i64,
    ) -> Result<Vec<RepositoryKey>, RegistryError> {
        let repositories = sqlx::query_scalar(
            "SELECT repository FROM lfs_uploads WHERE expires_ms <= $1 UNION SELECT repository FROM blobs WHERE uploaded_ms <= $2",
        );
        Ok(repositories
            .bind(expired_ms)
            .bind(uploaded_ms)
            .fetch_all(&self.pool)
            .await?)
    }
}

impl WriteTransaction {
    pub(crate) async fn insert_uploads(
        &mut self,
        repository: &RepositoryKey,
        token: &TokenKey,
        uploads: &[NewUpload],
    ) -> Result<(), RegistryError> {
        let sql = [
            "INSERT INTO lfs_uploads (ticket, repository, token, sha256, size_bytes, part_bytes, expires_ms)",
            "",
        ];
        let statements = insertions(sql, 7, uploads.iter(), |statement, upload| {
            statement
                .bind(upload.ticket.clone())
                .bind(repository.to_owned())
                .bind(token.to_owned())
                .bind(upload.sha256.to_string())
                .bind(bound(upload.size_bytes))
                .bind(upload.part_bytes.map(bound))
                .bind(upload.expires_ms)
        });
        self.run_all(statements).await?;
        Ok(())
    }

    /// Counts the uploads to an owner's repositories that have not arrived. If there are at most
    /// `enough` in all, those that have arrived are counted too, which is faster.
    pub(crate) async fn open_uploads(
        &mut self,
        owner: &AccountKey,
        enough: usize,
    ) -> Result<usize, RegistryError> {
        let all = "SELECT COUNT(*) FROM lfs_uploads u JOIN repositories r ON r.id = u.repository WHERE r.owner = $1";
        let open = " AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.repository = u.repository AND b.sha256 = u.sha256)";
        let mut count = 0;
        for sql in [all.to_owned(), format!("{all}{open}")] {
            let counting = sqlx::query_scalar(AssertSqlSafe(sql)).bind(owner.to_owned());
            let counted: i64 = counting.fetch_one(self.connection()).await?;
            count = usize::try_from(counted).unwrap_or_default();
            if count <= enough {
                break;
            }
        }
        Ok(count)
    }

    /// The parts of expired uploads to a repository, as ticket and number.
    pub(crate) async fn parts_of_repository(
        &mut self,
        repository: &RepositoryKey,
        expired_ms: i64,
    ) -> Result<Vec<(String, i64)>, RegistryError> {
        let parts = sqlx::query_as(
            "SELECT p.ticket, p.number FROM lfs_parts p JOIN lfs_uploads u ON u.ticket = p.ticket \
             WHERE u.repository = $1 AND u.expires_ms <= $2",
        );
        Ok(parts
            .bind(repository)
            .bind(expired_ms)
            .fetch_all(self.connection())
            .await?)
    }

    /// Records a part; one that is sent again takes the place of the first.
    pub(crate) async fn upsert_part(
        &mut self,
        ticket: &str,
        part: &Part,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "INSERT INTO lfs_parts (ticket, number, sha256, size_bytes) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (ticket, number) DO UPDATE SET sha256 = excluded.sha256, size_bytes = excluded.size_bytes",
        )
        .bind(ticket)
        .bind(part.number)
        .bind(part.sha256.to_string())
        .bind(part.size_bytes);
        self.run(statement).await?;
        Ok(())
    }

    /// Forgets the parts of an upload.
    pub(crate) async fn delete_parts(&mut self, ticket: &str) -> Result<(), RegistryError> {
        let statement = sqlx::query("DELETE FROM lfs_parts WHERE ticket = $1").bind(ticket);
        self.run(statement).await?;
        Ok(())
    }

    /// Restarts the time that uploaded files may wait for their commit.
    pub(crate) async fn renew_uploads(
        &mut self,
        repository: &RepositoryKey,
        digests: &[Sha256Digest],
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        for batch in digests.chunks(BATCH_MAX) {
            let sql = format!(
                "UPDATE blobs SET uploaded_ms = $1 WHERE repository = $2 AND uploaded_ms IS NOT NULL AND sha256 IN ({})",
                placeholders(3, batch.len())
            );
            let mut statement = sqlx::query(AssertSqlSafe(sql))
                .bind(now_ms)
                .bind(repository.to_owned());
            for digest in batch {
                statement = statement.bind(digest.to_string());
            }
            self.run(statement).await?;
        }
        Ok(())
    }

    /// Forgets the uploads that expired before `expired_ms`, and the files that await a commit
    /// since before `uploaded_ms`.
    pub(crate) async fn delete_old_uploads(
        &mut self,
        repository: &RepositoryKey,
        expired_ms: i64,
        uploaded_ms: i64,
    ) -> Result<(), RegistryError> {
        let uploads =
            sqlx::query("DELETE FROM lfs_uploads WHERE repository = $1 AND expires_ms <= $2")
                .bind(repository)
                .bind(expired_ms);
        self.run(uploads).await?;
        // These uploads are complete and would count as announced again.
        let used = sqlx::query(
            "DELETE FROM lfs_uploads WHERE repository = $1 AND EXISTS (SELECT 1 FROM blobs b \
             WHERE b.repository = lfs_uploads.repository AND b.sha256 = lfs_uploads.sha256 AND b.uploaded_ms <= $2)",
        )
        .bind(repository)
        .bind(uploaded_ms);
        self.run(used).await?;
        let blobs = sqlx::query("DELETE FROM blobs WHERE repository = $1 AND uploaded_ms <= $2")
            .bind(repository)
            .bind(uploaded_ms);
        self.run(blobs).await?;
        Ok(())
    }
}

fn bound(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
