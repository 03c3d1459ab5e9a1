//! Collects garbage: removes contents that nobody refers to, and leftovers of broken-off uploads.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};

use crate::abandoned_uploads::{self, INCOMING_AGE_MAX};
use crate::clock;
use crate::content::{Sha256Digest, StoredObject};
use crate::database::contents::REMOVAL_DOUBT;
use crate::error::RegistryError;
use crate::registry::Registry;

/// Objects looked up by one query to the database.
const LOOKUP_MAX: usize = 500;
/// Objects removed in one transaction; commits with the same content, and all writers to SQLite,
/// wait that long.
const REMOVALS_MAX: usize = 32;
/// Removals asked of the store at the same time.
const REMOVALS_IN_FLIGHT_MAX: usize = 8;
/// The time after their condemnation in which the removal of objects may begin and go on. It ends
/// well before the database gives the transaction up, and before a commit may rely on them again.
const REMOVAL_MAX: Duration = Duration::from_secs(30);
/// The longest time that a commit may take, from its first file to its last.
const COMMIT_AGE_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const _: () = assert!(REMOVAL_MAX.as_secs() * 2 < REMOVAL_DOUBT.as_secs());

/// The results of a garbage collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GarbageReport {
    /// Objects looked at.
    pub objects: u64,
    /// Objects removed.
    pub removed_objects: u64,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Objects that nobody refers to but that were written within the grace period.
    pub young_objects: u64,
}

impl Registry {
    /// Removes content that no commit refers to and that nobody wrote for `grace`, and leftovers of
    /// uploads that broke off.
    ///
    /// It may run while others push, on this server and on others, and several collections may run
    /// at once. `grace` keeps content whose commit is still on its way; a day is a good choice. The
    /// clocks of servers and storage must agree much better than that. A commit that is on its way
    /// longer and loses a file is refused with 503 and leaves nothing damaged.
    ///
    /// An LFS object that awaits its commit stays as long as
    /// [`Limits::lfs_object_lifetime`](crate::Limits::lfs_object_lifetime) says. Content of a
    /// commit stays as long as its repository, whether or not a branch still leads to it. Parts of
    /// long files that a server was sending to a bucket when it was killed are not listed as
    /// objects; a lifecycle rule of the bucket ends them.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Query`], [`RegistryError::Content`], [`RegistryError::Spool`] or
    /// [`RegistryError::RemovalSlow`] when the database or the store fails; what was removed until
    /// then was garbage.
    pub async fn collect_garbage(&self, grace: Duration) -> Result<GarbageReport, RegistryError> {
        abandoned_uploads::incoming(self)?;
        abandoned_uploads::uploads(self).await?;
        self.content().sweep_half_written(INCOMING_AGE_MAX).await?;
        let started_ms = clock::now_ms();
        let mut collection = Collection {
            registry: self,
            written_until_ms: started_ms.saturating_sub(clock::span_ms(grace)),
            report: GarbageReport::default(),
        };
        let mut objects = self.content().list().chunks(LOOKUP_MAX);
        while let Some(batch) = objects.next().await {
            let batch: Result<Vec<StoredObject>, RegistryError> = batch.into_iter().collect();
            collection.look_at(&batch?).await?;
        }
        let ago = |age| started_ms.saturating_sub(clock::span_ms(age));
        let mut writing = self.database().write().await?;
        writing.acquit_referenced(ago(REMOVAL_DOUBT)).await?;
        writing.forget_condemned(ago(COMMIT_AGE_MAX)).await?;
        writing.forget_arrivals(collection.written_until_ms).await?;
        writing.commit().await?;
        Ok(collection.report)
    }
}

struct Collection<'a> {
    registry: &'a Registry,
    written_until_ms: i64,
    report: GarbageReport,
}

impl Collection<'_> {
    async fn look_at(&mut self, objects: &[StoredObject]) -> Result<(), RegistryError> {
        self.report.objects += objects.len() as u64;
        let digests = objects.iter().map(|object| object.sha256).collect();
        let referenced = self.registry.database().referenced(&digests).await?;
        let mut garbage = Vec::new();
        for object in objects {
            if referenced.contains(&object.sha256) {
                continue;
            }
            if object.written_ms > self.written_until_ms {
                self.report.young_objects += 1;
            } else {
                garbage.push(object.sha256);
            }
        }
        for batch in garbage.chunks(REMOVALS_MAX) {
            self.remove(&batch.iter().copied().collect()).await?;
        }
        Ok(())
    }

    /// Condemns and removes in two transactions, as [`crate::database::contents`] explains. That
    /// they are condemned is durable before anything is gone, so a commit that comes later knows
    /// that it has to look.
    async fn remove(&mut self, garbage: &BTreeSet<Sha256Digest>) -> Result<(), RegistryError> {
        let database = self.registry.database();
        let condemned = tokio::time::Instant::now();
        let mut writing = database.write().await?;
        let condemned_ms = clock::now_ms();
        writing.condemn_contents(garbage, condemned_ms).await?;
        writing.commit().await?;

        let mut writing = database.write().await?;
        let mut kept = writing.lock_condemned(garbage, condemned_ms).await?;
        let referenced = writing.referenced(&kept).await?;
        let wanted = kept.difference(&referenced).copied().collect();
        let removed = match condemned.elapsed() < REMOVAL_MAX {
            true => {
                let removing = self.remove_old(wanted);
                tokio::time::timeout_at(condemned + REMOVAL_MAX, removing)
                    .await
                    .map_err(|_| RegistryError::RemovalSlow(REMOVAL_MAX))??
            }
            // Waiting for the locks took so long that no removal may be begun any more.
            false => Vec::new(),
        };
        for gone in removed {
            kept.remove(&gone.sha256);
            writing.record_removal(&gone.sha256).await?;
            self.report.removed_objects += u64::from(gone.removed_bytes.is_some());
            self.report.removed_bytes += gone.removed_bytes.unwrap_or_default();
        }
        for sha256 in &kept {
            writing.acquit_content(sha256).await?;
        }
        writing.commit().await
    }

    /// Removes those of these objects that nobody has sent again since the listing, and tells which
    /// are not there any more.
    async fn remove_old(
        &self,
        wanted: Vec<Sha256Digest>,
    ) -> Result<Vec<RemovedObject>, RegistryError> {
        let content = self.registry.content();
        let removing = futures::stream::iter(wanted).map(async |sha256| {
            let removed_bytes = match content.find(&sha256).await? {
                Some(object) if object.written_ms > self.written_until_ms => return Ok(None),
                Some(object) => {
                    content.remove_object(&sha256).await?;
                    Some(object.size_bytes)
                }
                // Another collection was faster.
                None => None,
            };
            Ok(Some(RemovedObject {
                sha256,
                removed_bytes,
            }))
        });
        removing
            .buffer_unordered(REMOVALS_IN_FLIGHT_MAX)
            .try_filter_map(async |gone| Ok(gone))
            .try_collect()
            .await
    }
}

/// An object that is not there any more.
struct RemovedObject {
    sha256: Sha256Digest,
    /// Its length, if it was this collection that removed it.
    removed_bytes: Option<u64>,
}
