//! Fetches the list of endpoints of a Gradio app for `tool new --from-gradio`.

use std::time::Duration;

use reqwest::redirect::Policy;
use serde_json::Value;
use tool_hub_agent::definition::gradio::{GRADIO_BYTES_MAX, GradioError};
use url::Url;

use super::fetched_text::{FetchError, fetched_text};
use crate::scaffold::GradioProject;
use crate::terminal::problem::Problem;

/// The longest wait for an app's answer.
const ANSWER: Duration = Duration::from_secs(30);

/// Asks the app at `url` what it offers.
pub(super) async fn read(url: &Url) -> anyhow::Result<GradioProject> {
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host().is_some()
        && url.username().is_empty()
        && url.password().is_none();
    if !plain {
        let what = format!("`{url}` is not where an app of Gradio is");
        return Err(Problem::user(what)
            .hint("write its address without user and password, such as http://127.0.0.1:7860")
            .into());
    }
    let http = reqwest::Client::builder()
        .timeout(ANSWER)
        .redirect(Policy::none())
        .no_proxy()
        .build()?;
    let base = url.path().trim_end_matches('/').to_owned();
    let config = fetch(&http, url, &format!("{base}/config")).await?;
    let config: Value = serde_json::from_str(&config).map_err(|error| {
        not_gradio(
            url,
            GradioError::Foreign {
                reason: error.to_string(),
            },
        )
    })?;
    // Versions before 5 have their interface at the root.
    let prefix = config["api_prefix"].as_str().unwrap_or_default();
    let place = match prefix.trim_matches('/') {
        "" => base,
        prefix => format!("{base}/{prefix}"),
    };
    let info = fetch(&http, url, &format!("{place}/info")).await?;
    let app = tool_hub_agent::definition::gradio::gradio(&info)
        .map_err(|error| not_gradio(url, error))?;
    Ok(GradioProject::of(app, url.clone(), place))
}

/// The app's answer at `path`, which stays within its origin.
async fn fetch(http: &reqwest::Client, root: &Url, path: &str) -> anyhow::Result<String> {
    let mut url = root.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    let failed = |why: anyhow::Error| {
        Problem::user(format!("{url} cannot be read"))
            .caused_by(why)
            .hint("see that the app runs, and that its address is the one that it prints")
    };
    let text = fetched_text(http, &url, GRADIO_BYTES_MAX).await;
    text.map_err(|error| match error {
        FetchError::TooLong => not_gradio(root, GradioError::TooLong).into(),
        FetchError::Failed(why) => failed(why).into(),
    })
}

fn not_gradio(url: &Url, error: GradioError) -> Problem {
    let what = format!("{url} cannot become a tool");
    let problem = match error {
        GradioError::TooLong | GradioError::TooMany { .. } => Problem::refused(what),
        _ => Problem::user(what),
    };
    problem
        .caused_by(error)
        .hint("the app's page \"Use via API\" lists the endpoints that there are")
}
