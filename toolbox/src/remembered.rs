//! The `Remembered` values of repos: one for each repo of each registry, in a file of the user's.
//! A repo is the same in any case, and a registry with any slashes at the end of its URL.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tool_hub_manifest::{PackageSigner, RepoId};
use url::Url;

use crate::error::Error;
use crate::files;
use crate::registry_address::canonical;

/// The most bytes of a value: no repo that a user looks at fills the file.
const VALUE_BYTES_MAX: usize = 256 << 10;

/// The values, by registry and repo.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Remembered<T> {
    registries: BTreeMap<Url, BTreeMap<RepoId, T>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            registries: BTreeMap::new(),
        }
    }
}

/// A value that is remembered of a repo.
pub(crate) trait Remember: Clone + PartialEq + Serialize + DeserializeOwned {
    /// The value of a repo that an older file has under two names, this one and `other`.
    fn merged(self, _other: Self) -> Self {
        self
    }
}

impl Remember for PackageSigner {}

impl<T: Remember> Remembered<T> {
    /// Reads the file at `path`, if there is one.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let known: Option<Self> = files::read_toml(path)?;
        Ok(known.unwrap_or_default().folded())
    }

    /// The same under the names by which it is looked up. Of two values for one repo the one that
    /// is under that name counts more.
    fn folded(self) -> Self {
        let (mut folded, mut others) = (Self::default(), Vec::new());
        for (endpoint, repos) in self.registries {
            let address = canonical(&endpoint);
            for (repo, value) in repos {
                let key = repo.folded();
                match endpoint == address && repo == key {
                    true => folded.insert(address.clone(), key, value),
                    false => others.push((address.clone(), key, value)),
                }
            }
        }
        for (address, key, value) in others {
            folded.insert(address, key, value);
        }
        folded
    }

    fn insert(&mut self, address: Url, key: RepoId, value: T) {
        let repos = self.registries.entry(address).or_default();
        let merged = match repos.remove(&key) {
            Some(known) => known.merged(value),
            None => value,
        };
        repos.insert(key, merged);
    }

    /// The value for `repo`.
    pub(crate) fn of(&self, endpoint: &Url, repo: &RepoId) -> Option<&T> {
        self.registries
            .get(&canonical(endpoint))?
            .get(&repo.folded())
    }

    /// Remembers `value` for `repo` in the file at `path`; none is forgotten. The file is written
    /// only if something changes.
    pub(crate) fn note(
        path: &Path,
        endpoint: &Url,
        repo: &RepoId,
        value: Option<&T>,
    ) -> Result<(), Error> {
        Self::change(path, endpoint, repo, |_| value.cloned())
    }

    /// Does the same with what `change` makes of the value that is stored, while no other process
    /// stores another. It is asked a second time if something changes.
    pub(crate) fn change(
        path: &Path,
        endpoint: &Url,
        repo: &RepoId,
        mut change: impl FnMut(Option<&T>) -> Option<T>,
    ) -> Result<(), Error> {
        let known = Self::read(path)?;
        let stored = known.of(endpoint, repo);
        if change(stored).as_ref() == stored {
            return Ok(());
        }
        let directory = path.parent().unwrap_or(Path::new("."));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let _guard = files::Guard::take(directory, &format!(".{name}.guard"))?;
        let mut known = Self::read(path)?;
        let value = change(known.of(endpoint, repo));
        let repos = known.registries.entry(canonical(endpoint)).or_default();
        match value {
            Some(value) => {
                Self::check_length(path, endpoint, repo, &value)?;
                repos.insert(repo.folded(), value)
            }
            None => repos.remove(&repo.folded()),
        };
        known.registries.retain(|_, repos| !repos.is_empty());
        files::write_toml(path, &known)
    }

    /// Refuses a value that is too long to be remembered.
    pub(crate) fn check_length(
        path: &Path,
        endpoint: &Url,
        repo: &RepoId,
        value: &T,
    ) -> Result<(), Error> {
        let mut alone = Self::default();
        alone.insert(canonical(endpoint), repo.folded(), value.clone());
        match files::toml_text(path, &alone)?.len() > VALUE_BYTES_MAX {
            true => Err(files::too_long(
                path,
                format!("{repo} alone would have more than {VALUE_BYTES_MAX} bytes of it"),
            )),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tool_hub_manifest::Severity;

    use super::*;
    use crate::known_releases::known_repo::KnownRepo;

    fn releases(severity: &str) -> KnownRepo {
        let text = format!("[yanked.'1.0.0']\nseverity = '{severity}'\nreason = 'x'\n");
        toml_edit::de::from_str(&text).unwrap()
    }

    /// Values under every name that means the repo are one, as older versions wrote them.
    #[test]
    fn older_files_are_read_by_what_their_names_mean() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("known.toml");
        let of = |endpoint: &str, repo: &str, severity: &str| {
            format!(
                "['{endpoint}'.'{repo}'.yanked.'1.0.0']\nseverity = '{severity}'\nreason = 'x'\n"
            )
        };
        let text = [
            of("https://hub.example/", "Ada/x", "malicious"),
            of("https://hub.example/", "ada/x", "broken"),
            of("https://hub.example//", "ada/y", "vulnerable"),
        ];
        files::write(&path, text.concat().as_bytes()).unwrap();
        let known = Remembered::<KnownRepo>::read(&path).unwrap();
        let yank = |endpoint: &str, repo: &str| {
            let found = known.of(&endpoint.parse().unwrap(), &repo.parse().unwrap())?;
            found.yanked.values().next().map(|yank| yank.severity)
        };
        for endpoint in ["https://hub.example", "https://hub.example//"] {
            assert_eq!(yank(endpoint, "ADA/x"), Some(Severity::Malicious));
            assert_eq!(yank(endpoint, "ada/Y"), Some(Severity::Vulnerable));
        }
        assert_eq!(yank("https://hub.example/other", "ada/x"), None);

        let (endpoint, repo) = ("https://hub.example//", "ADA/Y".parse().unwrap());
        let endpoint = endpoint.parse().unwrap();
        Remembered::<KnownRepo>::note(&path, &endpoint, &repo, None).unwrap();
        let text = files::read_if_present(&path).unwrap().unwrap();
        assert!(!text.contains("hub.example//"), "{text}");
        assert!(!text.to_lowercase().contains("ada/y"), "{text}");
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("known.toml");
        let endpoint = "https://hub.example".parse().unwrap();
        let mut large = releases("broken");
        let yank = large.yanked.values().next().unwrap().clone();
        let long = "x".repeat(400);
        for patch in 0..400 {
            let version = format!("1.0.{patch}-{long}").parse().unwrap();
            large.yanked.insert(version, yank.clone());
        }
        let mut written = 0;
        let refused = loop {
            let repo = format!("ada/x{written}").parse().unwrap();
            match Remembered::note(&path, &endpoint, &repo, Some(&large)) {
                Ok(()) => written += 1,
                Err(refused) => break refused,
            }
        };
        assert!(written > 10, "{written}");
        let expect = "it would have more than 4194304 bytes, and could not be read again";
        assert!(reason(&refused).contains(expect), "{refused:?}");
        Remembered::<KnownRepo>::read(&path).unwrap();

        large.yanked = (0..1000)
            .map(|patch| {
                let version = format!("1.0.{patch}-{long}").parse().unwrap();
                (version, yank.clone())
            })
            .collect();
        let repo = "ada/large".parse().unwrap();
        let refused = Remembered::note(&path, &endpoint, &repo, Some(&large)).unwrap_err();
        let expect = "ada/large alone would have more than 262144 bytes of it";
        assert_eq!(reason(&refused), expect);
    }

    fn reason(refused: &Error) -> String {
        std::error::Error::source(refused).map_or_else(String::new, ToString::to_string)
    }
}
