//! The registry as clients see it: a real server on a port of its own, plain HTTP and the real `hf-hub` client.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    reason = "files of a test need not survive a crash"
)]

mod disk_full;
mod download;
mod git_authority;
mod hf_hub_life;
mod history;
mod hostile;
mod limits;
mod quotas;
mod rates;
mod repositories;
mod rights;
mod rights_matrix;
mod search;
mod search_tools;
mod server;
mod support;
mod tokens;
mod tools;
mod upload;
