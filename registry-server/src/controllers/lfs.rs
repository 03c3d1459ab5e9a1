//! Routes for git-lfs uploads, in submodules, and their shared step: checks and stores an object.
//!
//! A batch says where each large file goes, uploads bring them, a commit names them.

pub(crate) mod batch;
pub(crate) mod complete;
pub(crate) mod object;
pub(crate) mod part;
pub(crate) mod verify;

use std::collections::BTreeSet;

use http::StatusCode;

use crate::clock;
use crate::content::SpooledFile;
use crate::database::git_objects::{Blob, BlobForm};
use crate::database::uploads::Upload;
use crate::database::write_authority::{Needed, WriteAuthority};
use crate::git::pointer_oid;
use crate::http::Refusal;
use crate::quota::{self, Room};
use crate::registry::Registry;

/// The length that was announced.
fn size_of(upload: &Upload) -> u64 {
    upload.size_bytes.max(0).unsigned_abs()
}

/// The authority on which an upload was begun.
fn authority(upload: &Upload) -> WriteAuthority {
    WriteAuthority::new(&upload.account, &upload.token, Needed::Write)
}

/// Stores an object that has arrived, if it is the one that was announced.
async fn take_in(
    registry: &Registry,
    upload: &Upload,
    spooled: SpooledFile,
    room: &mut Room,
) -> Result<(), Refusal> {
    if spooled.sha256 != upload.sha256 || spooled.size_bytes != size_of(upload) {
        return Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!(
                "the object has {} bytes and the sha256 {}, not {} and {} as announced",
                spooled.size_bytes, spooled.sha256, upload.size_bytes, upload.sha256
            ),
        ));
    }
    let blob = Blob {
        sha256: spooled.sha256,
        size_bytes: spooled.size_bytes,
        form: BlobForm::Pointer,
    };
    let size = (blob.sha256, blob.size_bytes);
    let (owner, repository) = (&upload.owner, &upload.repository);
    quota::announce(registry, owner, repository, vec![size], room).await?;
    registry.content().keep(spooled).await?;
    let oid = pointer_oid(&blob.sha256, blob.size_bytes)?;
    let (mut writing, _) = registry
        .database()
        .write_as(&authority(upload), repository)
        .await?;
    let digests = BTreeSet::from([blob.sha256]);
    let claimed = writing
        .claim_contents(registry.content(), digests.clone())
        .await?;
    if writing
        .insert_uploaded_blob(repository, &oid, &blob, &claimed, clock::now_ms())
        .await?
    {
        quota::check(registry, &mut writing, owner, &digests).await?;
    }
    writing.delete_parts(&upload.ticket).await?;
    Ok(writing.commit().await?)
}
