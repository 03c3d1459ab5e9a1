//! The local content-addressed store of verified packages: their files, named by their digests.

mod blob;
mod directories;
mod error;
pub(crate) mod gc;
mod interpreters;
mod known_interpreters;
mod layout;
mod lock;
pub(crate) mod packages;
mod sboms;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tool_hub_manifest::{Digest, Manifest, Package, Pin, Verified, VerifyError, package_file};

use crate::limits::{COMPONENT_BYTES_MAX, MANIFEST_BYTES_MAX};

pub use error::StoreError;

use known_interpreters::KnownInterpreters;
use layout::Layout;
pub(crate) use lock::SharedLock;

/// A directory of files named by their SHA-256 digest.
///
/// Only verified bytes are ever written. A file becomes visible whole or not at all, after a
/// crash at any point too, and every read hashes it again. Many processes may use one store
/// at once. Cloning is cheap.
///
/// Every method blocks on the file system; in asynchronous code call them where blocking is
/// allowed (`tokio::task::spawn_blocking`). [`Client`](crate::Client) does so by itself.
///
/// ```
/// use tool_hub_manifest::{ComponentClaim, Manifest, Package, Version};
/// use tool_hub_registry_client::{Store, StoreError};
///
/// # let scratch = tempfile::tempdir()?;
/// let store = Store::open(scratch.path().join("store"))?;
/// let component = b"component".to_vec();
/// let mut manifest = Manifest::new("demo".parse()?, Version::new(0, 1, 0));
/// manifest.component = Some(ComponentClaim::of(&component));
/// let manifest = manifest.to_toml().into_bytes();
/// let package = Package { manifest, component, interpreter: None, sbom: None };
///
/// let verified = store.put_package(package)?;
/// assert_eq!(store.get(verified.pin())?.component(), b"component");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    layout: Arc<Layout>,
    interpreters: Arc<KnownInterpreters>,
}

impl Store {
    /// Opens the store in `directory`, which is made (for its owner alone, mode 0700) when it
    /// is not there. What a crashed process left half-written is removed.
    ///
    /// # Errors
    /// When the directory cannot be made or written.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let layout = Layout::make(directory.as_ref())?;
        lock::sweep_leftovers(&layout);
        Ok(Self {
            layout: Arc::new(layout),
            interpreters: Arc::default(),
        })
    }

    /// The directory that the store was opened in.
    pub fn directory(&self) -> &Path {
        self.layout.directory()
    }

    /// The tool with these digests. Its files are read once and hashed; an interpreter that is in
    /// memory for another tool is not read again.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when a file is not there, [`StoreError::Damaged`] when its
    /// bytes are not what its name says; it is then set aside, so that the next pull mends
    /// the store. [`StoreError::Unverified`] when both files are intact but the manifest does
    /// not speak of this component.
    pub fn get(&self, pin: &Pin) -> Result<Verified, StoreError> {
        let manifest = blob::read(&self.layout, pin.manifest, MANIFEST_BYTES_MAX)?;
        let package = Package {
            component: blob::read(&self.layout, pin.component, COMPONENT_BYTES_MAX)?,
            interpreter: self.interpreter_named_by(&manifest)?,
            sbom: self.sbom_named_by(&manifest)?,
            manifest,
        };
        // This is the one time that the bytes are hashed; `read` only bounds them.
        match Verified::check_pinned(package, pin) {
            Ok(verified) => Ok(verified),
            Err(VerifyError::DigestMismatch {
                file,
                expected,
                actual,
            }) if expected == pinned(pin, file) => {
                blob::set_aside(&self.layout, expected, actual).and_then(Err)
            }
            Err(source) => Err(StoreError::Unverified {
                pin: pin.digest(),
                source: Box::new(source),
            }),
        }
    }

    /// True if all files are there. They may still prove damaged when they are read.
    pub fn contains(&self, pin: &Pin) -> bool {
        [pin.manifest, pin.component]
            .into_iter()
            .chain(self.digests_beside(pin.manifest))
            .all(|digest| self.layout.blob(digest).is_file())
    }

    /// Verifies `package` and keeps it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] when the bytes are not what the manifest claims, and as
    /// [`Store::put`].
    pub fn put_package(&self, package: Package) -> Result<Verified, StoreError> {
        let verified = Verified::check(package).map_err(|source| StoreError::Refused {
            source: Box::new(source),
        })?;
        self.put(&verified)?;
        Ok(verified)
    }

    /// Keeps a verified tool. What is there already, intact, is not written again; what is
    /// damaged is replaced.
    ///
    /// # Errors
    /// When a file cannot be written, or the store is being cleaned for too long.
    pub fn put(&self, verified: &Verified) -> Result<(), StoreError> {
        let _shared = self.share()?;
        let pin = verified.pin();
        self.put_beside(verified)?;
        blob::write(&self.layout, pin.component, verified.component())?;
        // The manifest comes last: where a manifest is, what it names is.
        blob::write(&self.layout, pin.manifest, verified.manifest_bytes())
    }

    /// Holds off [`Store::gc`], here and in other processes, until it is dropped.
    pub(crate) fn share(&self) -> Result<SharedLock, StoreError> {
        SharedLock::take(&self.layout)
    }

    /// The bytes of one component, not hashed yet; `None` when it is not there. A hit counts
    /// as use: the collector's clock starts anew.
    pub(crate) fn component(&self, digest: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        match blob::read(&self.layout, digest, COMPONENT_BYTES_MAX) {
            Ok(bytes) => {
                blob::touch(&self.layout, digest);
                Ok(Some(bytes))
            }
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(damage @ StoreError::TooLarge { .. }) => {
                tracing::warn!(%damage, "downloading the file again");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps the manifest of a tool whose component came from here.
    pub(crate) fn put_manifest(&self, verified: &Verified) -> Result<(), StoreError> {
        let digest = verified.pin().manifest;
        self.put_beside(verified)?;
        blob::write(&self.layout, digest, verified.manifest_bytes())
    }

    /// Keeps the files that a manifest names beside its component.
    fn put_beside(&self, verified: &Verified) -> Result<(), StoreError> {
        self.put_interpreter(verified)?;
        self.put_sbom(verified)
    }

    /// The digests of the files that the manifest with `digest` names beside its component, if it
    /// is here.
    fn digests_beside(&self, digest: Digest) -> impl Iterator<Item = Digest> {
        let manifest = self.manifest(digest);
        let interpreter = manifest.as_ref().and_then(|it| it.interpreter);
        let sbom = manifest.as_ref().and_then(|it| it.sbom);
        let interpreter = interpreter.map(|claim| claim.sha256);
        interpreter
            .into_iter()
            .chain(sbom.map(|claim| claim.sha256))
    }

    /// The manifest with `digest`, if it is here and can be read.
    fn manifest(&self, digest: Digest) -> Option<Manifest> {
        let bytes = blob::read(&self.layout, digest, MANIFEST_BYTES_MAX).ok()?;
        Manifest::from_bytes(&bytes).ok()
    }

    /// Takes a file out of the way whose bytes have digest `actual`.
    pub(crate) fn discard(&self, digest: Digest, actual: Digest) -> Result<(), StoreError> {
        let damage = blob::set_aside(&self.layout, digest, actual)?;
        tracing::warn!(%damage, "downloading the file again");
        Ok(())
    }

    /// The path of the file with `digest`, which may not exist.
    pub fn path_of(&self, digest: Digest) -> PathBuf {
        self.layout.blob(digest)
    }
}

fn pinned(pin: &Pin, file: &str) -> Digest {
    if file == package_file::MANIFEST {
        pin.manifest
    } else {
        pin.component
    }
}
