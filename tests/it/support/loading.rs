//! Loads tools for test users, with consent by digest, and publishes sample tools on a registry.

use super::{Home, RegistryProcess, guests};

/// The digest that an inspection prints: what a person copies from it.
#[track_caller]
pub(crate) fn digest(home: &Home, tool: &str) -> String {
    let report = home.run(["inspect", tool, "--json"]).json();
    report["inspection"]["approval_digest"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

/// Loads a tool with the approval of exactly what the inspection shows.
#[track_caller]
pub(crate) fn load(home: &Home, tool: &str, flags: &[&str]) {
    let digest = digest(home, tool);
    home.run([&["load", tool, "--approve", &digest], flags].concat())
        .ok();
}

/// Publishes the sample tool `tool` as the user `author`. Returns its repo.
pub(crate) fn publish(registry: &RegistryProcess, tool: &str) -> String {
    let author = registry.member("author");
    let project = guests::built(tool);
    author.run(["push", "-C", &project.to_string_lossy()]).ok();
    format!("author/{tool}")
}
