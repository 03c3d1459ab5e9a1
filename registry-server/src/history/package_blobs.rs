//! The `PackageBlobs` of a commit: the files that it has of a tool's package, by their names.

use std::collections::BTreeMap;

use tool_hub_manifest::package_file;

use super::listing::{ListedKind, list_entries};
use crate::database::Database;
use crate::database::commits::Commit;
use crate::database::git_objects::Blob;
use crate::database::repositories::Repository;
use crate::error::RegistryError;

/// Files at the root of a commit; a directory of such a name is none.
pub(crate) type PackageBlobs = BTreeMap<&'static str, Blob>;

/// The files of a package that a commit has, read at once.
pub(crate) async fn package_blobs(
    database: &Database,
    repository: &Repository,
    commit: &Commit,
) -> Result<PackageBlobs, RegistryError> {
    let paths = package_file::ALL.map(str::to_owned);
    let entries = list_entries(database, &repository.id, commit, &paths).await?;
    let blobs = entries.into_iter().filter_map(|entry| {
        let name = package_file::ALL
            .into_iter()
            .find(|name| *name == entry.path)?;
        match entry.kind {
            ListedKind::File(blob) => Some((name, blob?)),
            ListedKind::Directory => None,
        }
    });
    Ok(blobs.collect())
}
