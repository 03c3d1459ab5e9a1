//! Finds a package again by its repo and digest, which a pull notes, without asking the registry.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tool_hub_manifest::{Digest, Hasher, Pin, RepoId};
use url::Url;

use super::blob;
use super::directories::{entries, make_private};
use super::{Store, StoreError};

/// The most bytes that are read of an entry: two digests as text, with line breaks, are shorter.
const ENTRY_BYTES_MAX: u64 = 256;

impl Store {
    /// The pin of the package with the digest `package` ([`Pin::digest`]), if it was pulled from
    /// `repo` of the registry at `endpoint` and is still here. It counts as used, as by a pull.
    ///
    /// # Errors
    /// When the entry cannot be read.
    pub fn pulled(
        &self,
        endpoint: &Url,
        repo: &RepoId,
        package: Digest,
    ) -> Result<Option<Pin>, StoreError> {
        let path = self.entry(endpoint, repo, package);
        let text = match read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("read", path)(error)),
        };
        // An entry that was damaged names another package, or none.
        let pin = parse(&text).filter(|pin| pin.digest() == package && self.contains(pin));
        if let Some(pin) = pin {
            blob::touch(&self.layout, pin.manifest);
            blob::touch(&self.layout, pin.component);
            for digest in self.digests_beside(pin.manifest) {
                blob::touch(&self.layout, digest);
            }
        }
        Ok(pin)
    }

    /// Takes note that the package `pin` came from `repo` of the registry at `endpoint`. What a
    /// power failure loses of that only costs a download.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub fn note_pulled(&self, endpoint: &Url, repo: &RepoId, pin: &Pin) -> Result<(), StoreError> {
        let path = self.entry(endpoint, repo, pin.digest());
        if path.is_file() {
            return Ok(());
        }
        make_private(path.parent().unwrap_or(self.layout.packages()))?;
        let incoming = self.layout.incoming();
        let mut file = tempfile::Builder::new()
            .prefix("write-")
            .tempfile_in(incoming)
            .map_err(StoreError::io("make a file in", incoming))?;
        write!(file, "{}\n{}\n", pin.manifest, pin.component)
            .map_err(StoreError::io("write", file.path()))?;
        file.persist(&path)
            .map_err(|error| StoreError::io("rename a file to", &path)(error.error))?;
        Ok(())
    }

    /// Removes the entries whose package is not here any more.
    pub(super) fn forget_packages(&self) -> Result<(), StoreError> {
        for fan in entries(self.layout.packages())? {
            for entry in entries(&fan.path())? {
                let path = entry.path();
                let pin = read(&path).ok().and_then(|text| parse(&text));
                if !pin.is_some_and(|pin| self.contains(&pin)) {
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

fn parse(text: &str) -> Option<Pin> {
    let (manifest, component) = text.trim_end().split_once('\n')?;
    Some(Pin {
        manifest: manifest.parse().ok()?,
        component: component.parse().ok()?,
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
        store.note_pulled(&endpoint, &repo, &pin).unwrap();
        store.note_pulled(&endpoint, &repo, &pin).unwrap();
        assert_eq!(found(&endpoint, &repo, pin.digest()), Some(pin));
        let other: RepoId = "bob/demo".parse().unwrap();
        let elsewhere: Url = "https://other.example".parse().unwrap();
        assert_eq!(found(&endpoint, &other, pin.digest()), None);
        assert_eq!(found(&elsewhere, &repo, pin.digest()), None);
        assert_eq!(found(&endpoint, &repo, Digest::of(b"x")), None);
    }

    #[test]
    fn a_damaged_entry_finds_nothing() {
        let (_directory, store, pin) = store();
        let (endpoint, repo) = places();
        store.note_pulled(&endpoint, &repo, &pin).unwrap();
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
        store.note_pulled(&endpoint, &repo, &pin).unwrap();
        let path = store.entry(&endpoint, &repo, pin.digest());
        store.gc(&[pin], Duration::ZERO).unwrap();
        assert!(path.is_file());
        store.gc(&[], Duration::ZERO).unwrap();
        assert!(!path.exists());
        assert_eq!(store.pulled(&endpoint, &repo, pin.digest()).unwrap(), None);
    }
}
