//! Recording an approval: what was consented to is loaded once, so that it is known to work,
//! and written to the toolbox and its lock.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_host::{Approved, Inspection, Tool};
use tool_hub_manifest::{
    Approval, Consent, Digest, FunctionName, Grants, LockedTool, ToolKey, ToolboxEntry,
};

use crate::consent::report;
use crate::session::Session;
use crate::terminal::progress::Spinner;
use crate::toolbox::loaded;
use crate::toolbox::open_toolbox::OpenToolbox;
use crate::toolbox::package::{Fetched, FetchedFrom};
use crate::toolbox::sandbox;

/// What a user agreed to, with the way and the time of the consent.
pub(crate) struct GivenConsent {
    approved: Approved,
    calls_functions: bool,
    consent: Consent,
    at: String,
}

impl GivenConsent {
    /// A consent to what was inspected, with `grants`, that was just given.
    pub(crate) fn now(
        inspection: &Inspection,
        grants: Grants,
        consent: Consent,
    ) -> anyhow::Result<Self> {
        let at = OffsetDateTime::now_utc()
            .replace_nanosecond(0)?
            .format(&Rfc3339)?;
        Ok(Self {
            approved: inspection.approve(grants)?,
            calls_functions: report::calls_functions(inspection),
            consent,
            at,
        })
    }

    /// The consent that `locked` records, with the same grants, for what was inspected again.
    pub(crate) fn before(inspection: &Inspection, locked: &LockedTool) -> anyhow::Result<Self> {
        Ok(Self {
            approved: inspection.approve(locked.grants.clone())?,
            calls_functions: report::calls_functions(inspection),
            consent: locked.approval.consent,
            at: locked.approval.at.clone(),
        })
    }
}

/// Compiles `fetched`, keeps its bytes and records it under `key`.
pub(crate) async fn record(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    given: GivenConsent,
    session: &Session,
) -> anyhow::Result<LockedTool> {
    let Session { config, printer } = session;
    let host = sandbox::open_host(config)?;
    let spinner = Spinner::start(format!("compiling {key}"), printer);
    let approved = loaded::known_as(key, given.approved.clone());
    let tool = loaded::load(&host, approved, &fetched.origin.source(), config).await;
    spinner.finish();
    let tool = tool?;
    for name in tool.unmasked_variables() {
        printer.warning(&format!(
            "the value of {name} is too short to be masked, so it is visible if `{key}` outputs it"
        ));
    }

    // Repos arrive through the store; files have to be put there, since a tool runs as it
    // was approved and not as the file may be tomorrow.
    if let FetchedFrom::File { .. } = &fetched.origin {
        config.open_store()?.put(&fetched.verified)?;
    }
    let locked = locked(key, entry, fetched, given, &tool);
    OpenToolbox::insert(config, key, entry, locked.clone())?;
    Ok(locked)
}

fn locked(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    given: GivenConsent,
    tool: &Tool,
) -> LockedTool {
    let pin = fetched.verified.pin();
    let functions: BTreeMap<FunctionName, Digest> = tool
        .functions()
        .iter()
        .map(|function| (function.name.clone(), function.spec.digest()))
        .collect();
    let overrides = entry.overrides();
    LockedTool {
        name: Some(key.clone()),
        version: fetched.verified.manifest().version.clone(),
        manifest: pin.manifest,
        component: pin.component,
        source: fetched.origin.source(),
        approval: Approval {
            digest: overrides.digest_with(pin),
            consent: given.consent,
            at: given.at,
        },
        signer: None,
        calls_functions: given.calls_functions,
        grants: given.approved.grants().clone(),
        functions,
        overrides,
    }
}
