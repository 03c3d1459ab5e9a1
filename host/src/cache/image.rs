//! Compiled code as it is authenticated and then run: bytes that cannot change in between.

#[cfg(not(target_os = "linux"))]
pub(super) use owned::Image;
#[cfg(target_os = "linux")]
pub(super) use sealed::Image;

/// On Linux: an anonymous file in memory, sealed against every change, which the engine maps
/// without copying it.
#[cfg(target_os = "linux")]
mod sealed {
    use std::fs::File;
    use std::io::{self, Read as _};
    use std::os::fd::AsRawFd as _;
    use std::path::PathBuf;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use wasmtime::Engine;
    use wasmtime::component::Component;

    /// From here on several threads hash faster than one.
    const PARALLEL_BYTES_MIN: u64 = 1 << 20;

    pub(in crate::cache) struct Image {
        file: File,
        length: u64,
    }

    impl Image {
        /// Copies the next `length` bytes of `source`.
        pub(in crate::cache) fn copy(source: File, length: u64) -> io::Result<Self> {
            let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
            let mut file = File::from(memfd_create("tool-hub compiled code", flags)?);
            if io::copy(&mut source.take(length), &mut file)? != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
            fcntl_add_seals(&file, seals)?;
            Ok(Self { file, length })
        }

        pub(in crate::cache) fn hash(&self, hasher: &mut blake3::Hasher) -> io::Result<()> {
            if self.length < PARALLEL_BYTES_MIN {
                hasher.update_mmap(self.path())?;
            } else {
                hasher.update_mmap_rayon(self.path())?;
            }
            Ok(())
        }

        /// # Safety
        /// The image must be code that a compatible engine serialised.
        #[expect(unsafe_code, reason = "the caller's promise is handed on")]
        pub(in crate::cache) unsafe fn deserialize(
            &self,
            engine: &Engine,
        ) -> wasmtime::Result<Component> {
            // SAFETY: as for this function; what is mapped is sealed.
            unsafe { Component::deserialize_file(engine, self.path()) }
        }

        /// The file has no name; this is where the process finds it by its descriptor.
        fn path(&self) -> PathBuf {
            format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
        }
    }
}

/// Elsewhere: memory that this value owns.
#[cfg(not(target_os = "linux"))]
mod owned {
    use std::fs::File;
    use std::io::{self, Read as _};

    use wasmtime::Engine;
    use wasmtime::component::Component;

    pub(in crate::cache) struct Image(Vec<u8>);

    impl Image {
        /// Copies the next `length` bytes of `source`.
        pub(in crate::cache) fn copy(source: File, length: u64) -> io::Result<Self> {
            let mut code = Vec::new();
            source.take(length).read_to_end(&mut code)?;
            Ok(Self(code))
        }

        pub(in crate::cache) fn hash(&self, hasher: &mut blake3::Hasher) -> io::Result<()> {
            hasher.update(&self.0);
            Ok(())
        }

        /// # Safety
        /// The image must be code that a compatible engine serialised.
        #[expect(unsafe_code, reason = "the caller's promise is handed on")]
        pub(in crate::cache) unsafe fn deserialize(
            &self,
            engine: &Engine,
        ) -> wasmtime::Result<Component> {
            // SAFETY: as for this function; nobody else can change what is owned here.
            unsafe { Component::deserialize(engine, &self.0) }
        }
    }
}
