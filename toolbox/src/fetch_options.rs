//! The `FetchOptions`: wishes for a fetch beside the tool's name.

use tool_hub_manifest::Capabilities;
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
    /// The newest, where every version is new.
    IfNoOther,
    /// Any.
    Any,
}
