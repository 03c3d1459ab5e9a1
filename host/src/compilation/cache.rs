//! The cache of compiled code: stores entries in files, and loads only those whose MAC verifies.
//! Deserialising compiled code is as good as running it, so an entry counts only when it carries a
//! MAC made with this directory's own key over exactly the bytes that are then used. Whatever is
//! wrong with an entry, it is compiled again.

pub(crate) mod eviction;
mod owner;

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;
use tool_hub_manifest::Digest;
use wasmtime::Engine;

use crate::compilation::cache::eviction::{ENTRY, EvictedFiles, UNFINISHED};
use crate::compilation::cache::owner::{close, is_own, make_private, sync_directory};
use crate::compilation::code::{Code, Image};
use crate::error::HostError;

const KEY_FILE: &str = "key";
const KEY_BYTES: usize = 32;
const MAC_BYTES: usize = 32;
/// Entries longer than this are not read: no component that passes the scan makes one.
const ENTRY_BYTES_MAX: u64 = 1 << 30;
/// The precision of the time at which an entry was used last. Noting it costs a write.
const USED_PRECISION: Duration = Duration::from_secs(60);

/// A private directory of compiled code, and the key that authenticates it.
pub(crate) struct Cache {
    directory: PathBuf,
    key: [u8; KEY_BYTES],
    /// The engine's version and configuration: code made by another is never looked at.
    compatibility: u64,
    /// The bytes that all entries may have together.
    bytes_max: u64,
}

/// The place of one component's code.
pub(crate) struct Entry<'a> {
    cache: &'a Cache,
    path: PathBuf,
    digest: Digest,
}

impl Cache {
    /// Opens the cache in `directory`, which is made when it is missing, for entries of
    /// `bytes_max` together.
    pub(crate) fn open(
        directory: &Path,
        bytes_max: u64,
        engine: &Engine,
    ) -> Result<Self, HostError> {
        let failed = |act, source| HostError::Cache {
            act,
            path: directory.to_owned(),
            source,
        };
        make_private(directory).map_err(|error| failed("make the cache directory", error))?;
        let key = key(directory).map_err(|error| failed("read or make the key in", error))?;
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Ok(Self {
            directory: directory.to_owned(),
            key,
            compatibility: hasher.finish(),
            bytes_max,
        })
    }

    /// The place of the component with `digest`.
    pub(crate) fn entry(&self, digest: &Digest) -> Entry<'_> {
        let name = format!("{}-{:016x}.{ENTRY}", digest.hex(), self.compatibility);
        Entry {
            cache: self,
            path: self.directory.join(name),
            digest: *digest,
        }
    }

    /// Removes the entries of every component but those with the digests `keep`.
    pub(crate) fn trim(&self, keep: &[Digest]) -> Result<EvictedFiles, HostError> {
        let kept: Vec<PathBuf> = keep.iter().map(|digest| self.entry(digest).path).collect();
        eviction::trim(&self.directory, &kept).map_err(|source| HostError::Cache {
            act: "clean the cache directory",
            path: self.directory.clone(),
            source,
        })
    }

    /// Begins the MAC of code of the component with `digest`, `length` bytes of it.
    fn mac(&self, digest: &Digest, length: u64) -> blake3::Hasher {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(b"tool-hub compiled code v1\0");
        hasher.update(digest.as_bytes());
        hasher.update(&self.compatibility.to_le_bytes());
        hasher.update(&length.to_le_bytes());
        hasher
    }
}

impl Entry<'_> {
    /// The code, when there is an entry and it is authentic. Every failure is a miss.
    pub(crate) fn load(&self) -> Option<Code> {
        match self.read() {
            Ok(code) => Some(code),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "compiled code is not used");
                None
            }
        }
    }

    #[cfg(feature = "fuzzing")]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps `code`. Failing to is no failure of the load.
    pub(crate) fn store(&self, code: &Code) {
        if let Err(error) = self.write(code.image()) {
            tracing::warn!(path = %self.path.display(), %error, "compiled code is not kept");
        }
    }

    /// Authenticates the entry, which is then mapped where it is, as a shared library of the
    /// user's own would be: entries are replaced and removed, and never written to.
    #[expect(
        unsafe_code,
        reason = "the MAC over these very bytes says that an engine of this version and \
                  configuration made them from this component"
    )]
    fn read(&self) -> io::Result<Code> {
        let file = File::open(&self.path)?;
        let metadata = file.metadata()?;
        if !is_own(&metadata) {
            return Err(invalid("others may write to the entry"));
        }
        let length = metadata
            .len()
            .checked_sub(MAC_BYTES as u64)
            .filter(|length| (1..ENTRY_BYTES_MAX).contains(length))
            .ok_or_else(|| invalid("the entry has a wrong size"))?;
        let mut mac = [0; MAC_BYTES];
        (&file).seek(SeekFrom::Start(length))?;
        (&file).read_exact(&mut mac)?;
        mark_used(&file, &metadata);
        let image = Image::from_file(file, length)?;
        let mut hasher = self.cache.mac(&self.digest, length);
        image.hash(&mut hasher)?;
        // blake3's own comparison takes the same time for every input.
        if blake3::Hash::from(mac) != hasher.finalize() {
            return Err(invalid("the entry is not authentic"));
        }
        // SAFETY: only `write` makes entries with this key, and only of code that the
        // compiler vouched for, whole.
        Ok(unsafe { Code::from_trusted(image) })
    }

    fn write(&self, code: &Image) -> io::Result<()> {
        let length = MAC_BYTES as u64 + code.length();
        if length > self.cache.bytes_max {
            return Err(io::Error::other(format!(
                "it has {length} bytes, all entries together may have {}",
                self.cache.bytes_max
            )));
        }
        let mut file = temporary_file(&self.cache.directory)?;
        let mut hasher = self.cache.mac(&self.digest, code.length());
        code.hash(&mut hasher)?;
        io::copy(&mut code.read()?, &mut file)?;
        file.write_all(hasher.finalize().as_bytes())?;
        close(file.as_file())?;
        file.persist(&self.path).map_err(|error| error.error)?;
        sync_directory(&self.cache.directory)?;
        eviction::evict(&self.cache.directory, self.cache.bytes_max).map(drop)
    }
}

/// Says that the entry is used now, so that others make room before it. Failing to only
/// makes it go sooner.
fn mark_used(file: &File, metadata: &fs::Metadata) {
    let now = SystemTime::now();
    let is_recent = metadata
        .modified()
        .and_then(|used| now.duration_since(used).map_err(io::Error::other))
        .is_ok_and(|age| age < USED_PRECISION);
    if !is_recent && let Err(error) = file.set_modified(now) {
        tracing::debug!(%error, "the use of compiled code is not noted");
    }
}

/// A file to be written and renamed, readable by its owner only.
fn temporary_file(directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .suffix(&format!(".{UNFINISHED}"))
        .tempfile_in(directory)
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The directory's key; the first process to come makes it.
fn key(directory: &Path) -> io::Result<[u8; KEY_BYTES]> {
    let path = directory.join(KEY_FILE);
    match read_key(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        read => return read,
    }
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let mut file = temporary_file(directory)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(key),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => read_key(&path),
        Err(error) => Err(error.error),
    }
}

fn read_key(path: &Path) -> io::Result<[u8; KEY_BYTES]> {
    let mut file = OpenOptions::new().read(true).open(path)?;
    let mut key = [0; KEY_BYTES];
    file.read_exact(&mut key)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use tool_hub_manifest::Limits;

    use super::*;
    use crate::compilation::compiler::Compiler;
    use crate::compilation::engine::engine;
    use crate::component::engine_kind::EngineKind;

    /// An empty component: the smallest entry there is.
    fn code(engine: &Engine) -> Code {
        let component = wat::parse_str("(component)").unwrap();
        Compiler::InProcess.compile(&component, engine).unwrap()
    }

    fn cache(directory: &Path, bytes_max: u64) -> (Cache, Engine) {
        let engine = engine(EngineKind::SingleTask, &Limits::standard(), 1).unwrap();
        (Cache::open(directory, bytes_max, &engine).unwrap(), engine)
    }

    #[expect(clippy::disallowed_methods, reason = "the entry is spoilt on purpose")]
    fn corrupt(entry: &Entry<'_>, bytes: &[u8]) {
        fs::remove_file(&entry.path).unwrap();
        fs::write(&entry.path, bytes).unwrap();
    }

    #[test]
    fn no_entry_with_a_changed_byte_is_code() {
        let directory = tempfile::tempdir().unwrap();
        let (cache, engine) = cache(directory.path(), u64::MAX);
        let entry = cache.entry(&Digest::of(b"a component"));
        entry.store(&code(&engine));
        assert!(entry.load().is_some());
        let honest = fs::read(&entry.path).unwrap();
        let mut touched = honest.clone();
        for at in 0..honest.len() {
            touched[at] ^= 1 << (at % 8);
            corrupt(&entry, &touched);
            assert!(entry.load().is_none(), "byte {at} of {}", honest.len());
            touched[at] = honest[at];
        }
        for length in (0..honest.len()).step_by(7) {
            corrupt(&entry, &honest[..length]);
            assert!(entry.load().is_none(), "{length} bytes of {}", honest.len());
        }
        corrupt(&entry, &[honest.as_slice(), b"\0"].concat());
        assert!(entry.load().is_none(), "a byte more");
        corrupt(&entry, &honest);
        assert!(entry.load().is_some());
        let other = cache.entry(&Digest::of(b"another component"));
        fs::rename(&entry.path, &other.path).unwrap();
        assert!(other.load().is_none(), "the code of another component");
    }

    #[test]
    fn what_was_used_least_recently_makes_room() {
        let directory = tempfile::tempdir().unwrap();
        let (unbounded, engine) = cache(directory.path(), u64::MAX);
        let code = code(&engine);
        let digests = [b"a", b"b", b"c"].map(|text| Digest::of(text));
        unbounded.entry(&digests[0]).store(&code);
        let bytes = fs::metadata(&unbounded.entry(&digests[0]).path)
            .unwrap()
            .len();
        let (cache, _) = cache(directory.path(), 2 * bytes);
        cache.entry(&digests[1]).store(&code);
        let age = |digest: &Digest, minutes: u64| {
            let file = File::open(&cache.entry(digest).path).unwrap();
            let used = SystemTime::now() - Duration::from_secs(60 * minutes);
            file.set_modified(used).unwrap();
        };
        age(&digests[0], 30);
        age(&digests[1], 20);
        // Being used makes the oldest the youngest.
        assert!(cache.entry(&digests[0]).load().is_some());
        cache.entry(&digests[2]).store(&code);
        let kept = digests.map(|digest| cache.entry(&digest).load().is_some());
        assert_eq!(kept, [true, false, true]);
    }

    #[test]
    fn code_that_would_need_all_the_room_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let (cache, engine) = cache(directory.path(), 1_000);
        let entry = cache.entry(&Digest::of(b"a component"));
        entry.store(&code(&engine));
        assert!(entry.load().is_none());
        assert_eq!(
            fs::read_dir(directory.path()).unwrap().count(),
            1,
            "the key"
        );
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (cache, engine) = cache(directory.path(), u64::MAX);
        let old = temporary_file(directory.path()).unwrap().keep().unwrap();
        let new = temporary_file(directory.path()).unwrap().keep().unwrap();
        let hours = Duration::from_secs(2 * 3600);
        old.0.set_modified(SystemTime::now() - hours).unwrap();
        cache
            .entry(&Digest::of(b"a component"))
            .store(&code(&engine));
        assert!(!old.1.exists());
        assert!(new.1.exists(), "somebody may be writing it");
    }
}
