//! Things that a person should know although nothing failed, and the trait of whoever tells them.

use std::fmt;

use tool_hub_manifest::{Deprecation, RepoId, ToolKey, Version, Yank};
use url::Url;

use crate::advisories::advisory::Advisory;
use crate::advisories::error::Fault;
use crate::advisories::source::AdvisorySource;
use crate::error::Error;
use crate::logged_version::error::LogError;

/// Something that a person should know although nothing failed. The enum is exhaustive, so that
/// whoever tells notices has to decide about each.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A token is about to go over the network unencrypted. It is told once for each registry.
    TokenInClear {
        /// The origin of the registry.
        registry: &'a str,
    },
    /// A repo has a branch with a version's name. Versions are resolved to tags here, but other
    /// clients may get the branch, whose content may change.
    VersionBranch {
        /// The repo.
        repo: &'a RepoId,
        /// The branch.
        branch: &'a str,
        /// True if there is a tag of that name as well.
        is_tag_too: bool,
    },
    /// A component has no manifest, so one was derived from its types.
    ManifestDerived,
    /// A text that was read as a tool of the registry also names a file or directory.
    NamedLikeAPath {
        /// The text.
        text: &'a str,
    },
    /// The package that a tool was loaded from has changed since. The approved one runs.
    PackageChanged {
        /// The tool.
        key: &'a ToolKey,
    },
    /// The owner of a tool took back the version that was approved. It runs nevertheless.
    VersionYanked {
        /// The tool.
        key: &'a ToolKey,
        /// The version.
        version: &'a Version,
        /// The owner's words.
        yank: &'a Yank,
        /// The repo, where the toolbox follows no other version of it.
        pinned: Option<&'a RepoId>,
    },
    /// The owner of a tool took back the version on which a tool of the toolbox depends.
    DependencyYanked {
        /// The path to it, such as `forecast.units`.
        name: &'a str,
        /// The version.
        version: &'a Version,
        /// The owner's words.
        yank: &'a Yank,
    },
    /// The version that is fetched was yanked.
    YankedVersionFetched {
        /// The repo.
        repo: &'a RepoId,
        /// The version.
        version: &'a Version,
        /// The owner's words.
        yank: &'a Yank,
    },
    /// A newer version was yanked, so that an older one is taken.
    PassedOver {
        /// The repo.
        repo: &'a RepoId,
        /// The newest version that was passed over.
        version: &'a Version,
        /// The owner's words of it.
        yank: &'a Yank,
        /// The version that is taken.
        taken: &'a Version,
    },
    /// A newer version is younger than the user's release age, so that an older one is taken.
    NewVersionPassedOver {
        /// The repo.
        repo: &'a RepoId,
        /// The newest version that was passed over.
        version: &'a Version,
        /// The time at which it was published, by the registry's log.
        published: &'a str,
        /// The release age.
        days: i64,
        /// The version that is taken.
        taken: &'a Version,
    },
    /// A version was chosen, and nobody can say how old it is. It is told once of each registry.
    AgeUnknown {
        /// The registry.
        registry: &'a Url,
    },
    /// The log, a data set, does not have a newer version yet, so that an older one is taken.
    UnloggedVersionPassedOver {
        /// The newest version without a record, and the data set.
        missing: &'a LogError,
        /// The version that is taken.
        taken: &'a Version,
    },
    /// The owner of a tool wants nobody to begin to use it.
    Deprecated {
        /// The repo.
        repo: &'a RepoId,
        /// The owner's words.
        deprecation: &'a Deprecation,
    },
    /// An advisory is about the version that was approved. It runs nevertheless.
    Advised {
        /// The toolbox's name of the tool, or its repo.
        tool: &'a str,
        /// The version.
        version: &'a Version,
        /// The advisory.
        advisory: &'a Advisory,
        /// The first later version that is said to be mended.
        fixed: Option<&'a Version>,
        /// The source that has it.
        source: &'a AdvisorySource,
    },
    /// A source of advisories cannot be read. A copy counts in its place, if there is one.
    AdvisoriesUnread {
        /// The source.
        source: &'a AdvisorySource,
        /// The reason.
        error: &'a Error,
        /// The age of the copy in words.
        age: Option<String>,
    },
    /// Some advisories of a source cannot be read, or not as a whole. The rest counts.
    AdvisoriesFaulty {
        /// The source.
        source: &'a AdvisorySource,
        /// The number of them.
        faulty: usize,
        /// The first of them.
        first: &'a [Fault],
    },
    /// A tool of the toolbox cannot be used and is not offered.
    LeftOut {
        /// The reason, which names the tool.
        error: &'a Error,
    },
}

impl Notice<'_> {
    /// True if something is not as it should be, and the notice is more than an explanation.
    pub fn is_warning(&self) -> bool {
        !matches!(
            self,
            Self::ManifestDerived
                | Self::NamedLikeAPath { .. }
                | Self::NewVersionPassedOver { .. }
                | Self::AgeUnknown { .. }
                | Self::UnloggedVersionPassedOver { .. }
        )
    }
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TokenInClear { registry } => write!(
                f,
                "the token for {registry} goes over the network unencrypted: whoever is on the way \
                 can use it"
            ),
            Self::VersionBranch {
                repo,
                branch,
                is_tag_too,
            } => {
                let also = if *is_tag_too { " and a tag" } else { "" };
                write!(
                    f,
                    "{repo}: {branch} is a branch{also}, so other clients may get changing content \
                     for this version"
                )
            }
            Self::ManifestDerived => f.write_str(
                "the component has no manifest; one was derived from its types, which asks for no \
                 rights but those that you named",
            ),
            Self::NamedLikeAPath { text } => write!(
                f,
                "{text} means a tool of the registry; for the file or directory, write ./{text}"
            ),
            Self::PackageChanged { key } => write!(
                f,
                "`{key}` runs as you approved it; the package on disk has changed since"
            ),
            Self::VersionYanked {
                key, version, yank, ..
            } => {
                write!(f, "`{key}` {version} was yanked as {yank}")
            }
            Self::DependencyYanked {
                name,
                version,
                yank,
            } => write!(f, "`{name}` {version} was yanked as {yank}"),
            Self::YankedVersionFetched {
                repo,
                version,
                yank,
            } => write!(f, "{repo} {version} was yanked as {yank}"),
            Self::PassedOver {
                repo,
                version,
                yank,
                taken,
            } => write!(
                f,
                "{repo} {version} was yanked as {yank}\n{taken} is taken in its place"
            ),
            Self::NewVersionPassedOver {
                repo,
                version,
                published,
                days,
                taken,
            } => write!(
                f,
                "{repo} {version} was published at {published}, and is taken when it is {days} days \
                 old\n{taken} is taken in its place"
            ),
            Self::AgeUnknown { registry } => write!(
                f,
                "{registry} keeps no log, so the age of its versions is not known"
            ),
            Self::UnloggedVersionPassedOver { missing, taken } => {
                write!(f, "{missing}\n{taken} is taken in its place")
            }
            Self::Deprecated { repo, deprecation } => {
                write!(f, "{repo} is deprecated: {deprecation}")
            }
            Self::Advised {
                tool,
                version,
                advisory,
                fixed,
                ..
            } => {
                write!(f, "{tool} {version} is affected by {}", advisory.in_words())?;
                fixed.map_or(Ok(()), |fixed| write!(f, "; mended in {fixed}"))
            }
            Self::AdvisoriesUnread { source, error, age } => {
                write!(
                    f,
                    "the advisories of {source} cannot be read: {}",
                    Chain(error)
                )?;
                match age {
                    Some(age) => write!(f, "\nthose of {age} ago count in their place"),
                    None => f.write_str("\nnothing is known of them"),
                }
            }
            Self::AdvisoriesFaulty {
                source,
                faulty,
                first,
            } => {
                write!(
                    f,
                    "{faulty} of the advisories of {source} cannot be read, or not in full"
                )?;
                first.iter().try_for_each(|fault| write!(f, "\n- {fault}"))
            }
            Self::LeftOut { error } => write!(f, "left out: {error}"),
        }
    }
}

/// An error with its causes, in one line.
struct Chain<'a>(&'a Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = std::error::Error::source(self.0);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Tells notices to a person, or keeps them for whoever asks.
pub trait Notices: Send + Sync {
    /// Takes one notice, at the time when it matters.
    fn notice(&self, notice: &Notice<'_>);
}
