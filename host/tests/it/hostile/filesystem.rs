//! Tests of a hostile tool's file access: it reaches the granted directory and nothing outside.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tool_hub_host::Tool;
use tool_hub_manifest::Access;

use super::canary::{CANARY, GrantedDirectory};
use super::either_wasi::with_either_wasi;
use super::filesystem_guest::{
    CHANGES, FileOperation, act, granted, granted_by, hoard, read, read_link,
};
use super::guarded::guarding;
use crate::support::HOST;

with_either_wasi! {
    no_path_leads_out_of_a_directory
    links_that_a_tool_makes_lead_nowhere_outside
    nothing_changes_in_a_directory_that_may_only_be_read
    a_directory_that_may_be_changed_is_changed
    a_link_tells_no_more_than_its_own_text
    a_link_swapped_in_during_a_call_leads_nowhere
}

/// Ways out of a directory. `ABS` is the canary's path, `SECRET` that of its directory, both
/// without the first slash.
const PATHS: [&str; 64] = [
    "../secret/canary",
    "./../secret/canary",
    "deep/../../secret/canary",
    "deep/er/../../../secret/canary",
    "deep/er/.././../../secret/canary",
    ".//..//secret//canary",
    "file/../../secret/canary",
    "absent/../../secret/canary",
    "../granted/../secret/canary",
    "../../../../../../../../ABS",
    "..",
    "../",
    "../.",
    "deep/../..",
    "deep/er/../../..",
    "/ABS",
    "//ABS",
    "///ABS",
    "/./ABS",
    "/../ABS",
    "/",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/ABS",
    "/proc/self/cwd",
    "/dev/stdin",
    "../proc/self/environ",
    "proc/self/environ",
    "~/canary",
    "$HOME/canary",
    "file:///ABS",
    "..\\secret\\canary",
    "deep\\..\\..\\secret\\canary",
    "\\ABS",
    "C:\\canary",
    "C:/canary",
    "\\\\?\\ABS",
    "%2e%2e/secret/canary",
    "..%2fsecret/canary",
    "%2e%2e%2fsecret%2fcanary",
    "..%c0%afsecret/canary",
    "\u{2025}/secret/canary",
    "\u{ff0e}\u{ff0e}/secret/canary",
    "..\u{2215}secret\u{2215}canary",
    "..\u{200b}/secret/canary",
    ".\u{0}./secret/canary",
    "../secret/canary\0",
    "file\0/../../secret/canary",
    " ../secret/canary",
    "../secret/canary ",
    ".../secret/canary",
    "..;/secret/canary",
    "",
    // Links that lead out.
    "to-canary",
    "to-canary/",
    "to-canary/.",
    "to-secret/canary",
    "to-secret/../secret/canary",
    "to-secret/./canary",
    "to-above/secret/canary",
    "absolute",
    "chain",
    "deep/up/secret/canary",
    "to-self/root/ABS",
];

fn lay_links(ground: &GrantedDirectory) {
    let granted = ground.granted();
    let link = |to: &str, name: &str| symlink(to, granted.join(name)).unwrap();
    link("../secret/canary", "to-canary");
    link("../secret", "to-secret");
    link("..", "to-above");
    link(&ground.canary().display().to_string(), "absolute");
    link("absolute", "chain");
    link("../..", "deep/up");
    link("/proc/self", "to-self");
    link("loop", "loop");
    link("file", "inside");
}

fn fill_in(path: &str, ground: &GrantedDirectory) -> String {
    let canary = ground.canary();
    let relative = canary.strip_prefix("/").unwrap().display().to_string();
    path.replace("ABS", &relative)
}

async fn no_path_leads_out_of_a_directory() {
    for (host, access) in [
        (&*HOST, Access::Read),
        (&*HOST, Access::ReadWrite),
        (&guarding(), Access::ReadWrite),
    ] {
        let ground = GrantedDirectory::new();
        lay_links(&ground);
        let tool = granted_by(host, &ground, access, None).await;
        assert_eq!(read(&tool, "file").await.as_deref(), Ok("harmless"));
        assert_eq!(read(&tool, "inside").await.as_deref(), Ok("harmless"));
        assert_eq!(read(&tool, "deep/../file").await.as_deref(), Ok("harmless"));
        assert_eq!(read(&tool, "loop").await, Err("loop"));
        let before = ground.state();
        for path in PATHS {
            let path = fill_in(path, &ground);
            let found = read(&tool, &path).await;
            assert!(found.is_err(), "{path:?}: {found:?}");
        }
        assert_eq!(ground.state(), before);
    }
}

/// A tool may create links that only lead down. Others could lead out, at once or after the link or
/// a directory above it was moved, and programs that copy or edit the directory would follow them.
async fn links_that_a_tool_makes_lead_nowhere_outside() {
    let ground = GrantedDirectory::new();
    let tool = granted(&ground, Access::ReadWrite).await;
    let canary = ground.canary().display().to_string();
    for target in [
        canary.as_str(),
        "../secret/canary",
        "../secret",
        "/",
        "..",
        "/proc/self/root",
        "deep/../../secret/canary",
        "deep/..",
        "./../secret",
        "..\\secret",
    ] {
        for name in ["link", "deep/er/link"] {
            let made = act(&tool, FileOperation::SymbolicLink, target, name).await;
            assert_eq!(made, Err("not-permitted"), "{name} -> {target}");
            let place = ground.granted().join(name);
            assert!(place.symlink_metadata().is_err(), "{name} -> {target}");
        }
    }
    let made = act(
        &tool,
        FileOperation::SymbolicLink,
        "er/..file",
        "deep/link2",
    )
    .await;
    assert_eq!(made, Ok(()));
    // The tool cannot follow a link that a person made, either.
    symlink("../secret", ground.granted().join("link2")).unwrap();
    for path in ["link2", "link2/", "link2/canary"] {
        for change in [
            FileOperation::Write,
            FileOperation::Truncate,
            FileOperation::SetSize,
            FileOperation::Mutate,
        ] {
            let done = act(&tool, change, path, "").await;
            assert!(done.is_err(), "{change:?} {path}");
        }
    }
    for (from, to) in [
        ("../secret/canary", "stolen"),
        (canary.as_str(), "stolen"),
        ("file", "../secret/planted"),
        ("link2/canary", "stolen"),
        ("file", "link2/planted"),
    ] {
        for change in [FileOperation::Rename, FileOperation::HardLink] {
            let done = act(&tool, change, from, to).await;
            assert!(done.is_err(), "{change:?} {from} {to}");
        }
    }
    for path in ["../secret/planted", "../planted", "link2/planted"] {
        for change in [
            FileOperation::Write,
            FileOperation::CreateNew,
            FileOperation::MakeDirectory,
            FileOperation::Unlink,
            FileOperation::SetTimes,
        ] {
            let done = act(&tool, change, path, "").await;
            assert!(done.is_err(), "{change:?} {path}");
        }
    }
    assert_eq!(std::fs::read_to_string(ground.canary()).unwrap(), CANARY);
    assert_eq!(std::fs::read_dir(ground.outside()).unwrap().count(), 1);
    assert!(!ground.granted().join("stolen").exists());
}

async fn nothing_changes_in_a_directory_that_may_only_be_read() {
    let ground = GrantedDirectory::new();
    lay_links(&ground);
    let tool = granted(&ground, Access::Read).await;
    let before = ground.state();
    for change in CHANGES {
        for (path, other) in [
            ("file", "other"),
            ("file", "deep/file"),
            ("deep/file", "file"),
            ("deep/er", "moved"),
            ("deep", "moved"),
            ("new", "newer"),
            ("inside", "other"),
            ("inside/", "other"),
            ("file/", "other"),
            ("deep/er/", "other/"),
            ("to-canary", "other"),
            ("to-canary/", "other"),
            ("to-secret/", "other"),
            (".", "other"),
        ] {
            let done = act(&tool, change, path, other).await;
            assert!(done.is_err(), "{change:?} {path} {other}");
        }
        assert_eq!(ground.state(), before, "{change:?}");
    }
}

/// The same attempts do something where writing was granted, so the test above means
/// something.
async fn a_directory_that_may_be_changed_is_changed() {
    for (change, path, other) in [
        (FileOperation::Write, "new", ""),
        (FileOperation::Truncate, "file", ""),
        (FileOperation::Rename, "file", "other"),
        (FileOperation::HardLink, "file", "other"),
        (FileOperation::SymbolicLink, "file", "other"),
        (FileOperation::Unlink, "file", ""),
        (FileOperation::RemoveDirectory, "deep/er", ""),
        (FileOperation::MakeDirectory, "new", ""),
        (FileOperation::SetSize, "file", ""),
        (FileOperation::SetTimes, "file", ""),
        (FileOperation::Mutate, "deep", ""),
        (FileOperation::CreateNew, "new", ""),
    ] {
        let ground = GrantedDirectory::new();
        let tool = granted(&ground, Access::ReadWrite).await;
        let before = ground.state();
        assert_eq!(act(&tool, change, path, other).await, Ok(()), "{change:?}");
        assert_ne!(ground.state(), before, "{change:?}");
    }
    // What was opened for reading stays as it is, whatever the directory allows.
    let ground = GrantedDirectory::new();
    let tool = granted(&ground, Access::ReadWrite).await;
    let before = ground.state();
    for change in [
        FileOperation::WriteThroughRead,
        FileOperation::SetSizeThroughRead,
    ] {
        assert!(act(&tool, change, "file", "").await.is_err(), "{change:?}");
    }
    assert_eq!(ground.state(), before);
}

async fn a_link_tells_no_more_than_its_own_text() {
    let ground = GrantedDirectory::new();
    lay_links(&ground);
    let tool = granted(&ground, Access::Read).await;
    assert_eq!(read_link(&tool, "inside").await.as_deref(), Ok("file"));
    // Where it leads on the host is not the guest's to know.
    assert!(read_link(&tool, "absolute").await.is_err());
    assert!(read_link(&tool, "to-self/root").await.is_err());
    assert!(read_link(&tool, "../secret/canary").await.is_err());
}

/// A directory that is listed to no end keeps no thread of the process: here there are two.
#[test]
fn lists_that_are_not_read_keep_no_thread() {
    super::either_wasi::use_wasi_3();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let ground = GrantedDirectory::new();
        let tool = granted(&ground, Access::Read).await;
        assert_eq!(hoard(&tool, "file").await.as_deref(), Ok("harmless"));
    });
}

/// Somebody swaps a file for a link that leads out, and a directory too, all the time while
/// the guest reads and writes; then for links to what is guarded.
async fn a_link_swapped_in_during_a_call_leads_nowhere() {
    let ground = GrantedDirectory::new();
    let tool = granted(&ground, Access::ReadWrite).await;
    under_swaps(&tool, &ground, ground.outside()).await;

    let ground = GrantedDirectory::new();
    let guarded = ground.granted().join(".git");
    std::fs::create_dir(&guarded).unwrap();
    std::fs::write(guarded.join("canary"), CANARY).unwrap();
    let tool = granted_by(&guarding(), &ground, Access::ReadWrite, None).await;
    under_swaps(&tool, &ground, ".git".into()).await;
}

/// `secret` holds the canary, seen from the granted directory.
async fn under_swaps(tool: &Tool, ground: &GrantedDirectory, secret: PathBuf) {
    let granted = ground.granted();
    let canary = granted.join(&secret).join("canary");
    let (stop, swaps) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
    let (seen, counted) = (stop.clone(), swaps.clone());
    let swapper = std::thread::spawn(move || {
        while !seen.load(Ordering::Relaxed) {
            swap(&granted, &secret);
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut read_well = 0;
    let enough = || swaps.load(Ordering::Relaxed) > 200;
    let began = Instant::now();
    while !(enough() && read_well > 50) && began.elapsed() < Duration::from_secs(30) {
        for path in ["swapped", "swapping/canary"] {
            if let Ok(text) = read(tool, path).await {
                assert!(!text.contains("canary"), "{path}: {text}");
                read_well += 1;
            }
            let _ = act(tool, FileOperation::SetSize, path, "").await;
            let _ = act(tool, FileOperation::Write, path, "").await;
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(
        enough() && read_well > 50,
        "the race was not run: {swaps:?} swaps, {read_well} reads"
    );
    assert_eq!(std::fs::read_to_string(canary).unwrap(), CANARY);
}

/// Puts a harmless file and directory in place, then links that lead out in their place.
fn swap(granted: &Path, secret: &Path) {
    let (file, directory) = (granted.join("swapped"), granted.join("swapping"));
    let _ = std::fs::remove_file(&file);
    let _ = std::fs::write(&file, "harmless");
    let _ = std::fs::remove_file(&directory);
    let _ = std::fs::create_dir(&directory);
    let _ = std::fs::write(directory.join("canary"), "harmless");
    std::thread::yield_now();
    let (link, other) = (granted.join("link"), granted.join("links"));
    let _ = symlink(secret.join("canary"), &link);
    let _ = std::fs::rename(&link, &file);
    let _ = std::fs::remove_dir_all(&directory);
    let _ = symlink(secret, &other);
    let _ = std::fs::rename(&other, &directory);
    std::thread::yield_now();
}
