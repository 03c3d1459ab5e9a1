//! `POST /api/repos/create`: creates a repository with a first commit.

use std::collections::BTreeMap;
use std::mem;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::gitattributes::{ATTRIBUTES_FILE, standard_attributes};
use super::namespace::find_owner;
use super::repo_kind::kind_of;
use super::visibility::Visibility;
use super::web_url::web_url;
use super::write_error::refused;
use super::{json, version_rules};
use crate::access::{Call, SignedInToWrite, require_token_covers};
use crate::clock;
use crate::content::Batch;
use crate::database::git_objects::{Blob, BlobForm};
use crate::database::keys::RepositoryKey;
use crate::database::repositories::{NewId, Repository};
use crate::database::write_authority::Needed;
use crate::error::RegistryError;
use crate::git::read_pointer;
use crate::history::{
    DEFAULT_BRANCH, Operation, Proposal, contents, initial_commit, prepare_first,
};
use crate::http::{BaseUrl, ErrorBody, List, Refusal, Reply, Reservation};
use crate::names::{
    AccountName, NameError, RefName, RepositoryId, RepositoryKind, RepositoryName, RepositoryPath,
};
use crate::quota::{self, Room};
use crate::registry::Registry;
use crate::search_listing;

/// A repository to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateRepoRequest {
    /// `name` or `owner/name`.
    name: String,
    #[serde(default)]
    organization: Option<String>,
    #[serde(default, rename = "type")]
    #[schema(value_type = Option<RepositoryKind>)]
    kind: Option<String>,
    // Not `#[serde(flatten)]`, which would buffer the whole body, including unknown fields.
    #[serde(default)]
    visibility: Option<String>,
    #[serde(default)]
    private: Option<bool>,
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    sdk: Option<String>,
    #[serde(default)]
    #[schema(value_type = Vec<RequestedFile>)]
    files: List<RequestedFile>,
}

/// A file of the first commit.
#[derive(Deserialize, ToSchema)]
struct RequestedFile {
    path: String,
    /// In base64.
    content: String,
    #[serde(default)]
    encoding: Option<String>,
}

/// Makes a repository.
#[utoipa::path(
    post,
    path = "/api/repos/create",
    request_body = CreateRepoRequest,
    responses(
        (status = 200, description = "It was made", body = CreatedRepo),
        (status = 409, description = "It exists, or was moved", body = ErrorBody),
        (status = 422, description = "A file is refused", body = ErrorBody),
    ),
)]
pub(crate) async fn create(mut call: Call<SignedInToWrite>) -> Reply {
    let mut request: CreateRepoRequest = call.json_list().await?;
    let registry = &call.registry;
    let kind = kind_of(request.kind.as_deref())?;
    let (owner, name) = owner_and_name(&request)?;
    let owner = find_owner(registry, &call.admitted, owner).await?;
    require_token_covers(&call.admitted, &owner.name, name.as_str())?;
    let visibility = Visibility::new(request.visibility.take(), request.private);
    let private = visibility.private()?;
    let now_ms = clock::now_ms();
    let repository = Repository {
        id: RepositoryKey::random()?,
        kind,
        owner: owner.id.clone(),
        owner_name: owner.name.clone(),
        name: name.to_string(),
        private: private.unwrap_or(false),
        card: None,
        downloads: 0,
        likes: 0,
        created_ms: now_ms,
        modified_ms: now_ms,
    };
    let mut proposal = first_proposal(registry, &repository, &mut request).await?;
    let author = &call.admitted.account;
    let prepared = prepare_first(registry.database(), &repository, author, &proposal)
        .await
        .map_err(|error| refused(error, DEFAULT_BRANCH))?;
    let touched = proposal.operations.iter().filter_map(put_path).collect();
    let root = search_listing::root_of(&proposal.operations);
    let listing =
        search_listing::read_listing(registry, &repository, &touched, &root, &proposal).await?;
    let main = RefName::parse(DEFAULT_BRANCH)
        .ok_or_else(|| RegistryError::Damaged("the default branch has no name".to_owned()))?;

    // If the repository exists already, nothing is stored. That it still does not exist is checked
    // again below, in the transaction.
    if is_taken(registry, &repository).await? {
        return Err(already_exists(&call.base, &repository));
    }
    if registry.database().is_kept_for_moved(&repository).await? {
        return Err(kept_for_moved(&call.base, &repository));
    }
    proposal.keep(registry, &repository).await?;
    let mut writing = registry.database().write().await?;
    let authority = call.admitted.authority(Needed::Write);
    writing.require(&authority, &repository).await?;
    match writing.insert_repository(&repository).await? {
        NewId::Given => {}
        NewId::Taken => return Err(already_exists(&call.base, &repository)),
        NewId::KeptForMoved => return Err(kept_for_moved(&call.base, &repository)),
    }
    initial_commit(
        registry,
        &mut writing,
        &repository,
        &main,
        &prepared,
        &proposal.operations,
    )
    .await?;
    let arrived = contents(&proposal.operations);
    quota::check(registry, &mut writing, &owner.id, &arrived).await?;
    if let Some(listing) = &listing {
        writing.set_listing(&repository.id, listing).await?;
    }
    writing.commit().await?;
    tracing::info!(
        repository = repository.full_name(),
        kind = kind.word(),
        "created"
    );
    Ok(json(CreatedRepo {
        url: web_url(&call.base, &repository),
        name: repository.full_name(),
        id: repository.id.to_string(),
    }))
}

/// A repository that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedRepo {
    url: String,
    name: String,
    id: String,
}

async fn is_taken(registry: &Registry, repository: &Repository) -> Result<bool, Refusal> {
    let id = RepositoryId::parse(repository.kind, &repository.full_name())
        .map_err(|error| Refusal::bad_request(error.to_string()))?;
    let found = registry.database().repository(&id).await?;
    Ok(found.is_some())
}

/// The refusal if the repository exists. With `exist_ok`, the Python client takes the repository's
/// address from it.
fn already_exists(base: &BaseUrl, repository: &Repository) -> Refusal {
    let message = format!(
        "You already created this {} repo: {}",
        repository.kind.word(),
        repository.full_name()
    );
    let url = Value::String(web_url(base, repository));
    Refusal::new(StatusCode::CONFLICT, message).field("url", url)
}

/// The refusal if the id leads to a repository that was moved. The address is the one that was
/// asked for: it goes on leading there, for those who may see that.
fn kept_for_moved(base: &BaseUrl, repository: &Repository) -> Refusal {
    let url = Value::String(web_url(base, repository));
    version_rules::kept_for_moved(&repository.full_name()).field("url", url)
}

/// The owner may be named apart from the name, before it, or not at all, which means the caller.
fn owner_and_name(
    request: &CreateRepoRequest,
) -> Result<(Option<AccountName>, RepositoryName), Refusal> {
    let refuse = |error: NameError| Refusal::bad_request(error.to_string());
    let (before, name) = match request.name.split_once('/') {
        Some((owner, name)) => (Some(owner), name),
        None => (None, request.name.as_str()),
    };
    let owner = request
        .organization
        .as_deref()
        .filter(|text| !text.is_empty())
        .or(before);
    Ok((
        owner.map(str::parse).transpose().map_err(refuse)?,
        name.parse().map_err(refuse)?,
    ))
}

/// The files of a first commit. If several have the same path, the last one counts.
async fn first_proposal(
    registry: &Registry,
    repository: &Repository,
    request: &mut CreateRepoRequest,
) -> Result<Proposal, Refusal> {
    let files_max = registry.limits().commit_operations_max;
    let requested = mem::take(&mut request.files).within(files_max, "files")?;
    // Clients and their tests expect this file in a new repository.
    let attributes = standard_attributes(repository.kind);
    let mut files = BTreeMap::from([(ATTRIBUTES_FILE.to_owned(), attributes.into_bytes())]);
    if let Some(card) = first_card(repository, request)? {
        files.insert("README.md".to_owned(), card.into_bytes());
    }
    let decoding = tokio::task::spawn_blocking(move || {
        for file in requested {
            let content = decode(&file)?;
            files.insert(file.path, content);
        }
        Ok::<_, Refusal>(files)
    });
    let files = decoding
        .await
        .map_err(|_| RegistryError::Damaged("decoding files panicked".to_owned()))??;
    let bytes: usize = files.values().map(Vec::len).sum();
    let mut room = Room::of(registry, &repository.owner).await?;
    room.admit(bytes as u64)?;
    let mut operations = Vec::with_capacity(files.len());
    let mut batch = Batch::new(registry.content());
    for (path, content) in files {
        let path = RepositoryPath::parse(&path).map_err(|fault| {
            Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("a path is not valid in a repository: {fault}"),
            )
        })?;
        if read_pointer(&content).is_some() {
            return Err(Refusal::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                format!(
                    "{path} is a pointer to an LFS object, and a new repository has none: upload the object and commit it then"
                ),
            ));
        }
        let mut spool = registry
            .content()
            .spool(registry.limits().spool_memory_bytes_max);
        spool.write(&content).await?;
        let spooled = spool.finish().await?;
        let blob = Blob {
            sha256: spooled.sha256,
            size_bytes: spooled.size_bytes,
            form: BlobForm::Plain,
        };
        operations.push(Operation::Put {
            path,
            oid: spooled.oid,
            blob,
        });
        batch.add(spooled).await?;
        // Hashing many files takes long enough that other requests should get a turn.
        tokio::task::yield_now().await;
    }
    Ok(Proposal {
        title: "initial commit".to_owned(),
        message: String::new(),
        parent: None,
        operations,
        files: batch,
        room,
        // The call holds the memory of the body.
        _held: Reservation::default(),
    })
}

fn decode(file: &RequestedFile) -> Result<Vec<u8>, Refusal> {
    let encoding = file.encoding.as_deref();
    if encoding.is_some_and(|encoding| encoding != "base64") {
        return Err(Refusal::bad_request("files must be encoded as base64"));
    }
    STANDARD
        .decode(&file.content)
        .map_err(|_| Refusal::bad_request("the content of a file is not valid base64"))
}

/// The card of a new repository, if there is anything to put on it. A space always has one.
fn first_card(
    repository: &Repository,
    request: &CreateRepoRequest,
) -> Result<Option<String>, Refusal> {
    let is_space = repository.kind == RepositoryKind::Space;
    let mut lines = Vec::new();
    if is_space {
        // Quoted, because a name may read as a number.
        lines.push(format!("title: {:?}\n", repository.name));
        lines.extend(card_line("sdk", request.sdk.as_deref())?);
    }
    lines.extend(card_line("license", request.license.as_deref())?);
    Ok((!lines.is_empty()).then(|| format!("---\n{}---\n", lines.concat())))
}

fn card_line(key: &str, word: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(word) = word.filter(|word| !word.is_empty()) else {
        return Ok(None);
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'+');
    if !word.bytes().all(plain) {
        return Err(Refusal::bad_request(format!(
            "the {key} must be a word of letters, digits, -, . and +"
        )));
    }
    Ok(Some(format!("{key}: {word}\n")))
}

fn put_path(operation: &Operation) -> Option<String> {
    match operation {
        Operation::Put { path, .. } => Some(path.as_str().to_owned()),
        Operation::Remove { .. } => None,
    }
}
