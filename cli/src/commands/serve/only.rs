//! `tool serve --only`: loads one tool without a toolbox, by the digest and the rights in flags.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use clap::Args;
use tool_hub_host::{Host, Storage, inspect};
use tool_hub_manifest::{
    Digest, Grants, Revision, Severity, ToolKey, ToolRef, Verified, Version, Yank,
};
use tool_hub_registry_client::{ClientError, Store};
use tool_hub_serve::{Catalogue, Presentation, Toolset};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::advisories::advisory::RefusedVersion;
use tool_hub_toolbox::advisories::known::KnownAdvisories;
use tool_hub_toolbox::consent_record::calls_functions;
use tool_hub_toolbox::known_releases::KnownReleases;
use tool_hub_toolbox::loaded::LoadedTool;
use tool_hub_toolbox::policy::policies::Policies;
use tool_hub_toolbox::subject::Subject;

use crate::commands::load::refusals::check_refusals;
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::grant_flags;
use crate::consent::signing;
use crate::serving::release_refresh::Place;
use crate::serving::toolbox_server::{NOT_ALLOWED, advised, catalogue};
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::{fetching, sandbox};

/// The interval at which it is looked whether the version was yanked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Flags that serve one tool without a toolbox.
#[derive(Debug, Args)]
pub(super) struct OnlyFlags {
    /// Serve this one tool and no toolbox: owner/name, owner/name@1.2.0 or a path; needs --approve
    ///
    /// The flags say all that is approved: the package by its digest, and its rights. So the
    /// command can stand in a client's configuration or a container's, where nobody can be asked.
    /// Of a tool that was pulled before, the registry is not asked again.
    #[arg(
        long,
        value_name = "TOOL",
        requires = "approve",
        conflicts_with_all = ["names", "toolbox", "tokens"]
    )]
    only: Option<Subject>,

    #[command(flatten)]
    approval: ApprovalFlags,
}

/// The one tool to serve, with the digest that is approved.
pub(super) struct Only<'a> {
    subject: &'a Subject,
    approved: Digest,
    approval: &'a ApprovalFlags,
}

/// The version that is served, and where it comes from.
pub(super) struct ServedVersion {
    pub(super) place: Place,
    version: Version,
    /// The policies by which it was judged.
    policies: Vec<Digest>,
}

impl ServedVersion {
    /// The owner's words on the version, if they are that it attacks its users.
    fn malicious(&self, config: &Config) -> anyhow::Result<Option<Yank>> {
        let (endpoint, repo) = &self.place;
        let known = KnownReleases::read(&config.settings)?;
        let releases = known.of(endpoint, repo);
        let yank = releases.and_then(|releases| releases.yanked.get(&self.version));
        Ok(yank
            .filter(|yank| yank.severity == Severity::Malicious)
            .cloned())
    }

    /// The advisory that refuses the version, if there is one.
    fn advised(&self, config: &Config) -> anyhow::Result<Option<RefusedVersion>> {
        let (endpoint, repo) = &self.place;
        let known = KnownAdvisories::read(&config.settings)?;
        let found = known.about(endpoint, repo, &self.version).into_iter();
        let mut refusing = found.filter(|found| found.advisory.severity.refuses());
        Ok(refusing.next().map(|found| {
            let fixed = found.advisory.fixed_after(endpoint, repo, &self.version);
            RefusedVersion {
                key: None,
                origin: repo.to_string(),
                version: self.version.clone(),
                id: found.advisory.id.clone(),
                severity: found.advisory.severity,
                fixed: fixed.cloned(),
            }
        }))
    }

    /// The reason why the version is not served any more: for agents, and for people.
    fn refused(&self, config: &Config) -> anyhow::Result<Option<[String; 2]>> {
        let (version, repo) = (&self.version, &self.place.1);
        if let Some(yank) = self.malicious(config)? {
            return Ok(Some([
                format!("its version {version} was withdrawn as malicious"),
                format!("{repo} {version} was yanked as {yank}"),
            ]));
        }
        let policies = Policies::read(&config.settings);
        if policies.map_or(true, |policies| policies.digests() != self.policies) {
            return Ok(Some([
                NOT_ALLOWED.to_owned(),
                format!("the policy changed: start the command anew to serve {repo}"),
            ]));
        }
        let refused = self.advised(config)?;
        Ok(refused.map(|refused| [advised(&refused), refused.to_string()]))
    }

    /// Takes the functions from `toolset` once it is known that the version attacks its users, or
    /// that an advisory refuses it.
    pub(super) async fn follow(&self, toolset: &Toolset, session: &Session) -> Infallible {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        loop {
            looks.tick().await;
            let Ok(Some([for_agents, for_people])) = self.refused(&session.config) else {
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

impl OnlyFlags {
    /// The tool that the flags name, if they name one.
    ///
    /// # Errors
    /// When they approve or grant something and name no tool.
    pub(super) fn tool(&self) -> anyhow::Result<Option<Only<'_>>> {
        match (&self.only, self.approval.approve) {
            (Some(subject), Some(approved)) => Ok(Some(Only {
                subject,
                approved,
                approval: &self.approval,
            })),
            _ if self.approval.is_empty() => Ok(None),
            _ => Err(Problem::user(
                "--approve and the --allow flags are for one tool, and --only names none",
            )
            .hint("add --only owner/name, or approve the tools of a toolbox with: tool load")
            .into()),
        }
    }
}

impl Only<'_> {
    /// Loads the tool, and offers its functions.
    ///
    /// # Errors
    /// Refused when the package has another digest than the approved one, when a flag grants more
    /// than the tool asks for, and where approvals have to be signed.
    pub(super) async fn catalogue(
        &self,
        presentation: Presentation,
        session: &Session,
    ) -> anyhow::Result<(Catalogue, Option<ServedVersion>)> {
        let config = &session.config;
        let hint = "load the tool, and serve the toolbox: tool load, then tool serve";
        signing::refuse_unrecorded("a tool served with --only", hint, &config.settings)?;
        let host = sandbox::open_host(config)?;
        let (verified, storage) = self.verified(&host, session).await?;
        let inspection = inspect(&verified)?;
        check_refusals(&inspection)?;
        let manifest = verified.manifest();
        let key = ToolKey::from(&manifest.name);
        let candidate = Candidate {
            name: key.as_str(),
            digest: inspection.approval_digest,
            asked: &manifest.capabilities,
            calls_functions: calls_functions(&inspection),
            replaces: None,
            offer: Offer::Named,
            act: "Serve",
            dependencies: &inspection.dependencies,
        };
        // A digest was given, so nobody is asked.
        let (grants, _) = self
            .approval
            .decide(&candidate, Grants::none().into(), config)?;
        let command = "tool serve --only …";
        let approved = inspection
            .approve_tree(&grants)?
            .known_as(key.as_str())
            .with_grant_advice(move |grants| grant_flags::command(command, grants));
        let store = config.settings.open_store()?;
        let loader = sandbox::loader(&host, &store, config);
        let tool = loader.load_approved(approved, storage).await?;
        let version = verified.manifest().version.clone();
        let policies = policies(config)?.digests();
        let loaded = LoadedTool::without_toolbox(key, tool);
        let catalogue = catalogue(vec![loaded], presentation)?;
        let served = self.place(config).map(|place| ServedVersion {
            place,
            version,
            policies,
        });
        Ok((catalogue, served))
    }

    /// The registry and the repo that it comes from.
    fn place(&self, config: &Config) -> Option<Place> {
        match self.subject {
            Subject::Reference(Ok(reference), _) => {
                Some((config.settings.endpoint.clone(), reference.repo.clone()))
            }
            _ => None,
        }
    }

    /// The tool's bytes, and its place in the user's storage.
    async fn verified(
        &self,
        host: &Host,
        session: &Session,
    ) -> anyhow::Result<(Verified, Storage)> {
        let config = &session.config;
        if let Subject::Reference(Ok(reference), _) = self.subject {
            let storage = config
                .settings
                .storage_of_repo(&config.settings.endpoint, &reference.repo);
            // Whose signature a package had that was pulled before, the store does not say.
            if policies(config)?.is_empty()
                && let Some(verified) = self.pulled(reference, host, config)?
            {
                return Ok((verified, storage));
            }
        }
        let asked = CapabilityFlags::of(&self.approval.rights).capabilities();
        let endpoint = &config.settings.endpoint;
        let fetched = fetching::fetch(self.subject, asked, endpoint, session).await?;
        let storage = config.settings.storage(&fetched.origin.source());
        Ok((fetched.verified, storage))
    }

    /// The approved package from the store, where it was pulled from the same repo before.
    fn pulled(
        &self,
        reference: &ToolRef,
        host: &Host,
        config: &Config,
    ) -> anyhow::Result<Option<Verified>> {
        let store: Store = config.settings.open_store()?;
        let pin = store.pulled(&config.settings.endpoint, &reference.repo, self.approved)?;
        let Some(pin) = pin else {
            return Ok(None);
        };
        host.prefetch(&pin.component);
        // A damaged file was set aside, and is downloaded again.
        let Ok(verified) = store.get(&pin) else {
            return Ok(None);
        };
        let version = verified.manifest().version.clone();
        let place = (config.settings.endpoint.clone(), reference.repo.clone());
        let served = ServedVersion {
            place,
            version,
            policies: Vec::new(),
        };
        if let Some(refused) = served.advised(config)? {
            return Err(Error::Advised(Box::new(refused)).into());
        }
        if let Some(yank) = served.malicious(config)? {
            let yanked = ClientError::VersionYanked {
                repo: reference.repo.clone(),
                version: verified.manifest().version.clone(),
                yank: Box::new(yank),
            };
            return Err(yanked.into());
        }
        let is_meant = match &reference.revision {
            Revision::Version(requirement) => requirement.matches(&verified.manifest().version),
            _ => true,
        };
        Ok(is_meant.then_some(verified))
    }
}

fn policies(config: &Config) -> anyhow::Result<Policies> {
    Ok(Policies::read(&config.settings).map_err(Error::from)?)
}
