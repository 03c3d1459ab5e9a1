//! A `PublishedVersion`: the bytes of a version and all that is said of it, before it counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use tool_hub_manifest::{AdvisoryId, Source, ToolRef, Verified, Version};
use tool_hub_registry_client::{AllowedYanks, ClientError, Resolved, SignatureFiles};
use url::Url;

use crate::advisories::known::KnownAdvisories;
use crate::authorship::Authorship;
use crate::chosen_version::ChosenVersion;
use crate::error::Error;
use crate::fetch_options::FetchOptions;
use crate::fetched::{Fetched, FetchedFrom};
use crate::log_state::not_trusted;
use crate::notices::{Notice, Notices};
use crate::policy::policies::Policies;
use crate::policy::subject::OriginSubject;
use crate::settings::Settings;
use crate::signing_keys::SigningKeys;

/// A version as it was had from a registry, or from whoever carried it.
pub(crate) struct PublishedVersion<'a> {
    /// The URL of the registry that published it.
    pub(crate) endpoint: &'a Url,
    /// The reference that the user gave.
    pub(crate) reference: &'a ToolRef,
    /// The version, with the records of the log and of the repo.
    pub(crate) chosen: ChosenVersion,
    /// The bytes.
    pub(crate) verified: Verified,
    /// The files of its signature and attestations, if it has any.
    pub(crate) signature: Option<SignatureFiles>,
    /// The advisories that count.
    pub(crate) advisories: KnownAdvisories,
    /// True if the log that speaks of it is known to be that of its registry.
    pub(crate) is_proved: bool,
}

impl PublishedVersion<'_> {
    /// Holds it against the yanks of its repo, the log, the advisories, its signature, its
    /// attestations and `policies`.
    ///
    /// # Errors
    /// The first of them that refuses it.
    pub(crate) fn check(
        self,
        options: &FetchOptions,
        policies: &Policies,
        settings: &Settings,
        notices: &dyn Notices,
    ) -> Result<Fetched, Error> {
        self.check_releases(&options.allowed_yanks, notices)?;
        self.check_log(settings)?;
        let known = &self.advisories;
        let place = (self.endpoint, &self.chosen.resolved.repo);
        let allowed = &options.allowed_advisories;
        let allowed_advisories = allowed.check(known, place, self.version(), notices)?;
        let authorship = self.verified_authorship(settings)?;
        self.check_signer(&authorship, settings)?;
        self.taken(authorship, allowed_advisories, policies)
    }

    fn version(&self) -> &Version {
        &self.verified.manifest().version
    }

    /// Tells of what the repo says of the version, and refuses it where that is not allowed: the
    /// head of a branch may hold a yanked version, too.
    fn check_releases(&self, allowed: &AllowedYanks, notices: &dyn Notices) -> Result<(), Error> {
        let version = self.version();
        let Resolved { repo, releases, .. } = &self.chosen.resolved;
        if let Some(yank) = releases.yanked.get(version) {
            if !allowed.allow(version, yank) {
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
        }
        if let Some((newer, yank)) = self.chosen.resolved.passed_over.first() {
            notices.notice(&Notice::PassedOver {
                repo,
                version: newer,
                yank,
                taken: version,
            });
        }
        if let Some(deprecation) = &releases.deprecated {
            notices.notice(&Notice::Deprecated { repo, deprecation });
        }
        Ok(())
    }

    /// Holds the commit, the bytes and the yanks that were said against the log.
    fn check_log(&self, settings: &Settings) -> Result<(), Error> {
        let Some(logged) = &self.chosen.logged else {
            return Ok(());
        };
        let Resolved {
            repo,
            commit,
            releases,
            ..
        } = &self.chosen.resolved;
        let version = self.version();
        let said = releases.yanked.get(version).map(|yank| yank.severity);
        logged
            .check(commit, self.verified.pin())
            .and_then(|()| logged.check_yank(repo, version, said))
            .map_err(|source| not_trusted(self.endpoint, settings, source))
    }

    /// Holds the signature against the log.
    fn check_signer(&self, authorship: &Authorship, settings: &Settings) -> Result<(), Error> {
        let ChosenVersion {
            resolved, logged, ..
        } = &self.chosen;
        let checked = logged.as_ref().map_or(Ok(()), |logged| {
            logged.check_signer(&resolved.commit, &authorship.signature)
        });
        checked.map_err(|source| not_trusted(self.endpoint, settings, source))
    }

    fn verified_authorship(&self, settings: &Settings) -> Result<Authorship, Error> {
        let keys = SigningKeys::read(settings)?;
        // The log's time is the one at which a certificate has to be valid.
        let logged = self.chosen.logged.as_ref().filter(|_| self.is_proved);
        let at = logged.map_or_else(SystemTime::now, |logged| logged.published().into());
        let (files, subject) = (self.signature.as_ref(), self.reference.to_string());
        Authorship::verify(files, &self.verified, &keys, at, &subject)
    }

    /// The package, if the policies allow it.
    fn taken(
        self,
        authorship: Authorship,
        allowed_advisories: BTreeSet<AdvisoryId>,
        policies: &Policies,
    ) -> Result<Fetched, Error> {
        let ChosenVersion {
            resolved,
            logged,
            is_new,
        } = self.chosen;
        let version = &self.verified.manifest().version;
        let logged = logged.map(|logged| logged.entry(is_new));
        let about = self
            .advisories
            .about(self.endpoint, &resolved.repo, version);
        policies.check_origin(
            &self.reference.to_string(),
            &OriginSubject {
                source: &Source::Registry {
                    endpoint: self.endpoint.clone(),
                    repo: resolved.repo.clone(),
                    commit: resolved.commit.clone(),
                },
                version,
                signer: authorship.signature.signer(),
                attested_by: &authorship.attestations.publishers(),
                yank: resolved.releases.yanked.get(version),
                advisories: about.into_iter().map(|found| found.advisory).collect(),
                logged: logged.as_ref().filter(|_| self.is_proved),
            },
        )?;
        Ok(Fetched {
            verified: self.verified,
            signature: authorship.signature,
            attestations: authorship.attestations,
            logged,
            allowed_advisories,
            bundle: None,
            dependencies: BTreeMap::new(),
            origin: FetchedFrom::Registry {
                endpoint: self.endpoint.clone(),
                reference: self.reference.clone(),
                resolved: Box::new(resolved),
            },
        })
    }
}
