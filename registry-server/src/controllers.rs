//! The controllers: a file for each route or small group of routes, and helpers that several share.

pub(crate) mod auth_check;
pub(crate) mod branch_create;
pub(crate) mod branch_delete;
pub(crate) mod commit;
pub(crate) mod commits;
pub(crate) mod compare;
pub(crate) mod discussions;
pub(crate) mod health;
pub(crate) mod lfs;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod not_found;
pub(crate) mod openapi;
pub(crate) mod overview;
pub(crate) mod paths_info;
pub(crate) mod preupload;
pub(crate) mod refs;
pub(crate) mod repo_create;
pub(crate) mod repo_delete;
pub(crate) mod repo_info;
pub(crate) mod repo_list;
pub(crate) mod repo_move;
pub(crate) mod repo_settings;
pub(crate) mod repo_storage;
pub(crate) mod resolve;
pub(crate) mod super_squash;
pub(crate) mod tag_create;
pub(crate) mod tag_delete;
pub(crate) mod tool;
pub(crate) mod tree;
pub(crate) mod validate_yaml;
pub(crate) mod whoami;

mod account_in_path;
mod expanded_fields;
mod gitattributes;
mod gitignore;
mod namespace;
mod repo_kind;
mod target;
mod version_rules;
mod visibility;
mod web_url;
mod write_error;

use crate::http::json;
