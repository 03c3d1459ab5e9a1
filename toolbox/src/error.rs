//! The `Error` of this crate, a variant for each failure or refusal.

mod refusal;

use std::path::PathBuf;

use tool_hub_host::{Change, HostError};
use tool_hub_manifest::{
    Access, AddressError, DEPENDENCIES_IN_TREE_MAX, DEPENDENCY_DEPTH_MAX, DirectoryName,
    DocumentError, FunctionName, Origin, ReferenceError, RepoId, ServerAddress, SpecError, ToolKey,
    ToolName, VariableName, VerifyError, Version,
};
use tool_hub_registry_client::{COMPONENT_BYTES_MAX, ClientError, StoreError, TokenError};
use tool_hub_signing::SigningError;
use url::Url;

use crate::advisories::{advisory::RefusedVersion, error::AdvisoryError};
use crate::approvals::signer_error::SignerError;
use crate::bundle::error::BundleError;
use crate::evidence::Evidence;
use crate::keyless::error::KeylessError;
use crate::keyring_item::KeyringError;
use crate::log_writer::error::LogWriterError;
use crate::logged_version::error::LogError;
use crate::malicious_version::MaliciousVersion;
use crate::not_approved::NotApproved;
use crate::oauth::SignInError;
use crate::other_maker::OtherMaker;
use crate::policy::error::PolicyError;
use crate::sensitive::finding::Finding;
use crate::signing_keys::error::SigningKeyError;

/// Reasons why a toolbox cannot be read, changed or used. Messages leave commands to the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, or is none that is read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A value cannot be written as TOML.
    #[error("{} cannot be written", path.display())]
    Serialize {
        /// The file that would hold it.
        path: PathBuf,
        /// The reason.
        source: Box<toml_edit::ser::Error>,
    },
    /// The keyring has no credentials, or takes none.
    #[error("the credentials cannot be read or kept")]
    Keyring(#[from] KeyringError),
    /// Nobody is signed in at a service.
    #[error("nobody is signed in at {origin}")]
    SignIn {
        /// The service.
        origin: Origin,
        /// The reason.
        source: SignInError,
    },
    /// A file that keeps other processes out cannot be locked.
    #[error("{} cannot be locked", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file would be written outside of the directory that it belongs to.
    #[error("{} leads out of {} through a link, to {}", path.display(), root.display(), target.display())]
    LeadsOut {
        /// The file as it was named.
        path: PathBuf,
        /// The directory.
        root: PathBuf,
        /// The place that the link leads to.
        target: PathBuf,
    },
    /// A text or a list of words names no MCP server.
    #[error(transparent)]
    ServerAddress(#[from] AddressError),
    /// An MCP server was named where only a package is taken: it has to be started first.
    #[error("{address} is an MCP server, and cannot be used here")]
    ServerNotHere {
        /// The server.
        address: ServerAddress,
    },
    /// A file of settings is no TOML, or has other keys than there are.
    #[error("{} cannot be read", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<toml_edit::de::Error>,
    },
    /// No variable says where the user's home directory is.
    #[error("the home directory cannot be found")]
    NoHome,
    /// The value of a variable is no URL.
    #[error("{variable} is not a URL")]
    NotAUrl {
        /// The variable.
        variable: &'static str,
        /// The reason.
        source: url::ParseError,
    },
    /// The value of a variable is no token.
    #[error("{variable} cannot be used as a token")]
    NotAToken {
        /// The variable.
        variable: &'static str,
        /// The reason.
        source: TokenError,
    },
    /// A file holds something else than a token.
    #[error("{} holds no token", path.display())]
    NoToken {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: TokenError,
    },
    /// A file has something for a registry that is not a token.
    #[error("{} holds no token for {endpoint}", path.display())]
    NoTokenFor {
        /// The file.
        path: PathBuf,
        /// The registry.
        endpoint: Box<Url>,
        /// The reason.
        source: TokenError,
    },
    /// The file that holds the value of a granted variable cannot be read.
    #[error("{name}_FILE cannot be read: {}", path.display())]
    VariableFile {
        /// The variable.
        name: VariableName,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// There is no toolbox in the directory that was named.
    #[error("there is no toolbox.toml in {}", directory.display())]
    NoToolbox {
        /// The directory.
        directory: PathBuf,
    },
    /// A toolbox is none.
    #[error("{} cannot be used", path.display())]
    Toolbox {
        /// The toolbox.
        path: PathBuf,
        /// The reason.
        source: DocumentError,
    },
    /// A lock is none, or contradicts itself.
    #[error("{} cannot be trusted", path.display())]
    UntrustedLock {
        /// The lock.
        path: PathBuf,
        /// The reason.
        source: DocumentError,
    },
    /// A toolbox cannot be edited.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The toolbox has no tool of a name.
    #[error("there is no tool called `{name}` in {}", path.display())]
    NoSuchTool {
        /// The name.
        name: String,
        /// The toolbox.
        path: PathBuf,
        /// The names that there are.
        known: Vec<ToolKey>,
    },
    /// The toolbox has no tool and no function of a name.
    #[error("the toolbox has no tool and no function `{name}`")]
    NoSuchFunction {
        /// The name.
        name: String,
        /// The functions that there are, as agents see them.
        known: Vec<String>,
    },
    /// One tool was named twice.
    #[error("the tool `{key}` is named twice")]
    NamedTwice {
        /// The tool.
        key: ToolKey,
    },
    /// The user did not approve a tool as the toolbox and its lock have it.
    #[error("`{key}` {}", why.as_str())]
    NotApproved {
        /// The tool.
        key: ToolKey,
        /// The place that the toolbox takes it from, with the versions that it allows.
        origin: String,
        /// The reason.
        why: NotApproved,
    },
    /// An approval has no signature where one is required.
    #[error("`{key}` is not approved with a signature of {keys}, which {} requires", place.display())]
    NotSigned {
        /// The tool.
        key: ToolKey,
        /// The place that the toolbox takes it from, with the versions that it allows.
        origin: String,
        /// The fingerprints of the keys that can sign.
        keys: String,
        /// The file with the requirement.
        place: PathBuf,
    },
    /// The approved version attacks its users, as its owner says.
    #[error("{0}")]
    Malicious(Box<MaliciousVersion>),
    /// An advisory says that the version must not be used, and the user did not allow it.
    #[error("{0}")]
    Advised(Box<RefusedVersion>),
    /// A policy lets nothing happen.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A source of advisories cannot be read.
    #[error(transparent)]
    Advisories(#[from] AdvisoryError),
    /// The toolbox has other texts for agents than the user approved.
    #[error("`{key}` has texts for agents that differ from those you approved:\n{}", crate::difference::lines(changes).join("\n"))]
    TextsChanged {
        /// The tool.
        key: ToolKey,
        /// The differences.
        changes: Vec<Change>,
    },
    /// The toolbox has texts for a function that there is not.
    #[error("{} describes `{function}`, a function that `{key}` does not have", path.display())]
    UnknownFunction {
        /// The toolbox.
        path: PathBuf,
        /// The tool.
        key: ToolKey,
        /// The function.
        function: FunctionName,
        /// The functions that the tool has.
        known: Vec<FunctionName>,
    },
    /// A tool that another depends on cannot be had.
    #[error("`{name}`, on which `{of}` depends, cannot be had")]
    Dependency {
        /// The name that the other has for it.
        name: ToolName,
        /// The other.
        of: ToolName,
        /// The reason.
        source: Box<Error>,
    },
    /// Tools depend on each other in a circle.
    #[error("these tools depend on each other in a circle: {path}")]
    DependencyCycle {
        /// The tools on the way, from the one that was named.
        path: String,
    },
    /// A tool depends on too many others, or on too many in a row.
    #[error(
        "`{name}`, on which `{of}` depends, is one too many: a tool depends on at most {DEPENDENCIES_IN_TREE_MAX} others, and on at most {DEPENDENCY_DEPTH_MAX} in a row"
    )]
    TooManyDependencies {
        /// The dependency at which the limit was reached.
        name: ToolName,
        /// The tool that depends on it.
        of: ToolName,
    },
    /// A tool of the toolbox cannot be loaded.
    #[error("`{key}` cannot be loaded")]
    NotLoaded {
        /// The tool.
        key: ToolKey,
        /// The reason.
        source: Box<Error>,
    },
    /// No required key signed an approval.
    #[error("no signature by {keys}, which {} requires", place.display())]
    NoSignature {
        /// The fingerprints of the keys that can sign.
        keys: String,
        /// The file with the requirement.
        place: PathBuf,
    },
    /// Something leaves no record that could be signed, where approvals have to be signed.
    #[error("{} requires approvals to be signed, and {act} has none", place.display())]
    Unrecorded {
        /// What was to be done.
        act: String,
        /// The file with the requirement.
        place: PathBuf,
    },
    /// Signatures are required already.
    #[error("{} already requires signatures by {keys}", place.display())]
    AlreadyRequired {
        /// The fingerprints of the keys that can sign.
        keys: String,
        /// The file with the requirement.
        place: PathBuf,
    },
    /// No signature is required.
    #[error("no signature is required on approvals, so there is nothing to release")]
    NothingRequired,
    /// The machine's administrator requires signatures.
    #[error("{} requires signatures for all users of this machine", place.display())]
    RequiredBySystem {
        /// The file with the requirement.
        place: PathBuf,
    },
    /// Others than root can change the machine's requirement.
    #[error("{} can be changed by users other than root, so it cannot be trusted", path.display())]
    NotRoots {
        /// The file or directory.
        path: PathBuf,
    },
    /// The machine's requirement lists no key.
    #[error("{} lists no key, so no approval is valid", place.display())]
    NoSigner {
        /// The file with the requirement.
        place: PathBuf,
    },
    /// A file holds no public key whose signatures can be verified.
    #[error("{} is not a supported SSH public key: {reason}", path.display())]
    NotAPublicKey {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: SignerError,
    },
    /// The signature of a package, or an attestation, is wrong.
    #[error("the {evidence} of {subject} does not count")]
    WrongSignature {
        /// Its kind.
        evidence: Evidence,
        /// The package.
        subject: String,
        /// The reason.
        source: SigningError,
    },
    /// Every version that is meant is younger than the user's release age.
    #[error(
        "{repo} {version} was published at {published}, and versions are taken when they are {days} days old"
    )]
    TooNew {
        /// The repo.
        repo: RepoId,
        /// The newest of them.
        version: Version,
        /// The time by the registry's log, as RFC 3339.
        published: String,
        /// The release age.
        days: i64,
    },
    /// A repo shows no version, on a registry whose log has the versions.
    #[error(
        "{repo} shows no version, and the log of its registry does not cover the branch `main`"
    )]
    NoVersion {
        /// The repo.
        repo: RepoId,
    },
    /// The transparency log of a registry cannot be believed.
    #[error("the log of {endpoint} cannot be trusted")]
    Log {
        /// The registry.
        endpoint: Box<Url>,
        /// The file that holds what was seen of it before.
        file: PathBuf,
        /// The reason.
        source: Box<LogError>,
    },
    /// A bundle cannot be made or used.
    #[error("the bundle {} cannot be used", path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<BundleError>,
    },
    /// A key that signs packages cannot be used.
    #[error(transparent)]
    SigningKey(#[from] SigningKeyError),
    /// A Sigstore made no keyless signature.
    #[error(transparent)]
    Keyless(#[from] KeylessError),
    /// A log in a data set cannot be gone on with.
    #[error(transparent)]
    LogWriter(#[from] LogWriterError),
    /// A text names no tool.
    #[error("`{text}` names no tool")]
    NotAReference {
        /// The text.
        text: String,
        /// The URL, if it is one.
        address: Option<Box<Url>>,
        /// The file or directory of that name, if there is one.
        there: Option<PathBuf>,
        /// The reason.
        source: ReferenceError,
    },
    /// There is nothing at a path.
    #[error("there is no {}", path.display())]
    NothingThere {
        /// The path.
        path: PathBuf,
    },
    /// There is no component at a path.
    #[error("{} cannot be read", path.display())]
    NoComponent {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A component is longer than is accepted.
    #[error("{} is too large: a component has at most {COMPONENT_BYTES_MAX} bytes", path.display())]
    ComponentTooLarge {
        /// The component.
        path: PathBuf,
    },
    /// A directory holds no finished package.
    #[error("{} holds no built package", directory.display())]
    NotBuilt {
        /// The directory.
        directory: PathBuf,
    },
    /// No manifest can be derived for a component.
    #[error("{} cannot be used as a tool", path.display())]
    NotATool {
        /// The component.
        path: PathBuf,
        /// The reason.
        source: HostError,
    },
    /// The files of a package contradict each other.
    #[error("the package in {} is not what it claims to be", directory.display())]
    NotThePackage {
        /// The package.
        directory: PathBuf,
        /// The reason.
        source: VerifyError,
    },
    /// A component is not what its derived manifest claims.
    #[error(transparent)]
    NotVerified(#[from] VerifyError),
    /// A directory is too dangerous to give to a tool.
    #[error("{} is not granted as `{name}` ({access}): {}", path.display(), findings.first().map_or("", Finding::says))]
    DangerousDirectory {
        /// The tool's name for it.
        name: DirectoryName,
        /// The directory.
        path: PathBuf,
        /// The access that it was to be granted with.
        access: Access,
        /// The dangers that were not accepted, the gravest first; at least one.
        findings: Vec<Finding>,
    },
    /// The user accepts a danger that there is not.
    #[error("no granted directory is refused because of {}", place.display())]
    InsistedInVain {
        /// The place as the user wrote it.
        place: PathBuf,
    },
    /// The time of an approval cannot be written.
    #[error("the time cannot be written")]
    Time(#[from] time::error::Format),
    /// A function's name for agents is too long.
    #[error(transparent)]
    Name(#[from] SpecError),
    /// Somebody else made the tool than what was approved.
    #[error(transparent)]
    OtherMaker(#[from] Box<OtherMaker>),
    /// The registry's client.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The store of packages.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox.
    #[error(transparent)]
    Host(#[from] HostError),
}
