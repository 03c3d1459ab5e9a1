//! The `SigningKeyError`: a key that signs packages, or verifies them, cannot be used.

use std::path::PathBuf;

use tool_hub_manifest::KeyName;
use tool_hub_signing::SigningError;

/// A key cannot be kept, found or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SigningKeyError {
    /// A file holds no key that signs packages, or verifies their signatures.
    #[error("{} cannot be used as a key", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: SigningError,
    },
    /// Others than its owner may read a private key.
    #[error("{} can be read by others than you, so the key in it is not used", path.display())]
    OpenToOthers {
        /// The file.
        path: PathBuf,
    },
    /// There is no key of a name.
    #[error("there is no key called `{name}`")]
    NotFound {
        /// The name.
        name: KeyName,
        /// The names that there are.
        known: Vec<KeyName>,
    },
    /// The name of a root is given for that of a key.
    #[error("`{name}` is a root, which vouches for others' keys and is none")]
    IsRoot {
        /// The name.
        name: KeyName,
    },
    /// A name has a key already, or a key a name.
    #[error("there is a key called `{name}` already")]
    Exists {
        /// The name.
        name: KeyName,
    },
    /// A key is somebody else's, and only its public half is here.
    #[error("`{name}` is somebody else's key, which cannot sign here")]
    CannotSign {
        /// The name.
        name: KeyName,
    },
}
