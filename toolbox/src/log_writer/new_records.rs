//! Looks at a repo, and finds the records that the log does not have of it.

use std::time::SystemTime;

use time::OffsetDateTime;
use tool_hub_manifest::{ClaimedSigner, Releases, RepoId, Verified, Version};
use tool_hub_registry_client::{Client, ClientError, Resolved, Silent, Store};
use tool_hub_signing::{Trust, claimed_signer};
use tool_hub_transparency::LogRecord;

use super::logged_repo::LoggedRepo;
use crate::error::Error;
use crate::package_signature::covered;
use crate::signing_keys::SigningKeys;

/// The most versions of one repo that are taken in one run.
const VERSIONS_MAX: usize = 100;

/// The most bytes of a record. A bundle of them is less than what a client reads.
const RECORD_BYTES_MAX: usize = 2 << 10;

/// The records to append, and the versions that are not taken, with the reasons.
#[derive(Debug, Default)]
pub(super) struct NewRecords {
    pub(super) records: Vec<LogRecord>,
    /// The signer of the repo by its last record.
    signer: Option<ClaimedSigner>,
    pub(super) refused: Vec<String>,
}

/// Asks the registry of `client` for the versions and yanks of `repo`. A version is taken only if
/// its files verify, as for whoever pulls it. They are kept nowhere.
pub(super) async fn look(
    repo: &RepoId,
    known: &LoggedRepo,
    client: &Client,
    keys: &SigningKeys,
    now: OffsetDateTime,
) -> Result<NewRecords, Error> {
    let versions = client.versions_of(repo).await?;
    let mut found = NewRecords {
        signer: known.signer.clone(),
        ..NewRecords::default()
    };
    let mut tagged = versions.tagged()?;
    tagged.retain(|it| !is_known(it, known));
    // The oldest first, as they were published.
    tagged.reverse();
    let directory = tempfile::tempdir().map_err(crate::files::unreadable(&std::env::temp_dir()))?;
    let store = Store::open(directory.path())?;
    for at in tagged.iter().take(VERSIONS_MAX) {
        match pull(at, client, &store, keys).await {
            Ok(version) => found.take_version(at, version, known, now),
            Err(error) if is_fault(&error) => found.refused.push(told(at, &error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    found.take_yanks(repo, known, versions.releases(), now);
    Ok(found)
}

/// A version whose files verify, and its signer: as the files say it, and as far as the roots and
/// keys of whoever writes the log vouch for it.
async fn pull(
    at: &Resolved,
    client: &Client,
    store: &Store,
    keys: &SigningKeys,
) -> Result<(Verified, Option<ClaimedSigner>), ClientError> {
    let verified = client.pull(at, store, &Silent).await?;
    let files = client.signature(at).await?.unwrap_or_default();
    let signer = files.bundle.as_deref().map(|bundle| {
        let trust = Trust {
            keys: &keys.public(),
            roots: &keys.roots().collect::<Vec<_>>(),
            at: SystemTime::now(),
        };
        let covered = covered(&files, &verified);
        claimed_signer(bundle, &covered.hashed(), covered.signer, &trust)
    });
    Ok((verified, signer))
}

fn is_known(at: &Resolved, known: &LoggedRepo) -> bool {
    let version = at.version.as_ref();
    let version = version.and_then(|version| known.versions.get(version));
    version.is_some_and(|version| version.commits.contains(&at.commit))
}

/// True if the version itself is at fault, and not the way to it.
fn is_fault(error: &ClientError) -> bool {
    error.is_refusal() || matches!(error, ClientError::FileMissing { .. })
}

fn told(at: &Resolved, reason: &str) -> String {
    let version = at.version.as_ref().map(Version::to_string);
    let version = version.unwrap_or_default();
    format!("{} {version} at {}: {reason}", at.repo, at.commit)
}

impl NewRecords {
    /// Takes a version, but one that has other content than the log says. Whoever gets that is
    /// refused, and a second record would refuse the version to everybody.
    fn take_version(
        &mut self,
        at: &Resolved,
        (verified, signer): (Verified, Option<ClaimedSigner>),
        known: &LoggedRepo,
        now: OffsetDateTime,
    ) {
        let (version, pin) = (&verified.manifest().version, verified.pin());
        let content = (pin.manifest, Some(pin.component));
        let record = LogRecord::Version {
            repo: at.repo.clone(),
            version: version.clone(),
            commit: at.commit.clone(),
            manifest: pin.manifest,
            component: Some(pin.component),
            publisher: None,
            at: now,
        };
        let refused = match known.versions.get(version) {
            Some(known) if (known.manifest, known.component) != content => {
                "the tag moved to other content than the log has"
            }
            _ if record.to_bytes().len() > RECORD_BYTES_MAX => "its number is too long for the log",
            _ => return self.take(record, signer),
        };
        self.refused.push(told(at, refused));
    }

    /// Takes the record of a version, and one of its signer where that is another one.
    fn take(&mut self, record: LogRecord, signer: Option<ClaimedSigner>) {
        let is_change = ClaimedSigner::is_change(self.signer.as_ref(), signer.as_ref());
        let change = is_change.then(|| record.of_signer(signer.clone()));
        self.records.push(record);
        self.records.extend(change.flatten());
        self.signer = signer;
    }

    /// Takes the yanks of versions that the log has, and their taking back.
    fn take_yanks(
        &mut self,
        repo: &RepoId,
        known: &LoggedRepo,
        releases: &Releases,
        now: OffsetDateTime,
    ) {
        let new = self.records.iter().filter_map(LogRecord::version);
        let new = new.filter(|version| !known.versions.contains_key(version));
        let logged = known.versions.iter();
        let logged = logged.map(|(version, known)| (version, known.yanked));
        let all: Vec<_> = logged.chain(new.map(|version| (version, None))).collect();
        let mut yanks = Vec::new();
        for (version, before) in all {
            let said = releases.yanked.get(version).map(|yank| yank.severity);
            let (repo, version, at) = (repo.clone(), version.clone(), now);
            match said {
                said if said == before => {}
                Some(severity) => yanks.push(LogRecord::Yank {
                    repo,
                    version,
                    severity,
                    at,
                }),
                None => yanks.push(LogRecord::Unyank { repo, version, at }),
            }
        }
        self.records.extend(yanks);
    }
}
