//! The metadata database, in SQLite or PostgreSQL: all SQL but that of the schema's migrations.
//!
//! The statements keep to what SQLite and PostgreSQL share (`$1` placeholders, `ON CONFLICT`,
//! `RETURNING`, integers for truth values and times) and run through sqlx's `Any` driver, so that
//! the engine is chosen by the address and not by the code. The engines differ in how they are
//! opened, in transactions and locks, in JSON, and in full-text search.

pub(crate) mod accounts;
mod aliases;
mod bound_sql;
pub(crate) mod change_detection;
pub(crate) mod commits;
mod connection;
pub(crate) mod contents;
pub(crate) mod counts;
pub(crate) mod discussions;
mod engine;
pub(crate) mod export;
mod failure;
pub(crate) mod fulltext;
pub(crate) mod git_objects;
pub(crate) mod holdings;
pub(crate) mod keys;
mod last_changes;
mod listed_manifests;
pub(crate) mod listings;
pub(crate) mod log;
pub(crate) mod log_rows;
mod logged_versions;
mod logged_yanks;
mod migrations;
pub(crate) mod mirror;
mod postgres;
pub(crate) mod published;
pub(crate) mod publishers;
pub(crate) mod quotas;
pub(crate) mod references;
pub(crate) mod repositories;
mod rows;
pub(crate) mod search;
mod sql;
mod sqlite;
pub(crate) mod stored_object_id;
mod stored_text;
pub(crate) mod tables;
pub(crate) mod tokens;
pub(crate) mod tools;
pub(crate) mod uploads;
mod visibility;
pub(crate) mod witnesses;
pub(crate) mod write_authority;
mod write_transaction;

pub(crate) use connection::Database;
pub(crate) use failure::DatabaseFailure;
pub(crate) use write_transaction::WriteTransaction;
