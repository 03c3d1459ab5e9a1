//! JSON shapes of the protocol's answers, which controllers build from database records.

mod commit;
mod discussion;
mod entry;
mod html;
mod listed_tool;
mod release;
mod repository;
mod success;

pub(crate) use commit::CommitRow;
pub(crate) use discussion::{DiscussionEvent, DiscussionRow};
pub(crate) use entry::{EntryRow, Sibling};
pub(crate) use listed_tool::ListedTool;
pub(crate) use release::ReleaseRow;
pub(crate) use repository::{EXPANDABLE, RepositoryFacts, RepositoryRow, describe_in_card};
pub(crate) use success::Success;
