//! `tool grant`: gives a tool of the toolbox more rights, with the consent that `tool load` asks.
//! The same inspection is shown first. The tool stays the one that was approved: nothing is pulled.

pub(crate) mod rights_in_words;

use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::Grants;
use tool_hub_toolbox::consent_record::{GivenConsent, calls_functions};
use tool_hub_toolbox::fetched::{Fetched, FetchedFrom};
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::package_signature::PackageSignature;
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::signing_keys::SigningKeys;

use crate::commands::load::refusals::check_refusals;
use crate::commands::load::shown::{report_ungranted, show};
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::toolbox::recording;
use rights_in_words::tell;

/// Arguments of `tool grant`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a flag that says what, everything is asked about that the tool asks for and does not have."
)]
pub(crate) struct Grant {
    /// The toolbox's name for the tool
    name: String,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Grant {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(&session.config.settings)?;
        let member = toolbox.member(&self.name)?;
        let granted = self.grant(member, session).await?;
        tell_of_narrowing(member, &granted, &session.printer);
        tell(member, &granted, &session.printer)
    }

    /// Asks for the consent to more and returns the tool's grants afterwards.
    async fn grant(&self, member: Member<'_>, session: &Session) -> anyhow::Result<Grants> {
        let Session { config, printer } = session;
        let before = &member.locked.grants;
        let verified = config.settings.open_store()?.get(&member.locked.pin())?;
        let asked = verified.manifest().capabilities.clone();
        let wanted = self
            .approval
            .rights
            .grants(&asked, before.clone(), config)?;
        let names_something = self.approval.rights.grants_something();
        let nothing_is_left = before.missing(&asked).is_empty();
        if wanted == *before && (names_something || nothing_is_left) {
            printer.note("it is granted already; nothing was changed");
            return Ok(wanted);
        }
        let fetched = Fetched {
            verified,
            origin: FetchedFrom::Approved(member.locked.source.clone()),
            signature: PackageSignature::recorded(member, &SigningKeys::read(&config.settings)?),
            bundle: None,
            logged: member.locked.logged.clone(),
            allowed_advisories: member.locked.allowed_advisories.clone(),
        };
        let inspection = fetched.inspect()?.with_overrides(member.entry.overrides());
        check_refusals(&inspection)?;
        let from = Provenance::before(&fetched);
        show(&from, &inspection, &self.approval, printer);
        let candidate = Candidate {
            name: member.key.as_str(),
            digest: inspection.approval_digest,
            asked: &asked,
            calls_functions: calls_functions(&inspection),
            replaces: None,
            offer: match names_something {
                true => Offer::Named,
                false => Offer::Everything,
            },
            act: "Load",
        };
        let (grants, consent) = self.approval.decide(&candidate, before.clone(), config)?;
        let given = GivenConsent::now(&inspection, grants, consent)?;
        let (key, entry) = (member.key, member.entry);
        let locked = recording::record(key, entry, &fetched, given, session).await?;
        if !names_something {
            report_ungranted(key, &inspection.ungranted(&locked.grants), printer);
        }
        Ok(locked.grants)
    }
}

/// Warns if toolbox.toml narrows what was granted.
fn tell_of_narrowing(member: Member<'_>, granted: &Grants, printer: &Printer) {
    let Some(narrower) = &member.entry.grants else {
        return;
    };
    if narrower.narrow(granted.clone()) != *granted {
        printer.warning(&format!(
            "toolbox.toml narrows what `{0}` may do: see [tools.{0}.grants]",
            member.key
        ));
    }
}
