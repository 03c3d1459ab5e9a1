//! A self-hosted registry that speaks the Hugging Face Hub's HTTP protocol.
//!
//! The public clients (`hf-hub` for Rust, `huggingface_hub` for Python, `@huggingface/hub` for
//! JavaScript) create, upload, list, search, tag, download, move and delete repositories on it
//! without a change. Everything lives in one directory: metadata in SQLite, the bytes of files
//! beside it, keyed by their SHA-256. Or the metadata lives in PostgreSQL and the bytes in a bucket
//! that speaks S3; then any number of servers may serve the one registry. The history of a
//! repository is a true git history: blobs, trees and commits have the ids git gives them.
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
//! # Tools
//!
//! A repository with a `tool.toml` at the root of its default branch is a tool. Beside what the Hub
//! does, the registry
//!
//! - refuses a commit on the default branch whose `tool.toml` is not valid: 422 with `error`,
//!   `line`, `column` and `nearest`;
//! - keeps versions as they are: the tag `vX.Y.Z` needs a commit whose manifest says that version
//!   (422), and is neither moved (409) nor deleted (403), nor hidden by a branch of its name (403);
//!   other tags, and tags of commits without a manifest, are as on the Hub;
//! - lists it under the tag `tool-hub`, with the manifest's description (`description`, and
//!   `cardData.description` in search results);
//! - ranks `?search=` by relevance unless `sort` says otherwise: the exact name, matches in the
//!   name, in the description, in functions and card; the last word may be the beginning of one; of
//!   many matches the newest are ranked first;
//! - answers `GET /api/{kinds}/{owner}/{name}/tool[?limit=N]`, with the right to read:
//!
//! ```json
//! {
//!   "id": "alice/text-stats", "private": false,
//!   "head": { "version": "0.2.0", "…": "as a version without a tag; null if not valid" },
//!   "versions": [{
//!     "tag": "v0.1.0", "version": "0.1.0",
//!     "commit": "…40 hex…", "date": "2026-11-20T23:00:00.000Z",
//!     "name": "text-stats", "description": "Counts words.", "license": "MIT",
//!     "manifest": { "path": "tool.toml", "sha256": "…64 hex…", "size": 812 },
//!     "component": { "path": "tool.wasm", "sha256": "…64 hex…", "size": 9, "asClaimed": true },
//!     "functions": [{ "name": "count-words", "title": "Count words", "description": "…" }],
//!     "capabilities": { "network": ["https://example.org"] }
//!   }]
//! }
//! ```
//!
//! Versions are in descending order, 50 a page, with a `Link` to the next. `component` is `null`
//! where there is none; `asClaimed` says whether it is the one the manifest speaks of, `null` when
//! the manifest speaks of none. A repository without a tool answers 404 `EntryNotFound`.
//!
//! # Trusted publishing
//!
//! Jobs of the build services that [`RegistryConfig::trusted_issuers`] names exchange identity
//! tokens for tokens that publish to one repository, if its owner named the workflow
//! (`…/publishers`, `/api/trusted-publishing/token`).
//!
//! # Mirrors
//!
//! [`Registry::mirror`] copies what another registry published, with its log, and makes this one a
//! mirror: it serves both unchanged, and takes no changes.
//!
//! # Witnesses
//!
//! While a registry is served, it asks the witnesses of [`Registry::add_witness`] to cosign the
//! checkpoints of its log (C2SP `tlog-witness`), and serves these with the signatures that it has.
//!
//! # OpenAPI
//!
//! `/.well-known/openapi.json` describes every route: parameters, bodies, answers, refusals and the
//! security it needs.
//!
//! # Operation
//!
//! `/health/live` answers while the process does, `/health/ready` while database and content store
//! do too (503 otherwise). Metrics are on an address of their own: [`serve_metrics`]. Every request
//! has a span with `id`, `method`, `path`, `route` and `account`, and ends with the event
//! `answered`: `status`, `elapsed_ms`, `sent_bytes`. [`Registry::collect_garbage`],
//! [`Registry::scrub`] and [`Registry::backup`] may run while others push, on any of several
//! servers; [`Registry::restore`] makes a registry of either kind from a backup of either kind. The
//! three need nothing but the place of the registry, so a command may run them beside a server.
//!
//! [`RegistryConfig`] and [`Limits`] hold all settings. The library reads no environment
//! variables but the `PG…` ones, for what a [`PostgresUrl`] leaves open.

mod abandoned_uploads;
mod access;
mod admin;
mod attestations;
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
mod limits;
mod maintenance;
mod metrics;
mod mirror;
mod names;
mod openapi;
mod package_signer;
mod private_directory;
mod query_cache;
mod quota;
mod random;
mod rates;
mod registry;
mod roles;
mod routes;
mod search_listing;
mod served_log;
mod server;
mod tool;
mod trusted_publishing;
mod upload;
mod wire;
mod witnesses;
mod yanks;

pub use access::{Access, Route, RouteMethod};
pub use admin::{NewToken, OwnerStorage, TokenSecret, TokenSummary, UserSummary};
pub use config::{
    AddressError, BuildService, DatabaseAddress, Downloads, IssuerError, IssuerKeys, PostgresUrl,
    RegistryConfig, S3Storage, StorageAddress, TrustedIssuer,
};
pub use error::{LogFault, RegistryError, UpstreamError, UpstreamLogFault};
pub use limits::{Limits, RateLimit};
pub use maintenance::{BackupReport, GarbageReport, RestoreReport, ScrubFault, ScrubReport};
pub use mirror::{MirrorReport, MirrorSource, Untaken};
pub use names::{
    AccountName, NameError, RepositoryKind, RepositoryName, RepositoryPattern, TokenScope,
};
pub use registry::Registry;
pub use roles::{MemberRole, TokenRole};
pub use routes::routes;
pub use server::{serve, serve_metrics};
pub use tool_hub_transparency::{LogKey, WitnessKey};
pub use witnesses::WitnessSummary;
