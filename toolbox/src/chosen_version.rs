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

/// The most versions that are passed over because they are too new; the log is asked of each.
const PASSED_OVER_MAX: usize = 100;
/// The most before the version in use is taken, so that nobody who publishes many stops others.
const PASSED_OVER_BEFORE_IN_USE_MAX: usize = 20;

/// A version that a reference means.
pub(crate) struct ChosenVersion {
    pub(crate) resolved: Resolved,
    /// The record of the log; none where the registry keeps none, and of a branch.
    pub(crate) logged: Option<LoggedVersion>,
    /// True if it is younger than the release age.
    pub(crate) is_new: bool,
}

/// Finds the version that `reference` means among `versions`. What is too new is passed over, and
/// told; where the log is asked of many in vain, the version in use is taken, if there is one.
pub(crate) async fn choose(
    reference: &ToolRef,
    versions: &RepoVersions,
    options: &FetchOptions,
    client: &Client,
    settings: &Settings,
    notices: &dyn Notices,
) -> Result<ChosenVersion, Error> {
    let mut search = Search {
        reference,
        versions,
        options,
        client,
        settings,
        passed_over: None,
        not_logged: None,
        except: Vec::new(),
    };
    let asked = &reference.revision;
    let mut found = search.newest(asked, PASSED_OVER_BEFORE_IN_USE_MAX).await?;
    if found.is_none()
        && let Some(used) = search.in_use()
    {
        found = search.newest(&used, PASSED_OVER_MAX).await?;
    }
    if found.is_none() {
        found = search.newest(asked, PASSED_OVER_MAX).await?;
    }
    match found {
        Some(found) => {
            search.tell(&found, notices);
            Ok(found)
        }
        None => search.nothing(),
    }
}

/// The search for a version that is old enough.
struct Search<'a> {
    reference: &'a ToolRef,
    versions: &'a RepoVersions,
    options: &'a FetchOptions,
    client: &'a Client,
    settings: &'a Settings,
    /// The newest that is too new.
    passed_over: Option<ChosenVersion>,
    /// The newest that the log does not have yet.
    not_logged: Option<Error>,
    /// All that were passed over.
    except: Vec<Version>,
}

impl Search<'_> {
    /// The newest version that `revision` means and may be taken; none where up to
    /// `passed_over_max` are passed over and none is left, or none was looked at.
    async fn newest(
        &mut self,
        revision: &Revision,
        passed_over_max: usize,
    ) -> Result<Option<ChosenVersion>, Error> {
        let (client, settings) = (self.client, self.settings);
        while self.except.len() < passed_over_max {
            let allowed = &self.options.allowed_yanks;
            let found = client.resolve_among(self.versions, revision, allowed, &self.except);
            let resolved = match found.await {
                Err(ClientError::NoOtherVersion { .. }) => return Ok(None),
                // The version in use is not there any more, or all others were yanked.
                Err(ClientError::VersionNotFound { .. } | ClientError::VersionYanked { .. })
                    if !self.except.is_empty() =>
                {
                    return Ok(None);
                }
                found => found?,
            };
            if resolved.version.is_none() && self.reference.revision == Revision::Newest {
                check_no_log(&resolved.repo, client, settings)?;
            }
            let version = resolved.version.clone();
            let found = match chosen(resolved, client, settings).await {
                // A data set gets the records of a version some time after it was published.
                Err(error) if is_late(&error) && !is_named(&self.reference.revision) => {
                    self.except.extend(version);
                    self.not_logged.get_or_insert(error);
                    continue;
                }
                found => found?,
            };
            if !found.is_new || self.is_exempt(&found.resolved) {
                return Ok(Some(found));
            }
            self.except.extend(version);
            self.passed_over.get_or_insert(found);
        }
        Ok(None)
    }

    /// The version in use, if it is one of those that are meant.
    fn in_use(&self) -> Option<Revision> {
        let AllowedYanks::Version(used) = &self.options.allowed_yanks else {
            return None;
        };
        let is_meant = match &self.reference.revision {
            Revision::Newest => true,
            Revision::Version(requirement) => requirement.matches(used),
            Revision::Branch(_) | Revision::Commit(_) => false,
        };
        let exactly = format!("={used}").parse().ok().filter(|_| is_meant)?;
        Some(Revision::Version(exactly))
    }

    /// True if this version is taken at any age.
    fn is_exempt(&self, found: &Resolved) -> bool {
        let is_in_use = match &self.options.allowed_yanks {
            AllowedYanks::Version(used) => found.version.as_ref() == Some(used),
            AllowedYanks::None | AllowedYanks::All => false,
        };
        is_in_use
            || match self.options.allowed_new {
                AllowedNew::Any => true,
                AllowedNew::InUse => false,
                AllowedNew::None | AllowedNew::IfNoOther => is_named(&self.reference.revision),
            }
    }

    /// Tells of what was passed over for `found`, and where its age is not known.
    fn tell(&self, found: &ChosenVersion, notices: &dyn Notices) {
        let Some(taken) = &found.resolved.version else {
            return;
        };
        if let Some(Error::Log { source, .. }) = &self.not_logged {
            let missing = source;
            notices.notice(&Notice::UnloggedVersionPassedOver { missing, taken });
        }
        let days = self.settings.release_age.whole_days();
        if let Some(new) = &self.passed_over
            && let (Some(version), Some(logged)) = (&new.resolved.version, &new.logged)
        {
            notices.notice(&Notice::NewVersionPassedOver {
                repo: &new.resolved.repo,
                version,
                published: &logged.entry(false).at,
                days,
                taken,
            });
        }
        let registry = self.client.endpoint();
        if found.logged.is_none()
            && days > 0
            && !self.is_exempt(&found.resolved)
            && self.settings.is_told_first_of_no_log(registry)
        {
            notices.notice(&Notice::AgeUnknown { registry });
        }
    }

    /// The newest all the same, where that is wanted; else the reason why there is nothing.
    fn nothing(self) -> Result<ChosenVersion, Error> {
        match (self.passed_over, self.not_logged) {
            (Some(newest), _) if self.options.allowed_new == AllowedNew::IfNoOther => Ok(newest),
            (None, Some(error)) => Err(error),
            (newest, _) => Err(too_new(newest, self.reference, self.settings)),
        }
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
