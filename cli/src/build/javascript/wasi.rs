//! The WIT of WASI for JavaScript projects: what `console`, timers, `fetch` and others import.
//! A component imports only what its bundle uses, but for standard output and error.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wasmparser::{Parser, Payload};

use crate::build::wit::{WitFile, defines};
use crate::files;

/// The world that a project is built for: its own, and what its bundle imports besides.
pub(super) const WORLD: &str = "tool-hub-javascript";

/// The file of the package `wasi:cli`.
const CLI_FILE: &str = "deps/tool-hub-cli.wit";

/// The interfaces that `console` uses. Every project imports them.
const CONSOLE: [&str; 2] = ["wasi:cli/stdout@0.2.12", "wasi:cli/stderr@0.2.12"];

/// The interfaces that the modules of `web`, and the interpreter with them, use. A project imports
/// those that its bundle needs.
const WEB: [&str; 7] = [
    "wasi:cli/environment@0.2.12",
    "host:clocks/monotonic-clock@0.2.0",
    "host:filesystem/preopens@0.2.0",
    "host:http/outgoing-handler@0.2.0",
    "host:http/types@0.2.0",
    "host:io/poll@0.2.0",
    "wasi:random/random@0.2.12",
];

/// The namespace of WASI, and a stand-in of the same length, which the interfaces for HTTP have
/// while a component is built. componentize-qjs 0.4.5 runs the component to take a snapshot, with
/// WASI but without HTTP, and fails where both use the same streams. Imports that it does not know
/// it links to traps. The names are put right in the finished component.
const NAMESPACES: [&str; 2] = ["wasi:", "host:"];

/// A package, as far as it is used here.
pub(super) struct Package {
    name: &'static str,
    file: &'static str,
    /// Its text, with the names of WASI.
    pub(super) text: &'static str,
    /// The packages that use it.
    users: &'static [&'static str],
}

pub(super) const PACKAGES: [Package; 7] = [
    Package {
        name: "wasi:io@0.2.12",
        file: "deps/tool-hub-io.wit",
        text: include_str!("wasi/io.wit"),
        users: &["wasi:cli/"],
    },
    Package {
        name: "wasi:cli@0.2.12",
        file: CLI_FILE,
        text: include_str!("wasi/cli.wit"),
        users: &["wasi:cli/"],
    },
    Package {
        name: "wasi:random@0.2.12",
        file: "deps/tool-hub-random.wit",
        text: include_str!("wasi/random.wit"),
        users: &["wasi:random/"],
    },
    Package {
        name: "host:io@0.2.0",
        file: "deps/tool-hub-waiting.wit",
        text: include_str!("../wasi/io.wit"),
        users: &["host:"],
    },
    Package {
        name: "host:clocks@0.2.0",
        file: "deps/tool-hub-clocks.wit",
        text: include_str!("../wasi/clocks.wit"),
        users: &["host:clocks/", "host:filesystem/"],
    },
    Package {
        name: "host:filesystem@0.2.0",
        file: "deps/tool-hub-filesystem.wit",
        text: include_str!("wasi/filesystem.wit"),
        users: &["host:filesystem/"],
    },
    Package {
        name: "host:http@0.2.0",
        file: "deps/tool-hub-http.wit",
        text: include_str!("../wasi/http.wit"),
        users: &["host:http/"],
    },
];

impl Package {
    /// Its text, in its own namespace.
    fn text(&self) -> String {
        let [name, stand_in] = NAMESPACES;
        match self.name.starts_with(stand_in) {
            true => self.text.replace(name, stand_in),
            false => self.text.to_owned(),
        }
    }

    fn is_used(&self, interfaces: &[&str]) -> bool {
        let used = |user: &&str| interfaces.iter().any(|it| it.starts_with(user));
        self.users.iter().any(used)
    }
}

/// Copies `files`, a project's WIT with the world `world`, to `directory` and adds [`WORLD`] for a
/// bundle with `imports`. Packages that the project holds itself are left as they are.
pub(super) fn write_wit(
    directory: &Path,
    files: &[WitFile],
    world: &str,
    imports: &BTreeSet<String>,
) -> anyhow::Result<()> {
    let web = WEB.into_iter().filter(|import| imports.contains(*import));
    let interfaces: Vec<&str> = CONSOLE.into_iter().chain(web).collect();
    let added = PACKAGES
        .iter()
        .filter(|package| package.is_used(&interfaces) && !defines(files, package.name))
        .map(|package| (PathBuf::from(package.file), package.text()));
    let lines = interfaces
        .iter()
        .map(|interface| format!("    import {interface};\n"));
    let lines: String = lines.collect();
    let text = format!("world {WORLD} {{\n    include %{world};\n{lines}}}\n");
    let own = (PathBuf::from("tool-hub-javascript.wit"), text);
    for (path, text) in files.iter().cloned().chain(added).chain([own]) {
        files::write(&directory.join(path), text.as_bytes())?;
    }
    Ok(())
}

/// `component` with the names of WASI for what was imported under another one.
///
/// # Errors
/// When `component` is not one.
pub(super) fn with_names_of_wasi(mut component: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let [name, stand_in] = NAMESPACES;
    for start in places_of_imports(&component, stand_in)? {
        component[start..start + name.len()].copy_from_slice(name.as_bytes());
    }
    Ok(component)
}

/// The offsets in `component` of the names of its imports that begin with `namespace`.
fn places_of_imports(component: &[u8], namespace: &str) -> anyhow::Result<Vec<usize>> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 0 => {
                for import in imports {
                    let name = import?.name.name;
                    if name.starts_with(namespace) {
                        found.push(name.as_ptr().addr() - component.as_ptr().addr());
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use tool_hub_host::authoring::Docs;

    use super::*;
    use crate::build::wit::{wit_files, wit_sources};

    /// The exports of the world that is built, of a project with `files` and the world `world`.
    fn exports(files: &[(&str, &str)], world: &str) -> Vec<String> {
        let scratch = tempfile::tempdir().unwrap();
        let files: Vec<WitFile> = files
            .iter()
            .map(|(path, text)| (path.into(), (*text).to_owned()))
            .collect();
        write_wit(&scratch.path().join("wit"), &files, world, &BTreeSet::new()).unwrap();
        let written = wit_files(scratch.path()).unwrap();
        let docs = Docs::from_sources(&wit_sources(&written), Some(WORLD)).unwrap();
        docs.exports().map(|name| name.to_string()).collect()
    }

    #[test]
    fn the_world_has_what_the_project_s_has() {
        let text = "package a:b;\nworld %interface { export f: func(); }\nworld other {}";
        assert_eq!(exports(&[("world.wit", text)], "interface"), ["f"]);
    }

    #[test]
    fn a_package_of_the_project_s_is_not_written_twice() {
        let world = "package a:b;\nworld tool { import wasi:io/error@0.2.12; export f: func(); }";
        let io = PACKAGES[0].text;
        let files = [("world.wit", world), ("deps/io/io.wit", io)];
        assert_eq!(exports(&files, "tool"), ["f"]);
    }
}
