//! The `StoreError` type: a file is missing, damaged, too large or refused, or the store is busy.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tool_hub_manifest::{Digest, VerifyError};

/// The store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {act} {}", path.display())]
    Io {
        /// The attempted action, such as `write`.
        act: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The store has no file with this digest. Pulling the tool brings it.
    #[error("the store has no file {digest}")]
    Missing {
        /// The digest.
        digest: Digest,
    },
    /// The bytes of a file are not what its name says: the disk failed or somebody changed
    /// them. The file was set aside; pulling the tool again mends the store.
    #[error("{digest} in the store is damaged: its bytes have digest {actual}; it was moved to {}", moved_to.display())]
    Damaged {
        /// The digest that names the file.
        digest: Digest,
        /// The digest of its bytes.
        actual: Digest,
        /// The path of the damaged file, until the next cleaning.
        moved_to: PathBuf,
    },
    /// A file is larger than any that the store keeps. It was set aside unread.
    #[error("{digest} in the store has {bytes} bytes, at most {bytes_max} are read; it was moved to {}", moved_to.display())]
    TooLarge {
        /// The digest that names the file.
        digest: Digest,
        /// Its size.
        bytes: u64,
        /// The bound.
        bytes_max: u64,
        /// The path of the file, until the next cleaning.
        moved_to: PathBuf,
    },
    /// Both files are intact, but they do not belong together.
    #[error("the files that {pin} names do not make one tool")]
    Unverified {
        /// The digest over both: [`tool_hub_manifest::Pin::digest`].
        pin: Digest,
        /// The difference.
        #[source]
        source: Box<VerifyError>,
    },
    /// A package was not kept, because its bytes are not what its manifest claims.
    #[error("the package is not what its manifest claims, it was not kept")]
    Refused {
        /// The difference.
        #[source]
        source: Box<VerifyError>,
    },
    /// Another process uses the store in a way that excludes this one, and did not end.
    #[error("the store {} was busy for {waited:?}", directory.display())]
    Busy {
        /// The store's directory.
        directory: PathBuf,
        /// The time that it was waited for.
        waited: Duration,
    },
}

impl StoreError {
    /// True if a rule refuses what is in the store, and it is not only missing, busy or unreadable.
    pub fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::Io { .. } | Self::Missing { .. } | Self::Busy { .. }
        )
    }

    pub(crate) fn io(
        act: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { act, path, source }
    }
}
