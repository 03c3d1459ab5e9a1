//! The `Code` type, trusted compiled code, and the `Image` that keeps its bytes from changing.
//! The bytes must not change between their check and the engine's mapping of them. What the
//! compiler's child hands over is sealed; an entry of the cache belongs to the user, who replaces
//! it and never writes to it.

use std::fs::File;
use std::io::{self, Write as _};

use wasmtime::Engine;
use wasmtime::component::Component;

#[cfg(target_os = "linux")]
pub(crate) use mapped::Image;
#[cfg(not(target_os = "linux"))]
pub(crate) use owned::Image;

/// Native code that an engine of this version made. Running it is as good as running any
/// code of this process, so whoever makes one vouches for where it came from: the compiler
/// made it, or the cache authenticated it.
pub(crate) struct Code(Image);

impl Code {
    /// # Safety
    /// `image` must be the whole output of `Engine::precompile_component` or
    /// `Component::serialize` of this program's version of the engine.
    #[expect(
        unsafe_code,
        reason = "the one promise that the engine asks for, made by the compiler and by the cache"
    )]
    pub(crate) unsafe fn from_trusted(image: Image) -> Self {
        Self(image)
    }

    /// The component, ready to be linked.
    ///
    /// # Errors
    /// When another version or configuration of the engine made the code, or a component
    /// asks for more than the pool of instances gives.
    #[expect(unsafe_code, reason = "what every maker of this type promised")]
    pub(crate) fn component(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: `from_trusted` is the only constructor, and an image cannot change.
        unsafe { self.0.deserialize(engine) }
    }

    /// The bytes, as a cache keeps them.
    pub(crate) fn image(&self) -> &Image {
        &self.0
    }
}

/// A file without a name, for this process and whom it gives the file to.
pub(crate) fn anonymous_file() -> io::Result<File> {
    #[cfg(target_os = "linux")]
    return mapped::anonymous_file();
    #[cfg(not(target_os = "linux"))]
    return tempfile::tempfile();
}

impl Image {
    /// The bytes that the engine wrote into memory.
    pub(crate) fn written(code: &[u8]) -> io::Result<Self> {
        let mut file = anonymous_file()?;
        file.write_all(code)?;
        Self::sealed(file)
    }
}

/// On Linux: a file that the engine maps without copying it.
#[cfg(target_os = "linux")]
mod mapped {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::AsRawFd as _;
    use std::path::PathBuf;

    use memmap2::MmapOptions;
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use wasmtime::Engine;
    use wasmtime::component::Component;

    pub(super) fn anonymous_file() -> io::Result<File> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(memfd_create("tool-hub compiled code", flags)?.into())
    }

    pub(crate) struct Image {
        file: File,
        length: u64,
    }

    impl Image {
        /// Seals what was written to an [anonymous file](anonymous_file).
        pub(crate) fn sealed(file: File) -> io::Result<Self> {
            let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
            fcntl_add_seals(&file, seals)?;
            let length = file.metadata()?.len();
            Ok(Self { file, length })
        }

        /// The first `length` bytes of a file that is never written to again.
        #[expect(clippy::unnecessary_wraps, reason = "elsewhere it is read")]
        pub(crate) fn from_file(file: File, length: u64) -> io::Result<Self> {
            Ok(Self { file, length })
        }

        pub(crate) fn length(&self) -> u64 {
            self.length
        }

        /// The bytes from the first on.
        pub(crate) fn read(&self) -> io::Result<impl Read> {
            Ok(File::open(self.path())?.take(self.length))
        }

        #[expect(
            unsafe_code,
            reason = "bytes that are mapped are not copied to be hashed"
        )]
        pub(crate) fn hash(&self, hasher: &mut blake3::Hasher) -> io::Result<()> {
            let length = usize::try_from(self.length).map_err(io::Error::other)?;
            let mut options = MmapOptions::new();
            // SAFETY: the file does not change; if it did, the hash would be of no use.
            let mapped = unsafe { options.len(length).populate().map(&self.file)? };
            hasher.update(&mapped);
            Ok(())
        }

        /// # Safety
        /// The image must be code that an engine of this version serialised.
        #[expect(unsafe_code, reason = "the caller's promise is handed on")]
        pub(super) unsafe fn deserialize(&self, engine: &Engine) -> wasmtime::Result<Component> {
            let path = self.path();
            if !path.exists() {
                return Err(wasmtime::Error::msg(
                    "/proc is not mounted here, and code is loaded from memory through it; mount it \
                     with: mount -t proc proc /proc",
                ));
            }
            // SAFETY: as for this function; the file does not change. The engine reads it from the
            // beginning and ignores what may follow.
            unsafe { Component::deserialize_file(engine, path) }
        }

        /// The path at which the process finds the file by its descriptor, whatever became of its
        /// name.
        fn path(&self) -> PathBuf {
            format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
        }
    }
}

/// Elsewhere: memory that this value owns.
#[cfg(not(target_os = "linux"))]
mod owned {
    use std::fs::File;
    use std::io::{self, Read, Seek as _};

    use wasmtime::Engine;
    use wasmtime::component::Component;

    pub(crate) struct Image(Vec<u8>);

    impl Image {
        /// Reads what was written to an [anonymous file](super::anonymous_file).
        pub(crate) fn sealed(file: File) -> io::Result<Self> {
            Self::from_file(file, u64::MAX)
        }

        /// Reads the first `length` bytes of a file.
        pub(crate) fn from_file(mut file: File, length: u64) -> io::Result<Self> {
            let mut code = Vec::new();
            file.rewind()?;
            file.take(length).read_to_end(&mut code)?;
            Ok(Self(code))
        }

        pub(crate) fn length(&self) -> u64 {
            self.0.len() as u64
        }

        /// The bytes from the first on.
        pub(crate) fn read(&self) -> io::Result<impl Read> {
            Ok(self.0.as_slice())
        }

        pub(crate) fn hash(&self, hasher: &mut blake3::Hasher) -> io::Result<()> {
            hasher.update(&self.0);
            Ok(())
        }

        /// # Safety
        /// The image must be code that an engine of this version serialised.
        #[expect(unsafe_code, reason = "the caller's promise is handed on")]
        pub(super) unsafe fn deserialize(&self, engine: &Engine) -> wasmtime::Result<Component> {
            // SAFETY: as for this function; nobody else can change what is owned here.
            unsafe { Component::deserialize(engine, &self.0) }
        }
    }
}
