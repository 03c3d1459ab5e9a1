//! The `ChosenVersion` of a reference: resolved, held against its registry's log, and old enough.

use time::{Duration, OffsetDateTime};
use tool_hub_manifest::{RepoId, Revision, ToolRef, Version};
use tool_hub_registry_client::{AllowedYanks, Client, ClientError, RepoVersions, Resolved};

use crate::error::Error;
use crate::fetch_options::{AllowedNew, FetchOptions};
use crate::known_logs::KnownLogs;
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;
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
    let (mut not_logged, mut except) = (None, Vec::<Version>::new());
    while except.len() < PASSED_OVER_MAX {
        let (revision, allowed) = (&reference.revision, &options.allowed_yanks);
        let found = client.resolve_among(versions, revision, allowed, &except);
        let resolved = match found.await {
            Err(ClientError::NoOtherVersion { .. }) => break,
            found => found?,
        };
        if resolved.version.is_none() && reference.revision == Revision::Newest {
            check_no_log(&resolved.repo, client, settings)?;
        }
        let version = resolved.version.clone();
        let found = match chosen(resolved, client, settings).await {
            // A data set gets the records of a version some time after it was published.
            Err(error) if is_late(&error) && !is_named(&reference.revision) => {
                except.extend(version);
                not_logged.get_or_insert(error);
                continue;
            }
            found => found?,
        };
        if found.is_new && !is_exempt(&found.resolved, reference, options) {
            except.extend(version);
            passed_over.push(found);
            continue;
        }
        if let (Some(Error::Log { source, .. }), Some(taken)) =
            (&not_logged, &found.resolved.version)
        {
            let missing = source;
            notices.notice(&Notice::UnloggedVersionPassedOver { missing, taken });
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
    match (newest, not_logged) {
        (Some(newest), _) if options.allowed_new == AllowedNew::IfNoOther => Ok(newest),
        (None, Some(error)) => Err(error),
        (newest, _) => Err(too_new(newest, reference, settings)),
    }
}

/// Refuses the branch that is taken where a repo shows no version, on a registry with a log, or
/// whose log the user has witnesses for: all that the log and the release age promise would be gone
/// by leaving out the tags.
fn check_no_log(repo: &RepoId, client: &Client, settings: &Settings) -> Result<(), Error> {
    let endpoint = client.endpoint();
    let has_log = settings.log_dataset(endpoint).is_some()
        || settings.witnesses_of(endpoint).is_some()
        || KnownLogs::read(settings)?.of(endpoint).is_some();
    match has_log {
        true => Err(Error::NoVersion { repo: repo.clone() }),
        false => Ok(()),
    }
}

/// A resolved version with what the log says of it.
async fn chosen(
    resolved: Resolved,
    client: &Client,
    settings: &Settings,
) -> Result<ChosenVersion, Error> {
    let logged = match &resolved.version {
        Some(version) => {
            let logged = LoggedVersion::read(&resolved.repo, version, client, settings).await;
            logged.map_err(|error| of_late_log(error, settings))?
        }
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

/// The error of a version without a record, where the log is a data set: that gets it later.
fn of_late_log(error: Error, settings: &Settings) -> Error {
    match error {
        Error::Log {
            endpoint,
            file,
            source,
        } => {
            let source = match (*source, settings.log_dataset(&endpoint)) {
                (LogError::NotLogged { repo, version }, Some(log)) => LogError::NotLoggedYet {
                    dataset: log.dataset.clone(),
                    repo,
                    version,
                },
                (source, _) => source,
            };
            Error::Log {
                endpoint,
                file,
                source: Box::new(source),
            }
        }
        error => error,
    }
}

fn is_late(error: &Error) -> bool {
    matches!(error, Error::Log { source, .. } if matches!(**source, LogError::NotLoggedYet { .. }))
}

/// True if a revision means one version, or none.
fn is_named(revision: &Revision) -> bool {
    match revision {
        Revision::Newest => false,
        revision @ Revision::Version(_) => revision.is_exact_version(),
        Revision::Branch(_) | Revision::Commit(_) => true,
    }
}

/// True if this version is taken at any age.
fn is_exempt(found: &Resolved, reference: &ToolRef, options: &FetchOptions) -> bool {
    let is_in_use = match &options.allowed_yanks {
        AllowedYanks::Version(used) => found.version.as_ref() == Some(used),
        AllowedYanks::None | AllowedYanks::All => false,
    };
    is_named(&reference.revision) || is_in_use || options.allowed_new == AllowedNew::Any
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
