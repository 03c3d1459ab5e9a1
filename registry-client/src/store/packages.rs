//! Finds a package again by its repo and digest, which a pull notes, without asking the registry.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Digest, Hasher, Pin, RepoId, ToolName, digest_with_dependencies};
use url::Url;

use super::blob;
use super::directories::{entries, make_private};
use super::{Store, StoreError};

/// The most bytes that are read of an entry: the digests and names of a package and of all that it
/// depends on are shorter.
const ENTRY_BYTES_MAX: u64 = 8 << 10;

/// A package that was pulled, and the tools that it was approved with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PulledPackage {
    /// The digests of its files.
    pub pin: Pin,
    /// The digests over the tools that it depends on, by its names for them.
    pub dependencies: BTreeMap<ToolName, Digest>,
}

impl PulledPackage {
    /// The digest that an approval names: over the package and all that it depends on.
    fn digest(&self) -> Digest {
        let dependencies = self.dependencies.iter();
        let dependencies = dependencies.map(|(name, digest)| (name, *digest));
        digest_with_dependencies(self.pin.digest(), dependencies)
    }
}

/// A package that depends on nothing.
impl From<Pin> for PulledPackage {
    fn from(pin: Pin) -> Self {
        Self {
            pin,
            dependencies: BTreeMap::new(),
        }
    }
}

impl Store {
    /// The package with the digest `package`, over it and all that it depends on, if it was pulled
    /// from `repo` of the registry at `endpoint` and is still here. It counts as used, as by a
    /// pull. What it depends on is looked up in the same way.
    ///
    /// # Errors
    /// When the entry cannot be read.
    pub fn pulled(
        &self,
        endpoint: &Url,
        repo: &RepoId,
        package: Digest,
    ) -> Result<Option<PulledPackage>, StoreError> {
        let path = self.entry(endpoint, repo, package);
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", path)(error)),
        };
        // An entry that was damaged names another package, or none.
        let found = parse(&text);
        let found = found.filter(|it| it.digest() == package && self.contains(&it.pin));
        if let Some(PulledPackage { pin, .. }) = &found {
            blob::touch(&self.layout, pin.manifest);
            blob::touch(&self.layout, pin.component);
            for digest in self.digests_beside(pin.manifest) {
                blob::touch(&self.layout, digest);
            }
        }
        Ok(found)
    }

    /// Takes note that `package` came from `repo` of the registry at `endpoint`. What a
    /// power failure loses of that only costs a download.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub fn note_pulled(
        &self,
        endpoint: &Url,
        repo: &RepoId,
        package: &PulledPackage,
    ) -> Result<(), StoreError> {
        let path = self.entry(endpoint, repo, package.digest());
        if path.is_file() {
            return Ok(());
        }
        make_private(path.parent().unwrap_or(self.layout.packages()))?;
        let incoming = self.layout.incoming();
        let mut file = tempfile::Builder::new()
            .prefix("write-")
            .tempfile_in(incoming)
            .map_err(StoreError::io("make a file in", incoming))?;
        write!(file, "{package}").map_err(StoreError::io("write", file.path()))?;
        file.persist(&path)
            .map_err(|error| StoreError::io("rename a file to", &path)(error.error))?;
        Ok(())
    }

    /// Removes the entries whose package is not here any more.
    pub(super) fn forget_packages(&self) -> Result<(), StoreError> {
        for fan in entries(self.layout.packages())? {
            for entry in entries(&fan.path())? {
                let path = entry.path();
                let found = read(&path).ok().and_then(|text| parse(&text));
                if !found.is_some_and(|it| self.contains(&it.pin)) {
                    fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
                }
            }
        }
        Ok(())
    }

    fn entry(&self, endpoint: &Url, repo: &RepoId, package: Digest) -> PathBuf {
        let mut hasher = Hasher::new();
        // Neither a URL nor a repo's name holds a zero byte.
        hasher.update(format!("{endpoint}\0{repo}\0").as_bytes());
        hasher.update(package.as_bytes());
        self.layout.package(hasher.finish())
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?
        .take(ENTRY_BYTES_MAX)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// The text of an entry: two digests, and a line with name and digest for each dependency.
impl fmt::Display for PulledPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", self.pin.manifest, self.pin.component)?;
        let mut dependencies = self.dependencies.iter();
        dependencies.try_for_each(|(name, digest)| writeln!(f, "{name} {digest}"))
    }
}

fn parse(text: &str) -> Option<PulledPackage> {
    let mut lines = text.lines();
    let pin = Pin {
        manifest: lines.next()?.parse().ok()?,
        component: lines.next()?.parse().ok()?,
    };
    let dependencies = lines.map(|line| {
        let (name, digest) = line.split_once(' ')?;
        Some((name.parse().ok()?, digest.parse().ok()?))
    });
    Some(PulledPackage {
        pin,
        dependencies: dependencies.collect::<Option<_>>()?,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test damages files")]
mod tests {
    use std::time::Duration;

    use tool_hub_manifest::{ComponentClaim, Manifest, Package, Version};

    use super::*;

    fn store() -> (tempfile::TempDir, Store, Pin) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let component = b"component".to_vec();
        let mut manifest = Manifest::new("demo".parse().unwrap(), Version::new(0, 1, 0));
        manifest.component = Some(ComponentClaim::of(&component));
        let package = Package {
            manifest: manifest.to_toml().into_bytes(),
            component,
            interpreter: None,
            sbom: None,
        };
        let pin = *store.put_package(package).unwrap().pin();
        (directory, store, pin)
    }

    fn places() -> (Url, RepoId) {
        let endpoint = "https://hub.example".parse().unwrap();
        (endpoint, "ada/demo".parse().unwrap())
    }

    #[test]
    fn a_package_is_found_by_its_digest_where_it_came_from() {
        let (_directory, store, pin) = store();
        let (endpoint, repo) = places();
        let found =
            |endpoint: &Url, repo: &RepoId, digest| store.pulled(endpoint, repo, digest).unwrap();
        assert_eq!(found(&endpoint, &repo, pin.digest()), None);
        store.note_pulled(&endpoint, &repo, &pin.into()).unwrap();
        store.note_pulled(&endpoint, &repo, &pin.into()).unwrap();
        assert_eq!(found(&endpoint, &repo, pin.digest()), Some(pin.into()));
        let other: RepoId = "bob/demo".parse().unwrap();
        let elsewhere: Url = "https://other.example".parse().unwrap();
        assert_eq!(found(&endpoint, &other, pin.digest()), None);
        assert_eq!(found(&elsewhere, &repo, pin.digest()), None);
        assert_eq!(found(&endpoint, &repo, Digest::of(b"x")), None);
    }

    #[test]
    fn a_package_is_found_with_what_it_depends_on() {
        let (_directory, store, pin) = store();
        let (endpoint, repo) = places();
        let tree = PulledPackage {
            dependencies: [("units".parse().unwrap(), Digest::of(b"units"))].into(),
            ..pin.into()
        };
        store.note_pulled(&endpoint, &repo, &tree).unwrap();
        let found = |digest| store.pulled(&endpoint, &repo, digest).unwrap();
        assert_eq!(found(pin.digest()), None);
        assert_eq!(found(tree.digest()), Some(tree.clone()));
        let other = tree.to_string().replace("units ", "other ");
        fs::write(store.entry(&endpoint, &repo, tree.digest()), other).unwrap();
        assert_eq!(found(tree.digest()), None);
    }

    #[test]
    fn a_damaged_entry_finds_nothing() {
        let (_directory, store, pin) = store();
        let (endpoint, repo) = places();
        store.note_pulled(&endpoint, &repo, &pin.into()).unwrap();
        let path = store.entry(&endpoint, &repo, pin.digest());
        let swapped = format!("{}\n{}\n", pin.component, pin.manifest);
        for text in ["", "x", "sha256:00\nsha256:11\n", &swapped] {
            fs::write(&path, text).unwrap();
            let found = store.pulled(&endpoint, &repo, pin.digest()).unwrap();
            assert_eq!(found, None, "{text}");
        }
    }

    #[test]
    fn an_entry_goes_with_its_package() {
        let (_directory, store, pin) = store();
        let (endpoint, repo) = places();
        store.note_pulled(&endpoint, &repo, &pin.into()).unwrap();
        let path = store.entry(&endpoint, &repo, pin.digest());
        store.gc(&[pin], Duration::ZERO).unwrap();
        assert!(path.is_file());
        store.gc(&[], Duration::ZERO).unwrap();
        assert!(!path.exists());
        assert_eq!(store.pulled(&endpoint, &repo, pin.digest()).unwrap(), None);
    }
}
