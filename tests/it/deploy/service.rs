//! Tests of the systemd unit `tool-registry.service`: its keys are sound, and its command works.
//! systemd's own check is run where there is one.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use tool_hub_registry_server::Limits;

use super::{Started, are_read, file, filled, option, understood};
use crate::support::{Home, Need, Test, test};

const UNIT: &str = "tool-registry.service";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("deploy::the_unit_is_sound", the_unit_is_sound),
        test("deploy::the_unit_s_command_works", the_unit_s_command_works),
        test("deploy::systemd_takes_the_unit", systemd_takes_the_unit)
            .needs(&[Need::SystemdAnalyze]),
    ]
}

/// The entries of a unit: section, key and value, in order.
fn entries() -> Vec<(String, String, String)> {
    let text = file(UNIT);
    let mut section = String::new();
    let mut entries = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']').expect("a section's end").to_owned();
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
        entries.push((section.clone(), key.to_owned(), value.to_owned()));
    }
    entries
}

#[track_caller]
fn value(key: &str) -> String {
    let entries = entries();
    let mut found = entries.iter().filter(|(_, it, _)| it == key);
    let (_, _, value) = found.next().unwrap_or_else(|| panic!("there is no {key}"));
    assert!(found.next().is_none(), "{key} is there once");
    value.clone()
}

fn variables() -> BTreeMap<String, String> {
    let entries = entries();
    let set = entries.iter().filter(|(_, key, _)| key == "Environment");
    set.map(|(_, _, set)| set.split_once('=').expect("NAME=value"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// What the unit runs, with its variables, without the program.
fn arguments() -> Vec<String> {
    let line = filled(&value("ExecStart"), &variables());
    let mut words = line.split(' ').map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some("/usr/local/bin/tool"));
    words.collect()
}

fn the_unit_is_sound() {
    for (section, key, _) in entries() {
        assert!(
            ["Unit", "Service", "Install"].contains(&section.as_str()),
            "{section}"
        );
        assert!(key.chars().all(|c| c.is_ascii_alphanumeric()), "{key}");
    }
    are_read(variables().keys().map(String::as_str));
    let user = value("User");
    let made = file("tool-registry.sysusers");
    assert!(
        made.lines()
            .any(|line| line.starts_with(&format!("u {user} "))),
        "{made}"
    );
    let data = format!("/var/lib/{}", value("StateDirectory"));
    assert_eq!(variables()["TOOL_HUB_REGISTRY_DATA"], data);
    assert_eq!(value("ProtectSystem"), "strict");
    assert_eq!(value("NoNewPrivileges"), "yes");
    assert_eq!(value("CapabilityBoundingSet"), "");
    let patience: u64 = value("TimeoutStopSec")
        .trim_end_matches('s')
        .parse()
        .expect("seconds");
    assert!(Duration::from_secs(patience) > Limits::standard().shutdown_grace_max);
    let files: usize = value("LimitNOFILE").parse().expect("a number");
    // A connection and, while a file is sent or received, the file.
    assert!(files > 2 * Limits::standard().connections_max);
    assert_eq!(value("MemoryMax"), "1G");
}

fn the_unit_s_command_works() {
    let arguments = arguments();
    understood(&arguments);
    for place in ["--listen", "--metrics"] {
        assert!(option(&arguments, place).starts_with("127.0.0.1:"));
    }
    let home = Home::new();
    let data = home.work().join("state");
    let home = home.with("TOOL_HUB_REGISTRY_DATA", &data.to_string_lossy());
    drop(Started::with(&home, &arguments));
    assert!(data.join("registry.sqlite").exists());
}

/// What systemd does not know it warns of.
fn systemd_takes_the_unit() {
    let home = Home::new();
    // systemd looks whether the program is there.
    let text = file(UNIT).replace("/usr/local/bin/tool", env!("CARGO_BIN_EXE_tool"));
    let unit = home.write(UNIT, text);
    let verified = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&unit)
        .output();
    let verified = verified.expect("systemd-analyze starts");
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains(UNIT), "{said}");
    let rated = Command::new("systemd-analyze")
        .args(["security", "--offline=true", "--threshold=20"])
        .arg(&unit)
        .output();
    let rated = rated.expect("systemd-analyze starts");
    let said = String::from_utf8_lossy(&rated.stdout);
    assert!(
        rated.status.success(),
        "more than 2.0 of 10 is exposed:\n{said}"
    );
}
