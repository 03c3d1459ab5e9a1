//! Scrubs a registry: hashes all contents, git objects and the log again, and reports damage.
//! Damage is what is altered or missing.

use futures::{StreamExt as _, TryStreamExt as _};
use gix_object::Kind;

use super::log_check::check_log;
use super::scrub_report::{ScrubFault, ScrubReport};
use crate::content::{Sha256Digest, StoredObject};
use crate::database::git_objects::StoredGitObject;
use crate::database::keys::RepositoryKey;
use crate::database::stored_object_id::object_id;
use crate::error::RegistryError;
use crate::git;
use crate::registry::Registry;

/// Most repositories named for one damaged content.
const HOLDERS_MAX: i64 = 10;
/// Rows asked for at once.
const PAGE: i64 = 500;
/// Git objects asked for at once; a tree may have some megabytes.
const GIT_PAGE: i64 = 50;
/// Objects hashed at the same time.
const HASHES_IN_FLIGHT_MAX: usize = 4;
/// Objects looked for at the same time.
const LOOKS_IN_FLIGHT_MAX: usize = 16;

impl Registry {
    /// Hashes every stored object and the log again, and looks for what is missing. It changes
    /// nothing and may run while others push.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Query`] or [`RegistryError::Content`] when the database or the listing of
    /// the store fails. What is damaged is in the report, not an error.
    pub async fn scrub(&self) -> Result<ScrubReport, RegistryError> {
        let mut report = ScrubReport::default();
        self.scrub_contents(&mut report).await?;
        self.look_for_missing(&mut report).await?;
        for kind in [Kind::Tree, Kind::Commit] {
            self.scrub_git_objects(kind, &mut report).await?;
        }
        let mut reading = self.database().snapshot().await?;
        check_log(reading.log_rows(), &mut report).await?;
        Ok(report)
    }

    async fn scrub_contents(&self, report: &mut ScrubReport) -> Result<(), RegistryError> {
        let hashed = self
            .content()
            .list()
            .map_ok(async |object| Ok((object, self.content().rehash(&object.sha256).await)))
            .try_buffer_unordered(HASHES_IN_FLIGHT_MAX);
        let mut hashed = std::pin::pin!(hashed);
        while let Some((object, outcome)) = hashed.try_next().await? {
            report.objects += 1;
            report.bytes += object.size_bytes;
            self.judge(&object, outcome, report).await?;
        }
        Ok(())
    }

    async fn judge(
        &self,
        object: &StoredObject,
        outcome: Result<Option<Sha256Digest>, RegistryError>,
        report: &mut ScrubReport,
    ) -> Result<(), RegistryError> {
        let sha256 = object.sha256.to_string();
        let repositories = self.database().holders(&object.sha256, HOLDERS_MAX);
        match outcome {
            Ok(Some(found)) if found != object.sha256 => {
                let (found, repositories) = (found.to_string(), repositories.await?);
                report.add(ScrubFault::ContentAltered {
                    sha256,
                    found,
                    repositories,
                });
            }
            // Sound, or gone since the listing; what is missing is looked for afterwards.
            Ok(_) => {}
            Err(error) => {
                let (reason, repositories) = (chain(&error), repositories.await?);
                report.add(ScrubFault::ContentUnreadable {
                    sha256,
                    reason,
                    repositories,
                });
            }
        }
        Ok(())
    }

    async fn look_for_missing(&self, report: &mut ScrubReport) -> Result<(), RegistryError> {
        let mut after = None;
        loop {
            let page = self.database().contents_after(after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = Some(*last);
            let looking = futures::stream::iter(&page).map(async |sha256| {
                Ok::<_, RegistryError>((sha256, self.content().find(sha256).await?.is_some()))
            });
            let looked: Vec<(&Sha256Digest, bool)> =
                looking.buffered(LOOKS_IN_FLIGHT_MAX).try_collect().await?;
            for (sha256, _) in looked.into_iter().filter(|(_, there)| !there) {
                // Its last repository may have been deleted meanwhile, and the content collected.
                let repositories = self.database().holders(sha256, HOLDERS_MAX).await?;
                if !repositories.is_empty() {
                    let sha256 = sha256.to_string();
                    report.add(ScrubFault::ContentMissing {
                        sha256,
                        repositories,
                    });
                }
            }
        }
    }

    async fn scrub_git_objects(
        &self,
        kind: Kind,
        report: &mut ScrubReport,
    ) -> Result<(), RegistryError> {
        let mut after = (RepositoryKey::NONE, String::new());
        loop {
            let page = self
                .database()
                .git_objects_after(kind, &after, GIT_PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = (last.repository.clone(), last.oid.clone());
            for object in page {
                report.git_objects += 1;
                if !is_itself(kind, &object) {
                    report.add(ScrubFault::GitObjectAltered {
                        kind: if kind == Kind::Tree { "tree" } else { "commit" },
                        oid: object.oid,
                        repository: object.repository.to_string(),
                    });
                }
            }
        }
    }
}

fn is_itself(kind: Kind, object: &StoredGitObject) -> bool {
    // A mirror has the ids of commits, and not their git objects.
    if kind == Kind::Commit && object.data.is_empty() {
        return true;
    }
    match (object_id(&object.oid), git::object_id(kind, &object.data)) {
        (Ok(expected), Ok(found)) => expected == found,
        _ => false,
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RegistryConfig;
    use crate::database::repositories::Repository;
    use crate::names::RepositoryKind;

    #[tokio::test]
    async fn an_altered_tree_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        let registry = Registry::open(RegistryConfig::new(scratch.path()))
            .await
            .unwrap();
        registry.add_user("alice", None).await.unwrap();
        let alice = registry.database().account("alice").await.unwrap().unwrap();
        let repository = Repository {
            id: RepositoryKey::from("r"),
            kind: RepositoryKind::Model,
            owner: alice.id,
            owner_name: alice.name,
            name: "tool".to_owned(),
            private: false,
            card: None,
            downloads: 0,
            likes: 0,
            created_ms: 0,
            modified_ms: 0,
        };
        let sound = b"100644 a\0aaaaaaaaaaaaaaaaaaaa".to_vec();
        let oid = git::object_id(Kind::Tree, &sound).unwrap();
        let other = git::object_id(Kind::Tree, b"").unwrap();
        let mut altered = sound.clone();
        altered[8] ^= 1;
        let mut writing = registry.database().write().await.unwrap();
        writing.insert_repository(&repository).await.unwrap();
        let trees = [(oid, sound), (other, altered)].into();
        writing.insert_trees(&repository.id, &trees).await.unwrap();
        writing.commit().await.unwrap();
        let report = registry.scrub().await.unwrap();
        assert_eq!(report.git_objects, 2);
        let fault = ScrubFault::GitObjectAltered {
            kind: "tree",
            oid: other.to_string(),
            repository: "r".to_owned(),
        };
        assert_eq!((report.faults, report.fault_count), (vec![fault], 1));
    }
}
