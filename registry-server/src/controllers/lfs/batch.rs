//! `POST /{id}.git/info/lfs/objects/batch`: tells where to send large files; records the uploads.

use std::collections::{BTreeSet, HashMap};

use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::access::{Call, PublishToRepository, new_ticket};
use crate::clock;
use crate::content::Sha256Digest;
use crate::controllers::json;
use crate::controllers::web_url::web_url;
use crate::database::uploads::{NewUpload, UploadedFile};
use crate::database::write_authority::Needed;
use crate::http::{List, Refusal, Reply, Rows};
use crate::quota;

/// The most transfer adapters that a client may name.
const TRANSFERS_MAX: usize = 16;

/// Objects to send.
#[derive(Deserialize, ToSchema)]
pub(crate) struct BatchRequest {
    /// `upload`.
    operation: String,
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    transfers: List<String>,
    #[serde(default)]
    hash_algo: Option<String>,
    #[schema(value_type = Vec<AnnouncedObject>)]
    objects: List<AnnouncedObject>,
}

#[derive(Deserialize, ToSchema)]
struct AnnouncedObject {
    oid: String,
    size: u64,
}

/// The addresses to which large files are to be sent.
#[utoipa::path(
    post,
    path = "/{owner}/{name}/info/lfs/objects/batch",
    request_body = BatchRequest,
    responses(
        (status = 200, description = "An answer for each object", body = Batch<Vec<BatchObject>>, content_type = "application/vnd.git-lfs+json"),
    ),
)]
pub(crate) async fn batch(mut call: Call<PublishToRepository>) -> Reply {
    let request: BatchRequest = call.json().await?;
    // Who names no transfer knows the basic one.
    let in_parts = request.transfers.within(TRANSFERS_MAX, "transfers")?;
    let in_parts = in_parts.iter().any(|name| name == "multipart");
    check(&request.operation, request.hash_algo.as_deref())?;
    let announced = request
        .objects
        .within(call.registry.limits().lfs_batch_max, "objects")?;
    let decisions = decide_all(&call, &announced).await?;

    let mut tickets = Tickets::new(&call, in_parts);
    let mut waiting = Vec::new();
    let mut rows = Vec::with_capacity(decisions.len());
    for (announced, decision) in announced.into_iter().zip(decisions) {
        let address = match decision {
            UploadDecision::Renew(sha256) => {
                waiting.push(sha256);
                None
            }
            UploadDecision::Upload(sha256) => Some(tickets.issue(sha256, announced.size)?),
            _ => None,
        };
        rows.push((announced, decision, address));
    }
    record_uploads(&call, &tickets.uploads, &waiting).await?;
    let kind = HeaderValue::from_static("application/vnd.git-lfs+json");
    let objects = rows.iter();
    let objects = Rows(|| objects.clone().map(|row| tickets.object(row)));
    let mut response = json(Batch {
        transfer: "basic",
        objects,
    });
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// Records the uploads in one short transaction. A batch of known objects writes nothing.
async fn record_uploads(
    call: &Call<PublishToRepository>,
    uploads: &[NewUpload],
    waiting: &[Sha256Digest],
) -> Result<(), Refusal> {
    if uploads.is_empty() && waiting.is_empty() {
        return Ok(());
    }
    let registry = &call.registry;
    let repository = &call.admitted.repository.id;
    let authority = call.admitted.caller.authority(Needed::Write);
    let (mut writing, current) = registry.database().write_as(&authority, repository).await?;
    let owner = &current.owner;
    writing
        .renew_uploads(repository, waiting, clock::now_ms())
        .await?;
    if !uploads.is_empty() {
        let token = &call.admitted.caller.token.id;
        writing.insert_uploads(repository, token, uploads).await?;
        let open_max = registry.limits().lfs_open_uploads_max;
        if writing.open_uploads(owner, open_max).await? > open_max {
            return Err(Refusal::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "too many open uploads: an owner may have at most {open_max}; complete them, or wait until they expire"
                ),
            ));
        }
        quota::check(registry, &mut writing, owner, &BTreeSet::new()).await?;
    }
    Ok(writing.commit().await?)
}

/// Git says `sha256` and the JavaScript client `sha_256`.
fn check(operation: &str, hash_algo: Option<&str>) -> Result<(), Refusal> {
    if operation != "upload" {
        return Err(Refusal::bad_request(
            "only \"upload\" is served; download files by their resolve address",
        ));
    }
    if !matches!(hash_algo, None | Some("sha256" | "sha_256")) {
        return Err(Refusal::bad_request("\"hash_algo\" must be \"sha256\""));
    }
    Ok(())
}

/// The decision about one announced object.
enum UploadDecision {
    /// It is there, and a commit refers to it.
    Present,
    /// It is there and awaits a commit; its time is extended, so that the commit finds it.
    Renew(Sha256Digest),
    /// It is not there; the client has to send it.
    Upload(Sha256Digest),
    /// It cannot be taken, for this reason.
    Refusal(String),
}

async fn decide_all(
    call: &Call<PublishToRepository>,
    objects: &[AnnouncedObject],
) -> Result<Vec<UploadDecision>, Refusal> {
    let digests: Vec<Option<Sha256Digest>> = objects
        .iter()
        .map(|announced| Sha256Digest::from_hex(&announced.oid))
        .collect();
    let asked: Vec<Sha256Digest> = digests.iter().copied().flatten().collect();
    let repository = &call.admitted.repository.id;
    let given = call.registry.database().given(repository, &asked).await?;
    let bytes_max = call.registry.limits().file_bytes_max;
    Ok(objects
        .iter()
        .zip(digests)
        .map(|(announced, digest)| decide(announced.size, digest, &given, bytes_max))
        .collect())
}

fn decide(
    size: u64,
    digest: Option<Sha256Digest>,
    given: &HashMap<Sha256Digest, UploadedFile>,
    bytes_max: u64,
) -> UploadDecision {
    let Some(sha256) = digest else {
        return UploadDecision::Refusal(
            "the oid is not a sha256 in lower-case hexadecimal".to_owned(),
        );
    };
    if size > bytes_max {
        return UploadDecision::Refusal(format!("a file is longer than {bytes_max} bytes"));
    }
    match given.get(&sha256) {
        None => UploadDecision::Upload(sha256),
        Some(given) if given.size_bytes != size => UploadDecision::Refusal(format!(
            "the object with this oid has {} bytes",
            given.size_bytes
        )),
        Some(given) if given.awaits_commit => UploadDecision::Renew(sha256),
        Some(_) => UploadDecision::Present,
    }
}

/// The addresses to which objects are to be sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct Batch<R> {
    transfer: &'static str,
    objects: R,
}

/// The upload address of one object: the query with its ticket, and the number of parts.
struct UploadAddress {
    query: String,
    parts: Option<u64>,
}

/// New upload tickets that are not recorded yet.
struct Tickets<'a> {
    call: &'a Call<PublishToRepository>,
    in_parts: bool,
    uploads: Vec<NewUpload>,
}

impl<'a> Tickets<'a> {
    fn new(call: &'a Call<PublishToRepository>, in_parts: bool) -> Self {
        Self {
            call,
            in_parts,
            uploads: Vec::new(),
        }
    }

    fn issue(&mut self, sha256: Sha256Digest, size_bytes: u64) -> Result<UploadAddress, Refusal> {
        let limits = self.call.registry.limits();
        let part_bytes = limits.lfs_part_bytes.max(1);
        let parts =
            (self.in_parts && size_bytes > part_bytes).then(|| size_bytes.div_ceil(part_bytes));
        let (query, ticket) = new_ticket()?;
        let lifetime_ms = clock::span_ms(limits.lfs_ticket_lifetime);
        self.uploads.push(NewUpload {
            ticket,
            sha256,
            size_bytes,
            part_bytes: parts.map(|_| part_bytes),
            expires_ms: clock::now_ms().saturating_add(lifetime_ms),
        });
        Ok(UploadAddress { query, parts })
    }

    /// One object in the answer to a client.
    fn object(
        &self,
        (announced, decision, address): &(AnnouncedObject, UploadDecision, Option<UploadAddress>),
    ) -> BatchObject {
        BatchObject {
            oid: announced.oid.clone(),
            size: announced.size,
            error: match decision {
                UploadDecision::Refusal(reason) => Some(ObjectError {
                    code: 422,
                    message: reason.clone(),
                }),
                _ => None,
            },
            authenticated: address.as_ref().map(|_| true),
            actions: address.as_ref().map(|address| self.actions(address)),
        }
    }

    /// The requests that the client has to make for an object.
    fn actions(&self, UploadAddress { query, parts }: &UploadAddress) -> Actions {
        let base = self.call.base.as_str();
        let part_bytes = self.call.registry.limits().lfs_part_bytes.max(1);
        let repository = web_url(&self.call.base, &self.call.admitted.repository);
        Actions {
            upload: match parts {
                None => Action {
                    href: format!("{base}/api/lfs/object?{query}"),
                    header: None,
                },
                Some(count) => Action {
                    href: format!("{base}/api/lfs/complete?{query}"),
                    header: Some(part_addresses(base, query, part_bytes, *count)),
                },
            },
            verify: Action {
                href: format!("{repository}.git/info/lfs/objects/verify"),
                header: None,
            },
        }
    }
}

/// Clients of the Hub read the addresses of parts out of a header map: five digits each, and the
/// length as a text.
fn part_addresses(base: &str, query: &str, part_bytes: u64, count: u64) -> Map<String, Value> {
    let mut header = Map::new();
    header.insert("chunk_size".to_owned(), part_bytes.to_string().into());
    for number in 1..=count {
        let address = format!("{base}/api/lfs/part?{query}&number={number}");
        header.insert(format!("{number:05}"), address.into());
    }
    header
}

/// The requests to make for one object.
#[derive(Serialize, ToSchema)]
struct BatchObject {
    oid: String,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ObjectError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authenticated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Actions>,
}

#[derive(Serialize, ToSchema)]
struct ObjectError {
    code: u16,
    message: String,
}

#[derive(Serialize, ToSchema)]
struct Actions {
    upload: Action,
    verify: Action,
}

/// A request to make.
#[derive(Serialize, ToSchema)]
struct Action {
    href: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = HashMap<String, String>)]
    header: Option<Map<String, Value>>,
}
