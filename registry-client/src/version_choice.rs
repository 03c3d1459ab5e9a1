//! Chooses one of a tool's versions, and passes over those that were yanked.

use semver::{Version, VersionReq};
use tool_hub_manifest::{Releases, RepoId, Severity, Yank};

use crate::error::ClientError;
use crate::limits::VERSIONS_LISTED_MAX;
use crate::refs::TaggedVersion;
use crate::resolved::Resolved;

/// The yanked versions that may be taken nevertheless. A malicious one is never among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AllowedYanks {
    /// None.
    #[default]
    None,
    /// The one that is in use already.
    Version(Version),
    /// Any, where no other version meets what is asked for.
    All,
}

/// The knowledge by which one of a tool's versions is chosen.
pub(crate) struct VersionChoice<'a> {
    pub(crate) releases: &'a Releases,
    pub(crate) allowed: &'a AllowedYanks,
    /// The versions that count as not there.
    pub(crate) except: &'a [Version],
}

impl VersionChoice<'_> {
    /// The newest version that meets a requirement and may be taken.
    pub(crate) fn matching(
        &self,
        repo: &RepoId,
        requirement: &VersionReq,
        versions: Vec<TaggedVersion>,
    ) -> Result<Resolved, ClientError> {
        let (matching, others): (Vec<_>, Vec<_>) = versions
            .into_iter()
            .partition(|it| requirement.matches(&it.version));
        self.newest(repo, matching)?
            .ok_or_else(|| ClientError::VersionNotFound {
                repo: repo.clone(),
                requirement: requirement.clone(),
                available: others
                    .into_iter()
                    .map(|it| it.version)
                    .take(VERSIONS_LISTED_MAX)
                    .collect(),
            })
    }

    /// The first of `versions` that was not yanked, or is in use; else the first yanked one that is
    /// allowed. None where there are no versions.
    pub(crate) fn newest(
        &self,
        repo: &RepoId,
        versions: Vec<TaggedVersion>,
    ) -> Result<Option<Resolved>, ClientError> {
        let mut passed_over = Vec::new();
        let mut yanked = Vec::new();
        let mut is_other_left = versions.is_empty();
        for tagged in versions {
            if self.except.contains(&tagged.version) {
                continue;
            }
            is_other_left = true;
            let yank = self.releases.yanked.get(&tagged.version);
            let is_in_use = |yank: &&Yank| match self.allowed {
                AllowedYanks::Version(_) => self.allowed.allow(&tagged.version, yank),
                AllowedYanks::None | AllowedYanks::All => false,
            };
            let Some(yank) = yank.filter(|yank| !is_in_use(yank)) else {
                return Ok(Some(Resolved {
                    passed_over,
                    ..tagged.of(repo)
                }));
            };
            if passed_over.len() < VERSIONS_LISTED_MAX {
                passed_over.push((tagged.version.clone(), yank.clone()));
            }
            yanked.push(tagged);
        }
        if !is_other_left {
            return Err(ClientError::NoOtherVersion { repo: repo.clone() });
        }
        // Of several that are yanked the newest that is allowed, or the newest to refuse.
        let allowed = yanked
            .iter()
            .position(|tagged| self.yank(&tagged.version).is_none());
        match yanked.into_iter().nth(allowed.unwrap_or(0)) {
            Some(tagged) => self.checked(tagged.of(repo)).map(Some),
            None => Ok(None),
        }
    }

    /// Refuses a version that may not be taken.
    pub(crate) fn checked(&self, found: Resolved) -> Result<Resolved, ClientError> {
        let yank = found
            .version
            .as_ref()
            .and_then(|version| self.yank(version));
        match (yank, &found.version) {
            (Some(yank), Some(version)) => Err(ClientError::VersionYanked {
                repo: found.repo,
                version: version.clone(),
                yank: Box::new(yank.clone()),
            }),
            _ => Ok(found),
        }
    }

    /// The yank that forbids to take a version.
    fn yank(&self, version: &Version) -> Option<&Yank> {
        let yank = self.releases.yanked.get(version)?;
        (!self.allowed.allow(version, yank)).then_some(yank)
    }
}

impl AllowedYanks {
    /// True if `version` may be taken although it was yanked.
    pub fn allow(&self, version: &Version, yank: &Yank) -> bool {
        if yank.severity == Severity::Malicious {
            return false;
        }
        match self {
            Self::None => false,
            Self::Version(allowed) => version == allowed,
            Self::All => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_hub_manifest::CommitId;

    fn versions(tags: &[&str]) -> Vec<TaggedVersion> {
        let commit: CommitId = "0".repeat(40).parse().unwrap();
        let mut versions: Vec<TaggedVersion> = tags
            .iter()
            .map(|text| TaggedVersion {
                version: text.parse().unwrap(),
                commit: commit.clone(),
            })
            .collect();
        versions.sort_by(|a, b| b.version.cmp(&a.version));
        versions
    }

    #[track_caller]
    fn check(tags: &[&str], requirement: &str, expect: Result<&str, &[&str]>) {
        let repo: RepoId = "demo/x".parse().unwrap();
        let choice = VersionChoice {
            releases: &Releases::default(),
            allowed: &AllowedYanks::None,
            except: &[],
        };
        let found = match choice.matching(&repo, &requirement.parse().unwrap(), versions(tags)) {
            Ok(resolved) => Ok(resolved.version.unwrap().to_string()),
            Err(ClientError::VersionNotFound { available, .. }) => {
                Err(available.iter().map(Version::to_string).collect())
            }
            Err(other) => panic!("{other}"),
        };
        let expect: Result<String, Vec<String>> = expect
            .map(str::to_owned)
            .map_err(|all| all.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(found, expect);
    }

    #[test]
    fn the_newest_version_that_meets_the_requirement() {
        let tags = ["0.9.0", "1.10.0", "1.9.3", "2.0.0-rc.1"];
        check(&tags, "^1", Ok("1.10.0"));
        check(&tags, "~1.9", Ok("1.9.3"));
        check(&tags, "=0.9.0", Ok("0.9.0"));
        check(&tags, "*", Ok("1.10.0"));
        check(&tags, "=2.0.0-rc.1", Ok("2.0.0-rc.1"));
        let all = ["2.0.0-rc.1", "1.10.0", "1.9.3", "0.9.0"];
        check(&tags, "^3", Err(&all));
        check(&[], "^1", Err(&[]));
    }

    const YANKED: &str = "
        [yanked.'1.3.0']
        severity = 'malicious'
        reason = 'it steals'
        [yanked.'1.2.0']
        severity = 'broken'
        reason = 'it fails'
    ";

    /// Holds the version that is found, and those passed over, or the one that is refused, against
    /// `expect`.
    #[track_caller]
    fn check_yanked(tags: &[&str], requirement: &str, allowed: AllowedYanks, expect: &str) {
        let repo: RepoId = "demo/x".parse().unwrap();
        let choice = VersionChoice {
            releases: &YANKED.parse().unwrap(),
            allowed: &allowed,
            except: &[],
        };
        let found = match choice.matching(&repo, &requirement.parse().unwrap(), versions(tags)) {
            Ok(found) => {
                let passed_over = found.passed_over.iter();
                let passed_over = passed_over.map(|(version, _)| format!(" not {version}"));
                format!(
                    "{}{}",
                    found.version.unwrap(),
                    passed_over.collect::<String>()
                )
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn yanked_versions_are_passed_over() {
        use AllowedYanks::{All, None, Version};
        let tags = ["1.1.0", "1.2.0", "1.3.0"];
        check_yanked(&tags, "^1", None, "1.1.0 not 1.3.0 not 1.2.0");
        check_yanked(
            &tags,
            "=1.2.0",
            None,
            "demo/x 1.2.0 was yanked as broken: it fails",
        );
        check_yanked(&tags, "=1.2.0", All, "1.2.0");
        check_yanked(&tags, "^1", All, "1.1.0 not 1.3.0 not 1.2.0");
        check_yanked(&tags[1..], "^1", All, "1.2.0");
        let used = |text: &str| Version(text.parse().unwrap());
        check_yanked(&tags, "^1", used("1.2.0"), "1.2.0 not 1.3.0");
        check_yanked(&tags, "^1", used("1.1.0"), "1.1.0 not 1.3.0 not 1.2.0");
        let malicious = "demo/x 1.3.0 was yanked as malicious: it steals";
        check_yanked(&tags, "=1.3.0", All, malicious);
        check_yanked(&tags, "=1.3.0", used("1.3.0"), malicious);
        check_yanked(&tags[1..], "^1", None, malicious);
        check_yanked(
            &tags,
            "^2",
            None,
            "demo/x has no version that meets `^2`; there are 1.3.0, 1.2.0, 1.1.0",
        );
    }
}
