//! A self-hosted registry that speaks the Hugging Face Hub's HTTP protocol.
//!
//! The public clients (`hf-hub` for Rust, `huggingface_hub` for Python, `@huggingface/hub` for JavaScript) create, upload, list,
//! search, tag, download, move and delete repositories on it without a change. Everything lives in one directory: metadata in SQLite,
//! the bytes of files beside it, keyed by their SHA-256. Or the metadata lives in PostgreSQL and the bytes in a bucket that speaks S3;
//! then any number of servers may serve the one registry. The history of a repository is a true git history: blobs, trees and commits
//! have the ids git gives them.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use tool_hub_registry_server::{Registry, RegistryConfig, TokenRole, serve};
//!
//! let registry = Registry::open(RegistryConfig::new("registry-files")).await?;
//! registry.add_user("alice", None).await?;
//! let token = registry.create_token("alice", "laptop", TokenRole::Write, None).await?;
//! // The secret can be seen this one time.
//! let secret = token.secret.expose();
//!
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! serve(listener, registry, async { let _ = tokio::signal::ctrl_c().await; }).await?;
//! # Ok(()) }
//! ```
//!
//! The library reads no environment variables; what is configurable is in [`RegistryConfig`] and [`Limits`].

mod access;
mod admin;
mod card;
mod clock;
mod config;
mod content;
mod controllers;
mod database;
mod error;
mod git;
mod history;
mod http;
mod index;
mod limits;
mod names;
mod quota;
mod random;
mod rates;
mod registry;
mod routes;
mod server;
mod sweep;
mod tool;
mod upload;
mod wire;

pub use access::{Access, Route, RouteMethod, TokenRole};
pub use admin::{MemberRole, NewToken, OwnerStorage, TokenSecret, TokenSummary, UserSummary};
pub use config::{
    AddressError, DatabaseAddress, Downloads, PostgresUrl, RegistryConfig, S3Storage,
    StorageAddress,
};
pub use error::RegistryError;
pub use limits::{Limits, RateLimit};
pub use names::{
    AccountName, NameError, RepositoryKind, RepositoryName, RepositoryPattern, TokenReach,
};
pub use registry::Registry;
pub use routes::routes;
pub use server::serve;
