//! Has glibc's allocator keep little freed memory: long buffers go back, and arenas are few.

/// Buffers of this length and more are given back as soon as they are free, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LONG_BYTES: i32 = 512 << 10;

/// The interval at which freed memory between buffers in use is given back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK_EVERY: std::time::Duration = std::time::Duration::from_secs(1);

/// Has little freed memory kept. By itself, glibc raises the length of the buffers that it gives
/// back with the longest that was freed, up to 32 MiB. It also has eight arenas for each processor,
/// and each of them keeps what was freed in it. A server that read long requests would keep twice
/// as much memory as it ever needed at once. No more threads run at once than there are processors,
/// so an arena for each of those is enough. What is free between buffers in use is given back once
/// a second.
///
/// A thread has its arena from its start, so this is called before other threads start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the only way to set it in a process that runs")]
pub(crate) fn keep_little() {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    let arenas = i32::try_from(processors).unwrap_or(i32::MAX);
    for (option, value) in [
        (libc::M_MMAP_THRESHOLD, LONG_BYTES),
        (libc::M_ARENA_MAX, arenas),
    ] {
        // SAFETY: `mallopt` takes two integers and the allocator's lock; any thread may call it.
        let was_set = unsafe { libc::mallopt(option, value) };
        tracing::debug!(option, value, was_set, "set an option of the allocator");
    }
    let give_back = || loop {
        std::thread::sleep(GIVEN_BACK_EVERY);
        // SAFETY: `malloc_trim` takes an integer and the allocator's locks; any thread may call it.
        unsafe { libc::malloc_trim(0) };
    };
    // Without the thread, only more is kept.
    let thread = std::thread::Builder::new().name("tool-hub memory".into());
    if let Err(error) = thread.spawn(give_back) {
        tracing::warn!(%error, "no thread to give memory back");
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_little() {}
