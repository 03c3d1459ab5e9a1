//! Makes the settings of the TypeScript compiler for a check, with what a project's own say.

use std::path::Path;

use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::build::process;
use crate::files;

/// The file with the settings of a project.
const FILE: &str = "tsconfig.json";

/// The libraries of what the engine has.
const LIBRARIES: [&str; 6] = [
    "es2025",
    "esnext.array",
    "esnext.collection",
    "esnext.disposable",
    "esnext.error",
    "esnext.typedarrays",
];

/// Settings that a project may have of its own: how strict the check is, and what esbuild takes
/// from there too. Others name files to write.
const OWN: [&str; 33] = [
    "allowJs",
    "allowUmdGlobalAccess",
    "allowUnreachableCode",
    "allowUnusedLabels",
    "checkJs",
    "customConditions",
    "emitDecoratorMetadata",
    "erasableSyntaxOnly",
    "exactOptionalPropertyTypes",
    "experimentalDecorators",
    "isolatedModules",
    "jsx",
    "jsxFactory",
    "jsxFragmentFactory",
    "jsxImportSource",
    "noFallthroughCasesInSwitch",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noImplicitThis",
    "noPropertyAccessFromIndexSignature",
    "noUncheckedIndexedAccess",
    "noUnusedLocals",
    "noUnusedParameters",
    "paths",
    "strict",
    "strictBindCallApply",
    "strictBuiltinIteratorReturn",
    "strictFunctionTypes",
    "strictNullChecks",
    "strictPropertyInitialization",
    "useUnknownInCatchVariables",
    "verbatimModuleSyntax",
];

/// Settings of a project that say what is written or what is looked at, which is not theirs to say
/// where only the settings themselves are read.
const NOT_READ: [&str; 9] = [
    "composite",
    "declarationDir",
    "generateCpuProfile",
    "generateTrace",
    "incremental",
    "outDir",
    "paths",
    "rootDir",
    "tsBuildInfoFile",
];

/// The settings that a project has.
#[derive(Debug, Default)]
pub(super) struct OwnSettings {
    /// The settings, as far as they could be read.
    pub(super) settings: Map<String, Value>,
    /// What the compiler says is wrong with the files that they are in.
    pub(super) mistakes: String,
}

/// The settings that the project in `directory` has in a file of its own and in those that it
/// extends, as the compiler reads them. Files for the compiler are written to `place`.
///
/// # Errors
/// When the compiler, which `command` makes with arguments, cannot be started, and when the user
/// asks to stop.
pub(super) async fn of_project(
    directory: &Path,
    place: &Path,
    command: impl Fn(&[&Path]) -> Command,
) -> anyhow::Result<OwnSettings> {
    let file = directory.join(FILE);
    if !file.is_file() {
        return Ok(OwnSettings::default());
    }
    let mut showing = command(&[Path::new("--showConfig"), Path::new("--project"), &file]);
    let shown = process::output_of(&mut showing).await?.stdout;
    let shown: Value = serde_json::from_slice(&shown).unwrap_or_default();
    let options = &shown["compilerOptions"];
    // It shows what it could read, and tells no mistake. Settings that extend them do.
    let extending = place.join("settings/tsconfig.json");
    let empty = place.join("settings/empty.d.ts");
    files::write(&empty, b"export {};\n")?;
    files::write(&extending, of_reading(&file, &empty).to_string().as_bytes())?;
    let mut telling = command(&[Path::new("--project"), &extending]);
    telling.args(["--listFilesOnly", "--pretty", "false"]);
    let told = process::output_of(&mut telling).await?.stdout;
    Ok(OwnSettings {
        settings: options.as_object().cloned().unwrap_or_default(),
        mistakes: String::from_utf8_lossy(&told).into_owned(),
    })
}

/// Settings that extend those in `file` and have the compiler look at nothing but `empty`.
fn of_reading(file: &Path, empty: &Path) -> Value {
    let mut options = Map::new();
    options.extend(NOT_READ.map(|name| (name.to_owned(), Value::Null)));
    options.insert("noEmit".to_owned(), Value::Bool(true));
    options.insert("lib".to_owned(), json!(["es5"]));
    options.insert("types".to_owned(), json!([]));
    json!({
        "extends": file,
        "compilerOptions": options,
        "files": [empty],
        "include": null,
        "references": null,
    })
}

/// The settings for a check of `file` in the project in `directory`, which has its `own`. The
/// types that every tool has are in `place`.
pub(super) fn of_check(
    own: &Map<String, Value>,
    directory: &Path,
    file: &str,
    place: &Path,
) -> Value {
    let mut options = own.clone();
    options.retain(|name, _| OWN.contains(&name.as_str()));
    if let Some(paths) = options.get_mut("paths") {
        let base = own.get("baseUrl").and_then(Value::as_str);
        make_absolute(paths, &directory.join(base.unwrap_or_default()));
    }
    // Code that reads the message of what it caught is right, but for errors that nobody throws.
    options
        .entry("useUnknownInCatchVariables")
        .or_insert(Value::Bool(own.get("strict") == Some(&Value::Bool(true))));
    let ours = json!({
        "allowImportingTsExtensions": true,
        "lib": LIBRARIES,
        "module": "esnext",
        "moduleResolution": "bundler",
        "noEmit": true,
        "resolveJsonModule": true,
        "skipLibCheck": true,
        "target": "esnext",
        "typeRoots": [place.join("types")],
        "types": [],
    });
    options.extend(ours.as_object().cloned().unwrap_or_default());
    json!({
        "compilerOptions": options,
        "files": [place.join("globals.d.ts"), directory.join(file)],
    })
}

/// Has the targets of `paths` begin at `base`, where they are relative.
fn make_absolute(paths: &mut Value, base: &Path) {
    let all = paths.as_object_mut().into_iter().flat_map(Map::values_mut);
    for target in all.filter_map(Value::as_array_mut).flatten() {
        if let Value::String(text) = target {
            *text = base.join(&*text).to_string_lossy().into_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_says_how_strict_it_is_and_not_what_is_written() {
        let own = json!({
            "strict": false,
            "paths": { "@/*": ["./lib/*"] },
            "lib": ["dom"],
            "types": ["node"],
            "incremental": true,
            "tsBuildInfoFile": "/home/ada/.profile",
            "generateTrace": "/home/ada",
        });
        let own = own.as_object().unwrap();
        let (directory, place) = (Path::new("/p"), Path::new("/s"));
        let made = of_check(own, directory, "src/sums.ts", place);
        let options = &made["compilerOptions"];
        assert_eq!(options["strict"], false);
        assert_eq!(options["useUnknownInCatchVariables"], false);
        assert_eq!(options["paths"], json!({ "@/*": ["/p/./lib/*"] }));
        assert_eq!(options["lib"], json!(LIBRARIES));
        assert_eq!(options["types"], json!([]));
        for written in ["incremental", "tsBuildInfoFile", "generateTrace"] {
            assert_eq!(options.get(written), None);
        }
        assert_eq!(made["files"], json!(["/s/globals.d.ts", "/p/src/sums.ts"]));
        assert!(OWN.is_sorted());
    }
}
