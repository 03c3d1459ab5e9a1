//! The npm packages that become part of a bundle, and the errors of those that cannot.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use serde_json::Value;

use super::native;
use crate::build::npm::INSTALLED;
use crate::build::sources::Sources;
use crate::files;
use crate::terminal::problem::Problem;
use tool_hub_host::{HashAlgorithm, IncludedPackage, PackageHash, PackageRegistry};

/// The directory in which npm installs packages, as a part of a path.
pub(super) const IN_PACKAGES: &str = "/node_modules/";

/// The longest `package.json`, and the longest source in which an import is looked for.
const BYTES_MAX: u64 = 1 << 20;
/// The longest list of installed packages that is read.
const NOTED_BYTES_MAX: u64 = 16 << 20;

/// The lists of installed packages that were read, by the directory around `node_modules`.
type KnownLists = BTreeMap<PathBuf, Value>;

/// An installed package.
struct Package {
    directory: PathBuf,
    name: String,
    json: Value,
}

impl Package {
    /// The package that the file at `path` is part of.
    fn of_file(path: &str) -> Option<Self> {
        let (before, within) = path.rsplit_once(IN_PACKAGES)?;
        let mut parts = within.split('/');
        let first = parts.next()?;
        let name = match first.starts_with('@') {
            true => format!("{first}/{}", parts.next()?),
            false => first.to_owned(),
        };
        let directory = Path::new(&format!("{before}{IN_PACKAGES}")).join(&name);
        let json = files::read_regular(&directory.join("package.json"), BYTES_MAX).ok()?;
        let json = serde_json::from_slice(&json).ok()?;
        Some(Self {
            directory,
            name,
            json,
        })
    }

    /// The package as it is listed.
    fn listed(&self) -> IncludedPackage {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let license = &self.json["license"];
        // The second and the third are of npm's first years.
        let license = text(license)
            .or_else(|| text(&license["type"]))
            .or_else(|| text(&self.json["licenses"][0]["type"]));
        IncludedPackage {
            registry: PackageRegistry::Npm,
            name: self.name.clone(),
            version: text(&self.json["version"]).unwrap_or_default(),
            license,
            origin: None,
            hash: None,
        }
    }

    /// The hash of its archive, which npm noted when it installed the packages around it.
    fn hash(&self, known: &mut KnownLists) -> Option<PackageHash> {
        let mut around = self.directory.ancestors();
        let root = around.find(|it| it.join(INSTALLED).is_file())?;
        let noted = known.entry(root.to_owned()).or_insert_with(|| {
            let text = files::read_regular(&root.join(INSTALLED), NOTED_BYTES_MAX);
            let text = text.unwrap_or_default();
            serde_json::from_slice(&text).unwrap_or_default()
        });
        let place = self.directory.strip_prefix(root).ok()?.to_str()?;
        let noted = &noted["packages"][place];
        if noted["version"] != self.json["version"] {
            return None;
        }
        let mut hashes = noted["integrity"].as_str()?.split_whitespace();
        let hash = hashes.find_map(|it| it.strip_prefix("sha512-"))?;
        Some(PackageHash {
            alg: HashAlgorithm::Sha512,
            content: HEXLOWER.encode(&BASE64.decode(hash.as_bytes()).ok()?),
        })
    }

    fn is_native(&self) -> bool {
        self.json["gypfile"] == Value::Bool(true)
            || self.json["binary"]["module_name"].is_string()
            || self.json["napi"].is_object()
            || ["binding.gyp", "prebuilds", "build/Release"]
                .iter()
                .any(|place| self.directory.join(place).exists())
    }

    /// The refusal of a package of which something is in a bundle.
    fn refusal(&self, directory: &Path) -> anyhow::Error {
        let place = place_of_import(directory, &self.name);
        native::refused(&self.listed(), place.as_deref())
    }
}

/// The packages of the project in `directory` to which the `modules` of a bundle belong; their
/// paths begin there. Those of the `toolchain` are not the project's.
///
/// # Errors
/// When one has native code without which it does not work.
pub(super) fn of_modules(
    modules: &[String],
    directory: &Path,
    toolchain: &Path,
) -> anyhow::Result<Vec<IncludedPackage>> {
    let toolchain = toolchain.canonicalize()?;
    let mut found: BTreeMap<PathBuf, IncludedPackage> = BTreeMap::new();
    let mut known = KnownLists::new();
    for module in modules
        .iter()
        .filter(|it| it.contains(IN_PACKAGES.trim_start_matches('/')))
    {
        let Ok(path) = directory.join(module).canonicalize() else {
            continue;
        };
        if path.starts_with(&toolchain) {
            continue;
        }
        let Some(package) = Package::of_file(&path.to_string_lossy()) else {
            continue;
        };
        if package.is_native() && !native::works_without(&package.name) {
            return Err(package.refusal(directory));
        }
        if let Entry::Vacant(entry) = found.entry(package.directory.clone()) {
            entry.insert(IncludedPackage {
                hash: package.hash(&mut known),
                ..package.listed()
            });
        }
    }
    let mut packages: Vec<IncludedPackage> = found.into_values().collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    packages.dedup();
    Ok(packages)
}

/// The `error` of the bundler, for the project in `directory`, where it came upon it in a package.
pub(super) fn explained(error: anyhow::Error, directory: &Path) -> anyhow::Error {
    let said = error.chain().nth(1).map(ToString::to_string);
    let said = said.unwrap_or_default();
    let Some((message, place)) = in_package(&said) else {
        return error;
    };
    let file = place.split(':').next().unwrap_or_default();
    let path = directory.join(file);
    let path = path.canonicalize().unwrap_or(path);
    let Some(package) = Package::of_file(&path.to_string_lossy()) else {
        return error;
    };
    let is_native = message.contains("\".node\"") || native::instead(&package.name).is_some();
    if is_native || package.is_native() {
        return package.refusal(directory);
    }
    let module = message.split('"').nth(1).unwrap_or_default();
    if !said.contains("is built into node") {
        return error;
    }
    let IncludedPackage { name, version, .. } = package.listed();
    let place = place_of_import(directory, &name).map(|place| format!("{place}: "));
    Problem::user(format!(
        "{}the package `{name}` {version} needs `{module}`, which is a part of Node, and a tool \
         runs without Node",
        place.unwrap_or_default()
    ))
    .caused_by(said.trim().to_owned())
    .hint(native::instead_of_module(module))
    .into()
}

/// The message and the place of the bundler's first error, if that is in a package.
fn in_package(said: &str) -> Option<(&str, &str)> {
    let (_, rest) = said.split_once("[ERROR] ")?;
    let (message, rest) = rest.split_once("\n\n")?;
    let (place, _) = rest.trim_start().split_once(":\n")?;
    let is_in_package = place.contains(IN_PACKAGES.trim_start_matches('/'));
    is_in_package.then_some((message, place))
}

/// The file and the line of the project's own import of the package `name`, if it has one.
fn place_of_import(directory: &Path, name: &str) -> Option<String> {
    let quoted = ['"', '\''].map(|mark| [format!("{mark}{name}{mark}"), format!("{mark}{name}/")]);
    let sources = Sources::of(directory).ok()?;
    sources.paths().find_map(|file| {
        let ending = Path::new(file).extension()?.to_str()?;
        if !["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"].contains(&ending) {
            return None;
        }
        let text = files::read_regular(&directory.join(file), BYTES_MAX).ok()?;
        let text = String::from_utf8(text).ok()?;
        let line = text.lines().position(|line| {
            let is_named = quoted
                .iter()
                .flatten()
                .any(|name| line.contains(name.as_str()));
            is_named
                && ["import", "require", "from"]
                    .iter()
                    .any(|word| line.contains(word))
        })?;
        Some(format!("{file}:{}", line + 1))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::terminal::diagnosis;

    /// A project that imports the package `name`, which has `json` and the files `names`.
    fn project(name: &str, json: &Value, names: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            files::write(&directory.path().join(path), text.as_bytes()).unwrap();
        };
        write("sums.js", &format!("// Sums.\nimport x from \"{name}\";\n"));
        let place = format!("node_modules/{name}");
        write(&format!("{place}/package.json"), &json.to_string());
        for file in names {
            write(&format!("{place}/{file}"), "x");
        }
        directory
    }

    fn modules(name: &str, json: &Value, names: &[&str]) -> Result<Vec<IncludedPackage>, String> {
        let project = project(name, json, names);
        let toolchain = tempfile::tempdir().unwrap();
        let module = format!("node_modules/{name}/index.js");
        of_modules(
            &["sums.js".to_owned(), module],
            project.path(),
            toolchain.path(),
        )
        .map_err(|error| error.to_string())
    }

    #[test]
    fn packages_are_listed_with_their_licenses() {
        for (license, expected) in [
            (json!({"license": "MIT"}), Some("MIT")),
            (json!({"license": {"type": "ISC"}}), Some("ISC")),
            (json!({"licenses": [{"type": "BSD"}]}), Some("BSD")),
            (json!({}), None),
        ] {
            let mut package = license;
            package["version"] = json!("1.2.3");
            let found = modules("@scope/a", &package, &["index.js"]).unwrap();
            assert_eq!(
                found,
                [IncludedPackage {
                    registry: PackageRegistry::Npm,
                    name: "@scope/a".to_owned(),
                    version: "1.2.3".to_owned(),
                    license: expected.map(str::to_owned),
                    origin: None,
                    hash: None,
                }]
            );
        }
    }

    #[test]
    fn a_package_has_the_hash_that_npm_noted() {
        let project = project("a", &json!({"version": "1.2.3"}), &["index.js"]);
        let path = project.path().join("node_modules/a/index.js");
        let package = || Package::of_file(&path.to_string_lossy()).unwrap();
        let hash = || package().hash(&mut KnownLists::new());
        assert_eq!(hash(), None);
        let note = |version: &str| {
            let noted = json!({"packages": {"node_modules/a": {
                "version": version, "integrity": format!("sha1-AA== sha512-{}", BASE64.encode(b"abc")),
            }}});
            files::write(
                &project.path().join(INSTALLED),
                noted.to_string().as_bytes(),
            )
            .unwrap();
        };
        note("1.2.3");
        assert_eq!(hash().unwrap().content, "616263");
        note("1.2.4");
        assert_eq!(hash(), None);
    }

    #[test]
    fn a_package_with_native_code_is_refused_at_its_import() {
        for (json, file) in [
            (json!({"version": "1", "gypfile": true}), "index.js"),
            (
                json!({"version": "1", "binary": {"module_name": "a"}}),
                "index.js",
            ),
            (json!({"version": "1"}), "binding.gyp"),
            (json!({"version": "1"}), "prebuilds/linux-x64/a.node"),
            (json!({"version": "1"}), "build/Release/a.node"),
        ] {
            let refused = modules("a", &json, &["index.js", file]).unwrap_err();
            assert!(
                refused.starts_with("sums.js:2: the package `a` 1 has native code"),
                "{refused}"
            );
        }
        // It is only faster with it.
        assert!(modules("bufferutil", &json!({}), &["index.js", "binding.gyp"]).is_ok());
    }

    #[test]
    fn an_error_in_a_package_names_what_imports_it() {
        let project = project("b", &json!({"version": "2"}), &["index.js"]);
        let said = "✘ [ERROR] Could not resolve \"fs\"\n\n    node_modules/b/index.js:1:20:\n      1 │ \
                    x\n\n  The package \"fs\" wasn't found on the file system but is built into node.";
        let failed = Problem::user("bundling failed").caused_by(said).into();
        let error = explained(failed, project.path());
        assert!(
            error
                .to_string()
                .starts_with("sums.js:2: the package `b` 2 needs `fs`, which is a part of Node"),
            "{error}"
        );
        assert!(!diagnosis::of(&error).hints.is_empty());
        let said = said.replace(
            "Could not resolve \"fs\"",
            "No loader is configured for \".node\" files",
        );
        let failed = Problem::user("bundling failed").caused_by(said).into();
        let error = explained(failed, project.path());
        assert!(error.to_string().contains("has native code"), "{error}");
    }
}
