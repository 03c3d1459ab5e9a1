//! A repository's history: reads revisions, trees and releases; writes commits and pull requests.

mod compare;
mod copied_commit;
mod discussion;
mod listing;
mod package_blobs;
mod proposal;
mod release;
mod revision;
mod squash;
mod workspace;
mod write;

pub(crate) use compare::{Difference, Version, compare};
pub(crate) use copied_commit::{CopiedCommit, store_copied_commit};
pub(crate) use discussion::{Topic, open_discussion, open_draft, open_pull_request};
pub(crate) use listing::{
    Blobs, Depth, ListedEntry, ListedKind, ListingRange, find_entry, list_directory, list_entries,
};
pub(crate) use package_blobs::{PackageBlobs, package_blobs};
pub(crate) use proposal::{Operation, Proposal, contents};
pub(crate) use release::{Release, find_releases};
pub(crate) use revision::{DEFAULT_BRANCH, resolve_revision};
pub(crate) use squash::squash_head;
pub(crate) use write::{WriteError, initial_commit, prepare_first, write_commit};
