//! The `Inspection` of a tool: reports to decide on, and `approve`, which loads it with grants.

use tool_hub_host::{HostError, inspect};
use tool_hub_manifest::{Digest, Source, ToolKey, Verified};
use tool_hub_toolbox::approvals::Approvals;
use tool_hub_toolbox::inspection_report::{Advice, Detail, inspection_report};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::sensitive;

use crate::error::Error;
use crate::grant_request::GrantRequest;
use crate::tools::{Members, Tools};
use crate::workspace::Workspace;

/// A tool that was verified and inspected. Nothing of it ran.
pub struct Inspection {
    workspace: Workspace,
    inspection: tool_hub_host::Inspection,
    from: Provenance,
}

impl Inspection {
    pub(crate) fn new(
        workspace: Workspace,
        verified: &Verified,
        from: Provenance,
    ) -> Result<Self, Error> {
        Ok(Self {
            inspection: inspect(verified)?,
            workspace,
            from,
        })
    }

    /// The host's own inspection, with all that it found. Its texts are a stranger's, unescaped.
    pub fn found(&self) -> &tool_hub_host::Inspection {
        &self.inspection
    }

    /// The digest that an approval names.
    pub fn digest(&self) -> String {
        self.inspection.approval_digest.to_string()
    }

    /// The owner of the repo that it is from, if it is from a registry.
    pub fn publisher(&self) -> Option<&str> {
        match &self.from.source {
            Source::Registry { repo, .. } => Some(repo.owner()),
            Source::File { .. } | Source::Server { .. } => None,
        }
    }

    /// The day on which it was published, if the registry told it.
    pub fn published(&self) -> Option<&str> {
        self.from.published.as_deref()
    }

    /// About ten lines to decide on, with a stranger's text escaped.
    pub fn report(&self) -> String {
        self.formatted(Detail::Decision)
    }

    /// The same with imports and all descriptions.
    pub fn full_report(&self) -> String {
        self.formatted(Detail::Everything)
    }

    fn formatted(&self, detail: Detail) -> String {
        let advice = Advice {
            more: "see the full report",
            grant: None,
        };
        inspection_report(&self.from, &self.inspection, detail, advice)
    }

    /// Approves the tool with the digest `approved` and loads it. Whoever calls this has the
    /// consent of the person in whose name the tool will run, and who read the inspection.
    ///
    /// # Errors
    /// When the digest is another one, when there are refusals, when the grants go beyond what the
    /// tool asks for, where approvals have to be signed, and when the tool cannot be loaded.
    ///
    /// # Panics
    /// On a thread of the runtime.
    pub fn approve(&self, approved: &str, grants: GrantRequest) -> Result<Tools, Error> {
        let actual = self.inspection.approval_digest;
        if approved.parse::<Digest>() != Ok(actual) {
            return Err(Error::OtherDigest {
                approved: approved.chars().take(80).collect(),
                actual,
            });
        }
        let settings = self.workspace.settings();
        Approvals::refuse_unrecorded("an approval by a program", settings)?;
        check_refusals(&self.inspection)?;
        let manifest = self.inspection.verified().manifest();
        let key = ToolKey::from(&manifest.name);
        let granted = grants.grants(&manifest.capabilities, settings);
        let storage = granted.storage.then(|| self.from.source.clone());
        let mut tool = self.inspection.approve(granted)?.known_as(key.as_str());
        sensitive::check(tool.grants(), settings)?;
        tool = grants.give_values(tool)?;
        let members = Members::Approved {
            key,
            approved: Box::new(tool),
            storage,
        };
        Tools::load(self.workspace.clone(), members)
    }
}

/// Refuses what the host would never run.
pub(crate) fn check_refusals(inspection: &tool_hub_host::Inspection) -> Result<(), Error> {
    match inspection.refusals.is_empty() {
        true => Ok(()),
        false => Err(Error::Host(HostError::Refused {
            tool: inspection.name.clone(),
            refusals: inspection.refusals.clone(),
        })),
    }
}
