//! A test that processes killed while they write to the local store leave it undamaged.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tool_hub_registry_client::Store;

use crate::support::{Scratch, verified};

const KILLS: u32 = 60;
/// A writer that nobody kills ends after 2 GB.
const WRITES_MAX: u32 = 100_000;

/// Set for the process that is to be killed, which is this test once more: the store that it
/// writes to.
const WRITE_TO: &str = "TOOL_HUB_TEST_WRITE_TO";

#[test]
fn a_killed_writer_leaves_a_store_that_works() {
    if let Some(directory) = std::env::var_os(WRITE_TO) {
        return write_until_killed(Path::new(&directory));
    }
    let scratch = Scratch::new();
    let directory = scratch.store.directory();
    for round in 0..KILLS {
        let mut writer = start_writer(directory);
        // Spread over the start of the process and its first hundred writes or so.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 997));
        writer.kill().unwrap();
        let ended = writer.wait().unwrap();
        assert_eq!(ended.code(), None, "round {round}: no signal ended it");

        let store = Store::open(directory).unwrap();
        let report = store.verify_all().unwrap();
        assert_eq!(report.damaged, [], "round {round}");
        let incoming = store.directory().join("v1/incoming");
        assert_eq!(
            std::fs::read_dir(incoming).unwrap().count(),
            0,
            "round {round}"
        );
        let next = verified("0.1.0", &round.to_le_bytes());
        store.put(&next).unwrap();
        store.get(next.pin()).unwrap();
    }
    let report = scratch.store.verify_all().unwrap();
    assert!(
        report.files > u64::from(KILLS) * 2,
        "the writers wrote nothing"
    );
}

fn start_writer(directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "crash::a_killed_writer_leaves_a_store_that_works",
        ])
        .env(WRITE_TO, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn write_until_killed(directory: &Path) {
    let store = Store::open(directory).unwrap();
    for number in 0..WRITES_MAX {
        let component: Vec<u8> = number.to_le_bytes().repeat(5_000);
        store.put(&verified("0.1.0", &component)).unwrap();
    }
    panic!("nobody killed this writer");
}
