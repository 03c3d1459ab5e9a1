//! Stores the facts by which a repository is listed and searched: tags, card and tool.
//! They are read from its files.

use super::connection::Database;
use super::keys::RepositoryKey;
use super::write_transaction::WriteTransaction;
use crate::error::RegistryError;
use crate::tool::StoredManifest;

/// The facts that the registry reads out of the default branch's files for listings and search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listing {
    /// The card's front matter as JSON.
    pub(crate) card: Option<String>,
    pub(crate) tags: Vec<String>,
    /// Lower case; what `search=` looks through.
    pub(crate) search_text: String,
    /// The tool, when the branch carries a valid manifest.
    pub(crate) tool: Option<StoredManifest>,
}

impl Database {
    /// The tags of a repository, in alphabetical order.
    pub(crate) async fn tags_of(
        &self,
        repository: &RepositoryKey,
    ) -> Result<Vec<String>, RegistryError> {
        let tags = sqlx::query_scalar(
            "SELECT tag FROM repository_tags WHERE repository = $1 ORDER BY tag",
        );
        Ok(tags.bind(repository).fetch_all(&self.pool).await?)
    }
}

impl WriteTransaction {
    /// Replaces what listings and search know of a repository.
    pub(crate) async fn set_listing(
        &mut self,
        repository: &RepositoryKey,
        listing: &Listing,
    ) -> Result<(), RegistryError> {
        // PostgreSQL has no zero byte in a text, and a card is whatever its author wrote.
        let search_text = listing.search_text.replace('\0', " ");
        let statement =
            sqlx::query("UPDATE repositories SET card = $1, search_text = $2 WHERE id = $3")
                .bind(listing.card.as_deref())
                .bind(search_text)
                .bind(repository);
        self.run(statement).await?;
        let statement =
            sqlx::query("DELETE FROM repository_tags WHERE repository = $1").bind(repository);
        self.run(statement).await?;
        for tag in listing.tags.iter().filter(|tag| !tag.contains('\0')) {
            let statement = sqlx::query(
                "INSERT INTO repository_tags (repository, tag) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            )
            .bind(repository)
            .bind(tag);
            self.run(statement).await?;
        }
        self.set_tool(repository, listing.tool.as_ref()).await?;
        self.index_new_document(repository).await
    }
}
