//! The settings of a test run (rights, requests, random calls), and the package that is tested.

use std::path::Path;

use tool_hub_manifest::Verified;

use super::recordings::Requests;
use crate::consent::rights_flags::RightsFlags;

/// The random calls of each function where nothing else is said.
pub(crate) const RANDOM_CALLS: u32 = 20;

/// How a tool is tested.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What the tool may use beside its tests.
    pub(crate) flags: RightsFlags,
    pub(crate) requests: Requests,
    /// The random calls of each function.
    pub(crate) random_calls: u32,
    /// Their seed; one of the package's own where none is given.
    pub(crate) seed: Option<u64>,
}

impl Plan {
    /// All tests, with nothing but what they hold.
    pub(crate) fn standard() -> Self {
        Self {
            flags: RightsFlags::default(),
            requests: Requests::Replayed,
            random_calls: RANDOM_CALLS,
            seed: None,
        }
    }
}

/// A package, and the project whose tests it has to pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) package: &'a Verified,
    /// The directory that holds `tests`.
    pub(crate) project: &'a Path,
    /// The project as the user names it.
    pub(crate) shown: &'a Path,
}
