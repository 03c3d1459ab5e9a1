//! Queries and row locks that keep garbage collection from file contents that commits refer to.
//! This includes commits that are still on their way.
//!
//! A commit stores content first and refers to it later, in a transaction. The collection must not
//! take content away in between unnoticed, whichever servers the two run on. Both go through one
//! row for each content:
//!
//! - the collection condemns content in a transaction of its own; in a second one it locks the
//!   rows, looks whether somebody refers to the content after all, removes it, and says so in the
//!   row;
//! - a commit locks the same rows, shared with other commits, in the transaction that makes the
//!   references. Each waits for the other, and the later one sees what the earlier one did: the
//!   collection sees the reference, or the commit sees the row and looks whether the content is
//!   there.
//!
//! A condemned row that does not say that the content is gone belongs to a collection that was cut
//! off, by a crash or because the database gave it up. Its last removals may still be on their way
//! to the storage, so a commit is refused for [`REMOVAL_DOUBT`].

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::{Any, AssertSqlSafe, Executor};

use super::connection::Database;
use super::rows::from_row;
use super::sql::{BATCH_MAX, placeholders};
use super::write_transaction::WriteTransaction;
use crate::clock;
use crate::content::{ContentStore, Sha256Digest};
use crate::error::RegistryError;

/// The time after its condemnation in which a collection that was cut off may still remove a
/// content.
pub(crate) const REMOVAL_DOUBT: Duration = Duration::from_secs(2 * 60);

/// Proof that a transaction may refer to some contents: they are there, and stay until it has
/// ended.
pub(crate) struct ClaimedContents(BTreeSet<Sha256Digest>);

impl ClaimedContents {
    pub(super) fn covers(&self, digest: &Sha256Digest) -> bool {
        self.0.contains(digest)
    }
}

struct Row {
    sha256: Sha256Digest,
    condemned_ms: i64,
    removed: i64,
}

from_row!(Row {
    sha256,
    condemned_ms,
    removed
});

impl Row {
    /// True while a collection may still remove the content.
    fn is_in_doubt(&self, now_ms: i64) -> bool {
        let doubt_ms = clock::span_ms(REMOVAL_DOUBT);
        self.removed == 0 && self.condemned_ms > now_ms.saturating_sub(doubt_ms)
    }
}

impl Database {
    /// Those of these contents that somebody refers to.
    pub(crate) async fn referenced(
        &self,
        digests: &BTreeSet<Sha256Digest>,
    ) -> Result<BTreeSet<Sha256Digest>, RegistryError> {
        referenced(&self.pool, digests).await
    }

    /// The contents that repositories refer to, in order, at most `limit` after `after`.
    pub(crate) async fn contents_after(
        &self,
        after: Option<&Sha256Digest>,
        limit: i64,
    ) -> Result<Vec<Sha256Digest>, RegistryError> {
        let contents = sqlx::query_scalar(
            "SELECT DISTINCT sha256 FROM blobs WHERE sha256 > $1 ORDER BY sha256 LIMIT $2",
        );
        Ok(contents
            .bind(after.map(ToString::to_string).unwrap_or_default())
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }

    /// The repositories that hold a content: `kind owner/name`, at most `limit`.
    pub(crate) async fn holders(
        &self,
        digest: &Sha256Digest,
        limit: i64,
    ) -> Result<Vec<String>, RegistryError> {
        let holders = sqlx::query_scalar(
            "SELECT DISTINCT r.kind || ' ' || o.name || '/' || r.name FROM blobs b JOIN repositories r ON r.id = b.repository \
             JOIN accounts o ON o.id = r.owner WHERE b.sha256 = $1 ORDER BY 1 LIMIT $2",
        );
        Ok(holders
            .bind(digest.to_string())
            .bind(limit)
            .fetch_all(&self.pool)
            .await?)
    }
}

impl WriteTransaction {
    /// Makes sure that these contents are there and stay, whatever a collection is doing. Whoever
    /// refers to a content claims it first, in the transaction that makes the reference.
    ///
    /// # Errors
    ///
    /// [`RegistryError::ContentCollected`] when one of them is gone or may go; it has to be sent
    /// again.
    pub(crate) async fn claim_contents(
        &mut self,
        store: &ContentStore,
        digests: BTreeSet<Sha256Digest>,
    ) -> Result<ClaimedContents, RegistryError> {
        let all: Vec<&Sha256Digest> = digests.iter().collect();
        for batch in all.chunks(BATCH_MAX) {
            let mut open = batch.to_vec();
            // A row that is forgotten between the two statements is made again.
            while !open.is_empty() {
                let new = self.insert_contents(&open).await?;
                open.retain(|digest| !new.contains(*digest));
                let known = self.lock_contents(&open, self.engine.share_rows()).await?;
                let mut seen = BTreeSet::new();
                for row in known {
                    let digest = row.sha256;
                    if row.condemned_ms > 0
                        && (row.is_in_doubt(clock::now_ms())
                            || store.find(&digest).await?.is_none())
                    {
                        return Err(RegistryError::ContentCollected {
                            sha256: digest.to_string(),
                        });
                    }
                    seen.insert(digest);
                }
                open.retain(|digest| !seen.contains(*digest));
            }
        }
        Ok(ClaimedContents(digests))
    }

    /// Makes the rows that are missing and tells which those were. The order is that of the digests
    /// everywhere, so that no two transactions wait for each other.
    async fn insert_contents(
        &mut self,
        digests: &[&Sha256Digest],
    ) -> Result<BTreeSet<Sha256Digest>, RegistryError> {
        let values: Vec<String> = (1..=digests.len())
            .map(|number| format!("(${number}, 0, 0)"))
            .collect();
        let mut statement = sqlx::query_scalar(AssertSqlSafe(format!(
            "INSERT INTO contents (sha256, condemned_ms, removed) VALUES {} ON CONFLICT (sha256) DO NOTHING RETURNING sha256",
            values.join(",")
        )));
        for digest in digests {
            statement = statement.bind(digest.to_string());
        }
        let new: Vec<Sha256Digest> = statement.fetch_all(self.connection()).await?;
        Ok(new.into_iter().collect())
    }

    async fn lock_contents(
        &mut self,
        digests: &[&Sha256Digest],
        lock: &str,
    ) -> Result<Vec<Row>, RegistryError> {
        if digests.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT sha256, condemned_ms, removed FROM contents WHERE sha256 IN ({}) ORDER BY sha256 {lock}",
            placeholders(1, digests.len())
        )));
        for digest in digests {
            query = query.bind(digest.to_string());
        }
        Ok(query.fetch_all(self.connection()).await?)
    }

    /// Condemns contents.
    pub(crate) async fn condemn_contents(
        &mut self,
        digests: &BTreeSet<Sha256Digest>,
        now_ms: i64,
    ) -> Result<(), RegistryError> {
        for digest in digests {
            let statement = sqlx::query(
                "INSERT INTO contents (sha256, condemned_ms, removed) VALUES ($1, $2, 0) \
                 ON CONFLICT (sha256) DO UPDATE SET condemned_ms = excluded.condemned_ms, removed = 0",
            )
            .bind(digest.to_string())
            .bind(now_ms);
            self.run(statement).await?;
        }
        Ok(())
    }

    /// Keeps commits and other collections away from those of these contents that stand as they
    /// were condemned at that moment. What another collection has condemned again or decided about
    /// since is its own.
    pub(crate) async fn lock_condemned(
        &mut self,
        digests: &BTreeSet<Sha256Digest>,
        condemned_ms: i64,
    ) -> Result<BTreeSet<Sha256Digest>, RegistryError> {
        let all: Vec<&Sha256Digest> = digests.iter().collect();
        let mut condemned = BTreeSet::new();
        for batch in all.chunks(BATCH_MAX) {
            let rows = self.lock_contents(batch, self.engine.lock_rows()).await?;
            for row in rows {
                if (row.condemned_ms, row.removed) == (condemned_ms, 0) {
                    condemned.insert(row.sha256);
                }
            }
        }
        Ok(condemned)
    }

    /// Those of these contents that somebody refers to, as this transaction sees it.
    pub(crate) async fn referenced(
        &mut self,
        digests: &BTreeSet<Sha256Digest>,
    ) -> Result<BTreeSet<Sha256Digest>, RegistryError> {
        referenced(self.connection(), digests).await
    }

    /// Records that a condemned content was deleted. It no longer counts for any owner.
    pub(crate) async fn record_removal(
        &mut self,
        digest: &Sha256Digest,
    ) -> Result<(), RegistryError> {
        for sql in [
            "UPDATE contents SET removed = 1 WHERE sha256 = $1",
            "DELETE FROM arrivals WHERE sha256 = $1",
        ] {
            self.run(sqlx::query(sql).bind(digest.to_string())).await?;
        }
        Ok(())
    }

    /// Takes back that a content was condemned.
    pub(crate) async fn acquit_content(
        &mut self,
        digest: &Sha256Digest,
    ) -> Result<(), RegistryError> {
        let statement =
            sqlx::query("UPDATE contents SET condemned_ms = 0, removed = 0 WHERE sha256 = $1")
                .bind(digest.to_string());
        self.run(statement).await?;
        Ok(())
    }

    /// Takes back that contents were condemned before `before_ms` that somebody refers to.
    pub(crate) async fn acquit_referenced(&mut self, before_ms: i64) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "UPDATE contents SET condemned_ms = 0, removed = 0 WHERE condemned_ms > 0 AND condemned_ms < $1 \
             AND EXISTS (SELECT 1 FROM blobs WHERE blobs.sha256 = contents.sha256)",
        )
        .bind(before_ms);
        self.run(statement).await?;
        Ok(())
    }

    /// Forgets what was condemned before `before_ms` and that nobody refers to; no commit that was
    /// on its way then can still be.
    pub(crate) async fn forget_condemned(&mut self, before_ms: i64) -> Result<(), RegistryError> {
        let statement = sqlx::query(
            "DELETE FROM contents WHERE condemned_ms > 0 AND condemned_ms < $1 \
             AND NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.sha256 = contents.sha256)",
        )
        .bind(before_ms);
        self.run(statement).await?;
        Ok(())
    }
}

async fn referenced(
    database: impl Executor<'_, Database = Any>,
    digests: &BTreeSet<Sha256Digest>,
) -> Result<BTreeSet<Sha256Digest>, RegistryError> {
    if digests.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sql = format!(
        "SELECT DISTINCT sha256 FROM blobs WHERE sha256 IN ({})",
        placeholders(1, digests.len())
    );
    let mut query = sqlx::query_scalar::<_, Sha256Digest>(AssertSqlSafe(sql));
    for digest in digests {
        query = query.bind(digest.to_string());
    }
    let found = query.fetch_all(database).await?;
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_may_still_be_removed_is_not_relied_on() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let store = ContentStore::open_local(scratch.path()).unwrap();
        let mut spool = store.spool(1 << 10);
        spool.write(b"content").await.unwrap();
        let spooled = spool.finish().await.unwrap();
        let digests = BTreeSet::from([spooled.sha256]);
        store.keep(spooled).await.unwrap();

        let is_claimed = async || {
            let mut writing = database.write().await.unwrap();
            match writing.claim_contents(&store, digests.clone()).await {
                Ok(claimed) => claimed.covers(digests.first().unwrap()),
                Err(RegistryError::ContentCollected { .. }) => false,
                Err(error) => panic!("{error:?}"),
            }
        };
        let condemn = async |age: Duration, is_removed: bool| {
            let since_ms = clock::now_ms() - clock::span_ms(age);
            let mut writing = database.write().await.unwrap();
            writing.condemn_contents(&digests, since_ms).await.unwrap();
            if is_removed {
                let digest = digests.first().unwrap();
                writing.record_removal(digest).await.unwrap();
            }
            writing.commit().await.unwrap();
        };
        assert!(is_claimed().await, "nobody condemned it");
        condemn(Duration::ZERO, false).await;
        assert!(!is_claimed().await, "it may go at any moment");
        condemn(REMOVAL_DOUBT + Duration::from_secs(1), false).await;
        assert!(is_claimed().await, "it stayed");
        condemn(Duration::ZERO, true).await;
        assert!(is_claimed().await, "it was sent again");
        store.remove_object(digests.first().unwrap()).await.unwrap();
        assert!(!is_claimed().await, "it is gone");
    }

    #[tokio::test]
    async fn of_two_collections_the_one_that_condemned_last_decides() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("registry.sqlite");
        let database = Database::open_sqlite(&path).await.unwrap();
        let digests = BTreeSet::from([Sha256Digest::new([7; 32])]);
        let mut writing = database.write().await.unwrap();
        writing.condemn_contents(&digests, 1_000).await.unwrap();
        writing.condemn_contents(&digests, 2_000).await.unwrap();
        let none = BTreeSet::new();
        assert_eq!(writing.lock_condemned(&digests, 1_000).await.unwrap(), none);
        let mine = writing.lock_condemned(&digests, 2_000).await.unwrap();
        assert_eq!(mine, digests);
        for digest in &digests {
            writing.acquit_content(digest).await.unwrap();
        }
        assert_eq!(writing.lock_condemned(&digests, 2_000).await.unwrap(), none);
    }
}
