//! Reads the manifests of the tools that listings show, for many repositories at once.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::{BATCH_MAX, placeholders};
use super::tools::stored;
use crate::content::Sha256Digest;
use crate::error::RegistryError;
use crate::tool::StoredManifest;

impl Database {
    /// The manifests that listings show, by repository; one without a tool is left out.
    pub(crate) async fn listed_manifests<'a>(
        &self,
        repositories: impl Iterator<Item = &'a RepositoryKey>,
    ) -> Result<HashMap<RepositoryKey, StoredManifest>, RegistryError> {
        let repositories: Vec<&RepositoryKey> = repositories.collect();
        let mut manifests = HashMap::with_capacity(repositories.len());
        for batch in repositories.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT t.repository, m.sha256, m.facts FROM tools t \
                 JOIN manifests m ON m.repository = t.repository AND m.sha256 = t.manifest WHERE t.repository IN ({})",
                placeholders(1, batch.len())
            );
            let mut query =
                sqlx::query_as::<_, (RepositoryKey, Sha256Digest, String)>(AssertSqlSafe(sql));
            for repository in batch {
                query = query.bind((*repository).clone());
            }
            for (repository, sha256, facts) in query.fetch_all(&self.pool).await? {
                manifests.insert(repository, stored(sha256, &facts)?);
            }
        }
        Ok(manifests)
    }
}
