//! `tool whoami`: asks the registry for the name and organisations of the user, and prints them.

use std::process::ExitCode;

use clap::Args;

use crate::session::Session;

/// Arguments of `tool whoami`.
#[derive(Debug, Args)]
pub(crate) struct Whoami {}

impl Whoami {
    pub(crate) async fn execute(&self, session: &Session) -> anyhow::Result<ExitCode> {
        let Session { config, printer } = session;
        let client = config
            .settings
            .writing_client(&config.settings.endpoint, printer)?;
        let identity = client.whoami().await?;
        if printer.wants_json() {
            printer.json(&serde_json::json!({
                "endpoint": config.settings.endpoint,
                "name": identity.name,
                "organisations": identity.organisations,
            }))?;
        } else {
            printer.data(&identity.name)?;
            for organisation in &identity.organisations {
                printer.data(&format!("  member of {organisation}"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
