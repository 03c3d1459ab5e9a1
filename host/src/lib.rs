//! The host: inspects, approves and loads tools, and runs their functions in a sandbox.
//!
//! A tool is a WebAssembly component and a manifest. [`inspect`] holds what the manifest
//! claims against what the bytes really import and export; [`Inspection::approve`] turns
//! the consent of a person into an [`Approved`]; [`Host::load`] takes nothing else;
//! [`Tool::call`] runs one function in a fresh sandbox and returns an [`Outcome`].
//!
//! ```
//! use tool_hub_host::{Host, HostConfig, Outcome, authoring, inspect};
//! use tool_hub_manifest::{Grants, Package, Verified};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let component = wat::parse_str(r#"
//!     (component
//!         (core module $m
//!             (func (export "add") (param i32 i32) (result i32)
//!                 (i32.add (local.get 0) (local.get 1))))
//!         (core instance $i (instantiate $m))
//!         (func (export "add") (param "a" u32) (param "b" u32) (result u32)
//!             (canon lift (core func $i "add"))))
//! "#)?;
//! let manifest = authoring::derive_manifest(&component, "adder".parse()?)?;
//! let manifest = manifest.to_toml().into_bytes();
//! let package = Package { manifest, component, interpreter: None, sbom: None };
//!
//! let inspection = inspect(&Verified::check(package)?)?;
//! let approved = inspection.approve(Grants::none())?;
//! let tool = Host::new(HostConfig::new())?.load(approved).await?;
//! match tool.call("add", r#"{"a": 20, "b": 22}"#).await {
//!     Outcome::Reply(reply) => assert_eq!(reply.text(), "42"),
//!     Outcome::Failure(failure) => panic!("{failure}"),
//! }
//! # Ok(())
//! # }
//! ```

pub mod authoring;

mod approval;
mod call;
mod compilation;
mod component;
mod config;
mod credential;
mod credential_source;
mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod imports;
mod interaction;
mod linker;
mod load_event;
mod offerings;
mod program;
mod recording;
mod runtime;
mod secret;
mod server;
mod storage;
mod tool;
mod values;

pub use approval::approved::Approved;
pub use approval::denial::RequiredGrant;
pub use approval::inspection::capability::InspectedCapability;
pub use approval::inspection::imports::{ImportAccess, ImportEffect, InspectedImport};
pub use approval::inspection::producers::Producer;
pub use approval::inspection::{
    InspectedInterpreter, Inspection, inspect, inspect_with_dependencies,
};
pub use approval::terms::{Change, ChangeKind, Terms};
pub use call::admission::caller::CallerKey;
pub use call::confirmation::{CONFIRMATION_KEY, CONFIRMED};
pub use compilation::cache::eviction::EvictedFiles;
pub use compilation::compiler::Compiler;
pub use compilation::compiler::child::compile_for_parent;
pub use compilation::compiler::confinement::Confinement;
pub use compilation::compiler::limits::CompileLimits;
pub use compilation::compiler::process::CompilerProcess;
pub use compilation::trap_signals::SignalHandlers;
pub use component::function::{CallableFunction, CallableInput, NotCallable};
pub use component::packages::{
    HashAlgorithm, IncludedPackage, PackageHash, PackageOrigin, PackageRegistry,
};
pub use config::{ComponentAsync, HostConfig};
pub use credential_source::{CredentialSource, CredentialValue, NoValue};
pub use error::HostError;
pub use error::refusal::Refusal;
pub use host::Host;
pub use interaction::usage::Usage;
pub use interaction::{
    Answer, Interaction, LogEntry, LogLevel, Nobody, Output, Progress, ToolboxFunction,
};
pub use load_event::LoadEvent;
pub use offerings::prompt::{Prompt, PromptArgument, PromptMessage};
pub use offerings::resource::{ResourceEntry, ResourceTemplate};
pub use offerings::uri_template::UriTemplate;
pub use recording::{HttpDecision, HttpRecorder, RecordedRequest, RecordedResponse};
pub use server::connection::{ApprovedServer, ServerCall, ServerConnection, ServerConnector};
pub use server::inspection::inspect_server;
pub use storage::Storage;
pub use tool::Tool;
pub use tool_hub_manifest::contract::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome,
    Question, Reply, ResourceContents, ResourceLink, Role,
};
