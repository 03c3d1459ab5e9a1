//! Finds dependencies in the workspace's `Cargo.toml` files that nothing uses.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::collect;
use crate::support::root;

/// A dependency that is declared only so that cargo unifies features; python/Cargo.toml says why.
const FOR_FEATURES: (&str, &str) = ("tool-hub-python", "tool-hub-cli");

/// What is declared and not named in the sources that it is declared for, and what the workspace
/// offers and no member takes.
pub(super) fn unused(metadata: &Value) -> Vec<String> {
    let (mut unused, mut taken) = (Vec::new(), BTreeSet::new());
    for package in list(&metadata["packages"]) {
        let manifest = Path::new(text(&package["manifest_path"]));
        let directory = manifest.parent().expect("a manifest lies in a directory");
        let [product, tests] = sources(directory, package);
        for dependency in list(&package["dependencies"]) {
            let name = text(&dependency["name"]);
            let named = dependency["rename"].as_str().unwrap_or(name);
            taken.extend([name, named]);
            let named = named.replace('-', "_");
            let is_used = match dependency["kind"].as_str() {
                Some("dev") => is_named(&named, &tests) || is_named(&named, &product),
                _ => is_named(&named, &product),
            };
            if !is_used && (text(&package["name"]), name) != FOR_FEATURES {
                unused.push(format!("{name} in {}", text(&package["name"])));
            }
        }
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let offered = manifest.split("[workspace.dependencies]").nth(1);
    let offered = offered.expect("the workspace lists its dependencies");
    let offered = offered.lines().take_while(|line| !line.starts_with('['));
    let offered = offered.filter_map(|line| line.split_once(" = "));
    let unwanted = offered.filter(|(name, _)| !taken.contains(name) && !name.starts_with('#'));
    unused.extend(unwanted.map(|(name, _)| format!("{name} in the workspace")));
    unused
}

/// The texts of a package's product, and of its tests, examples and benchmarks.
fn sources(directory: &Path, package: &Value) -> [Vec<String>; 2] {
    let (mut product, mut tests) = (Vec::new(), Vec::new());
    collect(&directory.join("src"), &["rs"], &mut product);
    for target in list(&package["targets"]) {
        let file = Path::new(text(&target["src_path"]));
        match text(&target["kind"][0]) {
            "test" | "example" | "bench" => {
                collect(file.parent().expect("a directory"), &["rs"], &mut tests);
            }
            "custom-build" => product.push(file.to_owned()),
            _ => {}
        }
    }
    // Modules that lie elsewhere, with those beside them.
    for index in 0..tests.len() {
        let text = std::fs::read_to_string(&tests[index]).expect("a source file is UTF-8");
        let paths = text.split("#[path = \"").skip(1);
        for path in paths.filter_map(|rest| rest.split('"').next()) {
            let file = tests[index].with_file_name(path);
            if let Some(directory) = file.parent().filter(|_| file.is_file()) {
                collect(directory, &["rs"], &mut tests);
            }
        }
    }
    tests.sort();
    tests.dedup();
    [product, tests].map(|files| {
        let read = |file| std::fs::read_to_string(file).expect("a source file is UTF-8");
        files.iter().map(read).collect()
    })
}

/// Whether a path in `sources` begins with the crate `name`.
fn is_named(name: &str, sources: &[String]) -> bool {
    let is_alone = |before: &str| {
        let last = before.chars().next_back();
        !last.is_some_and(|it| it.is_alphanumeric() || "_:".contains(it)) || before.ends_with(" ::")
    };
    sources.iter().any(|source| {
        let paths = format!("{name}::");
        let mut paths = source.match_indices(&paths);
        paths.any(|(at, _)| is_alone(&source[..at]))
            || source.contains(&format!("use {name};"))
            || source.contains(&format!("use {name} as "))
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
