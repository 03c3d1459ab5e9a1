//! `POST /{id}.git/info/lfs/objects/batch`: where each object is to be sent.

use std::collections::HashMap;

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::access::{Call, WriteRepository, new_ticket};
use crate::clock;
use crate::content::Sha256Digest;
use crate::controllers::{json as answer, repo_create::web_url};
use crate::database::Writing;
use crate::database::uploads::{Given, NewUpload};
use crate::http::{Refusal, Reply};
use crate::quota::Room;

#[derive(Deserialize)]
struct Question {
    operation: String,
    #[serde(default)]
    transfers: Vec<String>,
    #[serde(default)]
    hash_algo: Option<String>,
    objects: Vec<Announced>,
}

#[derive(Deserialize)]
struct Announced {
    oid: String,
    size: u64,
}

pub(crate) async fn plan(mut call: Call<WriteRepository>) -> Reply {
    let question: Question = call.json().await?;
    check(&question, call.registry.limits().commit_operations_max)?;
    // Who names no transfer knows the basic one.
    let in_parts = question.transfers.iter().any(|name| name == "multipart");
    let needs = needs(&call, &question.objects).await?;
    let new_bytes = question.objects.iter().zip(&needs).fold(0, new_bytes);
    let room = Room::of(&call.registry, &call.admitted.repository.owner).await?;
    room.admit(new_bytes)?;

    let mut writing = None;
    let mut objects = Vec::with_capacity(needs.len());
    for (announced, need) in question.objects.iter().zip(&needs) {
        let mut object = json!({"oid": announced.oid, "size": announced.size});
        match need {
            Need::Nothing => {}
            Need::Refusal(reason) => object["error"] = json!({"code": 422, "message": reason}),
            Need::Time(sha256) => {
                let repository = &call.admitted.repository.id;
                let writing = opened(&call, &mut writing).await?;
                let now_ms = clock::now_ms();
                writing.renew_upload(repository, sha256, now_ms).await?;
            }
            Need::Bytes(sha256) => {
                let writing = opened(&call, &mut writing).await?;
                object["authenticated"] = json!(true);
                object["actions"] =
                    actions(&call, writing, *sha256, announced.size, in_parts).await?;
            }
        }
        objects.push(object);
    }
    if let Some(writing) = writing {
        writing.commit().await?;
    }
    let kind = HeaderValue::from_static("application/vnd.git-lfs+json");
    let mut response = answer(json!({"transfer": "basic", "objects": objects}));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// Git says `sha256` and the JavaScript client `sha_256`.
fn check(question: &Question, objects_max: usize) -> Result<(), Refusal> {
    if question.operation != "upload" {
        return Err(Refusal::bad_request(
            "only \"upload\" is served; download files by their resolve address",
        ));
    }
    if !matches!(
        question.hash_algo.as_deref(),
        None | Some("sha256" | "sha_256")
    ) {
        return Err(Refusal::bad_request("\"hash_algo\" must be \"sha256\""));
    }
    if question.objects.len() > objects_max {
        return Err(Refusal::bad_request(format!(
            "a batch may hold at most {objects_max} objects"
        )));
    }
    Ok(())
}

/// What it takes until a commit can name an object.
enum Need {
    Nothing,
    /// It is there and awaits a commit, which must find it.
    Time(Sha256Digest),
    Bytes(Sha256Digest),
    /// It cannot be taken, for this reason.
    Refusal(String),
}

fn new_bytes(sum: u64, (announced, need): (&Announced, &Need)) -> u64 {
    match need {
        Need::Bytes(_) => sum.saturating_add(announced.size),
        _ => sum,
    }
}

async fn needs(call: &Call<WriteRepository>, objects: &[Announced]) -> Result<Vec<Need>, Refusal> {
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
        .map(|(announced, digest)| need(announced.size, digest, &given, bytes_max))
        .collect())
}

fn need(
    size: u64,
    digest: Option<Sha256Digest>,
    given: &HashMap<Sha256Digest, Given>,
    bytes_max: u64,
) -> Need {
    let Some(sha256) = digest else {
        return Need::Refusal("the oid is not a sha256 in lower-case hexadecimal".to_owned());
    };
    if size > bytes_max {
        return Need::Refusal(format!("a file is longer than {bytes_max} bytes"));
    }
    match given.get(&sha256) {
        None => Need::Bytes(sha256),
        Some(given) if given.size_bytes != size => Need::Refusal(format!(
            "the object with this oid has {} bytes",
            given.size_bytes
        )),
        Some(given) if given.awaits_commit => Need::Time(sha256),
        Some(_) => Need::Nothing,
    }
}

/// The transaction begins with the first object that needs one: a batch of known objects writes nothing.
async fn opened<'a>(
    call: &Call<WriteRepository>,
    writing: &'a mut Option<Writing>,
) -> Result<&'a mut Writing, Refusal> {
    let begun = match writing.take() {
        Some(begun) => begun,
        None => {
            let repository = &call.admitted.repository.id;
            call.registry.database().write_to(repository).await?
        }
    };
    Ok(writing.insert(begun))
}

async fn actions(
    call: &Call<WriteRepository>,
    writing: &mut Writing,
    sha256: Sha256Digest,
    size_bytes: u64,
    in_parts: bool,
) -> Result<Value, Refusal> {
    let limits = call.registry.limits();
    let part_bytes = limits.lfs_part_bytes.max(1);
    let parts = (in_parts && size_bytes > part_bytes).then(|| size_bytes.div_ceil(part_bytes));
    let (query, ticket) = new_ticket()?;
    let lifetime_ms = clock::span_ms(limits.lfs_ticket_lifetime);
    let upload = NewUpload {
        ticket,
        repository: &call.admitted.repository.id,
        token: &call.admitted.caller.token.id,
        sha256,
        size_bytes,
        part_bytes: parts.map(|_| part_bytes),
        expires_ms: clock::now_ms().saturating_add(lifetime_ms),
    };
    writing.insert_upload(&upload).await?;
    let base = call.base.as_str();
    let href = match parts {
        None => json!({"href": format!("{base}/api/lfs/object?{query}")}),
        Some(count) => json!({
            "href": format!("{base}/api/lfs/complete?{query}"),
            "header": part_addresses(base, &query, part_bytes, count),
        }),
    };
    let repository = web_url(&call.base, &call.admitted.repository);
    let verify = format!("{repository}.git/info/lfs/objects/verify");
    Ok(json!({"upload": href, "verify": {"href": verify}}))
}

/// Clients of the Hub read the addresses of parts out of a header map: five digits each, and the length as a text.
fn part_addresses(base: &str, query: &str, part_bytes: u64, count: u64) -> Map<String, Value> {
    let mut header = Map::new();
    header.insert("chunk_size".to_owned(), json!(part_bytes.to_string()));
    for number in 1..=count {
        let address = format!("{base}/api/lfs/part?{query}&number={number}");
        header.insert(format!("{number:05}"), json!(address));
    }
    header
}
