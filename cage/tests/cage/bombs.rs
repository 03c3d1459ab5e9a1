//! Programs that take more of the machine than their cage allows.

use std::time::Instant;

use tool_hub_cage::{Ended, TaskBound};
use tool_hub_manifest::Grants;

use crate::support::{Place, Test, kernel_bounds, limited};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("bombs::tasks_that_nobody_refuses_end_the_cage", || {
            Box::pin(tasks_that_nobody_refuses_end_the_cage())
        }),
        ("bombs::memory_of_one_process_is_limited", || {
            Box::pin(memory_of_one_process_is_limited())
        }),
        ("bombs::memory_of_all_processes_is_limited", || {
            Box::pin(memory_of_all_processes_is_limited())
        }),
        ("bombs::a_file_is_limited", || Box::pin(a_file_is_limited())),
        ("bombs::private_files_together_are_limited", || {
            Box::pin(private_files_together_are_limited())
        }),
        ("bombs::processor_time_is_limited", || {
            Box::pin(processor_time_is_limited())
        }),
        ("bombs::open_files_are_limited", || {
            Box::pin(open_files_are_limited())
        }),
    ]
}

/// Those for systems whose kernel counts tasks.
pub(crate) fn tests_of_the_kernel() -> Vec<Test> {
    vec![
        ("bombs::processes_without_end_are_refused", || {
            Box::pin(processes_without_end_are_refused())
        }),
        ("bombs::threads_count_as_processes_do", || {
            Box::pin(threads_count_as_processes_do())
        }),
        ("bombs::each_cage_has_its_own_number", || {
            Box::pin(each_cage_has_its_own_number())
        }),
        ("bombs::no_program_raises_its_number", || {
            Box::pin(no_program_raises_its_number())
        }),
    ]
}

async fn processes_without_end_are_refused() {
    for bound in kernel_bounds() {
        processes_are_refused(limited(|limits| limits.tasks = 40).bounded(bound)).await;
    }
}

async fn processes_are_refused(place: Place) {
    // Each process forks until it may not, and waits to be counted.
    let script = r#"
import time
read, write = os.pipe()
end = time.monotonic() + 2
refused = set()
while time.monotonic() < end:
    try:
        if os.fork() == 0:
            os.write(write, b"x")
    except OSError as error:
        if error.errno not in refused and len(refused) == 0:
            refused.add(error.errno)
            os.write(write, b"R")
        time.sleep(0.01)
if os.getpid() == os.getpgid(0):
    said = os.read(read, 1 << 16)
    print("processes", 1 + said.count(b"x"), "refused", said.count(b"R") > 0)
else:
    time.sleep(60)
"#;
    let begun = Instant::now();
    let said = place.python(script, &Grants::none()).await;
    let words: Vec<&str> = said.stdout.split_ascii_whitespace().collect();
    let ["processes", count, "refused", "True"] = words[..] else {
        panic!("{said:?}");
    };
    let count: u32 = count.parse().unwrap();
    assert!((36..=40).contains(&count), "{said:?}");
    assert_eq!(said.ended, Ended::Exited(0));
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    place.check_empty();
}

/// Starts threads until it may not, and says how many tasks there were.
const THREADS: &str = r#"
import threading
wait = threading.Event()
count = 1
try:
    for _ in range(100):
        threading.Thread(target=wait.wait, daemon=True).start()
        count += 1
except RuntimeError: pass
print("tasks", count)
wait.set()
"#;

async fn threads_count_as_processes_do() {
    for bound in kernel_bounds() {
        let place = limited(|limits| limits.tasks = 24).bounded(bound);
        let said = place.python(THREADS, &Grants::none()).await;
        assert_eq!(said.stdout, "tasks 24\n", "{bound:?}: {said:?}");
    }
}

async fn each_cage_has_its_own_number() {
    for bound in kernel_bounds() {
        let place = limited(|limits| limits.tasks = 24).bounded(bound);
        let none = Grants::none();
        let (one, other) = tokio::join!(place.python(THREADS, &none), place.python(THREADS, &none));
        for said in [one, other] {
            assert_eq!(said.stdout, "tasks 24\n", "{bound:?}: {said:?}");
        }
    }
}

async fn no_program_raises_its_number() {
    let raise = r#"
import resource
try: resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))
except (OSError, ValueError): pass
def write(path, text):
    with open(path, "w") as file: file.write(text)
own = f"tool-cage-{os.getppid()}"
for path, text in [
    ("/proc/self/uid_map", "0 0 4294967295"),
    ("/proc/self/setgroups", "allow"),
    (f"/sys/fs/cgroup/pids/{own}/pids.max", "1000"),
    (f"/sys/fs/cgroup/{own}/pids.max", "1000"),
    ("/sys/fs/cgroup/pids/cgroup.procs", "0"),
    ("/sys/fs/cgroup/cgroup.procs", "0"),
]:
    attempt(path, lambda: write(path, text))
"#;
    for bound in kernel_bounds() {
        let place = limited(|limits| limits.tasks = 24).bounded(bound);
        let script = format!("{raise}{THREADS}");
        let said = place.python(&script, &Grants::none()).await;
        said.all_refused(6);
        assert!(said.stdout.ends_with("tasks 24\n"), "{bound:?}: {said:?}");
    }
}

async fn tasks_that_nobody_refuses_end_the_cage() {
    let place = limited(|limits| limits.tasks = 40).bounded(TaskBound::Watch);
    let processes = r#"
import time
for _ in range(60):
    if os.fork() == 0: break
time.sleep(60)
"#;
    let threads = r#"
import threading, time
for _ in range(60): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
"#;
    for script in [processes, threads] {
        let begun = Instant::now();
        let said = place.python(script, &Grants::none()).await;
        let expect = Ended::Limit {
            limit: "tasks",
            value: 40,
        };
        assert_eq!(said.ended, expect, "{script}: {said:?}");
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }
    // The greatest number that is allowed goes on.
    let said = place
        .python(
            "import time\nfor _ in range(39): os.fork() or sys.exit(time.sleep(1))\ntime.sleep(1)",
            &Grants::none(),
        )
        .await;
    assert_eq!(said.ended, Ended::Exited(0), "{said:?}");
    place.check_empty();
}

async fn memory_of_one_process_is_limited() {
    let place = limited(|limits| limits.memory_bytes = 256 << 20);
    let script = r#"
kept = []
try:
    for _ in range(1024): kept.append(b"x" * (1 << 20))
except MemoryError: pass
print("refused", 150 < len(kept) < 256)
"#;
    let said = place.python(script, &Grants::none()).await;
    assert_eq!(said.stdout, "refused True\n", "{said:?}");
}

async fn memory_of_all_processes_is_limited() {
    let place = limited(|limits| limits.memory_bytes_total = 256 << 20);
    let script = r#"
import time
for _ in range(8):
    if os.fork() == 0:
        kept = b"x" * (64 << 20)
        time.sleep(60)
time.sleep(60)
"#;
    // No limit of one process counts what is mapped to be shared.
    let shared = r#"
import mmap, time
memory = mmap.mmap(-1, 512 << 20)
for at in range(0, len(memory), 4096): memory[at] = 1
time.sleep(60)
"#;
    for script in [script, shared] {
        let said = place.python(script, &Grants::none()).await;
        let expect = Ended::Limit {
            limit: "memory_bytes_total",
            value: 256 << 20,
        };
        assert_eq!(said.ended, expect, "{script}");
    }
}

async fn a_file_is_limited() {
    let place = limited(|limits| limits.file_bytes = 1 << 20);
    let script = r#"
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill():
    with open(os.environ["HOME"] + "/file", "wb", buffering=0) as file:
        for _ in range(1000): file.write(b"x" * 10000)
attempt("fill", fill)
attempt("make a hole", lambda: os.truncate(os.environ["HOME"] + "/file", 1 << 40))
print(os.stat(os.environ["HOME"] + "/file").st_size)
"#;
    let said = place.python(script, &Grants::none()).await;
    assert_eq!(said.attempts()["fill"], "EFBIG");
    assert_eq!(said.attempts()["make a hole"], "EFBIG");
    assert!(said.stdout.ends_with("1048576\n"), "{said:?}");
}

async fn private_files_together_are_limited() {
    let place = limited(|limits| limits.scratch_bytes = 8 << 20);
    let script = r#"
import time
os.mkdir(os.environ["TMPDIR"] + "/deep")
for n in range(100):
    open(os.environ["TMPDIR"] + f"/deep/{n}", "wb").write(b"x" * (1 << 18))
time.sleep(60)
"#;
    let said = place.python(script, &Grants::none()).await;
    let expect = Ended::Limit {
        limit: "scratch_bytes",
        value: 8 << 20,
    };
    assert_eq!(said.ended, expect);
    place.check_empty();
}

async fn processor_time_is_limited() {
    let place = limited(|limits| limits.cpu_seconds = 1);
    let said = place.python("while True: pass", &Grants::none()).await;
    assert_eq!(said.ended, Ended::Signalled(libc::SIGXCPU), "{said:?}");
}

async fn open_files_are_limited() {
    let place = limited(|limits| limits.open_files = 32);
    let script = r#"
files = []
def open_all():
    while True: files.append(open("/dev/null"))
attempt("open", open_all)
print(len(files) < 32)
"#;
    let said = place.python(script, &Grants::none()).await;
    assert_eq!(said.attempts()["open"], "EMFILE");
    assert!(said.stdout.ends_with("True\n"));
}
