//! Closes the cage: all that the program's process does to itself before it becomes the program.

use std::fmt::Display;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope, make_bitflags,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};

use crate::linux::control::{self, kind};
use crate::linux::control_group::ControlGroup;
use crate::linux::plan::{Counting, FileUse, Plan, Resources};
use crate::linux::system_calls;
use crate::linux::task_limit;
use crate::linux::user_namespace;

/// The version of Landlock that has to be there, all of whose rights are denied.
const LANDLOCK: ABI = ABI::V6;
/// The newest version whose rights are denied where the kernel knows them.
const LANDLOCK_NEWEST: ABI = ABI::V9;

/// Closes the cage. If a step fails the parent is told which.
pub(super) fn close(
    plan: &Plan,
    group: Option<&ControlGroup>,
    control: BorrowedFd<'_>,
) -> io::Result<()> {
    let closed = steps(plan, group, control);
    if let Err(reason) = &closed {
        let message = [&[kind::FAILED], reason.as_bytes()].concat();
        // If nobody can be told, the program does not start all the same.
        let _ = control::send(control, &message, &[]);
    }
    closed.map_err(io::Error::other)
}

fn steps(plan: &Plan, group: Option<&ControlGroup>, control: BorrowedFd<'_>) -> Result<(), String> {
    let end_with_parent = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    step("bind it to its launcher", end_with_parent)?;
    let tasks = plan.resources.tasks;
    match (&plan.counting, group) {
        (Counting::UserNamespace, _) => step(
            "give it a user namespace",
            user_namespace::enter_with(control, tasks),
        )?,
        (_, Some(group)) => step("move it into its control group", group.join())?,
        (_, None) => step("limit tasks", task_limit::limit_beside_others(tasks))?,
    }
    step("set its limits", limit(&plan.resources))?;
    step("take its privileges", drop_privileges())?;
    step("close descriptors", close_on_exec())?;
    rustix::process::umask(Mode::from_bits_retain(0o077));
    let rules = rules(plan)?;
    step("restrict files", rules.restrict_self())?;
    let listener = step("ask about system calls", install_asking())?;
    let told = control::send(control, &[kind::LISTENER], &[listener.as_fd()]);
    step("pass the listener on", told)?;
    drop(listener);
    let filters = step("make filters", system_calls::filters(plan.network))?;
    for filter in filters {
        step("filter system calls", seccompiler::apply_filter(&filter))?;
    }
    Ok(())
}

/// Names a step that failed.
fn step<T, E: Display>(what: &str, result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| format!("cannot {what}: {error}"))
}

fn limit(resources: &Resources) -> io::Result<()> {
    let set = |resource, current, maximum| {
        let limit = Rlimit {
            current: Some(current),
            maximum: Some(maximum),
        };
        setrlimit(resource, limit)
    };
    set(Resource::Core, 0, 0)?;
    set(
        Resource::Data,
        resources.memory_bytes,
        resources.memory_bytes,
    )?;
    set(Resource::Fsize, resources.file_bytes, resources.file_bytes)?;
    set(Resource::Nofile, resources.open_files, resources.open_files)?;
    // At the soft limit the system says why it ends a process, at the hard one not.
    let hard = resources.cpu_seconds.saturating_add(1);
    set(Resource::Cpu, resources.cpu_seconds, hard)?;
    Ok(())
}

/// Takes the privileges of root and of the program's file, for good. Others have none to lose.
#[expect(unsafe_code, reason = "no library of the project sets capabilities")]
fn drop_privileges() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    const LAST_POSSIBLE: libc::c_ulong = 63;
    // SAFETY: these calls take numbers only, and change nothing but this process. Those that are
    // refused, without the privilege to drop others, leave what the last one takes anyway.
    unsafe {
        for capability in 0..=LAST_POSSIBLE {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        );
    }
    let header = Header {
        version: VERSION_3,
        pid: 0,
    };
    let none = [0_u32; 6];
    // SAFETY: the kernel reads a header and, in this version, six numbers.
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    if result == 0 {
        // SAFETY: as above.
        let kept = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        if kept == 0 {
            return Ok(());
        }
    }
    Err(io::Error::last_os_error())
}

/// Has every descriptor but the three pipes closed when the program starts, whoever opened it.
#[expect(unsafe_code, reason = "no library of the project has this call")]
pub(super) fn close_on_exec() -> io::Result<()> {
    const CLOEXEC: u32 = 4;
    // SAFETY: marks descriptors; those in use stay open.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, CLOEXEC) };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Landlock's rules. No right to connect or listen over TCP, to signal, or to reach abstract
/// sockets is in them: each connection is made by the parent.
fn rules(plan: &Plan) -> Result<RulesetCreated, String> {
    let created = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LANDLOCK))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK)))
        .and_then(|rules| {
            rules
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::from_all(LANDLOCK_NEWEST))
        })
        .and_then(Ruleset::create);
    let mut rules =
        step("make rules for files", created)?.set_compatibility(CompatLevel::BestEffort);
    for rule in &plan.rules {
        let path = Path::new(&rule.path);
        let opened = open(path, rule.use_);
        let file = match opened {
            Ok(file) => file,
            Err(error) if is_absent(&error) && is_of_system(rule.use_) => continue,
            Err(error) => return Err(format!("cannot open {}: {error}", path.display())),
        };
        let mut access = access(rule.use_);
        if !path.is_dir() {
            access &= AccessFs::from_file(LANDLOCK);
        }
        let what = format!("allow {}", path.display());
        rules = step(&what, rules.add_rule(PathBeneath::new(file, access)))?;
    }
    Ok(rules)
}

/// Opens a path for a rule, and one that was granted without following links, so that one put
/// there meanwhile leads nowhere.
fn open(path: &Path, use_: FileUse) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = match is_of_system(use_) {
        true => ResolveFlags::empty(),
        false => ResolveFlags::NO_SYMLINKS,
    };
    Ok(openat2(CWD, path, flags, Mode::empty(), resolve)?)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory
    )
}

fn is_of_system(use_: FileUse) -> bool {
    matches!(
        use_,
        FileUse::System | FileUse::SystemData | FileUse::Device
    )
}

fn access(use_: FileUse) -> BitFlags<AccessFs> {
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let change = read
        | make_bitflags!(AccessFs::{
            WriteFile | Truncate | RemoveFile | RemoveDir | MakeReg | MakeDir | Refer
        });
    match use_ {
        FileUse::System | FileUse::Packages => read | AccessFs::Execute,
        FileUse::SystemData | FileUse::Read => read,
        FileUse::Device => make_bitflags!(AccessFs::{ReadFile | WriteFile}),
        // A link that leads out would be followed by the user's own programs.
        FileUse::Change => change,
        FileUse::Scratch => change | AccessFs::MakeSym | AccessFs::MakeFifo,
    }
}

/// Installs the filter that has the kernel ask, and returns the listener.
#[expect(unsafe_code, reason = "the library installs no filter with a listener")]
fn install_asking() -> io::Result<OwnedFd> {
    let mut program = system_calls::asking();
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_mut_ptr(),
    };
    // A call that is being decided is not interrupted by signals, and so not begun again.
    let flags =
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    // SAFETY: the kernel copies the program, which lives until after the call.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    let listener = i32::try_from(listener).map_err(io::Error::other)?;
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for this process.
    let listener = unsafe { OwnedFd::from_raw_fd(listener) };
    debug_assert!(listener.as_raw_fd() > 2);
    Ok(listener)
}
