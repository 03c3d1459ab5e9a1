//! The integration tests of one server: a real one for each test, over plain HTTP and `hf-hub`.
//!
//! `TOOL_HUB_TEST_PLACE=shared cargo test -p tool-hub-registry-server --test it` runs all of it on
//! PostgreSQL and S3.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash"
)]

#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
mod backup;
mod client_details;
mod compare;
mod databases;
mod discussions;
mod download;
mod filled_registry;
mod freshness;
mod garbage;
mod git_authority;
mod hf_hub_life;
mod history;
mod hostile;
mod jobs;
mod late_publications;
mod late_rights;
mod lfs;
mod lfs_before_commit;
mod lfs_requests;
mod limits;
mod log;
mod log_bounds;
mod log_kinds;
mod log_moves;
mod log_signers;
mod mirrors;
mod mirrors_of_large_repositories;
mod mirrors_of_tags;
mod monitoring;
mod openapi;
mod overview;
#[allow(dead_code, reason = "the end-to-end tests use the rest")]
#[path = "../../../tests/clients/packages.rs"]
mod packages;
mod pressure;
mod published;
mod pull_requests;
mod quotas;
mod rates;
mod repositories;
mod revisions;
mod rights;
mod rights_matrix;
mod scrub;
mod search;
mod search_many;
mod search_tools;
mod server;
mod support;
mod tokens;
mod tools;
mod trusted_publishing;
mod unending_uploads;
mod upload;
#[allow(
    dead_code,
    reason = "the end-to-end tests, whose file it is, use the rest"
)]
#[path = "../../../tests/it/support/witness.rs"]
mod witness;
mod witnesses;
