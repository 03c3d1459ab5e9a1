//! `tool serve --only`: loads one tool without a toolbox, by the digest and the rights in flags.

use clap::Args;
use tool_hub_host::{Host, Storage, inspect};
use tool_hub_manifest::{Digest, Grants, Revision, ToolKey, ToolRef, Verified};
use tool_hub_registry_client::Store;
use tool_hub_serve::{Catalogue, Presentation};
use tool_hub_toolbox::consent_record::calls_functions;
use tool_hub_toolbox::loaded::LoadedTool;
use tool_hub_toolbox::package::Subject;

use crate::commands::load::refusals::check_refusals;
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::consent::capability_flags::CapabilityFlags;
use crate::consent::grant_flags;
use crate::consent::signing;
use crate::serving::toolbox_server::catalogue;
use crate::session::Session;
use crate::settings::config::Config;
use crate::terminal::problem::Problem;
use crate::toolbox::{fetching, sandbox};

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
    ) -> anyhow::Result<Catalogue> {
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
        };
        // A digest was given, so nobody is asked.
        let (grants, _) = self.approval.decide(&candidate, Grants::none(), config)?;
        let command = "tool serve --only …";
        let approved = inspection
            .approve(grants)?
            .known_as(key.as_str())
            .with_grant_advice(move |grants| grant_flags::command(command, grants));
        let store = config.settings.open_store()?;
        let loader = sandbox::loader(&host, &store, config);
        let tool = loader.load_approved(approved, storage).await?;
        catalogue(vec![LoadedTool::without_toolbox(key, tool)], presentation)
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
            if let Some(verified) = self.pulled(reference, host, config)? {
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
        let is_meant = match &reference.revision {
            Revision::Version(requirement) => requirement.matches(&verified.manifest().version),
            _ => true,
        };
        Ok(is_meant.then_some(verified))
    }
}
