//! The `PolicyDocument`, what stands in `policy.toml`. What is absent forbids nothing.

use std::collections::BTreeSet;

use serde::Deserialize;
use tool_hub_manifest::{PackageSigner, Severity, VariableName};
use url::Url;

use super::pattern::{OriginPattern, PublisherPattern, RepoPattern};
use crate::advisories::advisory::AdvisorySeverity;

/// A policy. An unknown key is an error: a rule that nobody enforces is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyDocument {
    /// Whom to ask, in the words of whoever wrote the policy.
    pub contact: Option<String>,
    /// The places that tools come from.
    pub sources: SourceRules,
    /// The signers of packages.
    pub signers: SignerRules,
    /// Those who attest to packages.
    pub attestations: AttestationRules,
    /// The roots that vouch for signers and for those who attest.
    pub roots: RootRules,
    /// The ceilings of what a tool may do.
    pub capabilities: CapabilityRules,
    /// The versions that are refused.
    pub versions: VersionRules,
}

/// Rules on the places that tools come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceRules {
    /// The registries.
    pub registries: Option<Vec<Url>>,
    /// The repos.
    pub repos: Option<Vec<RepoPattern>>,
    /// Whether tools may come from files.
    pub files: Option<bool>,
    /// The kinds of MCP servers.
    pub servers: Option<ServerRule>,
}

/// The kinds of MCP servers that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerRule {
    /// None.
    None,
    /// Remote ones, for which no process is started.
    Remote,
    /// All.
    All,
}

/// Rules on the signers of packages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignerRules {
    /// Whether a package has to be signed.
    pub required: Option<bool>,
    /// The keys and identities, one of which has to sign it.
    pub allowed: Option<BTreeSet<PackageSigner>>,
}

/// Rules on the attestations of packages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AttestationRules {
    /// True if a package has to have one that was verified.
    pub required: Option<bool>,
    /// The publishers, one of whom has to attest to it.
    pub publishers: Option<Vec<PublisherPattern>>,
}

/// The roots that vouch for signers and for those who attest, without each user's doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RootRules {
    /// Each a file, from the policy's directory on, or the text of one.
    pub trusted: Vec<String>,
    /// True if no others count.
    pub only: Option<bool>,
}

/// Ceilings of what a tool may do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CapabilityRules {
    /// The origins.
    pub network: Option<Vec<OriginPattern>>,
    /// The access to directories.
    pub directories: Option<DirectoryRule>,
    /// The variables.
    pub variables: Option<BTreeSet<VariableName>>,
    /// The credentials.
    pub credentials: Option<BTreeSet<VariableName>>,
    /// Whether it may keep things from call to call.
    pub storage: Option<bool>,
    /// The memory of a call, in MiB.
    pub memory_mib: Option<u32>,
    /// The time of a call, in seconds.
    pub call_seconds: Option<u32>,
}

/// The access to directories that a tool may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DirectoryRule {
    /// None.
    None,
    /// Read.
    Read,
    /// Read and change.
    ReadWrite,
}

/// The versions that are refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VersionRules {
    /// Those yanked with at least this severity.
    pub refuse_yanked: Option<Severity>,
    /// Those against which there is an advisory of at least this severity, whoever allowed it.
    pub refuse_advised: Option<AdvisorySeverity>,
    /// Those younger than this many days, by the log of their registry.
    pub min_age_days: Option<u16>,
}

impl DirectoryRule {
    /// Its name in `policy.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::ReadWrite => "read-write",
        }
    }
}
