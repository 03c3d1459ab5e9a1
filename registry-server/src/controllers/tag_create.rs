//! `POST …/tag/{rev}`: creates a tag on a commit, and publishes a version where the tag is one.

use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{json, target, version_rules};
use crate::access::{Call, PublishToRepository};
use crate::clock;
use crate::database::log::LogSubject;
use crate::database::publishers::PublisherEvent;
use crate::database::references::Reference;
use crate::database::write_authority::Needed;
use crate::http::{ErrorBody, Refusal, Reply};
use crate::names::RefName;
use crate::wire::Success;

/// Longest message of a tag in bytes.
const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// A name for a commit.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateTagRequest {
    tag: String,
    #[serde(default)]
    message: Option<String>,
}

/// Gives a commit a name.
#[utoipa::path(
    post,
    path = "/api/{kinds}/{owner}/{name}/tag/{revision}",
    request_body = CreateTagRequest,
    responses(
        (status = 200, description = "It was made", body = Success),
        (status = 409, description = "There is one of this name", body = ErrorBody),
        (status = 422, description = "The commit is not of this version", body = ErrorBody),
    ),
)]
pub(crate) async fn create(mut call: Call<PublishToRepository>) -> Reply {
    let request: CreateTagRequest = call.json().await?;
    if request
        .message
        .as_ref()
        .is_some_and(|message| message.len() > MESSAGE_BYTES_MAX)
    {
        return Err(Refusal::bad_request(format!(
            "the message of a tag has at most {MESSAGE_BYTES_MAX} bytes"
        )));
    }
    let repository = &call.admitted.repository;
    let revision = call.admitted.address.rest_text().unwrap_or_default();
    let commit = target::find_commit(&call.registry, repository, &revision).await?;
    let tag = RefName::parse(&request.tag)
        .ok_or_else(|| Refusal::bad_request("the tag has no valid name"))?;
    let version = version_rules::check_new_tag(&call.registry, repository, &tag, &commit).await?;
    let reference = Reference {
        name: tag.tag(),
        commit: commit.oid,
    };
    let database = call.registry.database();
    let now_ms = clock::now_ms();
    let caller = &call.admitted.caller;
    let authority = caller.authority(Needed::Write);
    // The repository may have other readers, or another name, than when the request began.
    let (mut writing, repository) = database.write_as(&authority, &repository.id).await?;
    let repository = &repository;
    version_rules::check_publisher(database, repository, caller, version.as_ref()).await?;
    version_rules::check_names_no_branch(database, repository, &tag).await?;
    if !writing
        .insert_reference(
            &repository.id,
            &reference,
            request.message.as_deref(),
            now_ms,
        )
        .await?
    {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("Tag reference exists already: {tag}"),
        ));
    }
    if let Some(version) = &version {
        let published = writing.publish(&repository.id, &version.publication, now_ms);
        if let Some(earlier) = published.await? {
            let id = repository.full_name();
            return Err(version_rules::published_before(&id, &earlier));
        }
        writing
            .insert_manifest(&repository.id, &version.manifest)
            .await?;
        writing.list_newest_release(&repository.id).await?;
        if caller.publishes_to().is_some() {
            let (version, by) = (&version.publication.version, &caller.token.name);
            let event = format!("published {version}: {by}");
            let event = PublisherEvent::new(&caller.account.name, event, now_ms);
            writing.note_publisher_event(&repository.id, &event).await?;
        }
        let full_name = repository.full_name();
        let record = version.publication.record(&full_name, caller.job(), now_ms);
        let subject = LogSubject::of(repository, &full_name, &version.publication.version);
        if let (Some(record), Some(subject)) = (record, subject) {
            let releases = version_rules::releases_at_head(&call.registry, repository).await?;
            let signer = version.signer.clone();
            writing
                .append_version_to_log(subject, &record, signer)
                .await?;
            version_rules::settle_yank(&mut writing, subject, &releases).await?;
        }
    }
    writing.commit().await?;
    Ok(json(Success::DONE))
}
