//! Finds the tool that somebody names, verifies it and inspects it.

use std::path::Path;

use tool_hub_manifest::{Source, ToolRef, Verified};
use tool_hub_registry_client::Silent;

use crate::error::Error;
use crate::inspection::{Inspection, Provenance};
use crate::package;
use crate::workspace::Workspace;

/// Gets the tool that `subject` names: `owner/name`, `owner/name@1.2.0`, or a path, which begins
/// with `.`, `/` or `~` or ends in `.wasm`. It is verified and inspected, and nothing of it runs.
///
/// # Errors
/// When it cannot be had, or is not what it claims to be.
pub async fn load(workspace: &Workspace, subject: &str) -> Result<Inspection, Error> {
    let is_url = subject.contains("://");
    let is_path = subject.starts_with(['.', '/', '~']) || subject.ends_with(".wasm") && !is_url;
    let (verified, from) = match is_path {
        true => read(workspace, Path::new(subject))?,
        false => {
            let reference = subject.parse();
            let reference = reference.map_err(|error| Error::not_a_reference(subject, error))?;
            pull(workspace, &reference).await?
        }
    };
    Inspection::new(workspace.clone(), &verified, from)
}

fn read(workspace: &Workspace, path: &Path) -> Result<(Verified, Provenance), Error> {
    let path = workspace.place(path);
    let verified = match path.is_dir() {
        true => package::read(&package::directory(&path)?)?,
        false => package::read_component(&path)?,
    };
    let source = Source::File { path };
    Ok((verified, Provenance::unpublished(source)))
}

async fn pull(
    workspace: &Workspace,
    reference: &ToolRef,
) -> Result<(Verified, Provenance), Error> {
    let client = workspace.client()?;
    let resolved = client.resolve(reference).await?;
    let verified = client.pull(&resolved, &workspace.store()?, &Silent).await?;
    // The day is only shown, so a registry that cannot tell it is no reason to stop.
    let published = client.day_of(&resolved).await.ok().flatten();
    let source = Source::Registry {
        endpoint: workspace.endpoint().clone(),
        repo: resolved.repo,
        commit: resolved.commit,
    };
    Ok((verified, Provenance { source, published }))
}
