//! Requirements of tests that a machine may not meet, each looked for once, before any test.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use super::backends::Shared;
use super::guests;
use crate::public_clients::packages;

/// Something that a test cannot run without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The sample tools in Rust, which take the target `wasm32-wasip2`.
    RustGuests,
    /// The sample tool in Python, which takes componentize-py.
    PythonGuest,
    /// The sample tools in JavaScript, which take packages from npm.
    JavascriptGuest,
    /// A project in C, which takes zig from Python's registry.
    CGuest,
    /// Python with packages from its registry.
    PythonPackages,
    /// Node with packages from its registry.
    NodePackages,
    /// systemd's own check of units.
    SystemdAnalyze,
    /// PostgreSQL's programs, for a private cluster.
    Postgres,
    /// nginx, to read its configuration.
    Nginx,
    /// curl, as a document uses it.
    Curl,
    /// The OpenSSH client programs: ssh-keygen, ssh-agent and ssh-add.
    Ssh,
    /// Ctrl-C at a terminal: whoever is started in the background by a shell without job
    /// control ignores it, and so do all commands that it starts.
    Interrupts,
    /// A command that was built to send traces.
    OpenTelemetry,
    /// A bus and GNOME's keyring on it.
    SecretService,
    /// Python, and what Linux says of a process's memory.
    LinuxPython,
    /// Python, and a kernel that cages programs.
    Cage,
    /// A kernel that lets this user mount something for a process alone.
    Namespaces,
}

impl Need {
    /// Why the need is not met; nothing when it is.
    pub(crate) fn missing(self) -> Option<String> {
        static FOUND: [OnceLock<Option<String>>; 17] = [const { OnceLock::new() }; 17];
        let found = FOUND[self as usize].get_or_init(|| match self {
            Self::RustGuests => rust_target(),
            Self::PythonGuest => guests::try_build("slugify").err(),
            Self::JavascriptGuest => guests::try_build("json-query").err(),
            Self::CGuest => guests::try_scaffold("c").err(),
            Self::PythonPackages => packages::python_missing(),
            Self::NodePackages => packages::node_missing(),
            Self::SystemdAnalyze => starts("systemd-analyze", "--version"),
            Self::Postgres => Shared::get().err(),
            Self::Nginx => starts(nginx(), "-v"),
            Self::Curl => starts("curl", "--version"),
            Self::Ssh => ["ssh-keygen", "ssh-agent", "ssh-add"]
                .into_iter()
                .find_map(|program| starts(program, "-?")),
            Self::Interrupts => ignores_interrupts()
                .then(|| "this process ignores SIGINT; start it in the foreground".to_owned()),
            Self::OpenTelemetry => (!cfg!(feature = "opentelemetry"))
                .then(|| "built without `--features opentelemetry`".to_owned()),
            Self::SecretService => ["dbus-daemon", "gnome-keyring-daemon"]
                .into_iter()
                .find_map(|program| starts(program, "--version")),
            Self::LinuxPython => match cfg!(target_os = "linux") {
                true => starts("python3", "--version"),
                false => Some("only Linux has /proc".to_owned()),
            },
            Self::Cage => match tool_hub_mcp_client::local_support() {
                support if support.is_complete() => starts("python3", "--version"),
                support => Some(support.to_string()),
            },
            Self::Namespaces => mounts(),
        });
        found.clone()
    }
}

/// Looks for all of `needs` at once: most of the time goes to package registries.
pub(crate) fn look_for<'a>(needs: impl Iterator<Item = &'a Need>) {
    std::thread::scope(|threads| {
        for need in needs.collect::<BTreeSet<_>>() {
            threads.spawn(|| need.missing());
        }
    });
}

/// Where Debian keeps nginx out of most people's PATH, else nginx wherever it is.
pub(crate) fn nginx() -> &'static str {
    const DEBIANS: &str = "/usr/sbin/nginx";
    if std::path::Path::new(DEBIANS).exists() {
        DEBIANS
    } else {
        "nginx"
    }
}

fn starts(program: &str, flag: &str) -> Option<String> {
    let started = Command::new(program).arg(flag).output();
    let error = started.err()?;
    Some(format!("`{program}` cannot be started: {error}"))
}

/// Tries to mount a directory that only one process and its children see. Returns the reason why
/// that is impossible.
fn mounts() -> Option<String> {
    let mut command = Command::new("unshare");
    command.args([
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "none",
        "/etc",
    ]);
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(format!("`unshare` cannot be started: {error}")),
    }
}

/// Whether this process was started to ignore SIGINT. Only Linux tells.
fn ignores_interrupts() -> bool {
    const SIGINT_BIT: u64 = 1 << 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & SIGINT_BIT != 0)
}

fn rust_target() -> Option<String> {
    let installed = |_| {
        let output = Command::new("rustc")
            .args(["--print", "target-libdir", "--target", "wasm32-wasip2"])
            .output()
            .ok()?;
        let directory = String::from_utf8(output.stdout).ok()?;
        std::path::Path::new(directory.trim())
            .is_dir()
            .then_some(())
    };
    if installed(()).is_some() {
        return None;
    }
    // What `tool build` would do itself; only whether it succeeds matters here.
    let _ = Command::new("rustup")
        .args(["target", "add", "wasm32-wasip2"])
        .output();
    match installed(()) {
        Some(()) => None,
        None => Some("the Rust target wasm32-wasip2 is missing and cannot be added".to_owned()),
    }
}
