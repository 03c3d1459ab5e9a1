//! Trusted publishing: the publishers of a repo, and tokens for the job of a build service.

use reqwest::Method;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_hub_manifest::RepoId;
use url::Url;

use crate::error::{Act, ClientError, excerpt};
use crate::identity_token::IdentityToken;
use crate::refusal;
use crate::registry::Registry;
use crate::token::Token;

/// A publisher to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPublisher {
    /// The issuer of its identity tokens.
    pub issuer: String,
    /// The repository with the sources, as the build service names it.
    pub repository: String,
    /// The file of the workflow.
    pub workflow: String,
    /// The environment that its jobs need to have.
    pub environment: Option<String>,
    /// The build service's number for the owner of that repository.
    pub owner_id: Option<String>,
}

/// A workflow that may publish. Texts are escaped and bounded for display.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Publisher {
    /// The id by which it is removed.
    pub id: String,
    /// The issuer of its identity tokens.
    pub issuer: String,
    /// The repository with the sources.
    pub repository: String,
    /// The file of the workflow.
    pub workflow: String,
    /// The environment that its jobs need to have.
    pub environment: Option<String>,
    /// The build service's number for the owner of that repository; none until the first job.
    pub owner_id: Option<String>,
    /// The account that added it.
    pub added_by: String,
    /// The time of that.
    pub added_at: String,
}

/// A change of the publishers, or a version that one of them published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PublisherEvent {
    /// The time.
    pub at: String,
    /// The account.
    pub by: String,
    /// The event, in words.
    pub event: String,
}

/// The trusted publishers of a repo.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Publishers {
    /// True if versions come from them alone.
    pub only: bool,
    /// The publishers, oldest first.
    pub publishers: Vec<Publisher>,
    /// The events, newest first.
    pub events: Vec<PublisherEvent>,
}

/// Those who may publish versions of a repo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionSource {
    /// Whoever may write, and the trusted publishers.
    AnyWriter,
    /// The trusted publishers alone.
    Publishers,
}

/// A token that was made for the job of a trusted publisher.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishToken {
    /// The token.
    pub token: Token,
    /// The identity that the registry took the job for.
    pub publisher: String,
}

#[derive(Deserialize)]
struct ExchangeAnswer {
    token: String,
    publisher: String,
}

#[derive(Deserialize)]
struct GitHubAnswer {
    value: String,
}

pub(crate) async fn publishers(
    registry: &Registry,
    repo: &RepoId,
) -> Result<Publishers, ClientError> {
    let (act, url) = place(registry, repo, &[])?;
    let mut answer: Publishers = registry.wire.get(&act, url).await?;
    for publisher in &mut answer.publishers {
        publisher.escape();
    }
    for event in &mut answer.events {
        for text in [&mut event.at, &mut event.by, &mut event.event] {
            *text = excerpt(text);
        }
    }
    Ok(answer)
}

pub(crate) async fn add(
    registry: &Registry,
    repo: &RepoId,
    publisher: &NewPublisher,
) -> Result<Publisher, ClientError> {
    let (act, url) = place(registry, repo, &[])?;
    let body = json!(publisher);
    let sent = registry.wire.send(&act, Method::POST, url, Some(&body));
    let mut added: Publisher = sent.await?;
    added.escape();
    Ok(added)
}

pub(crate) async fn remove(
    registry: &Registry,
    repo: &RepoId,
    id: &str,
) -> Result<(), ClientError> {
    let (act, url) = place(registry, repo, &[id])?;
    let _: Value = registry.wire.send(&act, Method::DELETE, url, None).await?;
    Ok(())
}

pub(crate) async fn take_versions_from(
    registry: &Registry,
    repo: &RepoId,
    source: VersionSource,
) -> Result<(), ClientError> {
    let (act, url) = place(registry, repo, &[])?;
    let body = json!({ "only": source == VersionSource::Publishers });
    let sent = registry.wire.send(&act, Method::PUT, url, Some(&body));
    let _: Value = sent.await?;
    Ok(())
}

pub(crate) async fn exchange(
    registry: &Registry,
    repo: &RepoId,
    token: &IdentityToken,
) -> Result<PublishToken, ClientError> {
    let act = Act::ExchangeIdentity(repo.clone());
    let body = json!({ "repo": repo, "token": token.expose() });
    let url = token_address(registry);
    let sent = registry.wire.send(&act, Method::POST, url, Some(&body));
    let answer: ExchangeAnswer = sent.await?;
    let token = answer.token.parse();
    Ok(PublishToken {
        token: token.map_err(|_| refusal::nonsense(&act, "it holds no token"))?,
        publisher: excerpt(&answer.publisher),
    })
}

pub(crate) async fn end(registry: &Registry) -> Result<(), ClientError> {
    let (act, url) = (Act::EndToken, token_address(registry));
    registry.need_token(&act)?;
    let _: Value = registry.wire.send(&act, Method::DELETE, url, None).await?;
    Ok(())
}

/// GitHub makes a token for each request, for the audience that it names.
pub(crate) async fn github_identity(
    registry: &Registry,
    url: &Url,
    bearer: &IdentityToken,
    audience: &str,
) -> Result<IdentityToken, ClientError> {
    let act = Act::AskForIdentity;
    let mut url = url.clone();
    url.query_pairs_mut().append_pair("audience", audience);
    let bearer = HeaderValue::from_str(&format!("Bearer {}", bearer.expose()));
    let mut bearer = bearer.map_err(|_| refusal::nonsense(&act, "its token fits no header"))?;
    bearer.set_sensitive(true);
    let answer: GitHubAnswer = registry.wire.ask_elsewhere(&act, url, bearer).await?;
    let token = answer.value.parse();
    token.map_err(|fault| refusal::nonsense(&act, fault))
}

fn token_address(registry: &Registry) -> Url {
    registry.wire.url(&["api", "trusted-publishing", "token"])
}

/// The address of the publishers of a repo, for who has a token.
fn place(registry: &Registry, repo: &RepoId, after: &[&str]) -> Result<(Act, Url), ClientError> {
    let act = Act::Publishers(repo.clone());
    registry.need_token(&act)?;
    let segments = [&["publishers"], after].concat();
    Ok((act, registry.wire.about(repo, &segments)))
}

impl Publisher {
    fn escape(&mut self) {
        let texts = [
            &mut self.id,
            &mut self.issuer,
            &mut self.repository,
            &mut self.workflow,
            &mut self.added_by,
            &mut self.added_at,
        ];
        let optional = [&mut self.environment, &mut self.owner_id];
        for text in texts.into_iter().chain(optional.into_iter().flatten()) {
            *text = excerpt(text);
        }
    }
}
