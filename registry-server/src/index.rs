//! What a commit on the default branch tells listings and search.
//!
//! The card is read here; a tool's manifest, when it is understood by the server, is read at the same place.

use std::collections::BTreeSet;

use crate::card::{card_tags, parse_card};
use crate::database::listings::Listing;
use crate::database::objects::Blob;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::history::Operation;
use crate::registry::Registry;

/// The card of a repository.
const CARD: &str = "README.md";
/// Bytes of the card's text that search looks through.
const SEARCHED_BYTES_MAX: usize = 4 << 10;

/// The listing after these operations; `None` when it stays as it is.
pub(crate) async fn read_listing(
    registry: &Registry,
    repository: &Repository,
    touched: &BTreeSet<String>,
    operations: &[Operation],
) -> Result<Option<Listing>, RegistryError> {
    if !touched.contains(CARD) {
        return Ok(None);
    }
    let last = operations
        .iter()
        .rev()
        .find_map(|operation| match operation {
            Operation::Put { path, blob, .. } if path.as_str() == CARD => Some(Some(*blob)),
            Operation::Remove { path } if path.as_str() == CARD => Some(None),
            _ => None,
        });
    match last {
        Some(Some(blob)) => read_card(registry, repository, &blob).await.map(Some),
        Some(None) => Ok(Some(Listing::default())),
        None => Ok(None),
    }
}

async fn read_card(
    registry: &Registry,
    repository: &Repository,
    blob: &Blob,
) -> Result<Listing, RegistryError> {
    let front_matter_max = registry.limits().card_bytes_max;
    let bytes = registry
        .content()
        .head(
            &blob.sha256,
            blob.size_bytes,
            front_matter_max + 2 * SEARCHED_BYTES_MAX,
        )
        .await?;
    let text = String::from_utf8_lossy(&bytes);
    let card = match parse_card(&text, front_matter_max) {
        Ok(card) => card,
        Err(error) => {
            tracing::info!(
                repository = repository.full_name(),
                error = error.0,
                "the card's front matter cannot be read"
            );
            return Ok(Listing {
                search_text: searched(&text).to_lowercase(),
                ..Listing::default()
            });
        }
    };
    let tags = card
        .front_matter
        .as_ref()
        .map(card_tags)
        .unwrap_or_default();
    let described = card
        .front_matter
        .as_ref()
        .and_then(|value| value["description"].as_str())
        .unwrap_or_default();
    let search_text = format!(
        "{} {described} {}",
        tags.join(" "),
        searched(&text[card.body_start..])
    )
    .to_lowercase();
    Ok(Listing {
        card: card.front_matter.as_ref().map(ToString::to_string),
        tags,
        search_text,
    })
}

fn searched(text: &str) -> &str {
    &text[..text.floor_char_boundary(SEARCHED_BYTES_MAX)]
}
