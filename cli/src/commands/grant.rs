//! `tool grant`: gives a tool of the toolbox more rights, with the consent that `tool load` asks.
//! The same inspection is shown first. The tool stays the one that was approved: nothing is pulled.

pub(crate) mod grant_place;
pub(crate) mod rights_in_words;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use tool_hub_manifest::{GrantTree, Grants};
use tool_hub_toolbox::consent_record::{GivenConsent, calls_functions};
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::open_toolbox::{Member, OpenToolbox};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::signing_keys::SigningKeys;

use crate::commands::load::refusals::check_refusals;
use crate::commands::load::shown::{report_ungranted, show};
use crate::consent::approval::{ApprovalFlags, Candidate, Offer};
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::toolbox::recording;
use grant_place::GrantPlace;
use rights_in_words::tell;

/// Arguments of `tool grant`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a flag that says what, everything is asked about that the tool asks for and does not have."
)]
pub(crate) struct Grant {
    /// The toolbox's name for the tool, or the path to a tool that it depends on, such as
    /// forecast.units
    name: String,

    #[command(flatten)]
    approval: ApprovalFlags,
}

impl Grant {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let toolbox = OpenToolbox::open(&session.config.settings)?;
        let place = GrantPlace::of(&self.name, &toolbox)?;
        let granted = self.grant(&place, session).await?;
        if place.path.is_empty() {
            tell_of_narrowing(place.member, &granted, &session.printer);
        }
        tell(&place, &granted, &session.printer)
    }

    /// Asks for the consent to more and returns the grants afterwards.
    async fn grant(&self, place: &GrantPlace<'_>, session: &Session) -> anyhow::Result<Grants> {
        let Session { config, printer } = session;
        let (member, before) = (place.member, &place.locked.grants);
        let (store, keys) = (
            config.settings.open_store()?,
            SigningKeys::read(&config.settings)?,
        );
        let verified = store.get(&place.locked.pin())?;
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
        let bytes = store.get(&member.locked.pin())?;
        let fetched = Fetched::approved(member.locked, bytes, &store, &keys)?;
        let inspection = fetched.inspect()?.with_overrides(member.entry.overrides());
        check_refusals(&inspection)?;
        let from = Provenance::before(&fetched);
        show(&from, &inspection, &self.approval, printer);
        let nothing = BTreeMap::new();
        let candidate = Candidate {
            name: &place.name,
            digest: inspection.approval_digest,
            asked: &asked,
            calls_functions: place.path.is_empty() && calls_functions(&inspection),
            replaces: None,
            offer: match names_something {
                true => Offer::Named,
                false => Offer::Everything,
            },
            act: "Load",
            // The dependencies that are not asked about keep their grants.
            dependencies: &nothing,
        };
        let granted = before.clone().into();
        let (GrantTree { own, .. }, consent) = self.approval.decide(&candidate, granted, config)?;
        let mut grants = member.locked.grant_tree();
        *place.grants_in(&mut grants) = own.clone();
        let given = GivenConsent::now(&inspection, &grants, consent)?;
        let (key, entry) = (member.key, member.entry);
        recording::record(key, entry, &fetched, given, session).await?;
        if !names_something {
            report_ungranted(key.as_str(), &inspection, &grants, printer);
        }
        Ok(own)
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
