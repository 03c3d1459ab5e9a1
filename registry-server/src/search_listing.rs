//! Reads README.md and tool.toml of a commit on the default branch into a listing for search.

use std::collections::{BTreeMap, BTreeSet};

use gix_hash::ObjectId;

use crate::card::{card_tags, parse_card};
use crate::content::Batch;
use crate::database::git_objects::Blob;
use crate::database::listings::Listing;
use crate::database::repositories::Repository;
use crate::error::RegistryError;
use crate::git::TreeEntry;
use crate::history::{Operation, Proposal};
use crate::registry::Registry;
use crate::tool::{MANIFEST, ManifestError, StoredManifest, TOOL_TAG, read_manifest};

/// The card of a repository.
const CARD: &str = "README.md";
/// Bytes of the card's text that search looks through.
const SEARCHED_BYTES_MAX: usize = 4 << 10;

/// The files at the root of a commit, by name.
pub(crate) type Root = BTreeMap<String, TreeEntry>;

/// The listing after a commit; `None` when it stays as it is, a fault when the commit brings a
/// manifest that is not valid.
pub(crate) async fn read_listing(
    registry: &Registry,
    repository: &Repository,
    touched: &BTreeSet<String>,
    root: &Root,
    proposal: &Proposal,
) -> Result<Option<Listing>, ManifestError> {
    if !touched.contains(CARD) && !touched.contains(MANIFEST) {
        return Ok(None);
    }
    let (operations, files) = (&proposal.operations, &proposal.files);
    let card = find_file(registry, repository, root, operations, CARD).await?;
    let mut listing = match card {
        Some(blob) => read_card(registry, repository, files, &blob).await?,
        None => Listing::default(),
    };
    if let Some(blob) = find_file(registry, repository, root, operations, MANIFEST).await? {
        let bytes_max = registry.limits().manifest_bytes_max;
        match read_manifest(files, &blob, bytes_max).await {
            Ok(manifest) => add_tool(&mut listing, manifest),
            // The commit only changes the card, so it may leave an older invalid manifest as it is.
            Err(ManifestError::Invalid(_)) if !touched.contains(MANIFEST) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(listing))
}

/// The files at the root of a first commit.
pub(crate) fn root_of(operations: &[Operation]) -> Root {
    let puts = operations.iter().filter_map(|operation| match operation {
        Operation::Put { path, oid, .. } if !path.as_str().contains('/') => {
            Some((path.as_str().to_owned(), TreeEntry::File(*oid)))
        }
        _ => None,
    });
    puts.collect()
}

/// The content of a file at the root; a directory of its name is not the file.
pub(crate) async fn find_file(
    registry: &Registry,
    repository: &Repository,
    root: &Root,
    operations: &[Operation],
    name: &str,
) -> Result<Option<Blob>, RegistryError> {
    let Some(TreeEntry::File(oid)) = root.get(name) else {
        return Ok(None);
    };
    if let Some(blob) = put_blob(operations, oid) {
        return Ok(Some(blob));
    }
    let stored = registry.database().blobs(&repository.id, &[*oid]).await?;
    Ok(stored.get(oid).copied())
}

fn put_blob(operations: &[Operation], wanted: &ObjectId) -> Option<Blob> {
    operations.iter().find_map(|operation| match operation {
        Operation::Put { oid, blob, .. } if oid == wanted => Some(*blob),
        _ => None,
    })
}

fn add_tool(listing: &mut Listing, manifest: StoredManifest) {
    if !listing.tags.iter().any(|tag| tag == TOOL_TAG) {
        listing.tags.push(TOOL_TAG.to_owned());
    }
    listing.tool = Some(manifest);
}

async fn read_card(
    registry: &Registry,
    repository: &Repository,
    files: &Batch,
    blob: &Blob,
) -> Result<Listing, RegistryError> {
    let front_matter_max = registry.limits().card_bytes_max;
    let bytes = files
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
        tool: None,
    })
}

fn searched(text: &str) -> &str {
    &text[..text.floor_char_boundary(SEARCHED_BYTES_MAX)]
}
