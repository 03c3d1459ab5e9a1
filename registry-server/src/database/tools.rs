//! What is known of tools: the facts of each manifest, and which repositories carry a tool.

use sqlx::AssertSqlSafe;

use super::connection::Database;
use super::keys::RepositoryKey;
use super::sql::{BATCH_MAX, placeholders};
use super::writing::Writing;
use crate::content::Sha256Digest;
use crate::error::RegistryError;
use crate::tool::{KnownManifest, ToolFacts};

/// Bytes of the names and descriptions of functions that search looks through.
const FUNCTIONS_BYTES_MAX: usize = 16 << 10;

impl Database {
    /// The description in the manifest of the tool that the default branch carries.
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
    ) -> Result<Vec<KnownManifest>, RegistryError> {
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

pub(super) fn stored(sha256: Sha256Digest, facts: &str) -> Result<KnownManifest, RegistryError> {
    let damaged = || RegistryError::Damaged(format!("the facts of the manifest {sha256}"));
    let facts: ToolFacts = serde_json::from_str(facts).map_err(|_| damaged())?;
    Ok(KnownManifest { sha256, facts })
}

impl Writing {
    /// Keeps the facts of a manifest.
    pub(crate) async fn insert_manifest(
        &mut self,
        repository: &RepositoryKey,
        manifest: &KnownManifest,
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

    /// Says which tool the default branch carries, if any.
    pub(super) async fn set_tool(
        &mut self,
        repository: &RepositoryKey,
        manifest: Option<&KnownManifest>,
    ) -> Result<(), RegistryError> {
        let statement = sqlx::query("DELETE FROM tools WHERE repository = $1").bind(repository);
        self.run(statement).await?;
        let Some(manifest) = manifest else {
            return Ok(());
        };
        self.insert_manifest(repository, manifest).await?;
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
