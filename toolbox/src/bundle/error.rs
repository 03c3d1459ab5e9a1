//! The `BundleError`: the ways in which a bundle may not be one, or not what it says it is.

use tool_hub_manifest::{
    DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, Digest, PackageSigner, RepoId, ToolName,
    VerifyError, Version,
};
use url::Url;

use crate::logged_version::error::LogError;

/// A bundle cannot be made or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The file is no bundle, or only a part of one.
    #[error("it is not a whole bundle of tools: {reason}")]
    NotABundle {
        /// The reason.
        reason: String,
    },
    /// The index is of a format that this version does not know, or has a mistake.
    #[error("its bundle.toml cannot be read: {reason}")]
    Index {
        /// The reason.
        reason: String,
    },
    /// It is larger than what is read.
    #[error("it has more than {max} {of}, the limit")]
    TooMuch {
        /// The limit.
        max: u64,
        /// The unit.
        of: &'static str,
    },
    /// A member unpacks to far more than a tool's file does.
    #[error("its member {member} unpacks to more than {max} times its size, the limit")]
    TooDense {
        /// The member.
        member: String,
        /// The limit.
        max: u64,
    },
    /// It has a member that the index does not name.
    #[error("it has a member that its bundle.toml does not name: {member}")]
    Unexpected {
        /// The member.
        member: String,
    },
    /// A member that the index names is not there.
    #[error("its member {member} is missing")]
    Missing {
        /// The member.
        member: String,
    },
    /// A member was changed.
    #[error("its member {member} was changed: it has digest {actual}")]
    Changed {
        /// The member.
        member: String,
        /// The digest of its bytes.
        actual: Digest,
    },
    /// A member was damaged, or is not what it is named for.
    #[error("its member {member} cannot be read: {reason}")]
    Unreadable {
        /// The member.
        member: String,
        /// The reason.
        reason: String,
    },
    /// Two versions of a tool, of which a toolbox has one under its name.
    #[error("it has {repo} twice")]
    Twice {
        /// The tool.
        repo: RepoId,
    },
    /// The files of a package contradict each other.
    #[error("its package of {repo} is not what it claims to be")]
    NotThePackage {
        /// The tool.
        repo: RepoId,
        /// The reason.
        source: VerifyError,
    },
    /// A package is of another version than the index says.
    #[error("its package of {repo} {version} is of version {actual}")]
    OtherVersion {
        /// The tool.
        repo: RepoId,
        /// The version in the index.
        version: Version,
        /// The version in the manifest.
        actual: Version,
    },
    /// A package that is to be bundled has another signer here than the lock says.
    #[error(
        "{repo} is signed by {} as far as this machine can tell, and by {} in toolbox.lock",
        words(actual),
        words(expected)
    )]
    OtherSignerHere {
        /// The tool.
        repo: RepoId,
        /// The signer in the lock.
        expected: Option<Box<PackageSigner>>,
        /// The signer of the package.
        actual: Option<Box<PackageSigner>>,
    },
    /// A package has another signer than the index says.
    #[error(
        "its package of {repo} is signed by {}, and should be by {}",
        words(actual),
        words(expected)
    )]
    OtherSigner {
        /// The tool.
        repo: RepoId,
        /// The signer in the index.
        expected: Option<Box<PackageSigner>>,
        /// The signer.
        actual: Option<Box<PackageSigner>>,
    },
    /// Its records of the registry's log do not hold.
    #[error("what it has of the log of {endpoint} cannot be trusted")]
    Log {
        /// The registry.
        endpoint: Box<Url>,
        /// The reason.
        source: Box<LogError>,
    },
    /// It has no record of the log of a registry that keeps one.
    #[error("it has no record of {repo} {version} of the log of {endpoint}, which keeps one")]
    NotLogged {
        /// The tool.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The registry.
        endpoint: Box<Url>,
    },
    /// The version is younger than the user's release age.
    #[error(
        "its {repo} {version} was published at {published}, and versions are taken when they are {days} days old"
    )]
    TooNew {
        /// The tool.
        repo: RepoId,
        /// The version.
        version: Version,
        /// The time by the registry's log, as RFC 3339.
        published: String,
        /// The release age.
        days: i64,
    },
    /// A tool is of no registry.
    #[error("it can hold no tool that is of no registry")]
    OfNoRegistry,
    /// A tool depends on another one than it has for it.
    #[error("{repo} depends on `{name}`: expected {expected}, found {actual}")]
    OtherDependency {
        /// The tool that depends on it.
        repo: RepoId,
        /// Its name for the other.
        name: ToolName,
        /// The tool that its manifest asks for, if it does.
        expected: String,
        /// The tool that it has, if it has one.
        actual: String,
    },
    /// A tool depends on too many.
    #[error(
        "{repo} has more than {DEPENDENCIES_IN_TREE_MAX} dependencies, or more than {DEPENDENCY_DEPTH_MAX} in a row"
    )]
    TooManyDependencies {
        /// The tool.
        repo: RepoId,
    },
    /// It has no tool of a name.
    #[error("it has no tool called `{name}`")]
    NoSuchTool {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// It would hold no tool.
    #[error("it would hold no tool of a registry")]
    Empty,
}

impl BundleError {
    /// True if it is more than unreadable or misnamed: somebody changed it, or a rule refuses it.
    pub fn is_refusal(&self) -> bool {
        !matches!(
            self,
            Self::NotABundle { .. }
                | Self::Index { .. }
                | Self::NoSuchTool { .. }
                | Self::OfNoRegistry
                | Self::Empty
        )
    }
}

fn words(signer: &Option<Box<PackageSigner>>) -> String {
    match signer {
        Some(signer) => signer.to_string(),
        None => "nobody".to_owned(),
    }
}
