//! Recording an approval: what was consented to is loaded once, so that it is known to work,
//! and written to the toolbox and its lock.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_host::{Approved, Tool};
use tool_hub_manifest::{
    Approval, Consent, Digest, FunctionName, Grants, LockedTool, ToolKey, ToolboxEntry,
};

use crate::config::Config;
use crate::loaded;
use crate::package::{Fetched, FetchedFrom};
use crate::printer::Printer;
use crate::progress::Spinner;
use crate::toolbox::OpenToolbox;

/// What somebody agreed to.
pub(crate) struct Consented {
    pub(crate) digest: Digest,
    pub(crate) grants: Grants,
    pub(crate) consent: Consent,
}

/// Compiles `fetched`, keeps its bytes and records it under `key`.
pub(crate) async fn record(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    consented: Consented,
    config: &Config,
    printer: &Printer,
) -> anyhow::Result<LockedTool> {
    let host = config.open_host()?;
    let spinner = Spinner::start(format!("compiling {key}"), printer);
    let approved = Approved::new(fetched.verified.clone(), consented.grants.clone())?;
    let approved = approved.known_as(key.as_str());
    let tool = loaded::load(&host, approved, &fetched.origin.source(), config).await;
    spinner.finish();
    let tool = tool?;

    // Repos arrive through the store; files have to be put there, since a tool runs as it
    // was approved and not as the file may be tomorrow.
    if let FetchedFrom::File { .. } = &fetched.origin {
        config.open_store()?.put(&fetched.verified)?;
    }
    let locked = locked(fetched, consented, &tool)?;
    OpenToolbox::insert(config, key, entry, locked.clone())?;
    Ok(locked)
}

fn locked(fetched: &Fetched, consented: Consented, tool: &Tool) -> anyhow::Result<LockedTool> {
    let pin = fetched.verified.pin();
    let functions: BTreeMap<FunctionName, Digest> = tool
        .functions()
        .iter()
        .map(|function| (function.name.clone(), function.spec.digest()))
        .collect();
    Ok(LockedTool {
        version: fetched.verified.manifest().version.clone(),
        manifest: pin.manifest,
        component: pin.component,
        source: fetched.origin.source(),
        approval: Approval {
            digest: consented.digest,
            consent: consented.consent,
            at: now()?,
        },
        signer: None,
        grants: consented.grants,
        functions,
    })
}

fn now() -> anyhow::Result<String> {
    Ok(OffsetDateTime::now_utc()
        .replace_nanosecond(0)?
        .format(&Rfc3339)?)
}
