//! The `ServedTree`: a tool that is served with all that it calls, until one of them is refused.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use tool_hub_host::Inspection;
use tool_hub_manifest::{Digest, RepoId, Severity, Version};
use tool_hub_registry_client::ClientError;
use tool_hub_serve::{Catalogue, Toolset};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::advisory::RefusedVersion;
use tool_hub_toolbox::advisories::known::KnownAdvisories;
use tool_hub_toolbox::known_releases::KnownReleases;
use tool_hub_toolbox::policy::policies::Policies;
use url::Url;

use crate::serving::release_refresh::Place;
use crate::serving::toolbox_server::{NOT_ALLOWED, NOT_KNOWN, advised, withdrawn_as_malicious};
use crate::session::Session;
use crate::settings::config::Config;

/// The interval at which it is looked whether a version was yanked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The versions that are served, and the policies by which they were judged.
pub(in crate::commands::serve) struct ServedTree {
    versions: Vec<ServedVersion>,
    policies: Vec<Digest>,
}

/// One version of a tool of a registry.
struct ServedVersion {
    place: Place,
    version: Version,
    /// True if another tool calls it.
    is_called: bool,
}

/// The yanks and advisories that this machine knows of.
struct KnownFaults {
    releases: KnownReleases,
    advisories: KnownAdvisories,
}

impl KnownFaults {
    fn read(config: &Config) -> Result<Self, Error> {
        Ok(Self {
            releases: KnownReleases::read(&config.settings)?,
            advisories: KnownAdvisories::read(&config.settings)?,
        })
    }
}

impl ServedVersion {
    /// The refusal of the version: its owner says that it attacks its users, or an advisory is
    /// against it.
    fn refused(&self, known: &KnownFaults) -> Option<Error> {
        let ((endpoint, repo), version) = (&self.place, &self.version);
        let yank = known.releases.yank(endpoint, repo, version);
        if let Some(yank) = yank.filter(|yank| yank.severity == Severity::Malicious) {
            return Some(Error::from(ClientError::VersionYanked {
                repo: repo.clone(),
                version: version.clone(),
                yank: Box::new(yank.clone()),
            }));
        }
        let found = known.advisories.about(endpoint, repo, version).into_iter();
        let mut refusing = found.filter(|found| found.advisory.severity.refuses());
        refusing.next().map(|found| {
            let fixed = found.advisory.fixed_after(endpoint, repo, version);
            Error::Advised(Box::new(RefusedVersion {
                key: None,
                called_by: None,
                origin: repo.to_string(),
                version: version.clone(),
                id: found.advisory.id.clone(),
                severity: found.advisory.severity,
                fixed: fixed.cloned(),
                source: found.source.clone(),
            }))
        })
    }

    /// The words for agents on a refusal of the version.
    fn for_agents(&self, refused: &Error) -> String {
        let (_, repo) = &self.place;
        let called = self.is_called.then_some(repo.as_str());
        match refused {
            Error::Advised(_) => advised(&self.version, called),
            _ => withdrawn_as_malicious(&self.version, called),
        }
    }
}

impl ServedTree {
    /// The versions of `inspection`, a tool from `repo` if it was published, and of all that it
    /// depends on, which is from the registry at `endpoint`.
    pub(super) fn new(
        repo: Option<&RepoId>,
        inspection: &Inspection,
        endpoint: &Url,
        policies: &Policies,
    ) -> Self {
        let mut versions: Vec<ServedVersion> = repo
            .map(|repo| ServedVersion {
                place: (endpoint.clone(), repo.clone()),
                version: inspection.version.clone(),
                is_called: false,
            })
            .into_iter()
            .collect();
        add_called(&mut versions, inspection, endpoint);
        Self {
            versions,
            policies: policies.digests(),
        }
    }

    /// The registries and repos of the versions.
    pub(in crate::commands::serve) fn places(&self) -> impl Iterator<Item = Place> {
        self.versions.iter().map(|version| version.place.clone())
    }

    /// Refuses a tree of which a version is known to be malicious, or which an advisory refuses.
    pub(super) fn check(&self, config: &Config) -> anyhow::Result<()> {
        match self.refused(&KnownFaults::read(config)?) {
            Some((_, refused)) => Err(refused.into()),
            None => Ok(()),
        }
    }

    fn refused(&self, known: &KnownFaults) -> Option<(&ServedVersion, Error)> {
        let mut versions = self.versions.iter();
        versions.find_map(|version| Some((version, version.refused(known)?)))
    }

    /// The reason why the tool is not served any more: for agents, and for people.
    fn withdrawn(&self, config: &Config) -> Option<[String; 2]> {
        let known = match KnownFaults::read(config) {
            Ok(known) => known,
            Err(error) => {
                let error = anyhow::Error::from(error);
                return Some([NOT_KNOWN.to_owned(), format!("{error:#}")]);
            }
        };
        if let Some((version, refused)) = self.refused(&known) {
            return Some([version.for_agents(&refused), refused.to_string()]);
        }
        let policies = Policies::read(&config.settings);
        let is_changed = policies.map_or(true, |policies| policies.digests() != self.policies);
        is_changed.then(|| {
            let changed = "the policy changed: start the command anew to serve the tool";
            [NOT_ALLOWED.to_owned(), changed.to_owned()]
        })
    }

    /// Takes the functions from `toolset` once a version is refused.
    pub(in crate::commands::serve) async fn follow(
        &self,
        toolset: &Toolset,
        session: &Session,
    ) -> Infallible {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        loop {
            looks.tick().await;
            let Some([for_agents, for_people]) = self.withdrawn(&session.config) else {
                continue;
            };
            let Ok(nothing) = Catalogue::new([]) else {
                continue;
            };
            let names = toolset.names().into_iter();
            let names = names.map(|name| (name, for_agents.clone()));
            toolset.replace(nothing.with_withdrawn(names.collect()));
            session.printer.warning(&for_people);
            session.printer.note("serving 0 functions now");
            return pending().await;
        }
    }
}

fn add_called(versions: &mut Vec<ServedVersion>, inspection: &Inspection, endpoint: &Url) {
    for (name, request) in &inspection.verified().manifest().dependencies {
        let Some(called) = inspection.dependencies.get(name) else {
            continue;
        };
        versions.push(ServedVersion {
            place: (endpoint.clone(), request.repo.clone()),
            version: called.version.clone(),
            is_called: true,
        });
        add_called(versions, called, endpoint);
    }
}
