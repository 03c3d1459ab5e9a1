//! Pushes, pulls and searches for tools on a Hugging Face Hub or a registry with its protocol.
//! Pulled ones are kept in a local content-addressed store.
//!
//! What comes over the network is believed by nobody: names are validated, sizes are bounded
//! before and while bytes arrive, and nothing reaches the [`Store`] that was not hashed and
//! held against what the manifest claims. The crate reads no environment variable and no
//! token file; whoever builds a [`ClientConfig`] decides.
//!
//! ```no_run
//! use tool_hub_registry_client::{Client, ClientConfig, Silent, Store};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(ClientConfig::new("https://huggingface.co".parse()?, "me/1.0"))?;
//! let store = Store::open("/home/me/.local/share/tool-hub/store")?;
//! let resolved = client.resolve(&"demo/text-stats@^0.1".parse()?).await?;
//! let verified = client.pull(&resolved, &store, &Silent).await?;
//! println!("{} is {}", resolved.repo, verified.pin().digest());
//! # Ok(())
//! # }
//! ```
//!
//! # What `hf-hub` does here, and what it does not
//!
//! The `hf-hub` crate creates repos, uploads and commits (with Xet where the registry asks
//! for it) and tags. Everything that is *read* is read by this crate's own requests, because
//! `hf-hub` 1.0 sends the token to whatever URL a `Link` header names, buffers answers
//! without a bound, follows redirects of a HEAD before every download, and lets a response
//! header switch a download to another protocol that has no stall limit.

mod client;
mod config;
mod dataset_log;
mod datasets;
mod date;
mod download;
mod error;
mod files;
mod hub;
mod identity;
mod identity_token;
mod json_files;
mod limits;
mod link;
mod log;
mod progress;
mod pull;
mod push;
mod refs;
mod refusal;
mod registry;
mod releases;
mod repo;
mod repo_files;
mod resolve;
mod resolved;
mod search;
mod signature_files;
mod store;
mod texts;
mod token;
mod trusted_publishing;
mod version_choice;
mod visibility;
mod wire;

pub use client::Client;
pub use config::{ClientConfig, Timeouts};
pub use dataset_log::{
    CHECKPOINT_FILE, DATASET_BUNDLE_BYTES_MAX, DatasetLog, RepoIndex, index_file,
};
pub use datasets::{Datasets, PushTexts, PushTextsReport};
pub use error::{Act, Answer, ClientError};
pub use identity::Identity;
pub use identity_token::{IdentityClaims, IdentityToken};
pub use json_files::{JsonFile, JsonFileLimits};
pub use limits::{
    ATTESTATIONS_BYTES_MAX, CARD_BYTES_MAX, CHECKPOINT_BYTES_MAX, COMPONENT_BYTES_MAX,
    MANIFEST_BYTES_MAX, SBOM_BYTES_MAX, SEARCH_RESULTS_MAX, SIGNATURE_BYTES_MAX, SIGNER_BYTES_MAX,
    TOKEN_BYTES_MAX,
};
pub use log::{LogState, ProvedRecord, VersionRecords};
pub use progress::{Progress, Silent};
pub use push::rehearsal::Rehearsal;
pub use push::{Push, PushOutcome, PushReport};
pub use refs::TaggedVersion;
pub use releases::ReleasesReport;
pub use repo_files::{FilesCommit, WantedFile};
pub use resolve::RepoVersions;
pub use resolved::{Resolved, VersionBranch};
pub use search::{SEARCH_TAG, SearchResult, SearchResults, ToolSummary};
pub use signature_files::SignatureFiles;
pub use store::gc::{DamagedBlob, StoreReport, SweepReport};
pub use store::packages::PulledPackage;
pub use store::{Store, StoreError};
pub use token::{Token, TokenError};
pub use trusted_publishing::{
    NewPublisher, PublishToken, Publisher, PublisherEvent, Publishers, VersionSource,
};
pub use version_choice::AllowedYanks;
pub use visibility::Visibility;
