//! Fetches tools from a registry or a path, with a progress bar for each file that is downloaded.

use tool_hub_manifest::Capabilities;
use tool_hub_toolbox::package::{Fetched, Subject, Watchers};
use url::Url;

use crate::session::Session;
use crate::terminal::progress::Bars;

/// Fetches the tool that `subject` names, from the registry at `endpoint` or from a path. A
/// component without a manifest gets one that asks for `asked`.
pub(crate) async fn fetch(
    subject: &Subject,
    asked: Capabilities,
    endpoint: &Url,
    session: &Session,
) -> anyhow::Result<Fetched> {
    let Session { config, printer } = session;
    let bars = Bars::start(printer);
    let watchers = Watchers {
        progress: &bars,
        notices: printer,
    };
    let fetched = subject.fetch(asked, endpoint, &config.settings, watchers);
    let fetched = fetched.await;
    bars.finish();
    Ok(fetched?)
}
