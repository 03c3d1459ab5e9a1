//! Checks that after kills no half-written file, garbage or deleted repository stays.

use std::collections::BTreeSet;
use std::fs::FileTimes;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tool_hub_registry_server::{Downloads, Registry, RegistryConfig};

use crate::backends;
use crate::support::TestRegistry;

/// Longer than any upload is waited for.
const OLD: Duration = Duration::from_secs(2 * 24 * 3_600);

/// Repositories whose deletion was acknowledged must not come back.
pub(crate) async fn check_deleted(hub: &TestRegistry, ids: &[String]) -> Result<(), String> {
    for id in ids {
        let status = hub.get(&format!("/api/models/{id}")).await.status();
        if status != 404 {
            return Err(format!("{id} was deleted and is there: {status}"));
        }
    }
    Ok(())
}

/// After two days and a garbage collection only what commits refer to is left, and all of that is
/// sound. The servers of these directories have ended.
pub(crate) async fn check(hub: &TestRegistry, directories: &[PathBuf]) -> Result<(), String> {
    let content = match &hub.place {
        Some(place) => backends::bucket_files(place),
        None => hub.config.directory.join("content"),
    };
    let incoming: Vec<PathBuf> = directories
        .iter()
        .map(|directory| match &hub.place {
            Some(_) => directory.join("incoming"),
            None => content.join("incoming"),
        })
        .collect();
    let half: Vec<PathBuf> = incoming
        .iter()
        .chain([&content])
        .flat_map(|it| files(it))
        .collect();
    let half: Vec<&PathBuf> = half.iter().filter(|path| !is_object(path)).collect();
    half.iter().for_each(|path| make_old(path));

    let (mut removed, mut removed_bytes) = (0, 0);
    for directory in directories {
        let config = match &hub.place {
            Some(place) => place.config(directory, Downloads::Proxy),
            None => RegistryConfig::new(directory),
        };
        let registry = Registry::open(config).await.unwrap();
        let before = registry.scrub().await.unwrap();
        let report = registry.collect_garbage(Duration::ZERO).await.unwrap();
        removed += report.removed_objects;
        removed_bytes += report.removed_bytes;
        let after = registry.scrub().await.unwrap();
        for (scrub, time) in [(before, "before"), (after, "after")] {
            if !scrub.is_sound() {
                return Err(format!("{time} the collection: {:?}", scrub.faults));
            }
        }
        let backup = hub.directory.path().join(format!("backup-{removed}"));
        registry.backup(&backup).await.unwrap();
        let wanted = listed(&backup);
        std::fs::remove_dir_all(backup).unwrap();
        let there: BTreeSet<String> = files(&content).iter().map(|path| name(path)).collect();
        if there != wanted {
            let more: Vec<_> = there.difference(&wanted).collect();
            return Err(format!(
                "{} objects are wanted, and {more:?} are there",
                wanted.len()
            ));
        }
        registry.close().await;
    }
    let left: Vec<PathBuf> = incoming.iter().flat_map(|it| files(it)).collect();
    if !left.is_empty() {
        return Err(format!("{left:?} stay"));
    }
    println!(
        "{} half-written files swept, {removed} objects of {removed_bytes} bytes collected, all else sound",
        half.len()
    );
    Ok(())
}

/// The digests of the objects that a backup lists.
fn listed(backup: &Path) -> BTreeSet<String> {
    let sums = std::fs::read_to_string(backup.join("SHA256SUMS")).unwrap();
    let lines = sums
        .lines()
        .filter(|line| !line.ends_with("metadata.jsonl"));
    lines
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

fn is_object(path: &Path) -> bool {
    let name = name(path);
    name.len() == 64 && name.bytes().all(|it| it.is_ascii_hexdigit())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

fn make_old(path: &Path) {
    let times = FileTimes::new().set_modified(SystemTime::now() - OLD);
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_times(times).unwrap();
}
