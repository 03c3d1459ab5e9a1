//! Pulls a tool: downloads its manifest and the files that it names, verifies and stores them.
//!
//! A component is held in memory while it arrives (at most [`COMPONENT_BYTES_MAX`]; whoever
//! loads it needs it there), verified there, and only then written: unverified bytes never
//! touch the disk, so that neither a crash nor a hostile registry leaves any. An interpreter
//! or a bill of materials that the store has is not downloaded, whichever repo it came from.

use tokio::task::spawn_blocking;
use tool_hub_manifest::{
    ComponentClaim, Digest, Interpreter, InterpreterClaim, Manifest, Package, Pin, SbomClaim,
    Verified, VerifyError, package_file,
};

use crate::download;
use crate::error::ClientError;
use crate::files::{self, ListedFile};
use crate::limits::{COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX, SBOM_BYTES_MAX};
use crate::progress::Progress;
use crate::registry::Registry;
use crate::resolved::Resolved;
use crate::store::{Store, StoreError};

/// Downloads, verifies and keeps the tool at a commit, and notes where it came from. If it is
/// pinned, the store is asked first and no other bytes are accepted.
pub(crate) async fn pull(
    registry: &Registry,
    at: &Resolved,
    pin: Option<&Pin>,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Verified, ClientError> {
    let verified = verified(registry, at, pin, store, progress).await?;
    let (here, endpoint, repo) = (store.clone(), registry.endpoint().clone(), at.repo.clone());
    let package = (*verified.pin()).into();
    blocking(move || here.note_pulled(&endpoint, &repo, &package)).await?;
    Ok(verified)
}

async fn verified(
    registry: &Registry,
    at: &Resolved,
    pin: Option<&Pin>,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Verified, ClientError> {
    if let Some(pin) = pin
        && let Some(verified) = pinned(store, pin).await?
    {
        return Ok(verified);
    }
    let here = store.clone();
    // Held until the end, so that a cleaning cannot take away a component that this pull
    // counts on.
    let shared = blocking(move || here.share()).await?;
    let Listed {
        manifest,
        claim,
        component: listed,
        interpreter,
        sbom,
    } = listed(registry, at, pin, progress).await?;
    let interpreter = match &interpreter {
        Some(listed) => Some(self::interpreter(registry, at, listed, store, progress).await?),
        None => None,
    };
    let sbom = match &sbom {
        Some(listed) => Some(self::sbom(registry, at, listed, store, progress).await?),
        None => None,
    };
    let beside = Beside { interpreter, sbom };
    let failed = |failure| match failure {
        Failure::Unverified(source) => not_verified(at, source),
        Failure::Store(error) => ClientError::from(error),
    };
    let (here, digest) = (store.clone(), claim.sha256);
    let (same_manifest, same_beside) = (manifest.clone(), beside.clone());
    let found = blocking(move || from_store(&here, same_manifest, digest, same_beside));
    if let Some(verified) = found.await.map_err(failed)? {
        return Ok(verified);
    }
    let component = download::file(registry, at, &listed, COMPONENT_BYTES_MAX, progress).await?;
    let here = store.clone();
    let kept = blocking(move || {
        let package = Package {
            manifest,
            component,
            interpreter: beside.interpreter,
            sbom: beside.sbom,
        };
        let verified = Verified::check(package).map_err(Failure::Unverified)?;
        here.put(&verified).map_err(Failure::Store)?;
        drop(shared);
        Ok(verified)
    });
    kept.await.map_err(failed)
}

/// The tool with these digests, if the store has both files undamaged.
async fn pinned(store: &Store, pin: &Pin) -> Result<Option<Verified>, ClientError> {
    let (here, wanted) = (store.clone(), *pin);
    match blocking(move || here.get(&wanted)).await {
        Err(StoreError::Missing { .. }) => Ok(None),
        found => unless_damaged(found.map(Some)),
    }
}

/// The thing found in the store; nothing where it is damaged, so that it is downloaded again.
fn unless_damaged<T>(found: Result<Option<T>, StoreError>) -> Result<Option<T>, ClientError> {
    match found {
        Err(damage @ (StoreError::Damaged { .. } | StoreError::TooLarge { .. })) => {
            tracing::warn!(%damage, "downloading it again");
            Ok(None)
        }
        found => Ok(found?),
    }
}

/// A tool's manifest, and its other files as they are listed, with what the manifest claims of
/// them.
struct Listed {
    manifest: Vec<u8>,
    claim: ComponentClaim,
    component: ListedFile,
    interpreter: Option<(InterpreterClaim, ListedFile)>,
    sbom: Option<(SbomClaim, ListedFile)>,
}

/// The files that a manifest names beside its component, where it names them.
#[derive(Clone)]
struct Beside {
    interpreter: Option<Interpreter>,
    sbom: Option<Vec<u8>>,
}

/// Downloads the manifest, and holds it against the pin and the list of files.
async fn listed(
    registry: &Registry,
    at: &Resolved,
    pin: Option<&Pin>,
    progress: &dyn Progress,
) -> Result<Listed, ClientError> {
    let files = files::list(registry, at, &package_file::ALL).await?;
    let listed = find(at, &files, package_file::MANIFEST)?;
    let listed_component = find(at, &files, package_file::COMPONENT)?;
    let manifest = download::file(registry, at, listed, MANIFEST_BYTES_MAX, progress).await?;
    let Claims {
        component: claim,
        interpreter,
        sbom,
    } = claims_of(&manifest, at)?;
    if let Some(pin) = pin {
        let actual = Pin {
            manifest: Digest::of(&manifest),
            component: claim.sha256,
        };
        pin.check(&actual)
            .map_err(|source| pin_mismatch(at, source))?;
    }
    // A list that contradicts the manifest saves the download of the component.
    let listed_digest = listed_component.digest.unwrap_or(claim.sha256);
    claim
        .check(listed_component.bytes, listed_digest)
        .map_err(|source| not_verified(at, source))?;
    let interpreter = match interpreter {
        Some(claim) => {
            let listed = find(at, &files, package_file::INTERPRETER)?;
            claim
                .check(listed.bytes, listed.digest.unwrap_or(claim.sha256))
                .map_err(|source| not_verified(at, source))?;
            Some((claim, listed.clone()))
        }
        None => None,
    };
    let sbom = match sbom {
        Some(claim) => {
            let listed = find(at, &files, package_file::SBOM)?;
            claim
                .check(listed.digest.unwrap_or(claim.sha256))
                .map_err(|source| not_verified(at, source))?;
            Some((claim, listed.clone()))
        }
        None => None,
    };
    Ok(Listed {
        manifest,
        claim,
        component: listed_component.clone(),
        interpreter,
        sbom,
    })
}

/// The interpreter, from the store or downloaded.
async fn interpreter(
    registry: &Registry,
    at: &Resolved,
    (claim, listed): &(InterpreterClaim, ListedFile),
    store: &Store,
    progress: &dyn Progress,
) -> Result<Interpreter, ClientError> {
    let (here, digest) = (store.clone(), claim.sha256);
    let found = blocking(move || here.interpreter(digest)).await;
    if let Some(interpreter) = unless_damaged(found)? {
        return Ok(interpreter);
    }
    let bytes = download::file(registry, at, listed, COMPONENT_BYTES_MAX, progress).await?;
    let hashed = blocking(move || Ok::<_, ClientError>(Interpreter::hashed(bytes))).await?;
    claim
        .check(hashed.component().len() as u64, hashed.digest())
        .map_err(|source| not_verified(at, source))?;
    Ok(hashed)
}

/// The bill of materials, from the store or downloaded.
async fn sbom(
    registry: &Registry,
    at: &Resolved,
    (claim, listed): &(SbomClaim, ListedFile),
    store: &Store,
    progress: &dyn Progress,
) -> Result<Vec<u8>, ClientError> {
    let (here, digest) = (store.clone(), claim.sha256);
    let found = blocking(move || here.sbom(digest)).await;
    if let Some(sbom) = unless_damaged(found)? {
        return Ok(sbom);
    }
    let bytes = download::file(registry, at, listed, SBOM_BYTES_MAX, progress).await?;
    claim
        .check(Digest::of(&bytes))
        .map_err(|source| not_verified(at, source))?;
    Ok(bytes)
}

enum Failure {
    Unverified(VerifyError),
    Store(StoreError),
}

/// The tool, if the store has its component. Damage there is no failure: it is downloaded.
fn from_store(
    store: &Store,
    manifest: Vec<u8>,
    digest: Digest,
    beside: Beside,
) -> Result<Option<Verified>, Failure> {
    let Some(component) = store.component(digest).map_err(Failure::Store)? else {
        return Ok(None);
    };
    let pin = Pin {
        manifest: Digest::of(&manifest),
        component: digest,
    };
    let package = Package {
        manifest,
        component,
        interpreter: beside.interpreter,
        sbom: beside.sbom,
    };
    match Verified::check_pinned(package, &pin) {
        Ok(verified) => {
            store.put_manifest(&verified).map_err(Failure::Store)?;
            Ok(Some(verified))
        }
        Err(VerifyError::DigestMismatch {
            expected, actual, ..
        }) => {
            store.discard(expected, actual).map_err(Failure::Store)?;
            Ok(None)
        }
        Err(source) => Err(Failure::Unverified(source)),
    }
}

/// Runs file work where blocking is allowed.
async fn blocking<T: Send + 'static, E: Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match spawn_blocking(work).await {
        Ok(result) => result,
        // A task that is never aborted ends early only by a panic, which goes on here.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn find<'a>(
    at: &Resolved,
    files: &'a [ListedFile],
    name: &'static str,
) -> Result<&'a ListedFile, ClientError> {
    let found = files.iter().find(|file| file.name == name);
    found.ok_or_else(|| ClientError::FileMissing {
        repo: at.repo.clone(),
        commit: at.commit.clone(),
        file: name,
    })
}

/// A manifest's claims about the other files.
struct Claims {
    component: ComponentClaim,
    interpreter: Option<InterpreterClaim>,
    sbom: Option<SbomClaim>,
}

/// The manifest's claims about the other files. The manifest must be of the version it is tagged
/// as.
fn claims_of(manifest: &[u8], at: &Resolved) -> Result<Claims, ClientError> {
    let refused = |source| not_verified(at, source);
    let manifest = Manifest::from_bytes(manifest).map_err(refused)?;
    if let Some(tagged) = &at.version
        && *tagged != manifest.version
    {
        return Err(ClientError::VersionMismatch {
            repo: at.repo.clone(),
            tagged: tagged.clone(),
            manifest: manifest.version,
        });
    }
    let component = manifest.component;
    let component = component.ok_or_else(|| refused(VerifyError::NoComponentClaim))?;
    Ok(Claims {
        component,
        interpreter: manifest.interpreter,
        sbom: manifest.sbom,
    })
}

fn not_verified(at: &Resolved, source: VerifyError) -> ClientError {
    ClientError::NotVerified {
        repo: at.repo.clone(),
        commit: at.commit.clone(),
        source: Box::new(source),
    }
}

fn pin_mismatch(at: &Resolved, source: VerifyError) -> ClientError {
    ClientError::PinMismatch {
        repo: at.repo.clone(),
        commit: at.commit.clone(),
        source: Box::new(source),
    }
}
