//! The JSON shapes of the protocol.

mod commit;
mod discussion;
mod entry;
mod listed_tool;
mod release;
mod repository;

pub(crate) use commit::{commit_json, last_commit_json};
pub(crate) use discussion::{comment_json, commit_event_json, discussion_json};
pub(crate) use entry::{Sibling, entry_json};
pub(crate) use listed_tool::listed_tool_json;
pub(crate) use release::release_json;
pub(crate) use repository::{EXPANDABLE, RepositoryFacts, describe_in_card, repository_json};
