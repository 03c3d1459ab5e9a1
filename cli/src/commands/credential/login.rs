//! `tool credential login`: signs the user in at the service that gives out a credential's tokens.

use tool_hub_manifest::{OAuthClient, Origin, ToolKey, VariableName};
use tool_hub_toolbox::Error;
use tool_hub_toolbox::oauth::DeviceSignIn;
use tool_hub_toolbox::open_toolbox::OpenToolbox;

use crate::session::Session;
use crate::terminal::phrases::counted;
use crate::terminal::problem::Problem;

/// Signs the user in for credential `name` and `origin`, and keeps what the service gives.
pub(super) async fn log_in(
    name: &VariableName,
    origin: &Origin,
    session: &Session,
) -> anyhow::Result<()> {
    let client = client(name, origin, session)?;
    let settings = &session.config.settings;
    let service = client.origin().clone();
    let failed = |source| Error::SignIn {
        origin: service.clone(),
        source,
    };
    let printer = &session.printer;
    let waiting = DeviceSignIn::begin(client).await.map_err(failed)?;
    let minutes = counted(waiting.lasts().as_secs().div_ceil(60) as usize, "minute");
    printer.note(&format!(
        "open {} and enter the code {} within {minutes}",
        waiting.address(),
        waiting.code()
    ));
    printer.note(&format!(
        "what you allow there is sent to {origin} by tools with the credential {name}"
    ));
    let sign_in = waiting.wait().await.map_err(failed)?;
    if !sign_in.is_renewable() && sign_in.expires_at().is_some() {
        printer.hint(&format!(
            "{service} gave nothing to renew it with; sign in again when it ends"
        ));
    }
    settings
        .credentials()?
        .keep_sign_in(name, origin, sign_in)?;
    printer.note(&format!("signed in at {service}: kept {name} for {origin}"));
    Ok(())
}

/// The client that the tools of the toolbox name for the credential.
fn client(name: &VariableName, origin: &Origin, session: &Session) -> anyhow::Result<OAuthClient> {
    let settings = &session.config.settings;
    let store = settings.open_store()?;
    let toolbox = OpenToolbox::open(settings)?;
    let mut found: Vec<(ToolKey, OAuthClient)> = Vec::new();
    for status in toolbox.statuses() {
        let Ok(member) = status.member else { continue };
        if member.locked.grants.credentials.get(name) != Some(origin) {
            continue;
        }
        let verified = store.get(&member.locked.pin())?;
        let asked = verified.manifest().capabilities.credential(name);
        let client = asked.and_then(|asked| asked.oauth.clone());
        found.extend(client.map(|client| (member.key.clone(), client)));
    }
    let Some((first, client)) = found.first() else {
        return Err(Problem::user(format!(
            "no tool of the toolbox was granted {name} for {origin} and names a service to sign in at"
        ))
        .hint(format!("keep a value instead: tool credential set {name}"))
        .into());
    };
    match found.iter().find(|(_, other)| other != client) {
        None => Ok(client.clone()),
        Some((second, other)) => Err(Problem::user(format!(
            "two tools get {name} in different ways: `{first}` {client}, `{second}` {other}"
        ))
        .hint(format!(
            "take the credential from one of them: tool revoke {second} --credential {name}"
        ))
        .into()),
    }
}
