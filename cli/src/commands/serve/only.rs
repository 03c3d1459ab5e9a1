//! `tool serve --only`: loads one tool without a toolbox, by the digest and the rights in flags.

pub(super) mod served_tree;

use std::collections::BTreeMap;

use clap::Args;
use tool_hub_host::{Host, Inspection, Storage, inspect_with_dependencies};
use tool_hub_manifest::{Digest, RepoId, Revision, ToolKey, Version};
use tool_hub_registry_client::{PulledPackage, Store};
use tool_hub_serve::{Catalogue, Presentation};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::consent_record::calls_functions;
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::known_makers::KnownMakers;
use tool_hub_toolbox::loaded::{LoadedTool, Loader};
use tool_hub_toolbox::policy::policies::Policies;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::subject::Subject;
use url::Url;

use crate::commands::load::refusals::check_refusals;
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::dependency_flags::{DependencyFlags, advice};
use crate::consent::signing;
use crate::serving::toolbox_server::catalogue;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::{fetching, sandbox};

use served_tree::ServedTree;

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

    /// The repo from which the package at the path is: its yanks and advisories are heeded
    #[arg(long, value_name = "OWNER/NAME", requires = "only")]
    published_as: Option<RepoId>,

    #[command(flatten)]
    approval: ApprovalFlags,

    #[command(flatten)]
    dependencies: DependencyFlags,
}

/// The one tool to serve, with the digest that is approved.
pub(super) struct Only<'a> {
    subject: &'a Subject,
    approved: Digest,
    flags: &'a OnlyFlags,
}

impl OnlyFlags {
    /// The tool that the flags name, if they name one.
    ///
    /// # Errors
    /// When they approve or grant something and name no tool.
    pub(super) fn tool(&self) -> anyhow::Result<Option<Only<'_>>> {
        match (&self.only, self.approval.approve) {
            (Some(subject), Some(_))
                if self.published_as.is_some() && !matches!(subject, Subject::Path(_)) =>
            {
                Err(Problem::user("--published-as is for a path, and --only names none")
                    .hint("leave it out: the yanks of the repo that --only names are heeded")
                    .into())
            }
            (Some(subject), Some(approved)) => Ok(Some(Only {
                subject,
                approved,
                flags: self,
            })),
            _ if self.approval.is_empty() && self.dependencies.is_empty() => Ok(None),
            _ => Err(Problem::user(
                "--approve, --dependency and the --allow flags are for one tool, and --only names none",
            )
            .hint("add --only owner/name, or approve the tools of a toolbox with: tool load")
            .into()),
        }
    }
}

impl Only<'_> {
    /// Loads the tool and all that it calls, and offers its functions.
    ///
    /// # Errors
    /// Refused when the tree has another digest than the approved one, when a flag grants more
    /// than a tool asks for, and where approvals have to be signed.
    pub(super) async fn catalogue(
        &self,
        presentation: Presentation,
        session: &Session,
    ) -> anyhow::Result<(Catalogue, ServedTree)> {
        let config = &session.config;
        let hint = "load the tool, and serve the toolbox: tool load, then tool serve";
        signing::refuse_unrecorded("a tool served with --only", hint, &config.settings)?;
        let host = sandbox::open_host(config)?;
        let store = config.settings.open_store()?;
        let (inspection, storage) = self.inspection(&host, &store, session).await?;
        check_refusals(&inspection)?;
        let served = self.served(&inspection, config)?;
        served.check(config)?;
        let manifest = inspection.verified().manifest();
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
        let OnlyFlags {
            approval,
            dependencies,
            ..
        } = self.flags;
        let granted = dependencies.granted(&inspection, config)?;
        // A digest was given, so nobody is asked.
        let (grants, _) = approval.decide(&candidate, granted, config)?;
        let loader = Loader {
            advice: Some(advice("tool serve --only …".to_owned(), key.to_string())),
            ..sandbox::loader(&host, &store, config)
        };
        let approved = loader.known_as(key.as_str(), inspection.approve_tree(&grants)?);
        let tool = loader.load_approved(approved, storage).await?;
        let loaded = LoadedTool::without_toolbox(key, tool);
        Ok((catalogue(vec![loaded], presentation)?, served))
    }

    fn served(&self, inspection: &Inspection, config: &Config) -> anyhow::Result<ServedTree> {
        let repo = match self.subject {
            Subject::Reference(Ok(reference), _) => Some(&reference.repo),
            _ => self.flags.published_as.as_ref(),
        };
        let endpoint = &config.settings.endpoint;
        Ok(ServedTree::new(
            repo,
            inspection,
            endpoint,
            &policies(config)?,
        ))
    }

    /// The tool with all that it calls, and its place in the user's storage.
    async fn inspection(
        &self,
        host: &Host,
        store: &Store,
        session: &Session,
    ) -> anyhow::Result<(Inspection, Storage)> {
        let config = &session.config;
        let endpoint = &config.settings.endpoint;
        let known = KnownMakers::read(&config.settings)?;
        if let Subject::Reference(Ok(reference), _) = self.subject {
            let storage = config.settings.storage_of_repo(endpoint, &reference.repo);
            // Whose signature a package had that was pulled before, the store does not say.
            let place = (endpoint, &reference.repo);
            if policies(config)?.is_empty()
                && let Some(inspection) = pulled(place, self.approved, &known, host, store)?
                && is_meant(&reference.revision, &inspection.version)
            {
                return Ok((inspection, storage));
            }
        }
        let asked = CapabilityFlags::of(&self.flags.approval.rights).capabilities();
        let fetched = fetching::fetch(self.subject, asked, endpoint, session).await?;
        let storage = config.settings.storage(&fetched.origin.source());
        let inspection = fetched.inspect()?;
        let key = ToolKey::from(&inspection.verified().manifest().name);
        let from = Provenance::before(&fetched);
        known.check(key.as_str(), &from)?;
        note_tree(&fetched, &inspection, store)?;
        Ok((inspection, storage))
    }
}

/// The package with the digest `package` from the store, with all that it depends on, where they
/// were pulled from the same repos before, and nobody is known who made what is from there.
fn pulled(
    (endpoint, repo): (&Url, &RepoId),
    package: Digest,
    known: &KnownMakers,
    host: &Host,
    store: &Store,
) -> anyhow::Result<Option<Inspection>> {
    if known.has(endpoint, repo) {
        return Ok(None);
    }
    let Some(found) = store.pulled(endpoint, repo, package)? else {
        return Ok(None);
    };
    host.prefetch(&found.pin.component);
    // A damaged file was set aside, and is downloaded again.
    let Ok(verified) = store.get(&found.pin) else {
        return Ok(None);
    };
    let mut dependencies = BTreeMap::new();
    for (name, request) in &verified.manifest().dependencies {
        let Some(digest) = found.dependencies.get(name) else {
            return Ok(None);
        };
        match pulled((endpoint, &request.repo), *digest, known, host, store)? {
            Some(found) if request.version.matches(&found.version) => {
                dependencies.insert(name.clone(), found);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(inspect_with_dependencies(&verified, dependencies)?))
}

/// Takes note of what each tool of `fetched` was inspected with, so that the approved tree is found
/// again although a newer version of a dependency is there.
fn note_tree(fetched: &Fetched, inspection: &Inspection, store: &Store) -> anyhow::Result<()> {
    for (name, fetched) in &fetched.dependencies {
        if let Some(inspection) = inspection.dependencies.get(name) {
            note_tree(fetched, inspection, store)?;
        }
    }
    let FetchedFrom::Registry {
        endpoint, resolved, ..
    } = &fetched.origin
    else {
        return Ok(());
    };
    let dependencies = inspection.dependencies.iter();
    let package = PulledPackage {
        pin: *fetched.verified.pin(),
        dependencies: dependencies
            .map(|(name, it)| (name.clone(), it.approval_digest))
            .collect(),
    };
    Ok(store.note_pulled(endpoint, &resolved.repo, &package)?)
}

fn is_meant(revision: &Revision, version: &Version) -> bool {
    match revision {
        Revision::Version(requirement) => requirement.matches(version),
        _ => true,
    }
}

fn policies(config: &Config) -> anyhow::Result<Policies> {
    Ok(Policies::read(&config.settings).map_err(Error::from)?)
}
