//! The identity tokens of a build service's job: finds them, and exchanges one to publish with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tool_hub_manifest::{RepoId, is_this_machine};
use tool_hub_registry_client::{Client, IdentityToken};
use tool_hub_toolbox::keyless::AUDIENCE;
use tool_hub_toolbox::settings::Settings;
use url::Url;

use crate::files;
use crate::session::Session;
use crate::settings::environment::variable;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

/// The variable in which a job of GitLab has its identity token for the registry.
const GITLAB_TOKEN: &str = "TOOL_HUB_ID_TOKEN";
/// The one for a Sigstore, which cosign reads as well.
const SIGSTORE_TOKEN: &str = "SIGSTORE_ID_TOKEN";
/// The variables by which a job of GitHub asks for its identity token.
const GITHUB_URL: &str = "ACTIONS_ID_TOKEN_REQUEST_URL";
const GITHUB_BEARER: &str = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";
/// Longest file with an identity token.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// The place of an identity token of this job.
pub(super) enum JobIdentity {
    /// A token that is here, with the file or the variable that it is from.
    Token { token: IdentityToken, place: String },
    /// GitHub's, for the asking.
    GitHub { url: Url, bearer: IdentityToken },
}

/// The identity tokens that the user names: one for each purpose, because each is for one audience.
#[derive(Default)]
pub(super) struct GivenIdentities {
    /// The one for a Sigstore.
    pub(super) signs: Option<JobIdentity>,
    /// The one for the registry.
    pub(super) publishes: Option<JobIdentity>,
}

impl GivenIdentities {
    /// Reads the tokens in the files at `paths`. Where the push `is_keyless`, those whose audience
    /// is a Sigstore's sign.
    pub(super) fn read(
        paths: &[PathBuf],
        is_keyless: bool,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let mut given = Self::default();
        for path in paths {
            let identity = JobIdentity::in_file(path, settings)?;
            let purpose = match is_keyless && identity.audiences().iter().any(|it| it == AUDIENCE) {
                true => &mut given.signs,
                false => &mut given.publishes,
            };
            if purpose.replace(identity).is_some() {
                let text = "two identity tokens are for the same, and one of them is too many";
                return Err(Problem::user(text)
                    .hint("with --keyless give one for `sigstore`, which signs, and one for the registry, which publishes; without it one")
                    .into());
            }
        }
        Ok(given)
    }
}

impl JobIdentity {
    fn in_file(path: &Path, settings: &Settings) -> anyhow::Result<Self> {
        let place = path.display().to_string();
        let bytes = files::read_regular(&settings.place(path), FILE_BYTES_MAX)
            .with_context(|| format!("{place} cannot be read"))?;
        let token = parse(String::from_utf8_lossy(&bytes).trim(), &place)?;
        Ok(Self::Token { token, place })
    }

    /// The identity that a build service offers to this process for the registry; none where it is
    /// no job, or one that may not have an identity.
    pub(super) fn to_publish() -> anyhow::Result<Option<Self>> {
        Self::of_environment(GITLAB_TOKEN)
    }

    /// The same for a Sigstore.
    pub(super) fn to_sign() -> anyhow::Result<Option<Self>> {
        Self::of_environment(SIGSTORE_TOKEN)
    }

    /// The identity of GitLab in the variable called `name`, or GitHub's.
    fn of_environment(name: &str) -> anyhow::Result<Option<Self>> {
        if let Some(token) = variable(name) {
            let (token, place) = (parse(&token, name)?, name.to_owned());
            return Ok(Some(Self::Token { token, place }));
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

    /// Those whom the token is for, as it says itself.
    pub(super) fn audiences(&self) -> Vec<String> {
        let claims = match self {
            Self::Token { token, .. } => token.claims(),
            Self::GitHub { .. } => None,
        };
        claims.map_or_else(Vec::new, |claims| claims.audiences)
    }

    /// The file or the variable that it is from.
    pub(super) fn place(&self) -> &str {
        match self {
            Self::Token { place, .. } => place,
            Self::GitHub { .. } => GITHUB_URL,
        }
    }

    /// The token, which is asked for where it is GitHub's.
    pub(super) async fn token(
        &self,
        audience: &str,
        session: &Session,
    ) -> anyhow::Result<IdentityToken> {
        let (url, bearer) = match self {
            Self::Token { token, .. } => return Ok(token.clone()),
            Self::GitHub { url, bearer } => (url, bearer),
        };
        let settings = &session.config.settings;
        let stranger = settings.client_with(&settings.endpoint, None, &session.printer)?;
        Ok(stranger.github_identity(url, bearer, audience).await?)
    }

    /// A client with a token that publishes to `repo`.
    pub(super) async fn sign_in(&self, repo: &RepoId, session: &Session) -> anyhow::Result<Client> {
        let (settings, printer) = (&session.config.settings, &session.printer);
        let stranger = settings.client_with(&settings.endpoint, None, printer)?;
        let audience = settings.endpoint.as_str().trim_end_matches('/');
        let token = self.token(audience, session).await?;
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
