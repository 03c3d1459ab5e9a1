//! Publishes as the job of a build service: finds its identity token, and exchanges it.

use std::path::PathBuf;

use anyhow::Context as _;
use tool_hub_manifest::{RepoId, is_this_machine};
use tool_hub_registry_client::{Client, IdentityToken};
use url::Url;

use crate::files;
use crate::session::Session;
use crate::settings::environment::variable;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The variable in which a job of GitLab has its identity token.
const GITLAB_TOKEN: &str = "TOOL_HUB_ID_TOKEN";
/// The variables by which a job of GitHub asks for its identity token.
const GITHUB_URL: &str = "ACTIONS_ID_TOKEN_REQUEST_URL";
const GITHUB_BEARER: &str = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";
/// Longest file with an identity token.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// The place of the identity token of this job.
pub(super) enum JobIdentity {
    File(PathBuf),
    Variable(IdentityToken),
    /// GitHub's, for the asking.
    GitHub {
        url: Url,
        bearer: IdentityToken,
    },
}

impl JobIdentity {
    /// The identity that a build service offers to this process; none where it is no job, or one
    /// that may not have an identity.
    pub(super) fn of_environment() -> anyhow::Result<Option<Self>> {
        if let Some(token) = variable(GITLAB_TOKEN) {
            return Ok(Some(Self::Variable(parse(&token, GITLAB_TOKEN)?)));
        }
        let (Some(url), Some(bearer)) = (variable(GITHUB_URL), variable(GITHUB_BEARER)) else {
            return Ok(None);
        };
        let url: Url = url
            .parse()
            .with_context(|| format!("{GITHUB_URL} is not a URL"))?;
        if url.scheme() != "https" && !is_this_machine(&url) {
            let text = format!("{GITHUB_URL} is not an https URL, and a token goes there");
            return Err(Problem::user(text).into());
        }
        let bearer = parse(&bearer, GITHUB_BEARER)?;
        Ok(Some(Self::GitHub { url, bearer }))
    }

    /// A client with a token that publishes to `repo`.
    pub(super) async fn sign_in(&self, repo: &RepoId, session: &Session) -> anyhow::Result<Client> {
        let (settings, printer) = (&session.config.settings, &session.printer);
        let stranger = settings.client_with(&settings.endpoint, None, printer)?;
        let token = match self {
            Self::File(path) => {
                let bytes = files::read_regular(path, FILE_BYTES_MAX)
                    .with_context(|| format!("{} cannot be read", path.display()))?;
                let text = String::from_utf8_lossy(&bytes);
                parse(text.trim(), &path.display().to_string())?
            }
            Self::Variable(token) => token.clone(),
            Self::GitHub { url, bearer } => stranger.github_identity(url, bearer).await?,
        };
        let made = stranger.exchange_identity(repo, &token).await?;
        printer.note(&format!("publishing as {}", made.publisher));
        Ok(settings.client_with(&settings.endpoint, Some(made.token), printer)?)
    }
}

/// Ends the token of a client. It would end by itself, so a failure is no failure of the push.
pub(super) async fn sign_out(client: &Client, printer: &Printer) {
    if client.end_publish_token().await.is_err() {
        printer.warning(
            "the token that was made for this push was not ended; it ends by itself within half an hour",
        );
    }
}

/// A token, without repeating what it is if it is none.
fn parse(text: &str, place: &str) -> anyhow::Result<IdentityToken> {
    text.parse()
        .map_err(|fault| Problem::user(format!("{place}: {fault}")).into())
}
