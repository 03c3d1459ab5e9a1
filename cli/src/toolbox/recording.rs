//! Records an approval: compiles the tool once, has the record signed if it must be, and writes it.

use tool_hub_manifest::{LockedTool, ToolKey, ToolboxEntry};
use tool_hub_toolbox::consent_record::{GivenConsent, PreparedRecord};
use tool_hub_toolbox::fetched::Fetched;

use crate::consent::signing;
use crate::session::Session;
use crate::terminal::progress::Spinner;
use crate::toolbox::sandbox;

/// Compiles `fetched`, keeps its bytes and records it under `key`.
pub(crate) async fn record(
    key: &ToolKey,
    entry: &ToolboxEntry,
    fetched: &Fetched,
    given: GivenConsent,
    session: &Session,
) -> anyhow::Result<LockedTool> {
    let Session { config, printer } = session;
    let settings = &config.settings;
    let (host, store) = (
        sandbox::open_host_with_servers(session)?,
        settings.open_store()?,
    );
    let loader = sandbox::loader(&host, &store, config);
    let spinner = Spinner::start(format!("compiling {key}"), printer);
    let prepared = PreparedRecord::new(key, entry, fetched, given, &loader).await;
    spinner.finish();
    let prepared = prepared?;
    for name in prepared.unmasked_variables() {
        printer.warning(&format!(
            "the value of {name} is too short to be masked, so it is visible if `{key}` outputs it"
        ));
    }
    let grants = &prepared.locked().grants;
    let kept = settings.granted_credentials(grants)?;
    let asked = &fetched.verified.manifest().capabilities;
    for name in grants.credentials.keys() {
        if kept.contains_key(name) {
            continue;
        }
        let has_service = asked.credential(name).is_some_and(|it| it.oauth.is_some());
        printer.hint(&match has_service {
            true => format!("sign in for {name} with: tool credential login {name}"),
            false => format!("give {name} a value with: tool credential set {name}"),
        });
    }
    let signature = signing::signature_of(prepared.locked(), settings)?;
    Ok(prepared.record(signature, settings)?)
}
