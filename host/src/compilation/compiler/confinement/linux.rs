//! Confines a process on Linux: Landlock denies files and TCP, seccomp all unlisted system calls.

use std::collections::BTreeMap;

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope,
};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// The newest Landlock version whose rights are all denied. Older kernels deny those that they
/// know.
const LANDLOCK: ABI = ABI::V6;

/// The system calls that the compiler needs: memory, threads, time, randomness, its own files, and
/// exit.
const CALLS: [i64; 34] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Denies access to all files and TCP connections; true if the kernel supports it.
pub(super) fn landlock() -> bool {
    let refused = || -> Result<RulesetStatus, RulesetError> {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(LANDLOCK))?
            .handle_access(AccessNet::from_all(LANDLOCK))?
            .scope(Scope::from_all(LANDLOCK))?;
        Ok(rules.create()?.restrict_self()?.ruleset)
    };
    refused().is_ok_and(|status| status != RulesetStatus::NotEnforced)
}

/// Denies all system calls that are not listed; true if the kernel supports it.
pub(super) fn seccomp() -> bool {
    filter().is_ok_and(|filter| seccompiler::apply_filter(&filter).is_ok())
}

/// All other calls fail with `ENOSYS`, for which libraries have fallbacks: the C library then
/// starts threads with `clone`, whose flags a filter can check. Those of `clone3` are in memory,
/// where it cannot.
fn filter() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        CALLS.into_iter().map(|call| (call, Vec::new())).collect();
    let threads = number(libc::CLONE_THREAD);
    for (call, argument, compare, value) in [
        // Allows threads but no processes.
        (libc::SYS_clone, 0, MaskedEq(threads), threads),
        // For `abort`, which signals only this process.
        (libc::SYS_tgkill, 0, Eq, std::process::id().into()),
        (libc::SYS_prlimit64, 0, Eq, 0),
        (libc::SYS_prctl, 0, Eq, number(libc::PR_SET_NAME)),
        (libc::SYS_fcntl, 1, Eq, number(libc::F_DUPFD_CLOEXEC)),
    ] {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)?;
        rules.insert(call, vec![SeccompRule::new(vec![condition])?]);
    }
    let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, unknown, SeccompAction::Allow, arch)?.try_into()
}

fn number(constant: libc::c_int) -> u64 {
    constant.unsigned_abs().into()
}
