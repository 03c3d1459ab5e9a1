//! Fetches a tool by its registry name or path, verifies and inspects it; nothing of it is run.

use tool_hub_registry_client::Silent;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions};
use tool_hub_toolbox::provenance::Provenance;
use tool_hub_toolbox::registry_fetch::Watchers;
use tool_hub_toolbox::subject::Subject;

use crate::error::Error;
use crate::inspection::Inspection;
use crate::workspace::Workspace;

/// Gets the tool that `subject` names: `owner/name`, `owner/name@1.2.0`, or a path, which begins
/// with `.`, `/` or `~` or ends in `.wasm`. It is verified and inspected, and nothing of it runs.
///
/// # Errors
/// When it cannot be had, or is not what it claims to be.
pub async fn load(workspace: &Workspace, subject: &str) -> Result<Inspection, Error> {
    let Ok(subject) = subject.parse::<Subject>();
    let settings = workspace.settings();
    let watchers = Watchers {
        progress: &Silent,
        notices: workspace.notices(),
    };
    // A component without a manifest asks for nothing. A version that is new is one to look at:
    // whoever approves it names its digest.
    let options = FetchOptions {
        allowed_new: AllowedNew::IfNoOther,
        ..FetchOptions::default()
    };
    let fetched = subject.fetch(options, &settings.endpoint, settings, watchers);
    let fetched = fetched.await?;
    let from = Provenance::of(&fetched, settings, workspace.notices()).await;
    Inspection::new(workspace.clone(), &fetched, from)
}
