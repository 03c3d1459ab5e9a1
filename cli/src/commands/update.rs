//! `tool update`: goes to newer versions. What only shrinks passes; what asks for more, or
//! tells an agent something else, is shown and asks again.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tool_hub_manifest::{Grants, Revision, Source, ToolRef, Version};
use url::Url;

use crate::approval::ApprovalFlags;
use crate::commands::load::refuse_the_refused;
use crate::config::Config;
use crate::escalation;
use crate::package::{Fetched, Subject};
use crate::printer::Printer;
use crate::record::{self, Consented};
use crate::toolbox::{Member, OpenToolbox};

/// Arguments of `tool update`.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// The toolbox's names of the tools [default: all]
    names: Vec<String>,

    #[command(flatten)]
    approval: ApprovalFlags,
}

/// What came of looking for a newer version.
enum Found {
    Current,
    Pinned,
    Updated(Version),
}

impl Update {
    pub(crate) async fn execute(
        &self,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(config)?;
        let members = toolbox.chosen(&self.names)?;
        let mut report = Vec::new();
        for member in members {
            let before = &member.locked.version;
            let (state, now) = match self.update(member, config, printer).await? {
                Found::Current => ("current", before.clone()),
                Found::Pinned => ("pinned", before.clone()),
                Found::Updated(version) => ("updated", version),
            };
            printer.note(&format!("{}: {state} at {now}", member.key));
            report
                .push(json!({ "name": member.key, "state": state, "before": before, "now": now }));
        }
        if printer.wants_json() {
            printer.json(&json!({ "tools": report }))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn update(
        &self,
        member: Member<'_>,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<Found> {
        let Some((endpoint, reference)) = followed(member) else {
            return Ok(Found::Pinned);
        };
        let subject = Subject::Reference(Ok(reference.clone()), reference.to_string());
        let fetched = subject.fetch(&endpoint, config, printer).await?;
        if *fetched.verified.pin() == member.locked.pin() {
            return Ok(Found::Current);
        }
        let consented = self.consent(member, &fetched, config, printer)?;
        let locked = record::record(
            member.key,
            member.entry,
            &fetched,
            consented,
            config,
            printer,
        )
        .await?;
        Ok(Found::Updated(locked.version))
    }

    /// Passes a version that goes nowhere beyond the approved one, and asks about every
    /// other.
    fn consent(
        &self,
        member: Member<'_>,
        fetched: &Fetched,
        config: &Config,
        printer: &Printer,
    ) -> anyhow::Result<Consented> {
        let approved = config.open_store()?.get(&member.locked.pin())?;
        let old = tool_hub_host::inspect(&approved)?;
        let new = tool_hub_host::inspect(&fetched.verified)?;
        refuse_the_refused(&new)?;
        let asked = &fetched.verified.manifest().capabilities;
        let grants: Grants = escalation::still_asked(member.locked.grants.clone(), asked);
        let digest = new.approval_digest;
        let lines = escalation::between((&approved, &old), (&fetched.verified, &new));
        if lines.is_empty() {
            let consent = member.locked.approval.consent;
            return Ok(Consented {
                digest,
                grants,
                consent,
            });
        }
        printer.warning(&format!(
            "`{}` {} goes beyond {}, which was approved:",
            member.key, new.version, old.version
        ));
        for line in &lines {
            printer.note(&format!("  {}", crate::escape::escape_line(line)));
        }
        let (grants, consent) =
            self.approval
                .decide(member.key.as_str(), digest, asked, grants, config)?;
        Ok(Consented {
            digest,
            grants,
            consent,
        })
    }
}

/// Where newer versions of a tool are looked for; nowhere, when it came from a file, or was
/// loaded from a branch or a commit.
fn followed(member: Member<'_>) -> Option<(Url, ToolRef)> {
    let Source::Registry { endpoint, repo, .. } = &member.locked.source else {
        return None;
    };
    let requirement = member.entry.version.clone()?;
    let reference = ToolRef {
        repo: repo.clone(),
        revision: Revision::Version(requirement),
    };
    Some((endpoint.clone(), reference))
}
