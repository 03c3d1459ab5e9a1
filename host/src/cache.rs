//! The cache of compiled code. Deserialising compiled code is as good as running it, so an
//! entry counts only when it carries a MAC made with this directory's own key over exactly
//! the bytes that are then used. Whatever is wrong with an entry, it is compiled again.

mod image;
mod trim;

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tool_hub_manifest::Digest;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::HostError;

use self::image::Image;

pub use trim::Trimmed;

const KEY_FILE: &str = "key";
const KEY_BYTES: usize = 32;
const MAC_BYTES: usize = 32;
/// Entries longer than this are not read: no component that passes the scan makes one.
const ENTRY_BYTES_MAX: u64 = 1 << 30;

/// A private directory of compiled code, and the key that authenticates it.
pub(crate) struct Cache {
    directory: PathBuf,
    key: [u8; KEY_BYTES],
    /// The engine's version and configuration: code made by another is never looked at.
    compatibility: u64,
    engine: Engine,
}

/// The place of one component's code.
pub(crate) struct Entry<'a> {
    cache: &'a Cache,
    path: PathBuf,
    digest: Digest,
}

impl Cache {
    /// Opens the cache in `directory`, which is made when it is missing.
    pub(crate) fn open(directory: &Path, engine: &Engine) -> Result<Self, HostError> {
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
            engine: engine.clone(),
        })
    }

    /// The place of the component with `digest`.
    pub(crate) fn entry(&self, digest: &Digest) -> Entry<'_> {
        let name = format!("{}-{:016x}.code", digest.hex(), self.compatibility);
        Entry {
            cache: self,
            path: self.directory.join(name),
            digest: *digest,
        }
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
    pub(crate) fn load(&self) -> Option<Component> {
        match self.read() {
            Ok(loaded) => Some(loaded),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "compiled code is not used");
                None
            }
        }
    }

    /// Keeps the code of `component`. Failing to is no failure of the load.
    pub(crate) fn store(&self, component: &Component) {
        let written = component
            .serialize()
            .map_err(|error| io::Error::other(format!("{error:#}")))
            .and_then(|code| self.write(&code));
        if let Err(error) = written {
            tracing::warn!(path = %self.path.display(), %error, "compiled code is not kept");
        }
    }

    /// Copies the entry into memory that nobody can change, authenticates that memory, and
    /// loads the code from it. A mapping of the file would show later changes to the file.
    fn read(&self) -> io::Result<Component> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
        let length = length
            .checked_sub(MAC_BYTES as u64)
            .filter(|length| (1..ENTRY_BYTES_MAX).contains(length))
            .ok_or_else(|| invalid("the entry has a wrong size"))?;
        let mut mac = [0; MAC_BYTES];
        file.read_exact(&mut mac)?;
        let image = Image::copy(file, length)?;
        let mut hasher = self.cache.mac(&self.digest, length);
        image.hash(&mut hasher)?;
        // blake3's own comparison takes the same time for every input.
        if blake3::Hash::from(mac) != hasher.finalize() {
            return Err(invalid("the entry is not authentic"));
        }
        deserialize(&self.cache.engine, &image).map_err(|error| invalid(&format!("{error:#}")))
    }

    fn write(&self, code: &[u8]) -> io::Result<()> {
        let mut file = NamedTempFile::new_in(&self.cache.directory)?;
        let mut hasher = self.cache.mac(&self.digest, code.len() as u64);
        hasher.update(code);
        file.write_all(hasher.finalize().as_bytes())?;
        file.write_all(code)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        File::open(&self.cache.directory)?.sync_all()
    }
}

/// Loads authenticated code.
#[expect(
    unsafe_code,
    reason = "deserialising trusts its input; the MAC over these very bytes says that an \
              engine of this version and configuration made them from this component"
)]
fn deserialize(engine: &Engine, image: &Image) -> wasmtime::Result<Component> {
    // SAFETY: the caller authenticated `image` as the output of `serialize` of a compatible
    // engine, and an image cannot change, so it is still what was authenticated.
    unsafe { image.deserialize(engine) }
}

/// Makes `directory` and closes it to everybody else.
fn make_private(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(directory)?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
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
    // Temporary files are made for their owner only.
    let mut file = NamedTempFile::new_in(directory)?;
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
