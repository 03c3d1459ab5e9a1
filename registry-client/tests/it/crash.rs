//! Writers that are killed at arbitrary moments.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tool_hub_registry_client::Store;

use crate::support::{Scratch, verified};

/// Where it exists, [`a_writer_without_end`] writes to the store in the current directory.
const MARKER: &str = "write-until-killed";
const KILLS: u32 = 60;

#[test]
fn a_killed_writer_leaves_a_store_that_works() {
    let scratch = Scratch::new();
    let store = scratch.store.directory().to_owned();
    std::fs::write(store.join(MARKER), "").unwrap();
    for round in 0..KILLS {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::a_writer_without_end", "--ignored"])
            .current_dir(&store)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the start of the process and its first hundred writes or so.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 997));
        writer.kill().unwrap();
        writer.wait().unwrap();

        let store = Store::open(&store).unwrap();
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

#[test]
#[ignore = "runs until it is killed; the test above starts it"]
fn a_writer_without_end() {
    if !Path::new(MARKER).exists() {
        return;
    }
    let store = Store::open(".").unwrap();
    for number in 0..100_000u32 {
        let component: Vec<u8> = number.to_le_bytes().repeat(5_000);
        store.put(&verified("0.1.0", &component)).unwrap();
    }
}
