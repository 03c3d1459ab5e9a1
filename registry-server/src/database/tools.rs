//! Stores and reads the facts of tools' manifests, and chooses the one that listings show.

use sqlx::AssertSqlSafe;
use tool_hub_manifest::Version;

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::{BATCH_MAX, placeholders};
use super::write_transaction::WriteTransaction;
use crate::content::Sha256Digest;
use crate::error::RegistryError;
use crate::tool::{StoredManifest, ToolFacts};

/// Bytes of the names and descriptions of functions that search looks through.
const FUNCTIONS_BYTES_MAX: usize = 16 << 10;

impl Database {
    /// The description of the tool that listings show.
    pub(crate) async fn tool_description(
        &self,
        repository: &RepositoryKey,
    ) -> Result<Option<String>, RegistryError> {
        let found = sqlx::query_scalar("SELECT description FROM tools WHERE repository = $1");
        Ok(found.bind(repository).fetch_optional(&self.pool).await?)
    }

    /// The facts of those of these manifests that are known.
    pub(crate) async fn manifests(
        &self,
        repository: &RepositoryKey,
        digests: &[Sha256Digest],
    ) -> Result<Vec<StoredManifest>, RegistryError> {
        let mut known = Vec::with_capacity(digests.len());
        for batch in digests.chunks(BATCH_MAX) {
            let sql = format!(
                "SELECT sha256, facts FROM manifests WHERE repository = $1 AND sha256 IN ({})",
                placeholders(2, batch.len())
            );
            let mut query =
                sqlx::query_as::<_, (Sha256Digest, String)>(AssertSqlSafe(sql)).bind(repository);
            for digest in batch {
                query = query.bind(digest.to_string());
            }
            for (sha256, facts) in query.fetch_all(&self.pool).await? {
                known.push(stored(sha256, &facts)?);
            }
        }
        Ok(known)
    }
}

pub(super) fn stored(sha256: Sha256Digest, facts: &str) -> Result<StoredManifest, RegistryError> {
    let damaged = || RegistryError::Damaged(format!("the facts of the manifest {sha256}"));
    let facts: ToolFacts = serde_json::from_str(facts).map_err(|_| damaged())?;
    Ok(StoredManifest { sha256, facts })
}

impl WriteTransaction {
    /// Keeps the facts of a manifest.
    pub(crate) async fn insert_manifest(
        &mut self,
        repository: &RepositoryKey,
        manifest: &StoredManifest,
    ) -> Result<(), RegistryError> {
        let facts = serde_json::to_string(&manifest.facts)
            .map_err(|error| RegistryError::Damaged(format!("a manifest as JSON: {error}")))?;
        let statement = sqlx::query(
            "INSERT INTO manifests (repository, sha256, facts) VALUES ($1, $2, $3) ON CONFLICT (repository, sha256) DO NOTHING",
        )
        .bind(repository)
        .bind(manifest.sha256.to_string())
        .bind(facts);
        self.run(statement).await?;
        Ok(())
    }

    /// Updates the listed tool after a commit on the default branch, which carries `head` or no
    /// tool.
    pub(super) async fn set_tool(
        &mut self,
        repository: &RepositoryKey,
        head: Option<&StoredManifest>,
    ) -> Result<(), RegistryError> {
        let Some(head) = head else {
            return self.delete_tool(repository).await;
        };
        self.insert_manifest(repository, head).await?;
        match self.newest_release(repository).await? {
            Some(release) => self.replace_tool(repository, &release).await,
            None => self.replace_tool(repository, head).await,
        }
    }

    /// Updates the listed tool after a version was published. A repository whose default branch
    /// carries no tool is not listed as one.
    pub(crate) async fn list_newest_release(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<(), RegistryError> {
        let listed = sqlx::query("SELECT name FROM tools WHERE repository = $1").bind(repository);
        let listed = listed.fetch_optional(self.connection()).await?;
        let release = self.newest_release(repository).await?;
        let (Some(_), Some(release)) = (listed, release) else {
            return Ok(());
        };
        self.replace_tool(repository, &release).await?;
        self.index_document(repository).await
    }

    /// The manifest of the highest tagged version that is not a pre-release. Clients take this
    /// version when they are asked for none, and only without one the default branch.
    async fn newest_release(
        &mut self,
        repository: &RepositoryKey,
    ) -> Result<Option<StoredManifest>, RegistryError> {
        let tagged = self.tagged_versions(repository).await?;
        let releases = tagged.into_iter().filter_map(|(version, manifest)| {
            let version: Version = version.parse().ok()?;
            version.pre.is_empty().then_some((version, manifest))
        });
        let Some((_, sha256)) = releases.max() else {
            return Ok(None);
        };
        let facts: Option<String> =
            sqlx::query_scalar("SELECT facts FROM manifests WHERE repository = $1 AND sha256 = $2")
                .bind(repository)
                .bind(sha256.to_string())
                .fetch_optional(self.connection())
                .await?;
        facts.map(|facts| stored(sha256, &facts)).transpose()
    }

    async fn delete_tool(&mut self, repository: &RepositoryKey) -> Result<(), RegistryError> {
        let statement = sqlx::query("DELETE FROM tools WHERE repository = $1").bind(repository);
        self.run(statement).await?;
        Ok(())
    }

    async fn replace_tool(
        &mut self,
        repository: &RepositoryKey,
        manifest: &StoredManifest,
    ) -> Result<(), RegistryError> {
        self.delete_tool(repository).await?;
        let facts = &manifest.facts;
        let statement = sqlx::query(
            "INSERT INTO tools (repository, name, version, description, functions, manifest) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(repository)
        .bind(&facts.name)
        .bind(&facts.version)
        .bind(without_zeros(&facts.description))
        .bind(searched_functions(facts))
        .bind(manifest.sha256.to_string());
        self.run(statement).await?;
        Ok(())
    }
}

fn searched_functions(facts: &ToolFacts) -> String {
    let mut text = String::new();
    for function in &facts.functions {
        let title = function.title.as_deref().unwrap_or_default();
        text += &format!("{} {title} {}\n", function.name, function.description);
        if text.len() > FUNCTIONS_BYTES_MAX {
            text.truncate(text.floor_char_boundary(FUNCTIONS_BYTES_MAX));
            break;
        }
    }
    without_zeros(&text)
}

/// PostgreSQL's texts hold no zero bytes, and a manifest can.
fn without_zeros(text: &str) -> String {
    text.replace('\0', " ")
}
