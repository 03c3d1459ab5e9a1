//! The `KnownAdvisories`, `known_advisories.json`: a copy of what the sources said last.
//! So advisories are known where nobody asks a source, and while the network is away.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tool_hub_manifest::{LockedTool, RepoId};
use url::Url;

use super::advisory::Advisory;
use super::archive::Collected;
use super::error::{AdvisoryError, Fault};
use super::ignored::{IgnoredAdvisories, IgnoredAdvisory};
use super::source::AdvisorySource;
use crate::error::Error;
use crate::files;
use crate::settings::Settings;

const FILE: &str = "known_advisories.json";
/// The times are apart, so that the file above changes only when what it says does.
const TIMES: &str = "advisories_read.toml";
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The advisories of the user's sources, as they were read last.
#[derive(Debug, Default)]
pub struct KnownAdvisories {
    sources: Vec<KeptSource>,
    ignored: IgnoredAdvisories,
}

/// The copy of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSource {
    /// The source.
    pub source: AdvisorySource,
    /// The registry of a data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<Url>,
    /// The commit of a data set, or the tag of a URL's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The advisories that are about tools and were not withdrawn.
    pub advisories: Vec<Advisory>,
    /// The first faults in them.
    pub faults: Vec<Fault>,
    /// The number of advisories that cannot be read, or not as a whole.
    pub faulty: usize,
}

/// An advisory about a version, and what the user decided about it.
#[derive(Debug, Clone, Copy)]
pub struct FoundAdvisory<'a> {
    /// The advisory.
    pub advisory: &'a Advisory,
    /// The source that has it.
    pub source: &'a AdvisorySource,
    /// The reason why it is passed over.
    pub ignored: Option<&'a IgnoredAdvisory>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Times(BTreeMap<String, String>);

impl KeptSource {
    /// The copy of a source that was read just now.
    pub(crate) fn new(
        source: &AdvisorySource,
        registry: Option<Url>,
        collected: Collected,
        revision: Option<String>,
    ) -> Self {
        Self {
            source: source.clone(),
            registry,
            revision,
            advisories: collected.advisories,
            faults: collected.faults,
            faulty: collected.faulty,
        }
    }

    fn name(&self) -> String {
        match &self.registry {
            Some(registry) => format!("{} {registry}", self.source),
            None => self.source.to_string(),
        }
    }

    /// The time when it was read last.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`].
    pub(crate) fn read_at(&self, settings: &Settings) -> Result<Option<OffsetDateTime>, Error> {
        let times: Times = files::read_toml(&times_file(settings))?.unwrap_or_default();
        let at = times.0.get(&self.name());
        Ok(at.and_then(|at| OffsetDateTime::parse(at, &Rfc3339).ok()))
    }
}

impl KnownAdvisories {
    /// The file in which they are written, if there are any.
    pub fn file(settings: &Settings) -> PathBuf {
        settings.user.join(FILE)
    }

    /// Reads what is known of the sources of `config.toml`. A copy counts whichever registry its
    /// data set was read from: naming another registry makes nobody forget.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Settings`], [`Error::Advisories`].
    pub fn read(settings: &Settings) -> Result<Self, Error> {
        if settings.advisories.is_empty() {
            return Ok(Self::default());
        }
        Self::of_sources(&settings.advisories, settings)
    }

    /// Reads what is known of `sources`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of_sources(sources: &[AdvisorySource], settings: &Settings) -> Result<Self, Error> {
        let kept = read_all(&Self::file(settings))?.into_iter();
        Ok(Self {
            sources: kept.filter(|kept| sources.contains(&kept.source)).collect(),
            ignored: IgnoredAdvisories::read(settings)?,
        })
    }

    /// These, and what was carried here with a tool. That can only refuse more.
    pub(crate) fn and(mut self, carried: KeptSource) -> Self {
        self.sources.push(carried);
        self
    }

    /// The copies.
    pub fn sources(&self) -> &[KeptSource] {
        &self.sources
    }

    /// The advisories about a version, the worst first. One that several sources have is told once.
    pub fn about(
        &self,
        endpoint: &Url,
        repo: &RepoId,
        version: &Version,
    ) -> Vec<FoundAdvisory<'_>> {
        let mut found: Vec<FoundAdvisory<'_>> = Vec::new();
        for kept in &self.sources {
            let affecting = kept.advisories.iter();
            let affecting = affecting.filter(|one| one.affects(endpoint, repo, version));
            for advisory in affecting {
                let same = found.iter_mut().find(|it| it.advisory.id == advisory.id);
                match same {
                    // What one source takes back or makes milder, another may not yet.
                    Some(same) if same.advisory.severity >= advisory.severity => {}
                    Some(same) => (same.advisory, same.source) = (advisory, &kept.source),
                    None => found.push(FoundAdvisory {
                        advisory,
                        source: &kept.source,
                        ignored: self.ignored.of(advisory),
                    }),
                }
            }
        }
        found.sort_by_key(|one| Reverse(one.advisory.severity));
        found
    }

    /// The advisories about a locked version. Only tools of a registry have any.
    pub fn about_locked(&self, locked: &LockedTool) -> Vec<FoundAdvisory<'_>> {
        match locked.source.repo() {
            Some((endpoint, repo)) => self.about(endpoint, repo, &locked.version),
            None => Vec::new(),
        }
    }

    /// Notes what a source says now, and when it was asked.
    ///
    /// # Errors
    /// If a file cannot be read or changed.
    pub(crate) fn note(settings: &Settings, kept: &KeptSource) -> Result<(), Error> {
        let _guard = files::Guard::take(&settings.user, ".known_advisories.guard")?;
        let path = Self::file(settings);
        let mut all = read_all(&path)?;
        if !all.contains(kept) {
            all.retain(|other| other.name() != kept.name());
            all.push(kept.clone());
            let text = serde_json::to_vec(&all).map_err(|source| AdvisoryError::Damaged {
                path: path.clone(),
                source,
            })?;
            files::check_length(&path, text.len(), FILE_BYTES_MAX)?;
            files::write(&path, &text)?;
        }
        let path = times_file(settings);
        let mut times: Times = files::read_toml(&path)?.unwrap_or_default();
        let now = OffsetDateTime::now_utc();
        let now = now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339)?;
        times.0.insert(kept.name(), now);
        files::write_toml(&path, &times)
    }

    /// The copy of `source`, of the data sets of the registry at `registry`.
    pub(crate) fn copy_of(
        source: &AdvisorySource,
        registry: Option<&Url>,
        settings: &Settings,
    ) -> Result<Option<KeptSource>, Error> {
        let mut all = read_all(&Self::file(settings))?.into_iter();
        Ok(all.find(|kept| kept.source == *source && kept.registry.as_ref() == registry))
    }
}

impl FoundAdvisory<'_> {
    /// True if it refuses a version that was approved as `locked`.
    pub fn refuses(&self, locked: &LockedTool) -> bool {
        self.advisory.severity.refuses() && !locked.allowed_advisories.contains(&self.advisory.id)
    }
}

fn read_all(path: &Path) -> Result<Vec<KeptSource>, Error> {
    let bytes = match files::read_regular(path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(files::unreadable(path)(error)),
    };
    let kept = serde_json::from_slice(&bytes).map_err(|source| AdvisoryError::Damaged {
        path: path.to_owned(),
        source,
    });
    Ok(kept?)
}

fn times_file(settings: &Settings) -> PathBuf {
    settings.user.join(TIMES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::Variables;

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let user = home.path().to_owned();
        let variables = Variables::new(move |name| match name {
            "HOME" | "TOOL_HUB_HOME" => Some(user.clone().into()),
            _ => None,
        });
        let settings = Settings::resolve(variables, home.path().to_owned(), None).unwrap();
        let of = |path: &str, length: usize| KeptSource {
            source: path.parse().unwrap(),
            registry: None,
            revision: None,
            advisories: Vec::new(),
            faults: vec![Fault {
                file: path.to_owned(),
                pointer: String::new(),
                reason: "x".repeat(length),
            }],
            faulty: 1,
        };
        let [small, large] = [of("/one", 1), of("/other", 64 << 20)];
        KnownAdvisories::note(&settings, &small).unwrap();
        let refused = KnownAdvisories::note(&settings, &large).unwrap_err();
        assert!(files::is_too_long(&refused), "{refused:?}");
        let kept = KnownAdvisories::copy_of(&small.source, None, &settings).unwrap();
        assert_eq!(kept, Some(small));
    }
}
