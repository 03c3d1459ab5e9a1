//! The `Error` type: a tool could not be found, approved or loaded. Calls do not fail this way.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use tool_hub_host::HostError;
use tool_hub_manifest::{Digest, NameError, ReferenceError, SpecError, VerifyError};
use tool_hub_registry_client::{ClientError, StoreError};
use tool_hub_serve::CatalogueError;

/// Finding, inspecting, approving or loading a tool failed. What goes wrong in a call is an
/// [`Outcome`](tool_hub_host::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The host refuses the tool, or cannot load it.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The registry does not answer as hoped.
    #[error(transparent)]
    Registry(#[from] ClientError),
    /// The store of packages cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The functions cannot be offered together.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A function cannot be offered under its name.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The text names no tool.
    #[error("`{text}` names no tool")]
    NotAReference {
        /// The text.
        text: String,
        /// The rule that it breaks.
        source: ReferenceError,
    },
    /// The text names no repo.
    #[error("this is no repo to publish to")]
    NotARepo {
        /// The rule that it breaks.
        source: NameError,
    },
    /// There is no package at a path.
    #[error("{} holds no built package", .path.display())]
    NoPackage {
        /// The path.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A package is not what it claims to be.
    #[error("the package in {} is not what it claims to be", .path.display())]
    NotVerified {
        /// The package's place.
        path: PathBuf,
        /// The disagreement.
        source: VerifyError,
    },
    /// A variable of the caller's cannot be used.
    #[error("{name} cannot be used: {reason}")]
    Variable {
        /// The variable.
        name: &'static str,
        /// The reason. It does not repeat the value.
        reason: String,
    },
    /// The approval names another tool, or another version of this one.
    #[error("the approval names {approved}, but this is {actual}")]
    OtherDigest {
        /// The digest in the approval.
        approved: String,
        /// The tool's own.
        actual: Digest,
    },
    /// Approvals have to be signed, and one that a program makes is not.
    #[error(
        "{} requires approvals to be signed, and one that is made in a program has no signature",
        .place.display()
    )]
    SignatureRequired {
        /// The file with the requirement.
        place: PathBuf,
    },
    /// The grants are not written as grants are.
    #[error("the grants cannot be read: {reason}")]
    Grants {
        /// The mistake.
        reason: String,
    },
    /// A directory is to be granted, which nobody checked for what is dangerous to give away.
    #[error("directory `{name}` is not granted: a program cannot grant directories")]
    Directory {
        /// The guest's name for it.
        name: String,
    },
    /// The runtime could not be started.
    #[error("the threads that run tools could not be started")]
    Runtime {
        /// The cause.
        source: io::Error,
    },
}

/// The kind of an error, for languages that have a class for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A policy refuses: a digest, an approval, a limit.
    Refused,
    /// A registry, or the way there.
    Registry,
    /// Something that the caller can mend.
    Other,
}

impl Error {
    pub(crate) fn not_a_reference(text: &str, source: ReferenceError) -> Self {
        Self::NotAReference {
            text: text.to_owned(),
            source,
        }
    }

    pub(crate) fn variable(name: &'static str, reason: String) -> Self {
        Self::Variable { name, reason }
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Host(
                HostError::Refused { .. }
                | HostError::TooBig { .. }
                | HostError::NeedsTooMuch { .. }
                | HostError::NeedsFeature { .. }
                | HostError::CompileLimit { .. }
                | HostError::Grants(_)
                | HostError::Directory { .. },
            )
            | Self::Registry(
                ClientError::NotVerified { .. }
                | ClientError::PinMismatch { .. }
                | ClientError::VersionMismatch { .. }
                | ClientError::SizeMismatch { .. }
                | ClientError::TooLarge { .. }
                | ClientError::RepoMoved { .. },
            )
            | Self::NotVerified { .. }
            | Self::OtherDigest { .. }
            | Self::SignatureRequired { .. }
            | Self::Directory { .. } => ErrorKind::Refused,
            Self::Registry(_) => ErrorKind::Registry,
            _ => ErrorKind::Other,
        }
    }

    /// What to do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotARepo { .. } => "write owner/name",
            Self::NotAReference { .. } => "write owner/name, owner/name@1.2.0, or ./a/path",
            Self::NoPackage { path } if path.exists() => "build it first: tool build",
            Self::NoPackage { .. } => "look at the path",
            Self::OtherDigest { .. } => {
                "inspect the tool again and approve the digest that the inspection shows"
            }
            Self::SignatureRequired { .. } => {
                "load the tool into a toolbox, which asks for the signature: tool load"
            }
            Self::Directory { .. } => {
                "load the tool into a toolbox, where directories are checked: tool load"
            }
            Self::Grants { .. } => {
                "write for example {\"network\": [\"https://api.example\"], \"storage\": true}"
            }
            Self::Host(HostError::Grants(_)) => {
                "grant no more than the inspection's capabilities say"
            }
            Self::Registry(ClientError::RepoNotFound { .. }) => {
                "look at the name, and set HF_TOKEN if it is private"
            }
            Self::Registry(ClientError::TokenMissing { .. } | ClientError::TokenRefused { .. }) => {
                "set HF_TOKEN to a token of that registry, and HF_ENDPOINT to its URL"
            }
            Self::Registry(ClientError::Unreachable { .. }) => {
                "check the network, or name another registry with HF_ENDPOINT"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// The error and its causes on one line.
    pub fn text(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        text
    }
}
