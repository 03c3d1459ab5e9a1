//! The registry as clients see it: a real server on a port of its own, plain HTTP and the real
//! `hf-hub` client.
//!
//! `TOOL_HUB_TEST_PLACE=shared cargo test -p tool-hub-registry-server --test it` runs all of it on
//! PostgreSQL and S3.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash"
)]

mod arriving;
#[allow(dead_code, reason = "the tests of several servers use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
mod backup;
mod client_suites;
mod compare;
mod discussions;
mod download;
mod engines;
mod freshness;
mod garbage;
mod git_authority;
mod hf_hub_life;
mod history;
mod hostile;
mod lfs;
mod lfs_lifetime;
mod limits;
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
mod upload;
