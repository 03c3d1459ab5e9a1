//! Adds `console` to JavaScript projects: its module, and the WIT for standard output and error.

use std::path::{Path, PathBuf};

use crate::build::wit::{WitFile, defines};
use crate::files;

/// The module that makes `console`.
pub(super) const MODULE: &str = include_str!("console.js");

/// The world that a project is built for: its own, and what `console` imports.
pub(super) const WORLD: &str = "tool-hub-with-console";

/// The file of the package `wasi:cli`.
pub(super) const CLI_FILE: &str = "deps/tool-hub-cli.wit";

/// Packages that the world imports, each with the name of its file and its text.
const PACKAGES: [(&str, &str, &str); 2] = [
    (
        "wasi:io@0.2.12",
        "deps/tool-hub-io.wit",
        include_str!("console/io.wit"),
    ),
    ("wasi:cli@0.2.12", CLI_FILE, include_str!("console/cli.wit")),
];

/// Copies `files`, a project's WIT with the world `world`, to `directory` and adds [`WORLD`].
/// Packages that the project holds itself are left as they are.
pub(super) fn write_wit(directory: &Path, files: &[WitFile], world: &str) -> anyhow::Result<()> {
    let added = PACKAGES
        .iter()
        .filter(|(package, ..)| !defines(files, package))
        .map(|(_, path, text)| (PathBuf::from(path), (*text).to_owned()));
    let text = format!(
        "world {WORLD} {{\n    include %{world};\n    import wasi:cli/stdout@0.2.12;\n    \
         import wasi:cli/stderr@0.2.12;\n}}\n"
    );
    let own = (PathBuf::from("tool-hub-console.wit"), text);
    for (path, text) in files.iter().cloned().chain(added).chain([own]) {
        files::write(&directory.join(path), text.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tool_hub_host::authoring::{Docs, WitSource};

    use super::*;
    use crate::build::wit::wit_files;

    /// The exports of the world with `console`, of a project with `files` and the world `world`.
    fn exports(files: &[(&str, &str)], world: &str) -> Vec<String> {
        let scratch = tempfile::tempdir().unwrap();
        let files: Vec<WitFile> = files
            .iter()
            .map(|(path, text)| (path.into(), (*text).to_owned()))
            .collect();
        write_wit(&scratch.path().join("wit"), &files, world).unwrap();
        let written = wit_files(scratch.path()).unwrap();
        let sources: Vec<WitSource<'_>> = written
            .iter()
            .map(|(path, contents)| WitSource { path, contents })
            .collect();
        let docs = Docs::from_sources(&sources, Some(WORLD)).unwrap();
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
        let io = PACKAGES[0].2;
        let files = [("world.wit", world), ("deps/io/io.wit", io)];
        assert_eq!(exports(&files, "tool"), ["f"]);
    }
}
