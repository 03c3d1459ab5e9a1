//! `…/publishers`: lists, adds and removes the trusted publishers of a repository.
//! The PUT decides whether versions come from them alone.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::json;
use crate::access::{Call, ManageRepository};
use crate::clock;
use crate::database::keys::PublisherKey;
use crate::database::publishers::{Publisher, PublisherEvent, VersionSource};
use crate::database::write_authority::Needed;
use crate::http::{ErrorBody, NotFound, Refusal, Reply};
use crate::trusted_publishing::PublisherTerms;
use crate::wire::Success;

/// Most publishers of a repository.
const PUBLISHERS_MAX: usize = 20;
/// Most events that are listed.
const EVENTS_MAX: u32 = 100;

/// A new publisher.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AddPublisherRequest {
    /// The issuer of its identity tokens.
    issuer: String,
    /// The repository with the sources, as the build service names it.
    repository: String,
    /// The file of the workflow.
    workflow: String,
    /// The environment that its jobs need to have.
    #[serde(default)]
    environment: Option<String>,
    /// The build service's number for the owner of that repository; without one, that of the first
    /// job counts.
    #[serde(default)]
    owner_id: Option<String>,
}

/// The origin that versions may have.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePublishersRequest {
    /// True if versions come from trusted publishers alone.
    only: bool,
}

/// The trusted publishers of a repository.
#[derive(Serialize, ToSchema)]
pub(crate) struct Publishers {
    /// True if versions come from them alone.
    only: bool,
    publishers: Vec<ListedPublisher>,
    /// The newest first.
    events: Vec<ListedEvent>,
}

/// A workflow that may publish.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedPublisher {
    id: String,
    issuer: String,
    repository: String,
    workflow: String,
    environment: Option<String>,
    owner_id: Option<String>,
    added_by: String,
    #[schema(format = DateTime)]
    added_at: String,
}

/// A change of the publishers, or a version that one of them published.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedEvent {
    #[schema(format = DateTime)]
    at: String,
    by: String,
    event: String,
}

impl From<Publisher> for ListedPublisher {
    fn from(publisher: Publisher) -> Self {
        let environment = Some(publisher.environment);
        Self {
            id: publisher.id.to_string(),
            issuer: publisher.issuer,
            repository: publisher.project,
            workflow: publisher.workflow,
            environment: environment.filter(|text| !text.is_empty()),
            owner_id: publisher.owner_id,
            added_by: publisher.added_by,
            added_at: clock::date(publisher.created_ms),
        }
    }
}

/// The trusted publishers of a repository, and what became of them.
#[utoipa::path(
    get,
    path = "/api/{kinds}/{owner}/{name}/publishers",
    responses(
        (status = 200, description = "The publishers", body = Publishers),
    ),
)]
pub(crate) async fn list(call: Call<ManageRepository>) -> Reply {
    let (database, repository) = (call.registry.database(), &call.admitted.repository.id);
    let publishers = database.publishers(repository).await?;
    let events = database.publisher_events(repository, EVENTS_MAX).await?;
    let event = |event: PublisherEvent| ListedEvent {
        at: clock::date(event.at_ms),
        by: event.account,
        event: event.event,
    };
    Ok(json(Publishers {
        only: database.version_source(repository).await? == VersionSource::Publishers,
        publishers: publishers.into_iter().map(Into::into).collect(),
        events: events.into_iter().map(event).collect(),
    }))
}

/// Lets a workflow publish.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/publishers",
    request_body = AddPublisherRequest,
    responses(
        (status = 200, description = "It was added", body = ListedPublisher),
        (status = 409, description = "It is there, or there are too many", body = ErrorBody),
    ),
)]
pub(crate) async fn add(mut call: Call<ManageRepository>) -> Reply {
    let request: AddPublisherRequest = call.json().await?;
    let terms = PublisherTerms {
        project: request.repository,
        workflow: request.workflow,
        environment: request.environment.unwrap_or_default(),
        owner_id: request.owner_id,
    };
    check(&call, &request.issuer, &terms)?;
    let (caller, repository) = (&call.admitted.caller, &call.admitted.repository);
    let now_ms = clock::now_ms();
    let publisher = Publisher {
        id: PublisherKey::random()?,
        issuer: request.issuer,
        project: terms.project,
        workflow: terms.workflow,
        environment: terms.environment,
        owner_id: terms.owner_id,
        added_by: caller.account.name.clone(),
        created_ms: now_ms,
    };
    let database = call.registry.database();
    let authority = caller.authority(Needed::Manage);
    let (mut writing, _) = database.write_as(&authority, &repository.id).await?;
    let there = database.publishers(&repository.id).await?;
    if there.iter().any(|it| is_same(it, &publisher)) {
        return Err(conflict("this publisher is there already".to_owned()));
    }
    if there.len() >= PUBLISHERS_MAX {
        let text = format!("a repository has at most {PUBLISHERS_MAX} publishers; remove one");
        return Err(conflict(text));
    }
    writing.insert_publisher(&repository.id, &publisher).await?;
    let event = format!("added the publisher {}", in_words(&publisher));
    note(&call, &event);
    let event = PublisherEvent::new(&caller.account.name, event, now_ms);
    writing.note_publisher_event(&repository.id, &event).await?;
    writing.commit().await?;
    Ok(json(ListedPublisher::from(publisher)))
}

/// Decides whether versions come from trusted publishers alone.
#[utoipa::path(
    put,
    path = "/api/{kinds}/{owner}/{name}/publishers",
    request_body = ChangePublishersRequest,
    responses(
        (status = 200, description = "It is so", body = Success),
        (status = 409, description = "There is no publisher", body = ErrorBody),
    ),
)]
pub(crate) async fn change(mut call: Call<ManageRepository>) -> Reply {
    let request: ChangePublishersRequest = call.json().await?;
    let (caller, repository) = (&call.admitted.caller, &call.admitted.repository);
    let database = call.registry.database();
    let authority = caller.authority(Needed::Manage);
    let (mut writing, _) = database.write_as(&authority, &repository.id).await?;
    if request.only && database.publishers(&repository.id).await?.is_empty() {
        let text = "there is no trusted publisher, so nothing could be published: add one first";
        return Err(conflict(text.to_owned()));
    }
    let (source, event) = match request.only {
        true => (
            VersionSource::Publishers,
            "took versions from publishers alone",
        ),
        false => (VersionSource::AnyWriter, "took versions from every writer"),
    };
    if database.version_source(&repository.id).await? != source {
        writing.take_versions_from(&repository.id, source).await?;
        note(&call, event);
        let event = PublisherEvent::new(&caller.account.name, event.to_owned(), clock::now_ms());
        writing.note_publisher_event(&repository.id, &event).await?;
        writing.commit().await?;
    }
    Ok(json(Success::DONE))
}

/// Removes a publisher; its tokens are refused from now on.
#[utoipa::path(
    delete,
    path = "/api/{kinds}/{owner}/{name}/publishers/{publisher}",
    responses(
        (status = 200, description = "It is gone", body = Success),
    ),
)]
pub(crate) async fn remove(call: Call<ManageRepository>) -> Reply {
    let (caller, repository) = (&call.admitted.caller, &call.admitted.repository);
    let id = call.admitted.address.rest_text().unwrap_or_default();
    let database = call.registry.database();
    let authority = caller.authority(Needed::Manage);
    let (mut writing, _) = database.write_as(&authority, &repository.id).await?;
    let there = database.publishers(&repository.id).await?;
    let found = there.iter().find(|it| it.id.to_string() == id);
    let publisher = found.ok_or_else(|| {
        let name = repository.full_name();
        let text = format!("there is no publisher {id}; see: tool registry publisher list {name}");
        Refusal::new(StatusCode::NOT_FOUND, text).code(NotFound::Entry)
    })?;
    let now_ms = clock::now_ms();
    writing.delete_publisher(&publisher.id, now_ms).await?;
    let event = format!("removed the publisher {}", in_words(publisher));
    note(&call, &event);
    let event = PublisherEvent::new(&caller.account.name, event, now_ms);
    writing.note_publisher_event(&repository.id, &event).await?;
    writing.commit().await?;
    Ok(json(Success::DONE))
}

/// Refuses issuers that the operator does not trust, and names that no build service has.
fn check(
    call: &Call<ManageRepository>,
    issuer: &str,
    terms: &PublisherTerms,
) -> Result<(), Refusal> {
    let Some(identities) = call.registry.identities() else {
        return Err(Refusal::bad_request(
            "this registry trusts no build service; its operator names some with --trusted-issuer",
        ));
    };
    let Some(trusted) = identities.issuers().find(|it| it.as_str() == issuer) else {
        let trusted: Vec<&str> = identities.issuers().map(|it| it.as_str()).collect();
        return Err(Refusal::bad_request(format!(
            "this registry does not trust that issuer; it trusts {}",
            trusted.join(", ")
        )));
    };
    match terms.fault(trusted.service()) {
        Some(rule) => Err(Refusal::bad_request(rule)),
        None => Ok(()),
    }
}

fn is_same(one: &Publisher, other: &Publisher) -> bool {
    one.issuer == other.issuer
        && one.project.eq_ignore_ascii_case(&other.project)
        && one.workflow == other.workflow
        && one.environment.eq_ignore_ascii_case(&other.environment)
}

fn in_words(publisher: &Publisher) -> String {
    let environment = match publisher.environment.as_str() {
        "" => String::new(),
        environment => format!(" in the environment {environment}"),
    };
    format!(
        "{} of {}{environment} by {}",
        publisher.workflow, publisher.project, publisher.issuer
    )
}

fn conflict(message: String) -> Refusal {
    Refusal::new(http::StatusCode::CONFLICT, message)
}

fn note(call: &Call<ManageRepository>, event: &str) {
    let repository = call.admitted.repository.full_name();
    tracing::info!(repository, event, "publishers changed");
}
