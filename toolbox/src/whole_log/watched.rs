//! The `Watched` names: the repos of which records are kept, and those of which they are shown.

use std::collections::BTreeSet;

use tool_hub_manifest::{LockedTool, RepoId};
use url::Url;

use crate::policy::pattern::RepoPattern;
use crate::registry_address::is_same;

/// The names that somebody cares about. Letters of either case are the same to a registry.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    pub(super) toolbox: BTreeSet<RepoId>,
    patterns: Vec<RepoPattern>,
}

impl Watched {
    /// The repos of the tools of a toolbox that come from the registry at `endpoint`, and those of
    /// `patterns`, which are written in small letters.
    pub fn new<'a>(
        endpoint: &Url,
        toolbox: impl IntoIterator<Item = &'a LockedTool>,
        patterns: &[RepoPattern],
    ) -> Self {
        let repo = |locked: &LockedTool| {
            let (from, repo) = locked.source.repo()?;
            is_same(from, endpoint).then(|| repo.folded())
        };
        Self {
            toolbox: toolbox.into_iter().filter_map(repo).collect(),
            patterns: patterns.to_vec(),
        }
    }

    /// True if records of `repo` are shown: those of the patterns, or of the toolbox without any.
    pub(super) fn shows(&self, repo: &RepoId) -> bool {
        match self.patterns.is_empty() {
            true => self.toolbox.contains(repo),
            false => self.patterns.iter().any(|it| it.holds(repo)),
        }
    }
}
