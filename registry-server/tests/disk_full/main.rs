//! A test of a registry whose disk fills up: writes get 507, reads go on, free space ends it.
//!
//! Where nothing may be mounted the test is reported as ignored, never as passed, and standard
//! error says why.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "files of a test need not survive a crash, and a skipped test must say so"
)]

#[allow(dead_code, reason = "the tests of one server use the rest")]
#[path = "../backends/backends.rs"]
mod backends;
#[allow(dead_code, reason = "the tests of one server use the rest")]
#[path = "../it/support.rs"]
mod support;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Trial};
use tempfile::TempDir;

use crate::support::{TestRegistry, file, header, refusal};

/// Room for a registry with a few small files.
const DISK_BYTES: u32 = 24 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let disk = SmallDisk::mount(DISK_BYTES);
    let cannot_run = disk.is_none();
    if cannot_run {
        eprintln!("SKIPPED: the test of a full disk, because mounting a tmpfs is not permitted");
    }
    let test = move || {
        let runtime = tokio::runtime::Runtime::new()?;
        let disk = disk.as_ref().ok_or("there is no disk")?;
        runtime.block_on(stops_writers_only_and_only_while_it_is_full(disk));
        Ok(())
    };
    let name = "disk_full::stops_writers_only_and_only_while_it_is_full";
    let trial = Trial::test(name, test).with_ignored_flag(cannot_run);
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

/// A small file system of its own, taken down when dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` where this process may not mount.
    fn mount(bytes: u32) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let options = format!("size={bytes}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(directory.path())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        mounted.then_some(Self(directory))
    }

    /// Takes all space that is left; dropping the file and removing it gives it back.
    fn fill(&self) -> std::path::PathBuf {
        let path = self.0.path().join("filler");
        let mut filler = File::create(&path).unwrap();
        let mut piece = vec![0; 1 << 20];
        while !piece.is_empty() {
            match filler.write(&piece) {
                Ok(count) if count > 0 => {}
                _ => piece.truncate(piece.len() / 2),
            }
        }
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

async fn stops_writers_only_and_only_while_it_is_full(disk: &SmallDisk) {
    let directory = disk.0.path().join("registry");
    let hub = TestRegistry::start_below(&directory, |_| ()).await;
    hub.create("alice/tool").await;
    let head = hub.commit("alice/tool", "small", &[("a", b"a")]).await;

    // A file that does not fit, streamed into the spool.
    let large = header("large") + &file("large", &vec![7; 30 << 20]);
    let (status, _, text) = refusal(hub.send_commit("alice/tool", large).await).await;
    assert_eq!(
        (status, text.as_str()),
        (507, "the registry has no space left")
    );
    readers_notice_nothing(&hub, &head).await;
    nothing_is_left_over(&directory);

    // Not a byte left: neither content nor metadata can be written.
    let filler = disk.fill();
    let body = || header("b") + &file("b", &[1; 200_000]);
    assert_eq!(
        refusal(hub.send_commit("alice/tool", body()).await).await.0,
        507
    );
    let long_message = header(&"m".repeat(60_000)) + &file("c", b"");
    assert_eq!(
        refusal(hub.send_commit("alice/tool", long_message).await)
            .await
            .0,
        507
    );
    readers_notice_nothing(&hub, &head).await;
    nothing_is_left_over(&directory);

    std::fs::remove_file(filler).unwrap();
    assert_eq!(hub.send_commit("alice/tool", body()).await.status(), 200);
    let commits = hub.get_json("/api/models/alice/tool/commits/main").await;
    let parents: Vec<&str> = commits
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|commit| commit["parents"][0].as_str())
        .collect();
    assert_eq!(parents[0], head);
    assert_eq!(
        hub.get("/alice/tool/resolve/main/b")
            .await
            .bytes()
            .await
            .unwrap(),
        vec![1; 200_000]
    );
    drop(hub);
}

async fn readers_notice_nothing(hub: &TestRegistry, head: &str) {
    assert_eq!(hub.get_json("/api/models/alice/tool").await["sha"], head);
    for path in [
        "/health",
        "/api/models?search=tool",
        "/api/models/alice/tool/tree/main?expand=true",
        "/api/whoami-v2",
    ] {
        assert_eq!(hub.get(path).await.status(), 200, "{path}");
    }
    assert_eq!(
        hub.get("/alice/tool/resolve/main/a")
            .await
            .text()
            .await
            .unwrap(),
        "a"
    );
}

fn nothing_is_left_over(directory: &Path) {
    let incoming = std::fs::read_dir(directory.join("content/incoming")).unwrap();
    let left: Vec<_> = incoming.map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
