//! The sandbox of tool-hub: verified bytes and grants go in, outcomes come out.
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
//! let package = Package { manifest: manifest.to_toml().into_bytes(), component };
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

mod admission;
mod ahead;
mod approved;
mod beside;
mod cache;
mod call;
mod claims;
mod code;
mod compiler;
mod config;
mod directories;
mod engine;
mod error;
mod exports;
mod function;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod grant;
mod host;
mod http;
mod inspection;
mod interaction;
mod json;
mod members;
mod needs;
mod plan;
mod processors;
mod prompt;
mod resource;
mod scan;
mod schema;
mod secret;
mod shape;
mod size;
mod storage;
mod terms;
mod tool;
mod uri_template;
mod usage;
mod validate;
mod wit;

pub use admission::CallerKey;
pub use approved::Approved;
pub use cache::Trimmed;
pub use compiler::{CompileLimits, Compiler, CompilerProcess, Confinement, compile_for_parent};
pub use config::HostConfig;
pub use error::HostError;
pub use function::{CallableFunction, CallableInput};
pub use host::{Host, LoadEvent};
pub use inspection::{
    Effect, InspectedCapability, InspectedImport, Inspection, NotCallable, Power, Producer,
    Refusal, inspect,
};
pub use interaction::{Answer, Interaction, LogEntry, LogLevel, Nobody, Offered, Output, Progress};
pub use prompt::{Prompt, PromptArgument, PromptMessage};
pub use resource::{ResourceEntry, ResourceTemplate};
pub use storage::Storage;
pub use terms::{Change, ChangeKind, Terms};
pub use tool::Tool;
pub use tool_hub_manifest::contract::{
    Content, ContentAnnotations, ContentBody, EmbeddedResource, Failure, FailureKind, Outcome,
    Question, Reply, ResourceContents, ResourceLink, Role,
};
pub use uri_template::UriTemplate;
pub use usage::Usage;
