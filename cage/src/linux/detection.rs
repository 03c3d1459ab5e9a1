//! Finds out which of the mechanisms of a cage the kernel has, without using them.

/// The version of the kernel's Landlock. `None` where it has none or is told to use none.
#[expect(unsafe_code, reason = "no library tells the version")]
pub(crate) fn landlock_version() -> Option<u32> {
    const CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: with this flag the call takes no attributes, makes nothing, and returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// True if filters may have system calls end with `action`.
#[expect(unsafe_code, reason = "no library tells the actions")]
pub(crate) fn has_seccomp_action(action: u32) -> bool {
    // SAFETY: the call reads the number that the pointer leads to, and changes nothing.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0_u32,
            &raw const action,
        )
    };
    answer == 0
}
