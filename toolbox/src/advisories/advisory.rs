//! The `Advisory`: its id and severity, and the versions of tools that it is about.

use std::fmt;

use semver::Version;
use serde::{Deserialize, Serialize};
use tool_hub_agent::characters::escape_line;
use tool_hub_manifest::{AdvisoryId, LockedTool, RepoId, ToolKey};
use url::Url;

use super::range::Range;
use super::source::AdvisorySource;
use crate::registry_address::is_same;

/// The most characters of a summary that are kept.
pub const SUMMARY_CHARS_MAX: usize = 200;

/// An advisory, as far as it is about tools. It was not withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisory {
    /// The id.
    pub id: AdvisoryId,
    /// Other databases' ids of the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<AdvisoryId>,
    /// The severity.
    pub severity: AdvisorySeverity,
    /// The time of its last change, as RFC 3339.
    pub modified: String,
    /// A sentence for people, at most 200 characters. It is a stranger's text.
    pub summary: String,
    /// The tools that it is about.
    pub affected: Vec<AffectedTool>,
}

/// The versions of a tool that an advisory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AffectedTool {
    /// The registry; none stands for every registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<Url>,
    /// The repo.
    pub repo: RepoId,
    /// Ranges of versions.
    pub ranges: Vec<Range>,
    /// Single versions.
    pub versions: Vec<Version>,
}

/// The severity of an advisory, from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdvisorySeverity {
    /// It does not say.
    Unrated,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical. The version is refused.
    Critical,
    /// The version attacks its users, by an id that starts with `MAL-`. It is refused.
    Malicious,
}

/// A version that is refused because of an advisory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedVersion {
    /// The toolbox's name, if it is in one.
    pub key: Option<ToolKey>,
    /// The place of the version's tool as a user names it.
    pub origin: String,
    /// The place of the tool of the toolbox, where it is another one, which calls this one.
    pub called_by: Option<String>,
    /// The version.
    pub version: Version,
    /// The advisory.
    pub id: AdvisoryId,
    /// Its severity.
    pub severity: AdvisorySeverity,
    /// The first later version that is said to be mended.
    pub fixed: Option<Version>,
    /// The source that has the advisory.
    pub source: AdvisorySource,
}

impl Advisory {
    /// True if it is about this version of this tool.
    pub(crate) fn affects(&self, endpoint: &Url, repo: &RepoId, version: &Version) -> bool {
        let mut tools = self.affected.iter().filter(|it| it.is_of(endpoint, repo));
        tools.any(|tool| tool.holds(version))
    }

    /// The first later version of the tool that is said to be mended.
    pub fn fixed_after(
        &self,
        endpoint: &Url,
        repo: &RepoId,
        version: &Version,
    ) -> Option<&Version> {
        let tools = self.affected.iter().filter(|it| it.is_of(endpoint, repo));
        let ranges = tools.flat_map(|tool| &tool.ranges);
        let fixed = ranges.filter(|range| range.holds(version));
        fixed
            .filter_map(|range| range.fixed_after(version))
            .min_by(|one, other| one.cmp_precedence(other))
    }

    /// The first later version of a locked tool that is said to be mended.
    pub fn fixed_for(&self, locked: &LockedTool) -> Option<&Version> {
        let (endpoint, repo) = locked.source.repo()?;
        self.fixed_after(endpoint, repo, &locked.version)
    }

    /// True if it is called `id`, here or elsewhere.
    pub fn is_called(&self, id: &AdvisoryId) -> bool {
        self.id == *id || self.aliases.contains(id)
    }

    /// Its severity and summary in one line, escaped.
    pub fn in_words(&self) -> String {
        let summary = escape_line(&self.summary);
        match self.summary.is_empty() {
            true => format!("{} ({})", self.id, self.severity),
            false => format!("{} ({}): {summary}", self.id, self.severity),
        }
    }
}

impl AffectedTool {
    fn is_of(&self, endpoint: &Url, repo: &RepoId) -> bool {
        let is_there = self
            .registry
            .as_ref()
            .is_none_or(|it| is_same(it, endpoint));
        // Registries find names in any case.
        is_there && self.repo.as_str().eq_ignore_ascii_case(repo.as_str())
    }

    fn holds(&self, version: &Version) -> bool {
        let mut named = self.versions.iter();
        named.any(|one| one.cmp_precedence(version).is_eq())
            || self.ranges.iter().any(|range| range.holds(version))
    }
}

impl AdvisorySeverity {
    /// True if the version is refused, and not only told of.
    pub fn refuses(self) -> bool {
        self >= Self::Critical
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unrated => "unrated",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
            Self::Malicious => "malicious",
        }
    }
}

impl fmt::Display for AdvisorySeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RefusedVersion {
    /// Says which version is refused by which advisory, without a word of the advisory's own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, version) = (&self.origin, &self.version);
        match (&self.key, &self.called_by) {
            (Some(key), None) => write!(f, "`{key}` {version} of {origin}")?,
            (Some(key), Some(_)) => write!(f, "{origin} {version}, which `{key}` calls,")?,
            (None, _) => write!(f, "{origin} {version}")?,
        }
        write!(
            f,
            " is refused by the advisory {} ({})",
            self.id, self.severity
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affected(registry: Option<&str>) -> Advisory {
        Advisory {
            id: "GHSA-1".parse().unwrap(),
            aliases: vec!["CVE-2026-1".parse().unwrap()],
            severity: AdvisorySeverity::High,
            modified: String::new(),
            summary: "a\nhint: \u{1b}[2J".to_owned(),
            affected: vec![AffectedTool {
                registry: registry.map(|url| url.parse().unwrap()),
                repo: "ada/Notes".parse().unwrap(),
                ranges: Vec::new(),
                versions: vec!["1.0.0".parse().unwrap()],
            }],
        }
    }

    #[test]
    fn it_is_about_one_tool_of_one_registry_or_of_all() {
        let hub: Url = "https://hub.example".parse().unwrap();
        let below: Url = "https://hub.example/tools/".parse().unwrap();
        let version: Version = "1.0.0".parse().unwrap();
        let is_about = |advisory: &Advisory, endpoint, repo: &str| {
            advisory.affects(endpoint, &repo.parse().unwrap(), &version)
        };
        let everywhere = affected(None);
        assert!(is_about(&everywhere, &hub, "ada/notes"));
        assert!(is_about(&everywhere, &below, "ADA/notes"));
        assert!(!is_about(&everywhere, &hub, "ada/notes2"));
        let here = affected(Some("https://hub.example/tools"));
        assert!(is_about(&here, &below, "ada/notes"));
        assert!(!is_about(&here, &hub, "ada/notes"));
    }

    #[test]
    fn its_words_stay_on_their_line() {
        let words = affected(None).in_words();
        assert!(!words.contains(['\n', '\u{1b}']), "{words:?}");
        assert!(words.starts_with("GHSA-1 (high): a"), "{words}");
    }
}
