//! The toolbox of a user or a project on disk: settings, packages, approvals, and loading of tools.
//!
//! Finds and changes it, fetches packages, records approvals, and loads tools that were approved.
//!
//! The crate reads no environment, prints nothing and asks nobody. Variables come from a
//! [lookup](variables::Variables) that the caller hands in, what a person should know goes to
//! [`Notices`](notices::Notices), and consent is the caller's to obtain: a
//! [`GivenConsent`](consent_record::GivenConsent) says that it was given. A tool
//! [counts as approved](open_toolbox::OpenToolbox::member) only if its whole record in the lock is
//! also among the user's [`Approvals`](approvals::Approvals), with a signature where one is
//! required.
//!
//! ```
//! use tool_hub_toolbox::open_toolbox::OpenToolbox;
//! use tool_hub_toolbox::variables::{HOME, Variables};
//! use tool_hub_toolbox::{Error, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! let home = directory.path().as_os_str().to_owned();
//! let variables = Variables::new(move |name| (name == HOME).then(|| home.clone()));
//! let settings = Settings::resolve(variables, directory.path().to_owned(), None)?;
//! let toolbox = OpenToolbox::open(&settings)?;
//! assert!(toolbox.statuses().is_empty());
//! let missing = toolbox.member("notes").unwrap_err();
//! assert!(matches!(missing, Error::NoSuchTool { .. }));
//! # Ok(())
//! # }
//! ```

pub mod advisories;
pub mod approvals;
pub mod authorship;
pub mod bounded_http;
pub mod builders;
pub mod built_package;
pub mod bundle;
pub mod byte_size;
mod chosen_version;
pub mod clients;
pub mod comparison;
pub mod consent_record;
pub mod credentials;
pub mod dependencies;
mod derived_manifest;
pub mod difference;
pub mod error;
pub mod evidence;
pub mod fetch_options;
pub mod fetched;
pub mod files;
pub mod inspection_report;
pub mod keyless;
pub mod keyring_item;
pub mod known_logs;
pub mod known_makers;
pub mod known_releases;
pub mod loaded;
pub mod log_entry;
mod log_state;
pub mod log_times;
pub mod log_writer;
pub mod logged_version;
pub mod malicious_version;
pub mod not_approved;
pub mod notices;
pub mod oauth;
pub mod open_toolbox;
pub mod other_maker;
pub mod package_attestations;
pub mod package_signature;
pub mod policy;
pub mod provenance;
mod published_version;
pub mod registry_address;
pub mod registry_fetch;
mod remembered;
mod renewed_token;
pub mod sandbox;
pub mod sensitive;
pub mod settings;
pub mod signing_keys;
pub mod subject;
mod system_file;
pub mod target;
pub mod variables;
pub mod whole_log;

pub use error::Error;
pub use settings::Settings;
