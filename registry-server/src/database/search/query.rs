//! The parameters of a search, its orders, and positions in its results.

use super::super::fulltext::Terms;
use super::super::keys::{AccountKey, RepositoryKey};
use crate::names::{RepositoryKind, TokenScope};

/// The parameters of a search.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub(crate) kind: RepositoryKind,
    /// The account that asks; private repositories of others stay out of sight.
    pub(crate) account: Option<AccountKey>,
    /// The repositories in which the account's rights count.
    pub(crate) scope: TokenScope,
    /// Words that must all occur.
    pub(crate) terms: Option<Terms>,
    pub(crate) author: Option<String>,
    /// Tags that must all be there.
    pub(crate) tags: Vec<String>,
    pub(crate) order: Order,
    /// The position at which the page before ended.
    pub(crate) after: Option<Position>,
    pub(crate) limit: usize,
}

/// The order of results: the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// By how well the words fit; without words all fit alike.
    Relevance,
    Modified,
    Created,
    Downloads,
    Likes,
}

/// A place in an ordered list that stays valid while repositories come and go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Position {
    Ranked(RankedPosition),
    Sorted { key: i64, id: RepositoryKey },
}

/// A place in the list. Scores are not in it: they tell how common words are in repositories that
/// the caller may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RankedPosition {
    pub(crate) grade: usize,
    /// The window is that of the newest documents below this one, so that what is published later
    /// does not shift it.
    pub(crate) below: i64,
    /// The number of matches of the window that were shown.
    pub(crate) shown: usize,
}

/// A repository that fits, and where it stands.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) repository: RepositoryKey,
    pub(super) position: Position,
}
