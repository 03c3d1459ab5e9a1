//! Test of one cache used by several processes at once, while entries are evicted and removed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tool_hub_host::{Host, HostConfig};

use crate::Test;
use crate::support::{approve, component, reply};

/// The argument with which this program loads, and calls, over and over.
pub(crate) const LOAD: &str = "load-over-and-over";

const PROCESSES: usize = 6;
const COMPONENTS: usize = 5;
const ROUNDS: usize = 12;

pub(crate) fn tests() -> Vec<Test> {
    vec![("cache::many_processes_share_it", || Box::pin(shared()))]
}

fn adder(of: usize) -> Vec<u8> {
    component(
        &format!(
            r#"(func (export "add") (param i32) (result i32)
                (i32.add (local.get 0) (i32.const {of})))"#
        ),
        r#"(func (export "add") (param "a" u32) (result u32)
            (canon lift (core func $i "add")))"#,
    )
}

fn host(cache: &Path, bytes_max: u64) -> Host {
    let mut config = HostConfig::new();
    config.cache = Some(cache.to_owned());
    config.cache_bytes_max = bytes_max;
    Host::new(config).unwrap()
}

async fn adds(host: &Host, of: usize) {
    let tool = host.load(approve(adder(of))).await.unwrap();
    let sum = reply(tool.call("add", r#"{"a":1000}"#).await);
    assert_eq!(sum.text(), (1000 + of).to_string());
}

/// The work of each process. `arguments` are the directory, its bound and the first entry.
pub(crate) async fn load_over_and_over(arguments: &[String]) {
    let [directory, bytes_max, first] = arguments else {
        panic!("{arguments:?}");
    };
    let first: usize = first.parse().unwrap();
    let host = host(directory.as_ref(), bytes_max.parse().unwrap());
    for round in 0..ROUNDS {
        adds(&host, (first + round) % COMPONENTS).await;
    }
}

fn start(directory: &Path, bytes_max: u64, first: usize) -> Child {
    Command::new("/proc/self/exe")
        .arg(LOAD)
        .arg(directory)
        .args([bytes_max.to_string(), first.to_string()])
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

async fn shared() {
    let directory = tempfile::tempdir().unwrap();
    // The key, too, is made by whoever comes first.
    let cache = directory.path().join("compiled");
    let entry_bytes = one_entry(directory.path()).await;
    let bytes_max = entry_bytes * 5 / 2;
    let mut processes: Vec<Child> = (0..PROCESSES)
        .map(|first| start(&cache, bytes_max, first))
        .collect();
    let cleaner = loop {
        if cache.join("key").exists() {
            break host(&cache, bytes_max);
        }
        // The processes report nothing: the file has to be looked for again and again.
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    let mut removed = 0;
    while processes
        .iter_mut()
        .any(|child| child.try_wait().unwrap().is_none())
    {
        removed += cleaner.trim_cache(&[]).unwrap().files;
        // Some entries have to come into being between two clean-ups.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    assert!(removed > 0, "nothing was cleaned while they ran");
    for of in 0..COMPONENTS {
        adds(&cleaner, of).await;
    }
    let (entries, others) = files(&cache);
    assert_eq!(others, ["key"]);
    let bytes: u64 = entries.iter().sum();
    assert!(
        (1..=bytes_max).contains(&bytes),
        "{entries:?}, at most {bytes_max}"
    );
}

/// The length of one entry.
async fn one_entry(directory: &Path) -> u64 {
    let cache = directory.join("one");
    adds(&host(&cache, u64::MAX), 0).await;
    let (entries, _) = files(&cache);
    entries[0]
}

/// The lengths of the entries, and the names of all other files.
fn files(cache: &Path) -> (Vec<u64>, Vec<String>) {
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    for file in fs::read_dir(cache).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        if name.ends_with(".code") {
            entries.push(file.metadata().unwrap().len());
        } else {
            others.push(name);
        }
    }
    (entries, others)
}
