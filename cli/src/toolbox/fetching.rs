//! Fetches tools from a registry or a path, with a progress bar for each file that is downloaded.

use std::collections::BTreeMap;

use tool_hub_host::{Inspection, inspect_with_dependencies};
use tool_hub_manifest::{Manifest, ToolName, Verified};
use tool_hub_toolbox::dependencies;
use tool_hub_toolbox::fetch_options::{AllowedNew, FetchOptions};
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::registry_fetch::Watchers;
use tool_hub_toolbox::subject::Subject;
use url::Url;

use crate::session::Session;
use crate::terminal::progress::Bars;

/// Fetches the tool that `subject` names, from the registry at `endpoint` or from a path.
pub(crate) async fn fetch(
    subject: &Subject,
    options: impl Into<FetchOptions>,
    endpoint: &Url,
    session: &Session,
) -> anyhow::Result<Fetched> {
    let Session { config, printer } = session;
    let bars = Bars::start(printer);
    let watchers = Watchers {
        progress: &bars,
        notices: printer,
    };
    let fetched = subject.fetch(options.into(), endpoint, &config.settings, watchers);
    // On the heap: it is the largest part of the futures of most commands.
    let fetched = Box::pin(fetched).await;
    bars.finish();
    Ok(fetched?)
}

/// The dependencies of an author's tool with `manifest`, from the registry of the settings. A new
/// version is taken where there is no other: whoever loads the tool is asked.
pub(crate) async fn dependencies_of(
    manifest: &Manifest,
    session: &Session,
) -> anyhow::Result<BTreeMap<ToolName, Fetched>> {
    if manifest.dependencies.is_empty() {
        return Ok(BTreeMap::new());
    }
    let Session { config, printer } = session;
    let bars = Bars::start(printer);
    let watchers = Watchers {
        progress: &bars,
        notices: printer,
    };
    let options = FetchOptions {
        allowed_new: AllowedNew::IfNoOther,
        ..FetchOptions::default()
    };
    let settings = &config.settings;
    let endpoint = &settings.endpoint;
    let fetched = dependencies::of_manifest(manifest, &options, endpoint, settings, watchers);
    let fetched = Box::pin(fetched).await;
    bars.finish();
    Ok(fetched?)
}

/// Inspects an author's package with its `dependencies`.
pub(crate) fn inspect_package(
    verified: &Verified,
    dependencies: &BTreeMap<ToolName, Fetched>,
) -> anyhow::Result<Inspection> {
    let dependencies = dependencies.iter();
    let inspected = dependencies.map(|(name, it)| Ok((name.clone(), it.inspect()?)));
    let inspected = inspected.collect::<anyhow::Result<_>>()?;
    Ok(inspect_with_dependencies(verified, inspected)?)
}
