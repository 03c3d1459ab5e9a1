//! Fetches tools from a registry or a path, with a progress bar for each file that is downloaded.

use tool_hub_toolbox::fetch_options::FetchOptions;
use tool_hub_toolbox::fetched::Fetched;
use tool_hub_toolbox::subject::{Subject, Watchers};
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
