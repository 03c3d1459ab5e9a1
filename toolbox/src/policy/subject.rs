//! The things that a policy judges: where a version comes from and who made it, and its rights.

use std::collections::BTreeSet;

use tool_hub_manifest::{
    Grants, LimitRequest, Limits, LogEntry, PackageSigner, Source, Version, Yank,
};

use crate::advisories::advisory::Advisory;

/// The origin of a version, and what is said of it.
#[derive(Debug, Clone)]
pub struct OriginSubject<'a> {
    /// The place.
    pub source: &'a Source,
    /// The version.
    pub version: &'a Version,
    /// The signer whose signature was verified.
    pub signer: Option<&'a PackageSigner>,
    /// Those whose attestations of it were verified.
    pub attested_by: &'a BTreeSet<PackageSigner>,
    /// The owner's words, if it was yanked.
    pub yank: Option<&'a Yank>,
    /// The advisories about it.
    pub advisories: Vec<&'a Advisory>,
    /// Its place in the log of its registry, which says when it was published.
    pub logged: Option<&'a LogEntry>,
}

/// The rights of a tool.
#[derive(Debug, Clone, Copy)]
pub struct RightsSubject<'a> {
    /// What it was granted.
    pub grants: &'a Grants,
    /// The limits that its manifest asks for; none where the manifest is not at hand.
    pub limits: Option<&'a LimitRequest>,
}

impl RightsSubject<'_> {
    /// The limits of a call: those of the manifest, and the host's own where it asks for none.
    pub(super) fn call_limits(&self) -> Option<Limits> {
        let request = self.limits?;
        Some(Limits::standard().lowered_to(request))
    }
}
