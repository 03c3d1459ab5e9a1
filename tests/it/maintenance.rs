//! Tests of a registry's maintenance: damage is found, a backup repairs it, garbage is freed.
//! Neither a backup nor a registry is overwritten.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tool_hub_manifest::Digest;

use crate::support::ran::{check, says};
use crate::support::{Home, Need, RegistryProcess, Test, files, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("maintenance::a_flipped_bit", a_flipped_bit).needs(&[Need::RustGuests]),
        test("maintenance::a_damaged_log", a_damaged_log)
            .needs(&[Need::RustGuests, Need::PythonPackages]),
        test("maintenance::garbage_is_freed", garbage_is_freed),
        test(
            "maintenance::nothing_is_overwritten",
            nothing_is_overwritten,
        ),
    ]
}

/// A registry with a tool, and the object of the tool's component.
fn with_a_tool() -> (RegistryProcess, PathBuf) {
    let registry = RegistryProcess::start();
    let project = guests::built("calculator");
    let author = registry.member("ada");
    author.run(["push", "-C", &project.to_string_lossy()]).ok();
    let content = registry.operator().tool_home().join("registry/content");
    let objects = files(&content).into_iter();
    let size = |path: &PathBuf| fs::metadata(path).expect("an object").len();
    (registry, objects.max_by_key(size).expect("an object"))
}

fn a_flipped_bit() {
    let (registry, object) = with_a_tool();
    let operator = registry.operator();
    let scrub = || operator.tool("registry scrub");
    let sound = scrub().ok();
    assert!(sound.ends_with("faults: 0\n"), "{sound}");
    let made = operator.tool("registry backup copy --json").json();
    let objects = made["objects"].as_u64().expect("a count");
    assert!(objects >= 3, "manifest, component and card: {made}");

    let mut bytes = fs::read(&object).expect("the object");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&object, &bytes).expect("the object");
    let found = scrub();
    assert_eq!(found.code(), 3, "{}", found.stderr());
    let digest = object
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let said = found.stdout();
    assert!(
        said.contains(&digest) && said.contains("model ada/calculator"),
        "{said}"
    );
    let said = found.stderr();
    assert!(
        said.contains("hint: bring the damaged content back from a backup"),
        "{said}"
    );
    let refused = operator.tool("registry backup damaged");
    assert_eq!(refused.code(), 3, "{}", refused.stderr());
    assert!(!operator.work().join("damaged").exists());

    // As the document says: the object of the same digest, out of the backup.
    let copies = files(&operator.work().join("copy")).into_iter();
    let mut copies = copies.filter(|copy| copy.file_name() == object.file_name());
    fs::copy(copies.next().expect("the copy"), &object).expect("the object");
    assert!(scrub().ok().ends_with("faults: 0\n"));

    operator.tool("registry --data other restore copy").ok();
    let tokens = operator
        .tool("registry --data other token list ada --json")
        .json();
    assert_eq!(tokens["tokens"][0]["state"], "good");
    let scrubbed = operator.tool("registry --data other scrub --json").json();
    assert_eq!(scrubbed["fault_count"], 0);
    assert_eq!(scrubbed["objects"], made["objects"]);
}

/// Changes rows of the log as a disk may that fails, or somebody who has it.
const DAMAGE: &str = "\
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute('DROP TRIGGER log_records_do_not_change')
database.execute('DROP TRIGGER log_hashes_do_not_change')
database.execute('UPDATE log_records SET record = ? WHERE position = 0', [sys.argv[2]])
database.commit()
";

fn a_damaged_log() {
    let (registry, _) = with_a_tool();
    let operator = registry.operator();
    let sound = operator.tool("registry scrub").ok();
    assert!(
        sound.ends_with(", 1 record of the log; faults: 0\n"),
        "{sound}"
    );
    let database = operator.tool_home().join("registry/registry.sqlite");
    let done = Command::new("python3")
        .args(["-c", DAMAGE])
        .args([database.as_os_str(), "x".as_ref()])
        .status();
    assert!(done.expect("python3 runs").success());
    let found = operator.tool("registry scrub");
    let fault = "record 0 of the log does not hash to what is stored with it\n";
    assert!(found.stdout().starts_with(fault), "{}", found.stdout());
    says(
        &found,
        3,
        "hint: bring the rows of the log back from a backup",
    );
    assert!(!found.stderr().contains("the damaged content"));
    let found = operator.tool("registry scrub --json");
    assert_eq!(found.code(), 3, "{}", found.stderr());
    let found: serde_json::Value = serde_json::from_str(&found.stdout()).expect("JSON");
    assert_eq!(
        (&found["log_records"], &found["fault_count"]),
        (&json!(1), &json!(1))
    );
    let refused = operator.tool("registry backup damaged");
    says(
        &refused,
        3,
        "the log is damaged: record 0 of the log does not hash",
    );
    says(
        &refused,
        3,
        "hint: see all that is damaged with: tool registry scrub",
    );
    assert!(!operator.work().join("damaged").exists());
    operator.tool("registry gc").ok();
}

fn garbage_is_freed() {
    let home = Home::new();
    home.tool("registry user add ada").ok();
    let nothing =
        json!({ "objects": 0, "removed_objects": 0, "removed_bytes": 0, "young_objects": 0 });
    let freed = || home.tool("registry gc --grace-hours 1 --json").json();
    assert_eq!(freed(), nothing);

    let old = unreferenced(&home, b"of a commit that was never made");
    let young = unreferenced(&home, b"of a commit that may still come");
    let two_hours_ago = SystemTime::now() - Duration::from_secs(2 * 3_600);
    let file = fs::File::options().write(true).open(&old);
    let aged = file.and_then(|file| file.set_modified(two_hours_ago));
    aged.expect("an older object");
    let some =
        json!({ "objects": 2, "removed_objects": 1, "removed_bytes": 31, "young_objects": 1 });
    assert_eq!(freed(), some);
    assert!(!old.exists() && young.exists());

    let said = home.tool("registry gc").ok();
    assert_eq!(
        said,
        "0 of 1 object removed, 0 B freed; 1 too young to tell\n"
    );
    assert_eq!(home.tool("registry gc --grace-hours 0").code(), 1);
}

/// Writes an object to a registry's content that no commit refers to.
fn unreferenced(home: &Home, bytes: &[u8]) -> PathBuf {
    let digest = Digest::of(bytes).hex();
    let content = home.tool_home().join("registry/content/sha256");
    let object = content.join(&digest[..2]).join(&digest[2..4]).join(&digest);
    fs::create_dir_all(object.parent().expect("a directory")).expect("a directory");
    fs::write(&object, bytes).expect("an object");
    object
}

fn nothing_is_overwritten() {
    let home = Home::new();
    home.tool("registry user add ada").ok();
    home.write("there/file", "");
    check(
        "registry_backup_in_the_way",
        &home.tool("registry backup there"),
        1,
    );
    check(
        "registry_not_a_backup",
        &home.tool("registry --data new restore there"),
        1,
    );
    home.tool("registry backup copy --quiet").ok();
    check("registry_not_empty", &home.tool("registry restore copy"), 1);
    for line in ["gc", "scrub", "backup other"] {
        let ran = home.tool(&format!("registry --data tpyo {line}"));
        check("registry_not_there", &ran, 1);
    }
    home.write("copy/metadata.jsonl", "");
    let damaged = home.tool("registry --data new restore copy");
    assert_eq!(damaged.code(), 1, "{}", damaged.stderr());
    assert!(
        damaged.stderr().contains("is not a backup"),
        "{}",
        damaged.stderr()
    );
}
