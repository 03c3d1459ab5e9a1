//! Types that the crates share: manifests, names, digests, grants, limits, toolboxes, outcomes.
//!
//! This crate is pure: it opens no file, no socket, no component. What it parses, it parses
//! from text that the caller holds; what it writes, it returns as text.
//!
//! ```
//! use tool_hub_manifest::{Manifest, ToolRef};
//!
//! let manifest: Manifest = r#"
//!     schema = 1
//!     name = "text-stats"
//!     version = "0.1.0"
//!     description = "Counts words."
//! "#.parse()?;
//! assert_eq!(manifest.name.as_str(), "text-stats");
//!
//! let reference: ToolRef = "demo/text-stats@^0.1".parse()?;
//! assert_eq!(reference.repo.owner(), "demo");
//!
//! let error = "schema = 1\nnmae = \"x\"".parse::<Manifest>().unwrap_err();
//! assert_eq!((error.line, error.column), (2, 1));
//! assert_eq!(error.nearest.as_deref(), Some("name"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advisory_id;
mod capability;
mod claimed_signer;
mod confirmation;
pub mod contract;
mod credential;
mod dependency;
mod digest;
mod document;
mod export_name;
mod function;
mod function_spec;
mod grant_tree;
mod grants;
mod icon;
mod interpreter;
mod key_fingerprint;
mod limits;
mod lock;
mod loopback;
mod manifest;
mod name;
mod network;
mod oauth_client;
mod origin;
pub mod package_file;
mod package_signer;
mod reference;
mod releases;
mod sbom;
mod schema_text;
mod server;
mod string_conversions;
mod toolbox;
mod value_type;
mod verified;

pub use advisory_id::AdvisoryId;
pub use capability::{Access, Capabilities, DirectoryRequest, StorageRequest, VariableRequest};
pub use claimed_signer::{ClaimedIdentity, ClaimedSigner};
pub use confirmation::Confirmation;
pub use credential::{CredentialPlace, CredentialRequest, HeaderTemplate};
pub use dependency::{
    DEPENDENCIES_IN_TREE_MAX, DEPENDENCIES_MAX, DEPENDENCY_DEPTH_MAX, DependencyRequest,
    digest_with_dependencies,
};
pub use digest::{Digest, DigestError, Hasher};
pub use document::DocumentError;
pub use export_name::{ExportError, ExportName};
pub use function::{Function, Input, Members, Output};
pub use function_spec::{Annotations, FunctionSpec, SpecError, visible_name};
pub use grant_tree::GrantTree;
pub use grants::{DirectoryGrant, GrantError, Grants};
pub use icon::{Icon, IconError};
pub use interpreter::{Interpreter, InterpreterClaim, WeakInterpreter};
pub use key_fingerprint::{FingerprintError, KeyFingerprint};
pub use limits::{CallLimits, LimitRequest, Limits};
pub use lock::{Approval, Consent, Lock, LockedTool, LogEntry, Source};
pub use loopback::is_this_machine;
pub use manifest::{Build, ComponentClaim, Language, Manifest};
pub use name::{
    ArgumentName, DirectoryName, FunctionName, KeyName, NameError, ToolKey, ToolName, VariableName,
};
pub use network::{Method, MethodError, Methods, Network};
pub use oauth_client::OAuthClient;
pub use origin::{Origin, OriginError};
pub use package_signer::{PackageSigner, SignerError, SignerIdentity};
pub use reference::{CommitId, ReferenceError, RepoId, Revision, ToolRef};
pub use releases::{
    Deprecation, RELEASES_BYTES_MAX, Reason, ReasonError, Releases, Severity, Yank,
};
pub use sbom::SbomClaim;
pub use schema_text::{SchemaError, SchemaText};
pub use semver::{Version, VersionReq};
pub use server::address::{AddressError, ServerAddress, ServerCommand, ServerUrl};
pub use server::description::{
    DescriptionError, RefusedServerTool, SERVER_DESCRIPTION_BYTES_MAX, SERVER_TOOLS_MAX,
    ServerDescription, ServerFile, ServerPackage, ServerPackageRegistry, ServerPackages,
    ServerProcess, ServerStart, ServerTool, function_name_of,
};
pub use toolbox::{FunctionOverride, GrantOverride, Overrides, Toolbox, ToolboxEntry};
pub use value_type::ValueType;
pub use verified::{Package, Pin, Verified, VerifyError};
