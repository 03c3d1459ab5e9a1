//! `/api/trusted-publishing/token`: exchanges an identity token for one that publishes.
//! The DELETE ends it, once everything is published.

use std::time::Duration;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use tool_hub_transparency::JobIdentity;
use utoipa::ToSchema;

use super::json;
use super::repo_kind::kind_of;
use crate::access::{Anyone, Call, SignedIn, hash};
use crate::clock;
use crate::database::keys::TokenKey;
use crate::database::publishers::{Publisher, PublisherEvent};
use crate::database::repositories::Repository;
use crate::database::tokens::TokenRow;
use crate::error::RegistryError;
use crate::http::{Refusal, Reply};
use crate::names::{RepositoryId, RepositoryKind};
use crate::random;
use crate::registry::Registry;
use crate::roles::TokenRole;
use crate::trusted_publishing::{BuildIdentity, TokenFault, other_owner, publisher_of};
use crate::wire::Success;

/// The time for which a token publishes.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// The time after which an expired token is forgotten. Uploads that it began are gone by then.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// An identity token, and the repository to publish to.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ExchangeRequest {
    /// The identity token of the job.
    token: String,
    /// `owner/name`.
    repo: String,
    #[serde(default, rename = "type")]
    #[schema(value_type = Option<RepositoryKind>)]
    kind: Option<String>,
}

/// A token that publishes to one repository.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishToken {
    token: String,
    #[schema(format = DateTime)]
    expires_at: String,
    /// The identity for which it was made.
    publisher: String,
}

/// Exchanges the identity token of a job for a token of half an hour that publishes to one
/// repository, and does nothing else.
#[utoipa::path(
    post,
    path = "/api/trusted-publishing/token",
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "The token", body = PublishToken),
    ),
)]
pub(crate) async fn exchange(mut call: Call<Anyone>) -> Reply {
    let request: ExchangeRequest = call.json().await?;
    let Some(identities) = call.registry.identities() else {
        return Err(Refusal::forbidden(
            "this registry takes no identity tokens; its operator names trusted issuers with --trusted-issuer",
        ));
    };
    let kind = kind_of(request.kind.as_deref())?;
    let id = RepositoryId::parse(kind, &request.repo)
        .map_err(|error| Refusal::bad_request(error.to_string()))?;
    let identity = identities.verify(&request.token).await.map_err(refused)?;
    // A repository that is not there, and one that is private, get the same answer as one that has
    // other publishers.
    let unmatched = |but: &str| {
        Refusal::forbidden(format!(
            "no trusted publisher of {id} is {identity}{but}; its owner adds one with `tool registry publisher add`"
        ))
    };
    let database = call.registry.database();
    let repository = database.repository(&id).await?;
    let repository = repository.ok_or_else(|| unmatched(""))?;
    let (token, row) = match issue(&call.registry, &repository, &identity).await? {
        Issued::Token(token, row) => (token, row),
        // The log names the owner of each version that was built for a public one.
        Issued::OtherOwner(owner) if !repository.private => {
            return Err(unmatched(&format!(
                ": the owner's number is {}, and the publisher has {owner}",
                identity.owner_id
            )));
        }
        Issued::Unmatched | Issued::OtherOwner(_) => return Err(unmatched("")),
        Issued::UsedBefore => {
            return Err(Refusal::forbidden(
                "the identity token is refused: it was used before; ask the build service for another",
            ));
        }
    };
    tracing::info!(
        repository = repository.full_name(),
        publisher = row.name,
        "a token was made for a trusted publisher"
    );
    forget_old_ones(&call.registry).await;
    Ok(json(PublishToken {
        token,
        expires_at: clock::date(row.expires_ms.unwrap_or_default()),
        publisher: row.name,
    }))
}

/// Ends a token that was made for a trusted publisher.
#[utoipa::path(
    delete,
    path = "/api/trusted-publishing/token",
    responses(
        (status = 200, description = "It is refused from now on", body = Success),
    ),
)]
pub(crate) async fn revoke(call: Call<SignedIn>) -> Reply {
    if call.admitted.publishes_to().is_none() {
        return Err(Refusal::forbidden(
            "this token was not made for a trusted publisher; end it with `tool registry token revoke`",
        ));
    }
    let mut writing = call.registry.database().write().await?;
    let id = &call.admitted.token.id;
    writing.revoke_token(id, clock::now_ms()).await?;
    writing.commit().await?;
    Ok(json(Success::DONE))
}

/// The outcome of an exchange.
enum Issued {
    Token(String, Box<TokenRow>),
    Unmatched,
    /// The owner of a publisher that it is but for that.
    OtherOwner(String),
    UsedBefore,
}

/// Makes a token of the repository's owner, in one transaction with the use of the identity token.
async fn issue(
    registry: &Registry,
    repository: &Repository,
    identity: &BuildIdentity,
) -> Result<Issued, RegistryError> {
    let database = registry.database();
    let now_ms = clock::now_ms();
    let mut writing = database.write_to(&repository.id).await?;
    let publishers = database.publishers(&repository.id).await?;
    let Some(publisher) = publisher_of(&publishers, identity) else {
        let owner = other_owner(&publishers, identity);
        return Ok(owner.map_or(Issued::Unmatched, |it| Issued::OtherOwner(it.to_owned())));
    };
    let used = writing.use_identity_token(&identity.issuer, &identity.jti, identity.expires_ms);
    if !used.await? {
        return Ok(Issued::UsedBefore);
    }
    if publisher.owner_id.is_none() {
        let owner_id = &identity.owner_id;
        writing
            .keep_owner_of_publisher(&publisher.id, owner_id)
            .await?;
        let event = format!("the owner of {} has the id {owner_id}", publisher.project);
        let event = PublisherEvent::new(&repository.owner_name, event, now_ms);
        writing.note_publisher_event(&repository.id, &event).await?;
    }
    let secret = format!("hf_{}", HEXLOWER.encode(&random::bytes::<32>()?));
    let row = token(repository, publisher, identity, now_ms)?;
    writing
        .insert_token(&repository.owner, &row, &hash(&secret))
        .await?;
    writing.commit().await?;
    Ok(Issued::Token(secret, Box::new(row)))
}

/// The token covers no repository by its name, which may belong to another one later.
fn token(
    repository: &Repository,
    publisher: &Publisher,
    identity: &BuildIdentity,
    now_ms: i64,
) -> Result<TokenRow, RegistryError> {
    let job = JobIdentity {
        issuer: identity.issuer.clone(),
        repository: identity.project.clone(),
        owner_id: identity.owner_id.clone(),
        workflow: identity.workflow.clone(),
        environment: identity.environment.clone(),
        commit: identity.commit.clone(),
    };
    let job = serde_json::to_string(&job).map_err(|it| RegistryError::Damaged(it.to_string()))?;
    Ok(TokenRow {
        id: TokenKey::random()?,
        name: identity.to_string(),
        role: TokenRole::Write,
        created_ms: now_ms,
        expires_ms: Some(now_ms + clock::span_ms(LIFETIME)),
        revoked_ms: None,
        repositories: Some(String::new()),
        publisher: Some(publisher.id.clone()),
        publishes_to: Some(repository.id.clone()),
        job: Some(job),
    })
}

/// Forgets what has expired. A failure is no reason to refuse the token that was made.
async fn forget_old_ones(registry: &Registry) {
    let forgotten = async {
        let now_ms = clock::now_ms();
        let mut writing = registry.database().write().await?;
        writing.forget_identity_tokens(now_ms).await?;
        let before_ms = now_ms - clock::span_ms(KEPT);
        writing.forget_publisher_tokens(before_ms).await?;
        writing.commit().await
    };
    let forgotten: Result<(), RegistryError> = forgotten.await;
    if let Err(error) = forgotten {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(error, "expired tokens of publishers were not forgotten");
    }
}

fn refused(fault: TokenFault) -> Refusal {
    if fault == TokenFault::KeysUnavailable {
        return Refusal::try_again(format!("the identity token cannot be checked: {fault}"));
    }
    Refusal::forbidden(format!("the identity token is refused: {fault}"))
}
