//! The `ChosenVersion` of a reference: resolved, held against its registry's log, and old enough.

use time::{Duration, OffsetDateTime};
use tool_hub_manifest::{RepoId, Revision, ToolRef, Version};
use tool_hub_registry_client::{AllowedYanks, Client, ClientError, RepoVersions, Resolved};

use crate::error::Error;
use crate::fetch_options::{AllowedNew, FetchOptions};
use crate::known_logs::KnownLogs;
use crate::logged_version::LoggedVersion;
use crate::notices::{Notice, Notices};
use crate::settings::Settings;

/// The most versions that are passed over because they are too new.
const PASSED_OVER_MAX: usize = 20;

/// A version that a reference means.
pub(crate) struct ChosenVersion {
    pub(crate) resolved: Resolved,
    /// The record of the log; none where the registry keeps none, and of a branch.
    pub(crate) logged: Option<LoggedVersion>,
    /// True if it is younger than the release age.
    pub(crate) is_new: bool,
}

/// Finds the version that `reference` means among `versions`. What is too new is passed over, and
/// told.
pub(crate) async fn choose(
    reference: &ToolRef,
    versions: &RepoVersions,
    options: &FetchOptions,
    client: &Client,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<ChosenVersion, Error> {
    let mut passed_over: Vec<ChosenVersion> = Vec::new();
    while passed_over.len() < PASSED_OVER_MAX {
        let except: Vec<Version> = passed_over
            .iter()
            .filter_map(|new| new.resolved.version.clone())
            .collect();
        let (revision, allowed) = (&reference.revision, &options.allowed_yanks);
        let found = client.resolve_among(versions, revision, allowed, &except);
        let resolved = match found.await {
            Err(ClientError::NoOtherVersion { .. }) => break,
            found => found?,
        };
        if resolved.version.is_none() && reference.revision == Revision::Newest {
            check_no_log(&resolved.repo, client, settings)?;
        }
        let found = chosen(resolved, client, settings).await?;
        if found.is_new && !is_exempt(&found.resolved, reference, options) {
            passed_over.push(found);
            continue;
        }
        if let (Some(new), Some(taken)) = (passed_over.first(), &found.resolved.version)
            && let (Some(version), Some(logged)) = (&new.resolved.version, &new.logged)
        {
            notices.notice(&Notice::NewVersionPassedOver {
                repo: &new.resolved.repo,
                version,
                published: &logged.entry(false).at,
                days: settings.release_age.whole_days(),
                taken,
            });
        }
        return Ok(found);
    }
    let newest = passed_over.into_iter().next();
    match newest {
        Some(newest) if options.allowed_new == AllowedNew::IfNoOther => Ok(newest),
        newest => Err(too_new(newest, reference, settings)),
    }
}

/// Refuses the branch that is taken where a repo shows no version, on a registry with a log: all
/// that the log and the release age promise would be gone by leaving out the tags.
fn check_no_log(repo: &RepoId, client: &Client, settings: &Settings) -> Result<(), Error> {
    match KnownLogs::read(settings)?.of(client.endpoint()) {
        Some(_) => Err(Error::NoVersion { repo: repo.clone() }),
        None => Ok(()),
    }
}

/// A resolved version with what the log says of it.
async fn chosen(
    resolved: Resolved,
    client: &Client,
    settings: &Settings,
) -> Result<ChosenVersion, Error> {
    let logged = match &resolved.version {
        Some(version) => LoggedVersion::read(&resolved.repo, version, client, settings).await?,
        // A branch is no version, and the log does not have it.
        None => None,
    };
    let age = logged
        .as_ref()
        .map(|logged| OffsetDateTime::now_utc() - logged.published());
    Ok(ChosenVersion {
        resolved,
        logged,
        is_new: age.is_some_and(|age: Duration| age < settings.release_age),
    })
}

/// True if this version is taken at any age.
fn is_exempt(found: &Resolved, reference: &ToolRef, options: &FetchOptions) -> bool {
    let is_named = match &reference.revision {
        Revision::Newest => false,
        revision @ Revision::Version(_) => revision.is_exact_version(),
        Revision::Branch(_) | Revision::Commit(_) => true,
    };
    let is_in_use = match &options.allowed_yanks {
        AllowedYanks::Version(used) => found.version.as_ref() == Some(used),
        AllowedYanks::None | AllowedYanks::All => false,
    };
    is_named || is_in_use || options.allowed_new == AllowedNew::Any
}

fn too_new(newest: Option<ChosenVersion>, reference: &ToolRef, settings: &Settings) -> Error {
    let repo = reference.repo.clone();
    match newest {
        Some(ChosenVersion {
            resolved:
                Resolved {
                    version: Some(version),
                    ..
                },
            logged: Some(logged),
            ..
        }) => Error::TooNew {
            repo,
            version,
            published: logged.entry(true).at,
            days: settings.release_age.whole_days(),
        },
        _ => Error::Client(ClientError::NoOtherVersion { repo }),
    }
}
