//! Tests that a scrub finds files that are altered or missing, and damage to the log.

use tool_hub_registry_server::{LogFault, Registry, RegistryError, ScrubFault};

use crate::backup;
use crate::filled_registry::be_cosigned;
use crate::log::{REPO, publish, say, yanked};
use crate::mirrors::source;
use crate::support::{TestRegistry, hex};

/// Another record than each of the log, and its hash.
const OTHER: [&str; 2] = ["x", "PH6byTDck/AfppmF7yQtn56GHzxTVaokzl70tLinDMs="];

#[tokio::test]
async fn scrub_finds_a_flipped_bit_and_a_missing_file() {
    let hub = TestRegistry::start().await;
    hub.create("alice/tool").await;
    let large = vec![7_u8; 600_000];
    let files: [(&str, &[u8]); 3] = [("a", b"aaaa"), ("b", b"bbbb"), ("large", &large)];
    hub.commit("alice/tool", "files", &files).await;
    let sound = hub.registry.scrub().await.unwrap();
    assert!(sound.is_sound(), "{:?}", sound.faults);
    // The three, and .gitattributes.
    assert_eq!(sound.objects, 4);
    assert!(sound.bytes > 600_008 && sound.git_objects == 4, "{sound:?}");

    let mut flipped = large.clone();
    flipped[599_999] ^= 1;
    std::fs::write(hub.object(&large), &flipped).unwrap();
    std::fs::remove_file(hub.object(b"bbbb")).unwrap();
    let report = hub.registry.scrub().await.unwrap();
    assert!(!report.is_sound());
    assert_eq!(report.fault_count, 2);
    let holders = ["model alice/tool".to_owned()];
    let ScrubFault::ContentAltered {
        sha256,
        found,
        repositories,
        ..
    } = &report.faults[0]
    else {
        panic!("{:?}", report.faults);
    };
    assert_eq!((sha256, found), (&hex(&large), &hex(&flipped)));
    assert_eq!(repositories[..], holders);
    let line = format!(
        "content {} is missing; held by model alice/tool",
        hex(b"bbbb")
    );
    assert_eq!(report.faults[1].to_string(), line);
}

/// A log of seven records, which a witness cosigned. Their hashes have these numbers: 0; 1, 2; 3;
/// 4, 5, 6; 7; 8, 9; 10.
async fn with_a_log() -> TestRegistry {
    let hub = TestRegistry::start().await;
    hub.create(REPO).await;
    for minor in 0..5 {
        publish(&hub, REPO, &format!("1.{minor}.0")).await;
    }
    hub.create_with("alice/secret", serde_json::json!({ "private": true }))
        .await;
    publish(&hub, "alice/secret", "1.0.0").await;
    say(&hub, &yanked("1.0.0", "broken")).await;
    be_cosigned(&hub).await;
    hub
}

/// Lets the log be changed, as damage does.
pub(crate) async fn unlock_log(hub: &TestRegistry) {
    for table in ["log_records", "log_hashes"] {
        for what in ["are_not_forgotten", "do_not_change"] {
            let mut statement = format!("DROP TRIGGER {table}_{what}");
            if hub.place.is_some() {
                statement += &format!(" ON {table}");
            }
            run(hub, &[&statement]).await;
        }
    }
}

/// The faults that a scrub tells of.
async fn told(registry: &Registry) -> Vec<String> {
    let report = registry.scrub().await.unwrap();
    assert_eq!(report.fault_count, report.faults.len() as u64);
    report.faults.iter().map(ToString::to_string).collect()
}

async fn run(hub: &TestRegistry, statements: &[&str]) {
    for statement in statements {
        let statement = statement
            .replace("{RECORD}", OTHER[0])
            .replace("{HASH}", OTHER[1]);
        hub.run_sql(sqlx::AssertSqlSafe(statement)).await.unwrap();
    }
}

fn altered(position: u64) -> String {
    format!("record {position} of the log does not hash to what is stored with it")
}

#[tokio::test]
async fn scrub_finds_damage_to_the_log() {
    let hub = with_a_log().await;
    let collected = hub
        .registry
        .collect_garbage(std::time::Duration::ZERO)
        .await;
    collected.unwrap();
    let sound = hub.registry.scrub().await.unwrap();
    assert_eq!((sound.log_records, sound.faults), (7, vec![]));
    unlock_log(&hub).await;
    run(
        &hub,
        &[
            "CREATE TABLE kept_records AS SELECT * FROM log_records",
            "CREATE TABLE kept_hashes AS SELECT * FROM log_hashes",
        ],
    )
    .await;
    let misfiled = "record 3 of the log is about something else than is stored beside it";
    let opened = misfiled.replace('3', "5");
    let damages: &[(&[&str], &[&str])] = &[
        (
            &["UPDATE log_records SET record = '{RECORD}' WHERE position = 2"],
            &[&altered(2)],
        ),
        (
            &["UPDATE log_records SET record = '{RECORD}' WHERE position = 3"],
            &[&altered(3)],
        ),
        (
            &["UPDATE log_hashes SET hash = '{HASH}' WHERE number = 1"],
            &[&altered(1)],
        ),
        (
            &["UPDATE log_hashes SET hash = '{HASH}' WHERE number = 2"],
            &[&altered(1)],
        ),
        (
            &["UPDATE log_hashes SET hash = '{HASH}' WHERE number = 10"],
            &[&altered(6)],
        ),
        (
            &["UPDATE log_hashes SET hash = 'x' WHERE number = 3"],
            &[&altered(2)],
        ),
        (&["DELETE FROM log_hashes WHERE number = 6"], &[&altered(3)]),
        (
            &[
                "UPDATE log_records SET record = '{RECORD}' WHERE position = 0",
                "UPDATE log_hashes SET hash = '{HASH}' WHERE number = 7",
            ],
            &[&altered(0), &altered(4)],
        ),
        (
            &["DELETE FROM log_records WHERE position = 2"],
            &["record 2 of the log is missing"],
        ),
        (
            &["DELETE FROM log_records WHERE position < 3"],
            &["the records 0 to 2 of the log are missing"],
        ),
        // What is cut off with its hashes is known to the witness.
        (
            &[
                "DELETE FROM log_records WHERE position = 6",
                "DELETE FROM log_hashes WHERE number = 10",
            ],
            &["record 6 of the log is missing"],
        ),
        // So is a record that was written anew with its hash.
        (
            &[
                "UPDATE log_records SET record = '{RECORD}' WHERE position = 6",
                "UPDATE log_hashes SET hash = '{HASH}' WHERE number = 10",
            ],
            &[
                &misfiled.replace('3', "6"),
                "the first 7 records of the log are not those that witness.example/w signed",
            ],
        ),
        (
            &["UPDATE log_records SET repository = 'alice/x' WHERE position = 3"],
            &[misfiled],
        ),
        (
            &["UPDATE log_records SET version = '9.0.0' WHERE position = 3"],
            &[misfiled],
        ),
        (
            &["UPDATE log_records SET signer = 'null' WHERE position = 3"],
            &[misfiled],
        ),
        (
            &["UPDATE log_records SET opening = NULL WHERE position = 5"],
            &[&opened],
        ),
        (
            &["UPDATE log_records SET opening = 'x' WHERE position = 5"],
            &[&opened],
        ),
    ];
    let scratch = tempfile::tempdir().unwrap();
    for (statements, expect) in damages {
        run(&hub, statements).await;
        assert_eq!(told(&hub.registry).await, *expect, "{statements:?}");
        // A backup of it does not take the place of a good one.
        let path = scratch.path().join("backup");
        let error = hub.registry.backup(&path).await.unwrap_err();
        let RegistryError::LogDamaged { fault, count } = error else {
            panic!("{error}");
        };
        assert_eq!(
            (fault.to_string().as_str(), count),
            (expect[0], expect.len() as u64)
        );
        assert!(!path.exists());
        run(
            &hub,
            &[
                "DELETE FROM log_records",
                "INSERT INTO log_records SELECT * FROM kept_records",
                "DELETE FROM log_hashes",
                "INSERT INTO log_hashes SELECT * FROM kept_hashes",
            ],
        )
        .await;
    }
    assert_eq!(told(&hub.registry).await, Vec::<String>::new());
    // Without a witness the hashes tell that the last record was there.
    run(
        &hub,
        &[
            "DELETE FROM witnesses",
            "DELETE FROM log_records WHERE position = 6",
        ],
    )
    .await;
    let cut = "the records of the log from 6 on are missing";
    assert_eq!(told(&hub.registry).await, [cut]);
    run(
        &hub,
        &[
            "DELETE FROM log_hashes WHERE number = 10",
            "UPDATE log_key SET seed = 'x'",
        ],
    )
    .await;
    let key = "the key of the log, or the checkpoint that it signed, is missing or damaged";
    assert_eq!(told(&hub.registry).await, [key]);
}

#[tokio::test]
async fn scrub_finds_damage_to_the_log_of_a_mirror() {
    let hub = with_a_log().await;
    let signer = hub.get("/api/log/key").await.text().await.unwrap();
    let signer = signer.split('+').next().unwrap();
    let not_signed = format!("the first 7 records of the log are not those that {signer} signed");
    let key = "the key of the log, or the checkpoint that it signed, is missing or damaged";
    let damages: &[(&[&str], &[&str])] = &[
        (
            &["UPDATE log_records SET record = '{RECORD}' WHERE position = 2"],
            &[&altered(2)],
        ),
        (
            &[
                "UPDATE log_records SET record = '{RECORD}' WHERE position = 6",
                "UPDATE log_hashes SET hash = '{HASH}' WHERE number = 10",
            ],
            &[
                "record 6 of the log is about something else than is stored beside it",
                &not_signed,
            ],
        ),
        (
            &[
                "DELETE FROM log_records WHERE position > 3",
                "DELETE FROM log_hashes WHERE number > 6",
            ],
            &["the records 4 to 6 of the log are missing"],
        ),
        (
            &["UPDATE mirror SET size = 6"],
            &[key, "the records of the log from 6 on are signed by nobody"],
        ),
        (&["UPDATE mirror SET checkpoint = NULL"], &[key]),
    ];
    for (at, (statements, expect)) in damages.iter().enumerate() {
        let mirror = hub.beside(&format!("mirror-{at}")).await;
        mirror
            .registry
            .mirror(&source(&hub.endpoint))
            .await
            .unwrap();
        assert_eq!(told(&mirror.registry).await, Vec::<String>::new());
        unlock_log(&mirror).await;
        run(&mirror, statements).await;
        assert_eq!(told(&mirror.registry).await, *expect, "{statements:?}");
    }
}

#[tokio::test]
async fn a_backup_with_a_damaged_log_is_not_restored() {
    let hub = with_a_log().await;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("backup");
    hub.registry.backup(&path).await.unwrap();
    backup::rewrite(&path, |rows| {
        let (before, hashes) = rows.split_once("{\"table\":\"log_hashes\"").unwrap();
        let mut lines: Vec<&str> = hashes.lines().collect();
        let other = format!("[0,\"{}\"]", OTHER[1]);
        lines[1] = &other;
        format!("{before}{{\"table\":\"log_hashes\"{}\n", lines.join("\n"))
    });
    let config = hub.elsewhere("restored");
    let error = Registry::restore(&path, config.clone()).await.unwrap_err();
    let RegistryError::LogDamaged { fault, count } = error else {
        panic!("{error}");
    };
    assert_eq!((fault, count), (LogFault::Altered { position: 0 }, 1));
    let empty = Registry::open(config).await.unwrap();
    assert!(empty.list_users().await.unwrap().is_empty());
}
