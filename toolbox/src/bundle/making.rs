//! Makes bundles: asks each tool's registry for signature, log and yanks, and packs them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{Digest, LockedTool, Releases, RepoId, Source, Verified, Version};
use tool_hub_registry_client::{AllowedYanks, ClientError, Resolved, SignatureFiles};

use super::archive::{self, unusable};
use super::error::BundleError;
use super::index::{BundleIndex, BundledAdvisories, BundledFiles, BundledTool};
use crate::advisories::error::AdvisoryError;
use crate::advisories::known::KnownAdvisories;
use crate::advisories::refresh::refresh_configured;
use crate::advisories::source::AdvisorySource;
use crate::authorship::Authorship;
use crate::error::Error;
use crate::known_releases::KnownReleases;
use crate::logged_version::LoggedVersion;
use crate::notices::{Notice, Notices};
use crate::open_toolbox::Member;
use crate::registry_fetch::Watchers;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// A bundle that only has to be written.
#[derive(Debug)]
pub struct PackedBundle {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The tools in it.
    pub tools: Vec<BundledTool>,
}

/// The files of a bundle, each once.
#[derive(Default)]
struct Files(BTreeMap<Digest, Vec<u8>>);

impl Files {
    fn add(&mut self, bytes: &[u8]) -> Digest {
        let digest = Digest::of(bytes);
        self.0.entry(digest).or_insert_with(|| bytes.to_vec());
        digest
    }
}

/// Packs those of `members` that are of a registry, and the copies of the sources of advisories.
/// `path` is where it will be written. Nothing of what the user decided goes in.
///
/// # Errors
/// [`Error::Bundle`] if it would hold no tool, or one twice, [`Error::Client`] for a malicious
/// version, and if a registry cannot be asked or what it answers does not hold.
pub async fn pack(
    members: &[Member<'_>],
    path: &Path,
    settings: &Settings,
    watchers: Watchers<'_>,
) -> Result<PackedBundle, Error> {
    refresh_configured(settings, watchers.notices).await?;
    let mut files = Files::default();
    let mut tools: Vec<BundledTool> = Vec::new();
    for member in members {
        if member.locked.source.repo().is_none() {
            continue;
        }
        let tool = packed(member.locked, path, &mut files, settings, watchers).await?;
        // The same version may have two names in a toolbox.
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    if tools.is_empty() {
        return Err(unusable(path)(BundleError::Empty));
    }
    let advisories = packed_advisories(&mut files, settings)?;
    let index = BundleIndex::new(tools, advisories);
    index.check_once().map_err(unusable(path))?;
    let bytes = archive::write(&index, &files.0).map_err(unusable(path))?;
    let tools = index.tools;
    Ok(PackedBundle { bytes, tools })
}

/// One tool of a registry and all that it depends on, with their files.
async fn packed(
    locked: &LockedTool,
    path: &Path,
    files: &mut Files,
    settings: &Settings,
    watchers: Watchers<'_>,
) -> Result<BundledTool, Error> {
    let mut dependencies = BTreeMap::new();
    for (name, locked) in &locked.dependencies {
        let tool = Box::pin(packed(locked, path, files, settings, watchers)).await?;
        dependencies.insert(name.clone(), tool);
    }
    let Source::Registry {
        endpoint,
        repo,
        commit,
    } = &locked.source
    else {
        return Err(unusable(path)(BundleError::OfNoRegistry));
    };
    let client = settings.client(endpoint, watchers.notices)?;
    let said = client.releases(repo).await?;
    let releases = KnownReleases::note(settings, &client, repo, &said).await?;
    check_yank(repo, &locked.version, &releases, watchers.notices)?;
    let at = Resolved {
        repo: repo.clone(),
        commit: commit.clone(),
        version: Some(locked.version.clone()),
        version_branches: Vec::new(),
        releases,
        passed_over: Vec::new(),
    };
    let (store, pin) = (settings.open_store()?, locked.pin());
    let pinned = client.pull_pinned(&at, &pin, &store, watchers.progress);
    let verified = pinned.await?;
    let logged = LoggedVersion::of_locked_with_records(locked, &client, &said, settings);
    let mut published = None;
    let log = match logged.await? {
        Some((entry, records)) => {
            published = OffsetDateTime::parse(&entry.at, &Rfc3339).ok();
            let json = serde_json::to_vec(&records).map_err(|error| {
                let reason = error.to_string();
                unusable(path)(BundleError::Index { reason })
            })?;
            Some(files.add(&json))
        }
        None => None,
    };
    let signed_at = published.map_or_else(SystemTime::now, SystemTime::from);
    let keys = SigningKeys::read(settings)?;
    let signed = client.signature(&at).await?;
    let subject = repo.to_string();
    let Authorship { signature, .. } =
        Authorship::verify(signed.as_ref(), &verified, &keys, signed_at, &subject)?;
    if signature.signer() != locked.signer.as_ref() {
        return Err(unusable(path)(BundleError::OtherSignerHere {
            repo: repo.clone(),
            expected: locked.signer.clone().map(Box::new),
            actual: signature.signer().cloned().map(Box::new),
        }));
    }
    Ok(BundledTool {
        registry: endpoint.clone(),
        repo: repo.clone(),
        version: locked.version.clone(),
        commit: commit.clone(),
        signer: locked.signer.clone(),
        log,
        files: packed_files(&verified, signed.as_ref(), files),
        releases: at.releases,
        dependencies,
    })
}

/// Refuses a malicious version, and tells of one that was yanked for another reason: whoever loads
/// the bundle decides on that.
fn check_yank(
    repo: &RepoId,
    version: &Version,
    releases: &Releases,
    notices: &dyn Notices,
) -> Result<(), Error> {
    let Some(yank) = releases.yanked.get(version) else {
        return Ok(());
    };
    if !AllowedYanks::All.allow(version, yank) {
        return Err(Error::from(ClientError::VersionYanked {
            repo: repo.clone(),
            version: version.clone(),
            yank: Box::new(yank.clone()),
        }));
    }
    notices.notice(&Notice::YankedVersionFetched {
        repo,
        version,
        yank,
    });
    Ok(())
}

fn packed_files(
    verified: &Verified,
    signature: Option<&SignatureFiles>,
    files: &mut Files,
) -> BundledFiles {
    let mut optional = |bytes: Option<&[u8]>| bytes.map(|bytes| files.add(bytes));
    let interpreter = verified.interpreter();
    BundledFiles {
        interpreter: optional(interpreter.map(|it| it.component())),
        sbom: optional(verified.sbom()),
        card: optional(signature.and_then(|it| it.card.as_deref())),
        signature: optional(signature.and_then(|it| it.bundle.as_deref())),
        attestations: optional(signature.and_then(|it| it.attestations.as_deref())),
        signer: optional(signature.and_then(|it| it.signer.as_deref())),
        rotation: optional(signature.and_then(|it| it.rotation.as_deref())),
        manifest: files.add(verified.manifest_bytes()),
        component: files.add(verified.component()),
    }
}

/// The copies of the user's sources. A path means nothing on another machine, and stays here.
fn packed_advisories(
    files: &mut Files,
    settings: &Settings,
) -> Result<Vec<BundledAdvisories>, Error> {
    let known = KnownAdvisories::read(settings)?;
    let sources = known.sources().iter();
    let sources = sources.filter(|kept| !matches!(kept.source, AdvisorySource::Path(_)));
    let packed = sources.map(|kept| {
        let json = serde_json::to_vec(&kept.advisories);
        let json = json.map_err(|source| AdvisoryError::Damaged {
            path: KnownAdvisories::file(settings),
            source,
        })?;
        Ok(BundledAdvisories {
            source: kept.source.clone(),
            registry: kept.registry.clone(),
            copy: files.add(&json),
        })
    });
    packed.collect()
}
