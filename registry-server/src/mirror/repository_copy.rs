//! Copies one repository: the versions that are wanted, and the head of its default branch.

use tool_hub_manifest::Version;

use super::copying::{Copying, Fetched, LoggedContent, NotTaken, WantedVersions};
use super::report::{MirrorReport, Untaken};
use super::upstream::{Upstream, UpstreamRef, UpstreamRefs};
use crate::clock;
use crate::content::Batch;
use crate::database::accounts::{Account, AccountKind};
use crate::database::commits::Commit;
use crate::database::keys::{AccountKey, RepositoryKey};
use crate::database::listings::Listing;
use crate::database::published::Publication;
use crate::database::repositories::{NewId, Repository};
use crate::error::RegistryError;
use crate::git::decode_tree;
use crate::history::{DEFAULT_BRANCH, Proposal};
use crate::http::Reservation;
use crate::names::{RefName, RepositoryId};
use crate::quota::Room;
use crate::registry::Registry;
use crate::search_listing;
use crate::tool::{ManifestError, StoredManifest, version_in_name};

/// The new tags and the new head of one repository, not visible yet.
pub(super) struct CopiedRepository {
    pub(super) here: Repository,
    pub(super) tags: Vec<(RefName, Publication, StoredManifest)>,
    /// The head of the default branch, with what listings show of it.
    pub(super) head: Option<(Commit, Listing)>,
    /// False if it could not be taken.
    pub(super) has_head: bool,
}

/// A version to copy: its tag, where the upstream has one, and what the log says of it.
struct Wanted<'a> {
    version: Version,
    tag: Option<&'a UpstreamRef>,
    logged: Option<&'a [LoggedContent]>,
}

/// Copies the wanted versions of a repository, every tagged one where there is no log.
pub(super) async fn copy_repository(
    registry: &Registry,
    upstream: &Upstream,
    repo: &RepositoryId,
    wanted: Option<&WantedVersions>,
    report: &mut MirrorReport,
) -> Result<Option<CopiedRepository>, RegistryError> {
    let refs = match upstream.refs(repo).await.map_err(NotTaken::from) {
        Ok(Some(refs)) => refs,
        Ok(None) => {
            let versions = wanted.into_iter().flat_map(|wanted| wanted.keys());
            for version in versions {
                let reason = "the upstream does not show its repository".to_owned();
                note(
                    report,
                    repo,
                    &format!("v{version}"),
                    NotTaken::Missing(reason),
                )?;
            }
            return Ok(None);
        }
        Err(reason) => {
            let here = hidden_repository(registry, repo).await?;
            note(report, repo, "refs", reason)?;
            return Ok(Some(CopiedRepository {
                here,
                tags: Vec::new(),
                head: None,
                has_head: false,
            }));
        }
    };
    let here = hidden_repository(registry, repo).await?;
    let copying = Copying {
        registry,
        upstream,
        repo,
        here: &here,
    };
    let mut fetched = Fetched::default();
    let mut tags = Vec::new();
    for wanted in all_wanted(&refs, wanted) {
        match copy_version(&copying, &wanted, &mut fetched).await {
            Ok(copied) => tags.extend(copied),
            Err(reason) => note(report, repo, &format!("v{}", wanted.version), reason)?,
        }
    }
    let head = copy_head(&copying, &refs, &mut fetched).await;
    let has_head = head.is_ok();
    let head = match head {
        Ok(head) => head,
        Err(reason) => {
            note(report, repo, DEFAULT_BRANCH, reason)?;
            None
        }
    };
    report.files += fetched.files;
    report.bytes += fetched.bytes;
    Ok(Some(CopiedRepository {
        here,
        tags,
        head,
        has_head,
    }))
}

fn all_wanted<'a>(refs: &'a UpstreamRefs, wanted: Option<&'a WantedVersions>) -> Vec<Wanted<'a>> {
    let tag_of = |version: &Version| {
        let mut tags = refs.tags.iter();
        tags.find(|tag| version_in_name(&tag.name).as_ref() == Some(version))
    };
    match wanted {
        Some(wanted) => wanted
            .iter()
            .map(|(version, logged)| Wanted {
                version: version.clone(),
                tag: tag_of(version),
                logged: Some(logged),
            })
            .collect(),
        None => {
            let tags = refs.tags.iter();
            tags.filter_map(|tag| {
                Some(Wanted {
                    version: version_in_name(&tag.name)?,
                    tag: Some(tag),
                    logged: None,
                })
            })
            .collect()
        }
    }
}

/// Copies a version, unless it is here.
async fn copy_version(
    copying: &Copying<'_>,
    wanted: &Wanted<'_>,
    fetched: &mut Fetched,
) -> Result<Option<(RefName, Publication, StoredManifest)>, NotTaken> {
    let tag = wanted
        .tag
        .ok_or_else(|| NotTaken::Missing("the upstream has no tag for it".to_owned()))?;
    let name = RefName::parse(&tag.name).ok_or_else(|| {
        NotTaken::Contradicts("its tag is not a name that a tag can have".to_owned())
    })?;
    let full_name = name.tag();
    let database = copying.registry.database();
    let known = database
        .reference_of(&copying.here.id, [&full_name; 3])
        .await?;
    if let Some(known) = known {
        // The log lets a tag be made again for the same files; elsewhere tags only stay.
        return match known.commit == tag.target_commit || wanted.logged.is_some() {
            true => Ok(None),
            false => Err(NotTaken::Contradicts(format!(
                "its tag names the commit {}, and named {} before",
                tag.target_commit, known.commit
            ))),
        };
    }
    let logged = match wanted.logged {
        None => None,
        Some(logged) => {
            let found = logged.iter().find(|it| it.commit == tag.target_commit);
            let other = || {
                format!(
                    "its tag names the commit {}, and the log another one",
                    tag.target_commit
                )
            };
            Some(found.ok_or_else(|| NotTaken::Contradicts(other()))?)
        }
    };
    let commit = copying.commit(tag.target_commit, fetched).await?;
    let version = &wanted.version;
    let (publication, manifest) = copying.version(&commit, version, logged).await?;
    Ok(Some((name, publication, manifest)))
}

/// Copies the head of the default branch, unless it is here.
async fn copy_head(
    copying: &Copying<'_>,
    refs: &UpstreamRefs,
    fetched: &mut Fetched,
) -> Result<Option<(Commit, Listing)>, NotTaken> {
    let mut branches = refs.branches.iter();
    let Some(main) = branches.find(|branch| branch.name == DEFAULT_BRANCH) else {
        return Ok(None);
    };
    let here = copying.here;
    let name = format!("refs/heads/{DEFAULT_BRANCH}");
    let database = copying.registry.database();
    let known = database.reference_of(&here.id, [&name; 3]).await?;
    if known.is_some_and(|known| known.commit == main.target_commit) {
        return Ok(None);
    }
    let commit = copying.commit(main.target_commit, fetched).await?;
    let listing = read_listing(copying.registry, here, &commit).await?;
    Ok(Some((commit, listing)))
}

/// The card and manifest of a commit, as listings show them.
async fn read_listing(
    registry: &Registry,
    here: &Repository,
    commit: &Commit,
) -> Result<Listing, RegistryError> {
    let trees = registry.database().trees(&here.id, &[commit.tree]).await?;
    let root = match trees.get(&commit.tree) {
        Some(bytes) => decode_tree(bytes)?,
        None => search_listing::Root::new(),
    };
    // Nothing is proposed: all of it is stored.
    let proposal = Proposal {
        title: String::new(),
        message: String::new(),
        parent: None,
        operations: Vec::new(),
        files: Batch::new(registry.content()),
        room: Room::of(registry, &here.owner).await?,
        _held: Reservation::default(),
    };
    let touched = root.keys().cloned().collect();
    match search_listing::read_listing(registry, here, &touched, &root, &proposal).await {
        Ok(listing) => Ok(listing.unwrap_or_default()),
        Err(ManifestError::Invalid(_)) => Ok(Listing::default()),
        Err(ManifestError::Registry(error)) => Err(error),
    }
}

/// The repository here, made if need be. Nobody sees it until something in it is whole.
async fn hidden_repository(
    registry: &Registry,
    repo: &RepositoryId,
) -> Result<Repository, RegistryError> {
    let database = registry.database();
    if let Some(known) = database.repository(repo).await? {
        return Ok(known);
    }
    let now_ms = clock::now_ms();
    let mut writing = database.write().await?;
    let account = Account {
        id: AccountKey::random()?,
        kind: AccountKind::Organisation,
        name: repo.owner.to_string(),
        full_name: repo.owner.to_string(),
        email: None,
        created_ms: now_ms,
    };
    let owner = match database.account(repo.owner.as_str()).await? {
        Some(owner) => owner,
        None => {
            writing.insert_account(&account).await?;
            account
        }
    };
    let repository = Repository {
        id: RepositoryKey::random()?,
        kind: repo.kind,
        owner: owner.id,
        owner_name: owner.name,
        name: repo.name.to_string(),
        private: true,
        card: None,
        downloads: 0,
        likes: 0,
        created_ms: now_ms,
        modified_ms: now_ms,
    };
    if writing.insert_repository(&repository).await? != NewId::Given {
        return Err(RegistryError::MirroredTwice);
    }
    writing.commit().await?;
    Ok(repository)
}

/// Notes that something was not taken, unless the run cannot go on.
fn note(
    report: &mut MirrorReport,
    repo: &RepositoryId,
    what: &str,
    reason: NotTaken,
) -> Result<(), RegistryError> {
    let subject = format!("{repo} {what}");
    let (list, reason) = match reason {
        NotTaken::Missing(reason) => (&mut report.missing, reason),
        NotTaken::Contradicts(reason) => (&mut report.refused, reason),
        NotTaken::Registry(error) => return Err(error),
    };
    tracing::warn!(subject, reason, "not mirrored");
    list.push(Untaken { subject, reason });
    Ok(())
}
