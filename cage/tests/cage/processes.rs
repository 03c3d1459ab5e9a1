//! Other processes, the environment, descriptors, and system calls that lead elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tool_hub_cage::Cage;
use tool_hub_manifest::{Grants, VariableName};

use crate::support::{Test, place};

/// The shell that handles the end of a child without having system calls begin again.
const DASH: &str = "/usr/bin/dash";

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("processes::other_processes_are_not_touched", || {
            Box::pin(other_processes_are_not_touched())
        }),
        ("processes::system_calls_that_lead_elsewhere_fail", || {
            Box::pin(system_calls_that_lead_elsewhere_fail())
        }),
        ("processes::the_environment_is_what_was_granted", || {
            Box::pin(the_environment_is_what_was_granted())
        }),
        ("processes::no_descriptor_is_inherited", || {
            Box::pin(no_descriptor_is_inherited())
        }),
        ("processes::nothing_gives_privileges", || {
            Box::pin(nothing_gives_privileges())
        }),
        ("processes::children_work_as_they_do_elsewhere", || {
            Box::pin(children_work_as_they_do_elsewhere())
        }),
    ]
}

pub(crate) fn dash_tests() -> Vec<Test> {
    vec![("processes::forks_wait_for_nobody", || {
        Box::pin(forks_wait_for_nobody())
    })]
}

pub(crate) fn dash_missing() -> Option<String> {
    (!Path::new(DASH).exists()).then(|| format!("there is no {DASH}"))
}

/// Threads that keep the machine busy as long as this is held.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn start(threads: usize) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..threads {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(is_over)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// On a busy machine a child often ends while the next one is forked.
async fn forks_wait_for_nobody() {
    let script = format!(
        r#"
import subprocess
failed = 0
for _ in range(40):
    ran = subprocess.run(["{DASH}", "-c", "echo x | cat; echo y | cat"], capture_output=True)
    failed += ran.returncode != 0 or ran.stdout != b"x\ny\n"
print("failed", failed)
"#
    );
    let _busy = Busy::start(4);
    for bound in Cage::support().task_bounds() {
        let place = place().bounded(*bound);
        let said = place.python(&script, &Grants::none()).await;
        assert_eq!(said.stdout, "failed 0\n", "{bound:?}: {said:?}");
    }
}

async fn other_processes_are_not_touched() {
    let place = place();
    let parent = std::process::id();
    let script = format!(
        r#"
import resource, signal
parent = {parent}
launcher = os.getppid()
assert launcher != parent
for name, pid in [("parent", parent), ("launcher", launcher), ("init", 1)]:
    for file in ["environ", "cmdline", "mem", "maps", "status", "stat", "comm", "fd", "root", "cwd"]:
        attempt(f"{{file}} of {{name}}", lambda: os.open(f"/proc/{{pid}}/{{file}}", os.O_RDONLY))
    attempt(f"signal {{name}}", lambda: os.kill(pid, 0))
    attempt(f"end {{name}}", lambda: os.kill(pid, signal.SIGTERM))
    attempt(f"end {{name}} by pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM))
    attempt(f"limit {{name}}", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)))
    attempt(f"slow {{name}}", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt(f"pin {{name}}", lambda: os.sched_setaffinity(pid, [0]))
attempt("list processes", lambda: os.listdir("/proc"))
"#
    );
    let said = place.python(&script, &Grants::none()).await;
    said.all_refused(3 * 16 + 1);
}

/// Numbers of x86-64; where a call has another number the test asks for another call that is not
/// listed either.
async fn system_calls_that_lead_elsewhere_fail() {
    let place = place();
    let script = r#"
import fcntl, platform
names = {"x86_64": dict(
    ptrace=101, process_vm_readv=310, process_vm_writev=311, kcmp=312, pidfd_getfd=438,
    mount=165, umount2=166, pivot_root=155, chroot=161, fsopen=430, open_tree=428, unshare=272,
    setns=308, clone3=435, bpf=321, perf_event_open=298, keyctl=250, add_key=248,
    request_key=249, io_uring_setup=425, userfaultfd=323, memfd_create=319, execveat=322,
    memfd_secret=447, name_to_handle_at=303, open_by_handle_at=304, inotify_init1=294, fanotify_init=300,
    shmget=29, msgget=68, semget=64, mq_open=240, personality=135, init_module=175,
    kexec_load=246, reboot=169, swapon=167, sethostname=170, settimeofday=164, clock_settime=227,
    acct=163, quotactl=179, syslog=103, iopl=172, ioperm=173, modify_ldt=154, setsid=112,
    setpgid=109, seccomp=317, setuid=105, setgroups=116, capset=126, sync=162, socket_x32=41 + 0x40000000,
    getpid_x32=39 + 0x40000000, chmod=90, lchown=94, utime=132, fchmodat2=452, setxattrat=463,
    file_setattr=469),
"aarch64": dict(
    ptrace=117, process_vm_readv=270, process_vm_writev=271, kcmp=272, pidfd_getfd=438, mount=40,
    umount2=39, pivot_root=41, chroot=51, unshare=97, setns=268, clone3=435, bpf=280,
    perf_event_open=241, keyctl=219, io_uring_setup=425, userfaultfd=282, memfd_create=279,
    execveat=281, setsid=157, setpgid=154, seccomp=277, fchmodat2=452),
}[platform.machine()]
for name, number in names.items():
    attempt(name, lambda: call(number, 0, 0, 0, 0, 0, 0))
CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
for name, flag in dict(user=0x10000000, net=0x40000000, pid=0x20000000, mount=0x20000, uts=0x4000000, ipc=0x8000000, cgroup=0x2000000).items():
    attempt("clone " + name, lambda: call(CLONE, flag | 17, 0, 0, 0, 0))
attempt("type into the terminal", lambda: fcntl.ioctl(0, 0x5412, b"x"))
PRCTL = {"x86_64": 157, "aarch64": 167}[platform.machine()]
attempt("another filter", lambda: call(PRCTL, 22, 2, 0, 0, 0))
print("tried", len(names) + 9)
"#;
    let said = place.python(script, &Grants::none()).await;
    let tried = said.stdout.lines().find_map(|it| it.strip_prefix("tried "));
    said.all_refused(tried.unwrap().parse().unwrap());
}

async fn the_environment_is_what_was_granted() {
    let place = place();
    let token: VariableName = "CAGE_TOKEN".parse().unwrap();
    let grants = Grants::none().variable(token.clone());
    let values = BTreeMap::from([
        (token, "granted value".to_owned()),
        ("CAGE_OTHER".parse().unwrap(), "not granted".to_owned()),
    ]);
    let script = "print(*sorted(os.environ)); print(os.environ['CAGE_TOKEN'])";
    let said = place.python_with(script, &[], &grants, &values).await;
    let mut lines = said.stdout.lines();
    let names: BTreeSet<&str> = lines.next().unwrap().split(' ').collect();
    let expect = ["CAGE_TOKEN", "HOME", "LANG", "PATH", "TMPDIR"];
    assert_eq!(names, expect.into());
    assert_eq!(lines.next(), Some("granted value"));
}

async fn no_descriptor_is_inherited() {
    let place = place();
    // As a program leaks a descriptor that does not mark it.
    let mut file = tempfile::tempfile().unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let script = format!(
        r#"
own = [int(name) for name in os.listdir("/proc/self/fd")]
print("descriptors", sum(1 for fd in own if os.path.exists(f"/proc/self/fd/{{fd}}") or fd < 3))
for fd in range(3, 64):
    try:
        os.write(fd, b"written")
        print("wrote to", fd)
    except OSError: pass
print(os.readlink("/proc/self/fd/0").split(":")[0])
attempt("the parent's file", lambda: os.write({}, b"written"))
"#,
        file.as_raw_fd()
    );
    let said = place.python(&script, &Grants::none()).await;
    assert!(!said.stdout.contains("wrote to"), "{said:?}");
    assert!(said.stdout.contains("descriptors 3\n"), "{said:?}");
    assert!(said.stdout.contains("\npipe\n"), "{said:?}");
    assert_eq!(said.attempts()["the parent's file"], "EBADF");
    let mut written = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut written).unwrap();
    assert_eq!(written, "");
    drop::<File>(file);
}

async fn nothing_gives_privileges() {
    let place = place();
    let script = r#"
status = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]:
    print(name, int(status[name], 16))
print("NoNewPrivs", status["NoNewPrivs"], "Seccomp", status["Seccomp"])
print("session", os.getsid(0) != os.getpgid(0), "own group", os.getpgid(0) == os.getpid())
"#;
    let said = place.python(script, &Grants::none()).await;
    // Without the privilege to give privileges up the set that bounds them stays, and gives none.
    let text = said.stdout.lines().filter(|it| !it.starts_with("CapBnd"));
    let text: Vec<&str> = text.collect();
    assert_eq!(
        text,
        [
            "CapInh 0",
            "CapPrm 0",
            "CapEff 0",
            "CapAmb 0",
            "NoNewPrivs 1 Seccomp 2",
            "session True own group True"
        ],
        "{said:?}"
    );
}

async fn children_work_as_they_do_elsewhere() {
    let place = place();
    let script = r#"
import asyncio, signal, subprocess, threading
shell = subprocess.run(["sh", "-c", "echo from a shell | tr a-z A-Z; exit 3"], capture_output=True)
assert (shell.stdout, shell.returncode) == (b"FROM A SHELL\n", 3), shell
child = subprocess.Popen(["sleep", "60"])
child.terminate()
assert child.wait() == -signal.SIGTERM
async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    return await process.communicate(b"through a pipe")
assert asyncio.run(main())[0] == b"through a pipe"
threads = [threading.Thread(target=lambda: sum(range(1000))) for _ in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
pair = socket.socketpair()
pair[0].send(b"x")
assert pair[1].recv(1) == b"x"
print("all of it")
"#;
    let said = place.python(script, &Grants::none()).await;
    assert_eq!(said.stdout, "all of it\n", "{said:?}");
}
