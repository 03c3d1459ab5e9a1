//! Tests of bundles with tools that call other tools.

use std::path::Path;

use super::{adds, multiplies, publish, published};
use crate::air_gap::opened::Opened;
use crate::air_gap::{alone, bundle, load_from};
use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Test, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("dependencies::carried::a_tree", a_tree),
        test("dependencies::carried::another_tree", another_tree),
        test(
            "dependencies::carried::a_yank_is_remembered",
            a_yank_is_remembered,
        ),
    ]
}

fn a_tree() {
    let (registry, ada) = published();
    // A diamond: two ways lead to `units`, and its files are in the bundle once.
    let [half, top] = [
        ("half", adds("half", &["units"]), &[("units", "^1")][..]),
        (
            "top",
            adds("top", &["half", "units"]),
            &[("half", "^1"), ("units", "^1")],
        ),
    ];
    for (name, component, dependencies) in [half, top] {
        publish(&ada, name, "1.0.0", &component, dependencies, |_| {});
    }
    let user = registry.visitor();
    load(&user, "ada/top", &[]);
    let path = bundle(&user);
    let opened = Opened::read(&path);
    let deepest = "[tools.dependencies.half.dependencies.units]";
    assert!(opened.index.contains(deepest), "{}", opened.index);
    let components = opened.files.values().filter(|it| it.starts_with(b"\0asm"));
    assert_eq!(components.count(), 3);
    drop(registry);

    let other = alone();
    let path_text = path.to_str().expect("a path");
    let report = other.run(["inspect", path_text]).ok();
    for line in [
        "  half: ada/half 1.0.0, not signed",
        "  half.units: ada/units 1.2.0, not signed",
        "      may ask for: sends requests to https://units.example",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    // All four are of one log that was not seen here, which is said once.
    let doubt = "this machine has not seen the log of the registry";
    assert_eq!(report.matches(doubt).count(), 1, "{report}");
    load_from(&other, &path, "top");
    assert_eq!(other.tool("call top x=21").ok(), "84\n");
    assert!(other.tool("verify").ok().contains("ok"));
    let listed = other.run(["verify", path_text]).ok();
    assert!(listed.contains("ada/top"), "{listed}");
}

fn another_tree() {
    let (registry, ada) = published();
    publish(&ada, "other", "1.2.0", &multiplies("units", 9), &[], |_| {});
    let user = registry.visitor();
    load(&user, "ada/forecast", &[]);
    let carried = Opened::read(&bundle(&user));
    let refused = |from: &str, to: &str, code, expect: &str| {
        let mut edited = carried.clone();
        edited.edit(from, to);
        let path = edited.write(Path::new(&user.work().join("edited.tools")));
        let path = path.to_str().expect("a path");
        for command in ["inspect", "load", "verify"] {
            let ran = alone().run([command, path]);
            let said = format!("{}{}", ran.stdout(), ran.stderr());
            assert_eq!(ran.code(), code, "{command}: {said}");
            assert!(said.contains(expect), "{command}: {said}");
        }
    };
    let asked = "ada/forecast depends on `units`: expected ada/units ^1 of";
    refused("ada/units", "ada/other", 3, asked);
    refused(
        "[tools.dependencies.units",
        "[tools.dependencies.others",
        3,
        "depends on `others`: expected nothing, found ada/units 1.2.0",
    );
    refused("version = \"1.2.0\"", "version = \"2.2.0\"", 3, asked);
    refused(
        "version = \"1.2.0\"",
        "version = \"1.2.1\"",
        3,
        "is of version 1.2.0",
    );
    // More in a row than are taken, whatever they are.
    let nested = ".dependencies.units".repeat(9);
    let inner = carried.index.split("[tools.dependencies.units]");
    let inner = inner.last().expect("a dependency");
    let deep = format!("[tools{nested}]{inner}").replace(
        "[tools.dependencies.units.files]",
        &format!("[tools{nested}.files]"),
    );
    let mut edited = carried.clone();
    edited.index.push_str(&deep);
    let path = edited.write(Path::new(&user.work().join("deep.tools")));
    let ran = alone().run(["inspect", path.to_str().expect("a path")]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
}

fn a_yank_is_remembered() {
    let (registry, ada) = published();
    let maker = registry.visitor();
    load(&maker, "ada/forecast", &[]);
    ada.tool("yank ada/units@1.2.0 --severity vulnerable --reason leaks")
        .ok();
    let path = bundle(&maker);
    drop(registry);
    let home = alone();
    let path = path.to_str().expect("a path");
    let told = "ada/units 1.2.0 was yanked as vulnerable: leaks";
    let shown = home.run(["inspect", path, "--json"]).json();
    let digest = shown["digest"].as_str().expect("a digest");
    says(&home.run(["load", path, "--approve", digest]), 3, told);
    home.run(["load", path, "--allow-yanked", "--approve", digest])
        .ok();
    // It is known by itself, whatever else brings it.
    let known = std::fs::read_to_string(home.tool_home().join("known_releases.toml"));
    let known = known.expect("known releases");
    assert!(
        known.contains("ada/units") && known.contains("leaks"),
        "{known}"
    );
    assert!(!known.contains("ada/forecast"), "{known}");
}
