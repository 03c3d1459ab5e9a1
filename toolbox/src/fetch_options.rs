//! The `FetchOptions`: wishes for a fetch beside the tool's name.

use std::collections::BTreeMap;

use tool_hub_manifest::{Capabilities, LockedTool, RepoId, ToolName};
use tool_hub_registry_client::AllowedYanks;

use crate::advisories::allowed::AllowedAdvisories;

/// Wishes for a fetch beside the tool's name.
#[derive(Debug, Clone, Default)]
pub struct FetchOptions {
    /// The capabilities that the user wants to grant. A component without a manifest gets one that
    /// asks for them.
    pub asked: Capabilities,
    /// The yanked versions that are taken nevertheless.
    pub allowed_yanks: AllowedYanks,
    /// The versions that are taken although they are new.
    pub allowed_new: AllowedNew,
    /// The advisories in spite of which a version is taken.
    pub allowed_advisories: AllowedAdvisories,
    /// The use of it.
    pub purpose: Purpose,
    /// The dependencies that are in use: a version that was yanked since, or has an advisory that
    /// was allowed, may be taken again.
    pub dependencies_in_use: BTreeMap<ToolName, LockedTool>,
}

impl FetchOptions {
    /// The wishes for the dependency `name`, from `repo`.
    pub(crate) fn of_dependency(&self, name: &ToolName, repo: &RepoId) -> Self {
        let in_use = self.dependencies_in_use.get(name).filter(|locked| {
            let used = locked.source.repo();
            used.is_some_and(|(_, used)| used == repo)
        });
        let (allowed_yanks, allowed_advisories) = match (&self.allowed_yanks, in_use) {
            (AllowedYanks::All, _) | (_, None) => {
                (self.allowed_yanks.clone(), self.allowed_advisories.clone())
            }
            (_, Some(used)) => (
                AllowedYanks::Version(used.version.clone()),
                AllowedAdvisories::OfVersion(used.version.clone(), used.allowed_advisories.clone()),
            ),
        };
        let allowed_yanks = match (allowed_yanks, in_use) {
            // The version in use is one of the tool itself.
            (AllowedYanks::Version(_), None) => AllowedYanks::None,
            (allowed, _) => allowed,
        };
        Self {
            asked: Capabilities::default(),
            allowed_yanks,
            allowed_new: match self.allowed_new {
                AllowedNew::None => AllowedNew::InUse,
                allowed => allowed,
            },
            allowed_advisories,
            dependencies_in_use: in_use.map_or_else(BTreeMap::new, |it| it.dependencies.clone()),
            ..self.clone()
        }
    }
}

/// The use that a package is fetched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// It may be used, so that policies apply.
    #[default]
    Use,
    /// It is only looked at.
    Look,
}

impl From<Capabilities> for FetchOptions {
    fn from(asked: Capabilities) -> Self {
        Self {
            asked,
            ..Self::default()
        }
    }
}

/// The versions that are taken although they are younger than the
/// [`release_age`](crate::settings::Settings::release_age).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllowedNew {
    /// None. One that is named exactly, or in use already, is taken at any age.
    #[default]
    None,
    /// None but one in use already. The exact version that a tool depends on was named by that
    /// tool's author, who may be the one to protect from.
    InUse,
    /// The newest, where every version is new.
    IfNoOther,
    /// Any.
    Any,
}
