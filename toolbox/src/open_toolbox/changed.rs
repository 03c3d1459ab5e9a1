//! Tells of tools whose package changed on this disk, or whose version was yanked, since approval.

use std::path::Path;
use std::time::SystemTime;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{Digest, LockedTool, RepoId, Revision, Source, package_file};
use tool_hub_registry_client::{COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX};

use super::Member;
use crate::built_package;
use crate::files;
use crate::notices::{Notice, Notices};

impl Member<'_> {
    /// Tells `notices` if the tool's package on this disk is not the one that was approved: the
    /// approved one runs, and whoever has just built another would take it for that.
    pub fn notice_if_changed(&self, notices: &dyn Notices) {
        if has_changed(self.locked) {
            notices.notice(&Notice::PackageChanged { key: self.key });
        }
    }

    /// Tells `notices` if the owner of the tool has taken the approved version back.
    pub(crate) fn notice_if_yanked(&self, notices: &dyn Notices) {
        if let Some(yank) = self.yank {
            notices.notice(&Notice::VersionYanked {
                key: self.key,
                version: &self.locked.version,
                yank,
                pinned: self.pinned_repo(),
            });
        }
    }

    /// The tool's repo, where the toolbox follows no other version of it.
    fn pinned_repo(&self) -> Option<&RepoId> {
        let Source::Registry { repo, .. } = &self.locked.source else {
            return None;
        };
        let followed = self.entry.version.clone().map(Revision::Version);
        followed
            .is_none_or(|it| it.is_exact_version())
            .then_some(repo)
    }
}

/// True if there is another package at the place that `locked` was loaded from. One that cannot be
/// read, or is gone, is none.
fn has_changed(locked: &LockedTool) -> bool {
    let Source::File { path } = &locked.source else {
        return false;
    };
    let found = match path.is_dir() {
        true => built_package::directory(path).ok().and_then(|package| {
            // It names the component's digest, so nothing else need be read.
            let manifest = package.join(package_file::MANIFEST);
            files::read_regular(&manifest, MANIFEST_BYTES_MAX).ok()
        }),
        false if is_newer(path, &locked.approval.at) => {
            files::read_regular(path, COMPONENT_BYTES_MAX).ok()
        }
        false => None,
    };
    let approved = match path.is_dir() {
        true => locked.manifest,
        false => locked.component,
    };
    found.is_some_and(|bytes| Digest::of(&bytes) != approved)
}

/// True if the file at `path` was written after the instant `at`. A component of many megabytes is
/// not hashed for every call.
fn is_newer(path: &Path, at: &str) -> bool {
    let at = OffsetDateTime::parse(at, &Rfc3339).map(SystemTime::from);
    let written = path.metadata().and_then(|it| it.modified());
    match (written, at) {
        (Ok(written), Ok(at)) => written >= at,
        _ => true,
    }
}
