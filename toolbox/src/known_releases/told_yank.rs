//! The `ToldYank`: a yank that somebody was told of, held against the log of its registry.

use tool_hub_manifest::{RepoId, Severity, Version};
use tool_hub_registry_client::Client;

use crate::error::Error;
use crate::known_logs::KnownLogs;
use crate::log_state::not_trusted;
use crate::logged_version::LoggedVersion;
use crate::logged_version::error::LogError;
use crate::settings::Settings;

/// A yank of one version.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToldYank<'a> {
    pub(super) repo: &'a RepoId,
    pub(super) version: &'a Version,
    pub(super) severity: Severity,
}

impl ToldYank<'_> {
    /// The number of records that the log has at this moment. Where it cannot be read now, it is
    /// that of the last reading; none where the registry keeps none.
    ///
    /// # Errors
    /// If a file of the user's cannot be read.
    pub(super) async fn log_records(
        &self,
        client: &Client,
        settings: &Settings,
    ) -> Result<Option<u64>, Error> {
        // A state that holds is remembered.
        let _ = LoggedVersion::read(self.repo, self.version, client, settings).await;
        Ok(KnownLogs::read(settings)?.records_of(client.endpoint()))
    }

    /// True if the log says what the registry `said` instead, and did not say so yet when it had
    /// only the records that were `heard`. A registry without a log is believed.
    ///
    /// False where nobody can tell yet, so that the yank stays known: of a version that is not
    /// offered any more, and of one whose log, a data set, lags. A yank that was told and taken
    /// back between two looks of whoever keeps that has no record: but for a malicious version
    /// that is believed.
    ///
    /// # Errors
    /// The errors of [`LoggedVersion::read`], and [`Error::Log`] where the yank is only left out.
    pub(super) async fn is_taken_back(
        &self,
        said: Option<Severity>,
        heard: u64,
        client: &Client,
        settings: &Settings,
    ) -> Result<bool, Error> {
        let (repo, version) = (self.repo, self.version);
        // A data set has the records some time after the registry.
        let is_late = settings.log_dataset(client.endpoint()).is_some();
        let may_be_missed = is_late && self.severity < Severity::Malicious;
        let logged = match LoggedVersion::read(repo, version, client, settings).await {
            Ok(Some(logged)) => logged,
            Ok(None) => return Ok(true),
            Err(error) if is_late && is_not_logged(&error) => {
                return Ok(may_be_missed && said.is_none());
            }
            Err(error) => {
                let offered = client.versions(repo).await?;
                return match offered.iter().any(|it| it.version == *version) {
                    true => Err(error),
                    false => Ok(false),
                };
            }
        };
        let is_newer = logged.yank_changed().is_some_and(|index| index >= heard);
        match logged.yanked() == said {
            true if is_newer => return Ok(true),
            true if is_late => return Ok(may_be_missed),
            false if is_late && said.is_some() => return Ok(false),
            _ => {}
        }
        let (repo, version) = (repo.clone(), version.clone());
        let missed = match said {
            None => LogError::YankGone { repo, version },
            Some(now) => LogError::YankEased {
                repo,
                version,
                before: self.severity,
                now,
            },
        };
        Err(not_trusted(client.endpoint(), settings, missed))
    }
}

fn is_not_logged(error: &Error) -> bool {
    matches!(error, Error::Log { source, .. } if matches!(**source, LogError::NotLogged { .. }))
}
