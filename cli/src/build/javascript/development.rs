//! Builds a JavaScript project for `tool dev`: a reusable component, and the script that it runs.
//!
//! To put a script into a component takes seconds: the engine is run for that, and compiled once
//! more. So while the project is edited its script is handed to the component in a variable, and
//! evaluated in each call. The component is made anew when the WIT or the script's imports change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;
use tool_hub_manifest::{Digest, ExportName};

use super::bundle::{BundleSources, Bundler, TRACE, bundle_sources};
use super::componentize::{COMPONENTIZE_QJS, Componentize};
use super::export_check::{self, exporting, grouped};
use super::types::TypeCheck;
use super::{entry, source, wasi};
use crate::build::project::{BuiltComponent, Project, built};
use crate::build::wit::{WitFile, defines, wit_files};
use crate::files;
use crate::session::Session;

/// The variable that holds the script.
pub(crate) const SCRIPT_VARIABLE: &str = "TOOL_HUB_DEV_SCRIPT";

/// The directory of the components, among the toolchains.
const DIRECTORY: &str = "javascript-development";
/// The most components that are kept, of 1.6 MB.
const COMPONENTS_MAX: usize = 32;
/// The world that is built.
const WORLD: &str = "tool-hub-development";
/// The package that the world imports more of than `console` does.
const CLI: &str = "wasi:cli@0.2.12";

const TEMPLATE: &str = include_str!("development.js");

/// A script, and the modules that it takes from the component.
struct Script {
    text: String,
    imports: BTreeSet<String>,
}

/// Builds the project with esbuild, and with componentize-qjs where its component is not there yet.
/// None if the project's own WIT stands in the way; then it is built as a package is.
pub(in crate::build) async fn build(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<Option<(BuiltComponent, Option<TypeCheck>)>> {
    let wit = wit_files(project.wit_parent())?;
    if defines(&wit, CLI) {
        return Ok(None);
    }
    let toolchain = COMPONENTIZE_QJS.directory(project, session).await?;
    let bundled = bundle_sources(project, session).await?;
    let types = TypeCheck::start(project, source(project), &bundled, session).await?;
    let script = script(project, &bundled, &toolchain.join("node_modules"), session).await?;
    let component = component(project, &wit, &toolchain, &script, session).await?;
    let built = BuiltComponent {
        bytes: component,
        script: Some(script.text),
        interpreter: None,
        packages: Vec::new(),
        build_tools: Vec::new(),
    };
    Ok(Some((built, types)))
}

/// Bundles the project into a script whose value holds what it exports, and its source map.
async fn script(
    project: Project<'_>,
    bundled: &BundleSources,
    packages: &Path,
    session: &Session,
) -> anyhow::Result<Script> {
    let (entry, module) = entry(project, &bundled.directory)?;
    let mut bundler = Bundler::with_prelude(project, bundled, packages, &entry)?;
    bundler.alias(export_check::MODULE, &module);
    bundler.arguments(&["--format=iife", "--global-name=toolHubProject"]);
    let bundle = bundler.run(&session.printer).await?;
    let text = std::fs::read_to_string(&bundle.path)?;
    let map = bundle.map_for(&bundled.directory)?;
    Ok(Script {
        text: format!(
            "{text};({{ exports: toolHubProject, map: {} }})",
            json!(map)
        ),
        imports: bundle.imports,
    })
}

/// The component of the project, from an earlier build where nothing in it is another.
async fn component(
    project: Project<'_>,
    wit: &[WitFile],
    toolchain: &Path,
    script: &Script,
    session: &Session,
) -> anyhow::Result<Vec<u8>> {
    let exports: Vec<ExportName> = project.docs.exports().collect();
    let loader = loader(&exports, &script.imports);
    let place = project.scratch.join("wit");
    write_wit(&place, wit, project.docs.world_name(), &script.imports)?;
    let written = wit_files(project.scratch)?;
    let all = json!([loader, written, toolchain]).to_string();
    let kept = session.config.settings.toolchains.join(DIRECTORY);
    let file = kept.join(format!("{}.wasm", Digest::of(all.as_bytes()).hex()));
    if file.is_file() {
        return built(&file);
    }
    let module = project.scratch.join("loader.js");
    files::write(&module, loader.as_bytes())?;
    let output = project.scratch.join("tool.wasm");
    let making = Componentize {
        wit: &place,
        world: WORLD,
        js: &module,
    };
    making
        .run(project, &toolchain.join("node_modules"), &output, session)
        .await?;
    let bytes = wasi::with_names_of_wasi(built(&output)?)?;
    files::write(&file, &bytes)?;
    remove_oldest(&kept);
    Ok(bytes)
}

/// Keeps the newest components in `directory`. One that cannot be removed now is removed later.
fn remove_oldest(directory: &Path) {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = files
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    files.sort();
    let kept_from = files.len().saturating_sub(COMPONENTS_MAX);
    for (_, file) in &files[..kept_from] {
        let _ = std::fs::remove_file(file);
    }
}

/// The module that runs a script with `imports`, which exports `exports`.
fn loader(exports: &[ExportName], imports: &BTreeSet<String>) -> String {
    let named: Vec<(String, &String)> = imports
        .iter()
        .enumerate()
        .map(|(index, path)| (format!("m{index}"), path))
        .collect();
    let lines = named
        .iter()
        .map(|(name, path)| format!("import * as {name} from {};\n", json!(path)));
    let modules: Vec<String> = named
        .iter()
        .map(|(name, path)| format!("{}: {name}", json!(path)))
        .collect();
    format!("{TRACE}\n{TEMPLATE}")
        .replace("{{imports}}", &lines.collect::<String>())
        .replace("{{modules}}", &modules.join(", "))
        .replace("{{variable}}", SCRIPT_VARIABLE)
        .replace("{{exports}}", &exporting(&grouped(exports.iter())))
}

/// Writes the project's WIT without comments, by which the component would differ, with the world
/// that the loader is built for.
fn write_wit(
    directory: &Path,
    wit: &[WitFile],
    world: &str,
    imports: &BTreeSet<String>,
) -> anyhow::Result<()> {
    let bare: Vec<WitFile> = wit
        .iter()
        .map(|(path, text)| (path.clone(), without_comments(text)))
        .collect();
    wasi::write_wit(directory, &bare, world, imports)?;
    let text = format!(
        "world {WORLD} {{\n    include {};\n    import wasi:cli/environment@0.2.12;\n}}\n",
        wasi::WORLD
    );
    let own = directory.join("tool-hub-development.wit");
    Ok(files::write(&own, text.as_bytes())?)
}

/// WIT has no texts in which slashes could stand.
fn without_comments(wit: &str) -> String {
    let lines = wit.lines().map(|line| line.split("//").next());
    let lines: Vec<&str> = lines
        .map(|line| line.unwrap_or_default().trim_end())
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_wit_do_not_count() {
        let wit = "/// Says hello. // twice\ninterface a {\n    f: func(); // now\n}\n";
        assert_eq!(without_comments(wit), "\ninterface a {\n    f: func();\n}",);
    }

    #[test]
    fn a_loader_exports_what_the_wit_says() {
        let exports: Vec<ExportName> = ["delete", "a:b/text-stats@1.0.0.count-words"]
            .iter()
            .map(|name| name.parse().unwrap())
            .collect();
        let imports = BTreeSet::from(["wasi:cli/stdout@0.2.12".to_owned()]);
        let text = loader(&exports, &imports);
        for part in [
            "import * as m0 from \"wasi:cli/stdout@0.2.12\";",
            "const modules = { \"wasi:cli/stdout@0.2.12\": m0 };",
            "export { e0_0 as delete };",
            "export { e1 as textStats };",
            "countWords: called([\"a:b/text-stats@1.0.0\",\"textStats\"], \"countWords\")",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        assert!(!text.contains("{{"), "{text}");
    }
}
