//! Deletes, once an hour, temporary files, parts and expired LFS uploads that were abandoned.

use std::time::Duration;

use crate::clock;
use crate::error::RegistryError;
use crate::registry::Registry;

/// Temporary files older than this belong to no upload that still runs.
pub(crate) const INCOMING_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Rest between two sweeps. Each of several servers sweeps; what one has taken away the others do
/// not miss.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// The time that assembling an upload may take after it was begun in time.
const COMPLETION_MAX: Duration = Duration::from_secs(60 * 60);

/// Sweeps once an hour, for ever.
pub(crate) async fn now_and_then(registry: Registry) {
    loop {
        if let Err(error) = uploads(&registry).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old uploads could not be cleared away"
            );
        }
        tokio::time::sleep(PAUSE).await;
        if let Err(error) = incoming(&registry) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old temporary files could not be cleared away"
            );
        }
    }
}

/// Removes temporary files of uploads that were cut off.
pub(crate) fn incoming(registry: &Registry) -> Result<(), RegistryError> {
    registry.content().sweep_incoming(INCOMING_AGE_MAX)
}

/// Removes the parts of uploads that are no longer known. Parts that cannot be removed are left to
/// a later sweep.
pub(crate) async fn parts(registry: &Registry, parts: &[(String, i64)]) {
    for (ticket, number) in parts {
        if let Err(error) = registry.content().remove_part(ticket, *number).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a part could not be removed"
            );
        }
    }
}

/// Forgets LFS uploads that ran out of time and objects that no commit came to name, and removes
/// parts that were never put together.
pub(crate) async fn uploads(registry: &Registry) -> Result<(), RegistryError> {
    let (database, limits) = (registry.database(), registry.limits());
    let now_ms = clock::now_ms();
    let expired_ms = now_ms.saturating_sub(clock::span_ms(COMPLETION_MAX));
    let uploaded_ms = now_ms.saturating_sub(clock::span_ms(limits.lfs_object_lifetime));
    let repositories = database
        .repositories_with_old_uploads(expired_ms, uploaded_ms)
        .await?;
    for repository in repositories {
        let mut writing = match database.write_to(&repository).await {
            Err(RegistryError::RepositoryGone) => continue,
            writing => writing?,
        };
        let parts = writing.parts_of_repository(&repository, expired_ms).await?;
        writing
            .delete_old_uploads(&repository, expired_ms, uploaded_ms)
            .await?;
        writing.commit().await?;
        self::parts(registry, &parts).await;
    }
    // A part is younger than the address it was sent to, and is read for a while after that has run
    // out.
    let age_max = limits.lfs_ticket_lifetime.saturating_add(INCOMING_AGE_MAX);
    registry.content().sweep_parts(age_max).await
}
