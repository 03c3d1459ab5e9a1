//! Pulling: from a commit on a registry to a verified tool in the store.
//!
//! A component is held in memory while it arrives (at most [`COMPONENT_BYTES_MAX`]; whoever
//! loads it needs it there), verified there, and only then written: unverified bytes never
//! touch the disk, so that neither a crash nor a hostile registry leaves any.

use reqwest::header::CONTENT_LENGTH;
use tokio::task::spawn_blocking;
use tool_hub_manifest::{
    CommitId, ComponentClaim, Digest, Manifest, Package, Pin, Verified, VerifyError, package_file,
};

use crate::files::ListedFile;
use crate::limits::{
    CARD_BYTES_MAX, COMPONENT_BYTES_MAX, DOWNLOAD_ATTEMPTS_MAX, MANIFEST_BYTES_MAX,
};
use crate::{Act, Client, ClientError, Progress, Resolved, Silent, Store, StoreError, refusal};

impl Client {
    /// Downloads the tool at a commit, verifies it against its own manifest and keeps it in
    /// `store`. Pulled bytes are inert: pulling is also how a tool is looked at before
    /// anybody approves it. A component that the store has is not downloaded again; of such a
    /// file `progress` hears nothing.
    ///
    /// Only the manifest and the component are kept, as only they are approved and run; the
    /// card is text about them ([`Client::card`]).
    ///
    /// # Errors
    /// [`ClientError::FileMissing`] when the commit is not a tool, [`ClientError::TooLarge`],
    /// [`ClientError::SizeMismatch`], [`ClientError::NotVerified`],
    /// [`ClientError::VersionMismatch`], [`ClientError::Stalled`],
    /// [`ClientError::Store`], and as every question. Nothing is kept then.
    pub async fn pull(
        &self,
        at: &Resolved,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Verified, ClientError> {
        self.pull_expecting(at, None, store, progress).await
    }

    /// As [`Client::pull`], but accepts nothing but the bytes that were pinned for this
    /// commit. What the store has is taken without asking the registry at all.
    ///
    /// # Errors
    /// [`ClientError::PinMismatch`] when the registry has other bytes for the commit, and as
    /// [`Client::pull`].
    pub async fn pull_pinned(
        &self,
        at: &Resolved,
        pin: &Pin,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Verified, ClientError> {
        let (here, wanted) = (store.clone(), *pin);
        match blocking(move || here.get(&wanted)).await {
            Ok(verified) => return Ok(verified),
            Err(StoreError::Missing { .. }) => {}
            Err(damage @ (StoreError::Damaged { .. } | StoreError::TooLarge { .. })) => {
                tracing::warn!(%damage, "pulling the tool again");
            }
            Err(error) => return Err(error.into()),
        }
        self.pull_expecting(at, Some(pin), store, progress).await
    }

    /// The tool's card (`README.md`) at a commit, as text for people: nothing vouches for it,
    /// and it must be escaped before it is shown. Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] above [`CARD_BYTES_MAX`], and as every download.
    pub async fn card(&self, at: &Resolved) -> Result<Option<String>, ClientError> {
        let mut texts = self
            .texts(at, &[package_file::CARD], CARD_BYTES_MAX)
            .await?;
        Ok(texts.pop().map(|(_, text)| text))
    }

    /// Those of `names` that are there at a commit, each with its text: what a model's repository
    /// says of its chat template, say. Nothing vouches for them. Bytes that are not UTF-8 are
    /// replaced.
    ///
    /// # Errors
    /// [`ClientError::TooLarge`] where one has more than `bytes_max`, and as every download.
    pub async fn texts(
        &self,
        at: &Resolved,
        names: &[&'static str],
        bytes_max: u64,
    ) -> Result<Vec<(&'static str, String)>, ClientError> {
        let mut texts = Vec::new();
        for file in self.files_of(at, names).await? {
            let content = self.file(at, &file, bytes_max, &Silent).await?;
            let text = String::from_utf8_lossy(&content).into_owned();
            texts.push((file.name, text));
        }
        Ok(texts)
    }

    async fn pull_expecting(
        &self,
        at: &Resolved,
        pin: Option<&Pin>,
        store: &Store,
        progress: &dyn Progress,
    ) -> Result<Verified, ClientError> {
        let here = store.clone();
        // Held until the end, so that a cleaning cannot take away a component that this pull
        // counts on.
        let shared = blocking(move || here.share()).await?;
        let (manifest, claim, listed) = self.manifest(at, pin, progress).await?;
        let failed = |failure| match failure {
            Failure::Unverified(source) => not_verified(at, source),
            Failure::Store(error) => ClientError::from(error),
        };
        let (here, same_manifest, digest) = (store.clone(), manifest.clone(), claim.sha256);
        let found = blocking(move || from_store(&here, same_manifest, digest));
        if let Some(verified) = found.await.map_err(failed)? {
            return Ok(verified);
        }
        let component = self
            .file(at, &listed, COMPONENT_BYTES_MAX, progress)
            .await?;
        let here = store.clone();
        let kept = blocking(move || {
            let package = Package {
                manifest,
                component,
            };
            let verified = Verified::check(package).map_err(Failure::Unverified)?;
            here.put(&verified).map_err(Failure::Store)?;
            drop(shared);
            Ok(verified)
        });
        kept.await.map_err(failed)
    }

    /// The manifest, what it claims of its component, and the component as it is listed.
    async fn manifest(
        &self,
        at: &Resolved,
        pin: Option<&Pin>,
        progress: &dyn Progress,
    ) -> Result<(Vec<u8>, ComponentClaim, ListedFile), ClientError> {
        let files = self.files(at).await?;
        let listed = find(at, &files, package_file::MANIFEST)?;
        let listed_component = find(at, &files, package_file::COMPONENT)?;
        let manifest = self.file(at, listed, MANIFEST_BYTES_MAX, progress).await?;
        let claim = claim_of(&manifest, at)?;
        if let Some(pin) = pin {
            same(package_file::MANIFEST, pin.manifest, Digest::of(&manifest))
                .and_then(|()| same(package_file::COMPONENT, pin.component, claim.sha256))
                .map_err(|source| pin_mismatch(at, source))?;
        }
        agrees(&claim, listed_component).map_err(|source| not_verified(at, source))?;
        Ok((manifest, claim, listed_component.clone()))
    }

    /// Downloads one file whole. A download that breaks off begins anew, from its beginning:
    /// the file may have changed meanwhile.
    pub(crate) async fn file(
        &self,
        at: &Resolved,
        file: &ListedFile,
        bytes_max: u64,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, ClientError> {
        let act = Act::Download(at.repo.clone(), file.name);
        if file.bytes > bytes_max {
            return Err(ClientError::TooLarge { act, bytes_max });
        }
        let mut attempt = 1;
        loop {
            progress.started(file.name, file.bytes);
            match self.file_once(&act, at, file, progress).await {
                Ok(content) => {
                    progress.finished(file.name);
                    return Ok(content);
                }
                Err(error @ ClientError::Broken { .. }) if attempt < DOWNLOAD_ATTEMPTS_MAX => {
                    tracing::debug!(%error, attempt, "starting the download again");
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn file_once(
        &self,
        act: &Act,
        at: &Resolved,
        file: &ListedFile,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, ClientError> {
        let wrong_size = |actual| ClientError::SizeMismatch {
            act: act.clone(),
            expected: file.bytes,
            actual,
        };
        let place = ["resolve", at.commit.as_str(), file.name];
        let url = self.wire().page_of(&at.repo, &place);
        let response = self.wire().download(act, url).await?;
        let headers = response.headers();
        // The ETag is not looked at: here a file's name is the digest of its bytes.
        if let Some(told) = headers.get("x-repo-commit") {
            let told = refusal::commit(act, &String::from_utf8_lossy(told.as_bytes()))?;
            of_the_commit(act, &at.commit, &told)?;
        }
        let announced = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
        if let Some(announced) = announced.and_then(|text| text.parse().ok())
            && announced != file.bytes
        {
            return Err(wrong_size(announced));
        }
        let content = self
            .wire()
            .body(act, response, file.bytes, |bytes| {
                progress.advanced(file.name, bytes);
            })
            .await;
        match content {
            Ok(content) if content.len() as u64 == file.bytes => Ok(content),
            Ok(content) => Err(wrong_size(content.len() as u64)),
            Err(ClientError::TooLarge { .. }) => Err(wrong_size(file.bytes + 1)),
            Err(error) => Err(error),
        }
    }
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

/// What the manifest says of its component, and that it is of the version it is tagged as.
fn claim_of(manifest: &[u8], at: &Resolved) -> Result<ComponentClaim, ClientError> {
    let refused = |source| not_verified(at, source);
    let text = std::str::from_utf8(manifest).map_err(|_| refused(VerifyError::NotText))?;
    let manifest: Manifest = text
        .parse()
        .map_err(|error| refused(VerifyError::from(error)))?;
    if let Some(tagged) = &at.version
        && *tagged != manifest.version
    {
        return Err(ClientError::VersionMismatch {
            repo: at.repo.clone(),
            tagged: tagged.clone(),
            manifest: manifest.version,
        });
    }
    manifest
        .component
        .ok_or_else(|| refused(VerifyError::NoComponentClaim))
}

/// Whether the registry's list can be true if the manifest is. Saves the download when not.
fn agrees(claim: &ComponentClaim, listed: &ListedFile) -> Result<(), VerifyError> {
    if claim.bytes != listed.bytes {
        return Err(VerifyError::SizeMismatch {
            expected: claim.bytes,
            actual: listed.bytes,
        });
    }
    let digest = listed.digest.unwrap_or(claim.sha256);
    same(package_file::COMPONENT, claim.sha256, digest)
}

fn same(file: &'static str, expected: Digest, actual: Digest) -> Result<(), VerifyError> {
    if expected == actual {
        return Ok(());
    }
    Err(VerifyError::DigestMismatch {
        file,
        expected,
        actual,
    })
}

fn of_the_commit(act: &Act, asked: &CommitId, told: &CommitId) -> Result<(), ClientError> {
    if asked == told {
        return Ok(());
    }
    Err(refusal::nonsense(act, &format!("it is of commit {told}")))
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
