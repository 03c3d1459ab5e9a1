//! Sets the allocator of glibc to return long buffers to the system as soon as they are freed.

/// Buffers of this length and more are given back as soon as they are free, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LONG_BYTES: i32 = 512 << 10;

/// Has long buffers given back to the system. By itself, glibc raises this length with the longest
/// buffer that was freed, up to 32 MiB, and keeps what is shorter for each thread: a server that
/// read long requests would keep twice as much memory as it ever needed at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the only way to set it in a process that runs")]
pub(crate) fn give_back_long_buffers() {
    // SAFETY: `mallopt` takes two integers and the allocator's own lock; any thread may call it.
    let was_set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LONG_BYTES) };
    tracing::debug!(was_set, "long buffers are given back");
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_long_buffers() {}
