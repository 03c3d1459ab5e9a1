//! Tests of backup and restore: during pushes, of damaged backups, and cut off midway and retried.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;
use tool_hub_registry_server::{Registry, RegistryError};

use crate::filled_registry::{compare, fill, jobs_go_on, view};
use crate::jobs;
use crate::support::{TestRegistry, hex, serve_on_a_port};

/// The content of a backup: the digest of each object, and every row.
pub(crate) fn said(backup: &Path) -> [String; 2] {
    ["SHA256SUMS", "metadata.jsonl"].map(|name| {
        let text = std::fs::read_to_string(backup.join(name)).unwrap();
        assert!(!text.is_empty());
        text
    })
}

/// Pushes to each of the repositories until told to stop; counts the pushes.
async fn push_to_all(
    hub: &Arc<TestRegistry>,
    ids: &[String],
    stop: &Arc<AtomicBool>,
) -> JoinSet<usize> {
    let mut pushers = JoinSet::new();
    for id in ids {
        let (id, hub, stop) = (id.clone(), Arc::clone(hub), Arc::clone(stop));
        pushers.spawn(async move {
            let mut index = 0;
            while !stop.load(Ordering::Relaxed) {
                let state = format!("{id} {index}");
                let large = vec![1; 300_000 + index];
                let files = [("state", state.as_bytes()), (&format!("f{index}"), &large)];
                hub.commit(&id, &state, &files).await;
                index += 1;
            }
            index
        });
    }
    pushers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_made_during_pushes_restores_to_a_sound_registry() {
    let hub = Arc::new(TestRegistry::start().await);
    let ids: Vec<String> = (0..3).map(|index| format!("alice/tool-{index}")).collect();
    for id in &ids {
        hub.create(id).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let pushers = push_to_all(&hub, &ids, &stop).await;
    // The backup begins when each of them has pushed twice.
    for id in &ids {
        let path = format!("/api/models/{id}/commits/main");
        while hub.get_json(&path).await.as_array().unwrap().len() < 3 {}
    }
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("during");
    let report = hub.registry.backup(&backup).await.unwrap();
    assert!(report.objects > 3 && report.rows > 30, "{report:?}");
    stop.store(true, Ordering::Relaxed);
    let pushed: usize = pushers.join_all().await.into_iter().sum();
    assert!(pushed > 5);

    let config = hub.elsewhere("restored");
    let restored = Registry::restore(&backup, config.clone()).await.unwrap();
    assert_eq!(
        (restored.objects, restored.rows),
        (report.objects, report.rows)
    );
    assert!(restored.made.ends_with('Z'));
    let registry = Registry::open(config).await.unwrap();
    assert!(registry.scrub().await.unwrap().is_sound());
    let other = hub.through(&serve_on_a_port(&registry).await);
    // It holds some past state of each repository, whole.
    for (id, live) in ids.iter().zip(&view(&hub, &ids).await) {
        let head = other.get_json(&format!("/api/models/{id}")).await["sha"].clone();
        let history = live["history"].as_array().unwrap();
        let commit = history.iter().find(|commit| commit["id"] == head).unwrap();
        let state = other.get(&format!("/{id}/resolve/main/state")).await;
        assert_eq!(commit["title"], state.text().await.unwrap().as_str());
    }
    // And it can be pushed to.
    other.commit(&ids[0], "after", &[("after", b"after")]).await;
}

#[tokio::test]
async fn the_registry_that_comes_of_it_is_the_same_to_the_last_digest() {
    let hub = TestRegistry::start_configured(jobs::trust).await;
    let token = fill(&hub).await;
    let scratch = tempfile::tempdir().unwrap();
    let (first, second) = (scratch.path().join("1"), scratch.path().join("2"));
    hub.registry.backup(&first).await.unwrap();
    has_every_table(&first, &["mirror"]);
    let mut config = hub.elsewhere("restored");
    jobs::trust(&mut config);
    Registry::restore(&first, config.clone()).await.unwrap();
    let registry = Registry::open(config).await.unwrap();
    compare(&hub, &registry).await;
    registry.backup(&second).await.unwrap();
    assert_eq!(said(&first), said(&second));
    jobs_go_on(&hub, &registry, &token).await;
    let checked = std::process::Command::new("sha256sum")
        .args(["--check", "--quiet", "--strict", "SHA256SUMS"])
        .current_dir(&first)
        .status();
    assert!(checked.unwrap().success());
}

/// Checks that a backup has rows of all tables but of these.
pub(crate) fn has_every_table(backup: &Path, without: &[&str]) {
    let [_, rows] = said(backup);
    let mut empty = Vec::new();
    let mut lines = rows.lines().peekable();
    while let Some(line) = lines.next() {
        let line: Value = serde_json::from_str(line).unwrap();
        let is_empty = lines.peek().is_none_or(|next| next.starts_with('{'));
        if let (Some(table), true) = (line["table"].as_str(), is_empty) {
            empty.push(table.to_owned());
        }
    }
    assert_eq!(
        empty, without,
        "fill the table, so that it is restored in a test"
    );
}

/// A way to spoil a backup, and what a restore should say of it.
type Damage = (&'static str, fn(&Path, &Path), fn(&RegistryError) -> bool);

#[tokio::test]
async fn what_is_no_whole_backup_is_not_restored() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    hub.commit("alice/tool", "a", &[("a", b"aaaa")]).await;
    let scratch = tempfile::tempdir().unwrap();
    let whole = scratch.path().join("whole");
    hub.registry.backup(&whole).await.unwrap();
    let object = PathBuf::from(format!(
        "content/sha256/{}/{}/{}",
        &hex(b"aaaa")[..2],
        &hex(b"aaaa")[2..4],
        hex(b"aaaa")
    ));
    let not_a_backup = |error: &RegistryError| matches!(error, RegistryError::NotABackup { .. });
    let damages: [Damage; 7] = [
        (
            "altered",
            |at, object| std::fs::write(at.join(object), b"aaab").unwrap(),
            |error| matches!(error, RegistryError::ContentAltered { .. }),
        ),
        (
            "missing",
            |at, object| std::fs::remove_file(at.join(object)).unwrap(),
            not_a_backup,
        ),
        (
            "rows",
            |at, _| replace(&at.join("metadata.jsonl"), "\"alice\"", "\"malice\""),
            not_a_backup,
        ),
        (
            "fewer rows",
            |at, _| cut_line(&at.join("metadata.jsonl")),
            not_a_backup,
        ),
        (
            "sums",
            |at, _| cut_line(&at.join("SHA256SUMS")),
            not_a_backup,
        ),
        (
            "note",
            |at, _| std::fs::remove_file(at.join("backup.json")).unwrap(),
            not_a_backup,
        ),
        (
            "newer",
            |at, _| replace(&at.join("backup.json"), "\"schema\": ", "\"schema\": 9"),
            not_a_backup,
        ),
    ];
    let config = hub.elsewhere("target");
    for (at, (name, damage, is_meant)) in damages.into_iter().enumerate() {
        let spoilt = scratch.path().join(at.to_string());
        copy_all(&whole, &spoilt);
        damage(&spoilt, &object);
        let error = Registry::restore(&spoilt, config.clone())
            .await
            .unwrap_err();
        assert!(is_meant(&error), "{name}: {error:?}");
        let registry = Registry::open(config.clone()).await.unwrap();
        assert_eq!(registry.list_users().await.unwrap().len(), 0, "{name}");
        registry.close().await;
    }
    Registry::restore(&whole, config.clone()).await.unwrap();

    let again = Registry::restore(&whole, config).await.unwrap_err();
    assert!(
        matches!(again, RegistryError::NotEmpty { table: "accounts" }),
        "{again:?}"
    );
    let again = hub.registry.backup(&whole).await.unwrap_err();
    assert!(matches!(again, RegistryError::InTheWay { .. }), "{again:?}");
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

/// Changes a backup into one of an older version, which did not have this table.
pub(crate) fn without_table(backup: &Path, table: &str) {
    let head = format!("{{\"table\":\"{table}\"");
    rewrite(backup, |rows| {
        let mut inside = false;
        let kept = rows.lines().filter(|line| {
            inside = line.starts_with(&head) || (inside && line.starts_with('['));
            !inside
        });
        kept.map(|line| format!("{line}\n")).collect()
    });
}

/// Changes the rows of a backup, and all that says what they hash to.
pub(crate) fn rewrite(backup: &Path, change: impl FnOnce(&str) -> String) {
    let [metadata, sums, note] =
        ["metadata.jsonl", "SHA256SUMS", "backup.json"].map(|name| backup.join(name));
    let rows = std::fs::read_to_string(&metadata).unwrap();
    let other = change(&rows);
    assert_ne!(other, rows);
    std::fs::write(&metadata, &other).unwrap();
    let before = hex(&std::fs::read(&sums).unwrap());
    replace(&sums, &hex(rows.as_bytes()), &hex(other.as_bytes()));
    replace(&note, &before, &hex(&std::fs::read(&sums).unwrap()));
}

fn cut_line(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    std::fs::write(path, &text[..=end]).unwrap();
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &to),
            false => assert!(std::fs::copy(entry.path(), to).is_ok()),
        }
    }
}

#[tokio::test]
async fn one_that_is_cut_off_leaves_nothing_half() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    for index in 0..20 {
        let content = vec![index; 400_000];
        hub.commit("alice/tool", "a", &[(&index.to_string(), &content)])
            .await;
    }
    let scratch = tempfile::tempdir().unwrap();
    let backup = scratch.path().join("backup");
    let config = hub.elsewhere("target");
    let (mut cut, mut is_whole) = (0, false);
    for round in 0..40 {
        let wait = Duration::from_millis(5 * round);
        match tokio::time::timeout(wait, hub.registry.backup(&backup)).await {
            Err(_) => cut += 1,
            // The backup before was cut off at its last step, while the directory was renamed.
            Ok(Ok(_) | Err(RegistryError::InTheWay { .. })) => {
                is_whole = true;
                break;
            }
            Ok(Err(error)) => panic!("{error:?}"),
        }
    }
    if !is_whole {
        hub.registry.backup(&backup).await.unwrap();
    }
    assert!(cut > 1, "{cut} backups were cut off");

    cut = 0;
    for round in 0..40 {
        let wait = Duration::from_millis(10 * round);
        let restoring = Registry::restore(&backup, config.clone());
        match tokio::time::timeout(wait, restoring).await {
            Err(_) => cut += 1,
            // The restore before was cut off while the database carried out its last step.
            Ok(Ok(_) | Err(RegistryError::NotEmpty { .. })) => break,
            Ok(Err(error)) => panic!("{error:?}"),
        }
        let registry = Registry::open(config.clone()).await.unwrap();
        let users = registry.list_users().await.unwrap().len();
        registry.close().await;
        assert!(users == 0 || users == 3, "{users} of 3 users");
    }
    assert!(cut > 1, "{cut} restores were cut off");
    let registry = match Registry::restore(&backup, config.clone()).await {
        Ok(_) | Err(RegistryError::NotEmpty { .. }) => Registry::open(config).await.unwrap(),
        Err(error) => panic!("{error:?}"),
    };
    assert_eq!(registry.list_users().await.unwrap().len(), 3);
    let report = registry.scrub().await.unwrap();
    assert_eq!((report.faults, report.objects), (vec![], 21));
}
