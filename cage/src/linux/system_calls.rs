//! The filters of a caged program's system calls: allowed, refused with a reason, asked about.
//!
//! What is not listed does not exist for it (`ENOSYS`), for which libraries have fallbacks, and
//! so neither do calls of future kernels. Landlock's rules are about opening files, so the calls
//! that change a file or watch it by its name alone are not listed either.

use std::collections::BTreeMap;

use libc::sock_filter;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

/// Memory, threads, time, files that were opened or are opened by Landlock's leave, waiting,
/// children, signals (whose targets Landlock checks), and talk over connections that there are.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    libc::SYS_brk, libc::SYS_capget, libc::SYS_chdir, libc::SYS_clock_getres,
    libc::SYS_clock_gettime, libc::SYS_clock_nanosleep, libc::SYS_close, libc::SYS_close_range,
    libc::SYS_connect, libc::SYS_copy_file_range, libc::SYS_dup, libc::SYS_dup3,
    libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2, libc::SYS_execve, libc::SYS_exit, libc::SYS_exit_group,
    libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_fadvise64, libc::SYS_fallocate,
    libc::SYS_fchdir, libc::SYS_fcntl, libc::SYS_fdatasync, libc::SYS_flock, libc::SYS_fstat,
    libc::SYS_fstatfs, libc::SYS_fsync, libc::SYS_ftruncate, libc::SYS_futex,
    libc::SYS_futex_waitv, libc::SYS_get_robust_list, libc::SYS_getcpu, libc::SYS_getcwd,
    libc::SYS_getdents64, libc::SYS_getegid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getgroups, libc::SYS_getitimer, libc::SYS_getpeername, libc::SYS_getpgid,
    libc::SYS_getpid, libc::SYS_getppid, libc::SYS_getpriority, libc::SYS_getrandom,
    libc::SYS_getresgid, libc::SYS_getresuid, libc::SYS_getrusage, libc::SYS_getsid,
    libc::SYS_getsockname, libc::SYS_getsockopt, libc::SYS_gettid, libc::SYS_gettimeofday,
    libc::SYS_getuid, libc::SYS_ioctl, libc::SYS_kill, libc::SYS_linkat, libc::SYS_lseek,
    libc::SYS_madvise, libc::SYS_membarrier, libc::SYS_mincore, libc::SYS_mkdirat,
    libc::SYS_mknodat, libc::SYS_mlock, libc::SYS_mlock2, libc::SYS_mmap, libc::SYS_mprotect,
    libc::SYS_mremap, libc::SYS_msync, libc::SYS_munlock, libc::SYS_munmap, libc::SYS_nanosleep,
    libc::SYS_newfstatat, libc::SYS_openat, libc::SYS_openat2, libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal, libc::SYS_pipe2, libc::SYS_pkey_alloc, libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect, libc::SYS_ppoll, libc::SYS_prctl, libc::SYS_pread64,
    libc::SYS_preadv, libc::SYS_preadv2, libc::SYS_pselect6, libc::SYS_pwrite64,
    libc::SYS_pwritev, libc::SYS_pwritev2, libc::SYS_read, libc::SYS_readahead,
    libc::SYS_readlinkat, libc::SYS_readv, libc::SYS_recvfrom, libc::SYS_recvmmsg,
    libc::SYS_recvmsg, libc::SYS_renameat2, libc::SYS_restart_syscall, libc::SYS_rseq,
    libc::SYS_rt_sigaction, libc::SYS_rt_sigpending, libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn, libc::SYS_rt_sigsuspend, libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity, libc::SYS_sched_getattr, libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler, libc::SYS_sched_yield,
    // For the filters that come after this one, the last of which refuses it.
    libc::SYS_seccomp,
    libc::SYS_sendfile, libc::SYS_sendmmsg, libc::SYS_sendmsg, libc::SYS_sendto,
    libc::SYS_set_robust_list, libc::SYS_set_tid_address, libc::SYS_setitimer,
    libc::SYS_setsockopt, libc::SYS_shutdown, libc::SYS_sigaltstack, libc::SYS_signalfd4,
    libc::SYS_splice, libc::SYS_statfs, libc::SYS_statx, libc::SYS_symlinkat, libc::SYS_sysinfo,
    libc::SYS_tee, libc::SYS_tgkill, libc::SYS_timer_create, libc::SYS_timer_delete,
    libc::SYS_timer_getoverrun, libc::SYS_timer_gettime, libc::SYS_timer_settime,
    libc::SYS_timerfd_create, libc::SYS_timerfd_gettime, libc::SYS_timerfd_settime,
    libc::SYS_times, libc::SYS_tkill, libc::SYS_truncate, libc::SYS_umask, libc::SYS_uname,
    libc::SYS_unlinkat, libc::SYS_wait4, libc::SYS_waitid, libc::SYS_write, libc::SYS_writev,
];

/// The older forms of the same, which ARM64 does not have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_OF_OLD: &[i64] = &[
    libc::SYS_access, libc::SYS_alarm, libc::SYS_arch_prctl, libc::SYS_creat, libc::SYS_dup2,
    libc::SYS_epoll_create, libc::SYS_epoll_wait, libc::SYS_eventfd, libc::SYS_fork,
    libc::SYS_getdents, libc::SYS_getpgrp, libc::SYS_getrlimit, libc::SYS_link, libc::SYS_lstat,
    libc::SYS_mkdir, libc::SYS_mknod, libc::SYS_open, libc::SYS_pause, libc::SYS_pipe,
    libc::SYS_poll, libc::SYS_readlink, libc::SYS_rename, libc::SYS_renameat, libc::SYS_rmdir,
    libc::SYS_select, libc::SYS_setrlimit, libc::SYS_signalfd, libc::SYS_stat, libc::SYS_symlink,
    libc::SYS_sync_file_range, libc::SYS_time, libc::SYS_unlink, libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_OF_OLD: &[i64] = &[];

/// Leaving the group of processes, by which all of them are ended, and listening.
const REFUSED: &[i64] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_seccomp,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    // By path or by a descriptor that may only be read, they would change files that Landlock
    // does not let the program change.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];
#[cfg(target_arch = "x86_64")]
const REFUSED_OF_OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_OF_OLD: &[i64] = &[];

/// Extended attributes, which the program is told that no file has.
const UNSUPPORTED: &[i64] = &[
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];

/// The flags of `clone` that make a new namespace, in which a program gains rights.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// Requests that type into a terminal. C libraries give them different types.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;

/// The bits of a socket's type that are no flags.
const SOCKET_TYPE: u64 = 0xf;

/// The filters in the order in which they are installed. Of two that refuse a call the later one
/// gives the reason.
pub(super) fn filters(network: bool) -> Result<Vec<BpfProgram>, BackendError> {
    Ok(vec![
        allowing(network)?,
        unsupporting()?,
        refusing(network)?,
    ])
}

fn allowing(network: bool) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED
        .iter()
        .chain(ALLOWED_OF_OLD)
        .map(|call| (*call, Vec::new()))
        .collect();
    let stream = number(libc::SOCK_STREAM);
    let of_type = || condition(1, MaskedEq(SOCKET_TYPE), stream);
    // The flags of `clone3` are in memory, where no filter can check them; libraries then use
    // `clone`.
    let no_namespace = condition(0, MaskedEq(number(NAMESPACES)), 0)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![no_namespace])?]);
    // Pairs of streams are connected for good. Of others each end can be connected elsewhere.
    let unix = condition(0, Eq, number(libc::AF_UNIX))?;
    let pair = SeccompRule::new(vec![unix, of_type()?])?;
    rules.insert(libc::SYS_socketpair, vec![pair]);
    if network {
        let mut tcp = Vec::new();
        for protocol in [0, libc::IPPROTO_TCP] {
            let inet = condition(0, Eq, number(libc::AF_INET))?;
            let protocol = condition(2, Eq, number(protocol))?;
            tcp.push(SeccompRule::new(vec![inet, of_type()?, protocol])?);
        }
        rules.insert(libc::SYS_socket, tcp);
    }
    // On itself only: other processes of the same user would be changed as well.
    for (call, argument) in [
        (libc::SYS_prlimit64, 0),
        (libc::SYS_sched_setaffinity, 0),
        (libc::SYS_setpriority, 1),
    ] {
        let own = condition(argument, Eq, 0)?;
        rules.insert(call, vec![SeccompRule::new(vec![own])?]);
    }
    let unknown = errno(libc::ENOSYS);
    compiled(rules, unknown, SeccompAction::Allow)
}

/// Refuses with `EPERM`, which programs explain better than `ENOSYS`.
fn refusing(network: bool) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED
        .iter()
        .chain(REFUSED_OF_OLD)
        .map(|call| (*call, Vec::new()))
        .collect();
    let mut sockets = Vec::new();
    if network {
        for condition in [
            condition(0, Ne, number(libc::AF_INET))?,
            condition(1, MaskedEq(SOCKET_TYPE), number(libc::SOCK_DGRAM))?,
            condition(1, MaskedEq(SOCKET_TYPE), number(libc::SOCK_RAW))?,
        ] {
            sockets.push(SeccompRule::new(vec![condition])?);
        }
    }
    rules.insert(libc::SYS_socket, sockets);
    // Input for a terminal that other programs read.
    let mut terminals = Vec::new();
    for request in [TIOCSTI, TIOCLINUX] {
        terminals.push(SeccompRule::new(vec![condition(1, Eq, request)?])?);
    }
    rules.insert(libc::SYS_ioctl, terminals);
    // Connects without a call of `connect`.
    let fast_open = || {
        let flag = number(libc::MSG_FASTOPEN);
        MaskedEq(flag)
    };
    for (call, argument) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        let opens = condition(argument, fast_open(), number(libc::MSG_FASTOPEN))?;
        rules.insert(call, vec![SeccompRule::new(vec![opens])?]);
    }
    let filter = condition(0, Eq, number(libc::PR_SET_SECCOMP))?;
    rules.insert(libc::SYS_prctl, vec![SeccompRule::new(vec![filter])?]);
    compiled(rules, SeccompAction::Allow, errno(libc::EPERM))
}

fn unsupporting() -> Result<BpfProgram, BackendError> {
    let rules = UNSUPPORTED.iter().map(|call| (*call, Vec::new())).collect();
    compiled(rules, SeccompAction::Allow, errno(libc::EOPNOTSUPP))
}

fn compiled(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, listed, arch)?.try_into()
}

fn condition(
    argument: u8,
    compare: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, value)
}

fn errno(number: libc::c_int) -> SeccompAction {
    SeccompAction::Errno(number.unsigned_abs())
}

fn number(constant: libc::c_int) -> u64 {
    constant.unsigned_abs().into()
}

/// The filter that has the kernel ask about connections. The library has no such action.
pub(super) fn asking() -> Vec<sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    // The offsets of the processor and of the number in `seccomp_data`.
    const ARCH: u32 = 4;
    const NUMBER: u32 = 0;
    // Numbers of the x32 variant, with which a call has another number and the same processor.
    const X32: u32 = 0x4000_0000;
    let at = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let mut program = vec![
        at(LOAD, ARCH, 0, 0),
        at(EQUAL, AUDIT_ARCH, 1, 0),
        at(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
        at(LOAD, NUMBER, 0, 0),
        at(AT_LEAST, X32, 0, 1),
        at(
            RETURN,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs(),
            0,
            0,
        ),
    ];
    let connect = u32::try_from(libc::SYS_connect).unwrap_or(u32::MAX);
    program.push(at(EQUAL, connect, 0, 1));
    program.push(at(RETURN, libc::SECCOMP_RET_USER_NOTIF, 0, 0));
    program.push(at(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0));
    program
}

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCH: u32 = 0xc000_00b7;
