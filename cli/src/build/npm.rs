//! Installs a project's npm packages, if its lock names only packages of a registry, with hashes.
//! npm is kept from starting programs.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tokio::process::Command;

use super::process;
use super::project::Project;
use super::scratch;
use super::toolchain::{NPM_CI, Toolchain};
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";
/// The directory into which npm installs packages.
pub(super) const PACKAGES: &str = "node_modules";
/// The file that npm writes there last.
pub(super) const INSTALLED: &str = "node_modules/.package-lock.json";
/// npm's settings file beside a manifest. Its keys can name programs: `git`, `script-shell`.
const SETTINGS: &str = ".npmrc";

/// The keys of a manifest that name dependencies. Other keys can start programs: `scripts`,
/// `workspaces`, or `packageManager`, which makes corepack fetch another npm.
const DEPENDENCIES: [&str; 6] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "peerDependenciesMeta",
    "overrides",
];

/// The directory in which the packages of the project's lock are; nothing where it has none.
///
/// # Errors
/// If the lock names anything but packages of a registry, or installing them fails.
pub(super) async fn packages(
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<Option<PathBuf>> {
    let directory = project.directory;
    let Some(lock) = files::read_if_present(&directory.join(LOCK))? else {
        return Ok(None);
    };
    let manifest = files::read_if_present(&directory.join(MANIFEST))?.unwrap_or_default();
    let manifest = checked(&manifest, &lock)?;
    if directory.join(SETTINGS).exists() {
        session.printer.warning(&format!(
            "the project's {SETTINGS} is ignored, because it can name programs to run; put your \
             registry's settings into your own ~/{SETTINGS}"
        ));
    }
    let install: Vec<&str> = NPM_CI.into_iter().chain(["--no-bin-links"]).collect();
    let packages = Toolchain {
        name: "project-packages",
        lock: &[(MANIFEST, &manifest), (LOCK, &lock)],
        install: &install,
    };
    let installed = packages.directory(project, session).await?;
    Ok(Some(installed.join(PACKAGES)))
}

/// Has npm choose versions for the dependencies that `manifest` names, and returns the lock with
/// the hash of each. Nothing of them is fetched but what says what they need.
///
/// # Errors
/// When npm does not find them.
pub(crate) async fn lock_of(manifest: &str, session: &Session) -> anyhow::Result<String> {
    let place = scratch::directory("tool-npm-", &session.config)?;
    let directory = place.path();
    files::write(&directory.join(MANIFEST), manifest.as_bytes())?;
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--package-lock-only",
        "--silent",
        "--no-audit",
        "--no-fund",
    ])
    .args([
        "--ignore-scripts",
        "--omit-lockfile-registry-resolved",
        "--prefix",
    ])
    .arg(directory)
    .current_dir(directory);
    process::run("choosing packages with npm", &mut npm, &session.printer).await?;
    let lock = files::read_text(&directory.join(LOCK), files::DOCUMENT_BYTES_MAX)?;
    checked(manifest, &lock)?;
    Ok(lock)
}

/// The manifest reduced to its dependencies. Refuses it if it, or the lock, names anything but
/// packages of a registry.
fn checked(manifest: &str, lock: &str) -> anyhow::Result<String> {
    let read = |name: &str, text: &str| -> anyhow::Result<Map<String, Value>> {
        serde_json::from_str(text).map_err(|error| {
            Problem::user(format!("{name} is not a valid npm file"))
                .caused_by(error)
                .hint("write it anew with: npm install --package-lock-only --ignore-scripts")
                .into()
        })
    };
    let (manifest, lock) = (read(MANIFEST, manifest)?, read(LOCK, lock)?);
    check_dependencies(MANIFEST, &manifest)?;
    let Some(packages) = lock.get("packages").and_then(Value::as_object) else {
        return Err(Problem::user(format!(
            "{LOCK} has no `packages` (lockfileVersion 2 or later is needed)"
        ))
        .hint("write it anew with: npm install --package-lock-only --ignore-scripts")
        .into());
    };
    for (place, package) in packages {
        check_package(place, package)?;
    }
    let kept = manifest
        .into_iter()
        .filter(|(key, _)| DEPENDENCIES.contains(&key.as_str()));
    let named = [("name", Value::from("project")), ("private", true.into())];
    let named = named.map(|(key, value)| (key.to_owned(), value));
    let kept: Map<String, Value> = named.into_iter().chain(kept).collect();
    Ok(serde_json::to_string(&kept)?)
}

fn check_package(place: &str, package: &Value) -> anyhow::Result<()> {
    let Some(package) = package.as_object() else {
        return Err(refused(LOCK, place, "it is not an object"));
    };
    check_dependencies(&format!("{LOCK}, {place}"), package)?;
    if place.is_empty() {
        return Ok(());
    }
    if !is_below_node_modules(place) {
        return Err(refused(
            LOCK,
            place,
            "it is installed outside of node_modules",
        ));
    }
    let is = |key: &str| package.get(key) == Some(&Value::Bool(true));
    if is("link") {
        return Err(refused(LOCK, place, "it is a link to a directory"));
    }
    if is("hasShrinkwrap") {
        return Err(refused(
            LOCK,
            place,
            "it has its own lock file (npm-shrinkwrap.json)",
        ));
    }
    // Without `resolved`, npm fetches `name@version`.
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    if let Some(name) =
        text("name").filter(|name| !is_below_node_modules(&format!("node_modules/{name}")))
    {
        return Err(refused(LOCK, place, &format!("it is called `{name}`")));
    }
    if let Some(version) = text("version").filter(|version| !is_version(version)) {
        return Err(refused(
            LOCK,
            place,
            &format!("it comes from \"{version}\""),
        ));
    }
    if let Some(resolved) = package.get("resolved") {
        let address = resolved.as_str().unwrap_or_default();
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return Err(refused(LOCK, place, &format!("it comes from {resolved}")));
        }
    }
    // A bundled package is covered by the hash of the package around it.
    if !is("inBundle") && !package.get("integrity").is_some_and(Value::is_string) {
        return Err(refused(LOCK, place, "it has no `integrity` hash"));
    }
    Ok(())
}

/// True if a place in the lock is inside of `node_modules`.
fn is_below_node_modules(place: &str) -> bool {
    let Some(rest) = place.strip_prefix("node_modules/") else {
        return false;
    };
    let is_name = |name: &str| {
        let mut parts = name.splitn(2, '/');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let is_scoped = first.starts_with('@');
        let is_word = |word: &str| !word.is_empty() && !word.starts_with('.');
        is_scoped == second.is_some()
            && [Some(first), second]
                .into_iter()
                .flatten()
                .all(|word| is_word(word) && !word.contains(['/', '\\', ':', '\0']))
    };
    rest.split("/node_modules/").all(is_name)
}

/// Refuses a dependency that is no version of a registry's package, such as a git URL or a path.
fn check_dependencies(shown: &str, package: &Map<String, Value>) -> anyhow::Result<()> {
    for key in DEPENDENCIES {
        if let Some(value) = package.get(key) {
            check_versions(shown, key, value)?;
        }
    }
    Ok(())
}

fn check_versions(shown: &str, name: &str, value: &Value) -> anyhow::Result<()> {
    match value {
        Value::String(version) if !is_version(version) => {
            Err(refused(shown, name, &format!("it comes from {value}")))
        }
        // Overrides may be nested.
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, value)| check_versions(shown, name, value)),
        _ => Ok(()),
    }
}

/// True if npm reads `text` as a version, a range, a tag or an alias of another package, and
/// fetches nothing by address. All other kinds of dependencies contain a `/` or a `:`.
fn is_version(text: &str) -> bool {
    let text = text.trim();
    match text.strip_prefix("npm:") {
        Some(alias) => {
            let name = alias.strip_prefix('@').map(|scoped| scoped.split_once('/'));
            match name {
                Some(Some((_, name))) => is_version(name),
                Some(None) => false,
                None => is_version(alias),
            }
        }
        None => !text.contains(['/', '\\', ':']) && !text.starts_with(['.', '~']) || is_tilde(text),
    }
}

/// True for a range such as `~1.2`, as opposed to a path below somebody's home such as `~/x`.
fn is_tilde(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_digit() || "v=> ".contains(c))
            && !version.contains(['/', '\\', ':'])
    })
}

fn refused(shown: &str, name: &str, why: &str) -> anyhow::Error {
    let file = Path::new(shown).display();
    Problem::refused(format!(
        "{file}: `{name}` is not a registry package with a hash: {why}"
    ))
    .hint(
        "a build fetches only registry packages, because npm can run programs for others; depend \
         on a published version, or review the package and install it yourself: npm ci \
         --ignore-scripts",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checks a manifest and a lock that hold one package each, with the given changes.
    #[track_caller]
    fn check(manifest: Value, place: &str, package: Value, expect: Option<&str>) {
        let lock = json!({
            "lockfileVersion": 3,
            "packages": {"": {"dependencies": {"a": "1"}}, place: package},
        });
        let found = checked(&manifest.to_string(), &lock.to_string());
        match (found, expect) {
            (Ok(_), None) => {}
            (Err(error), Some(expect)) => {
                let error = error.to_string();
                assert!(error.contains(expect), "{error}");
            }
            (found, expect) => panic!("{found:?}, expected {expect:?}"),
        }
    }

    fn good() -> Value {
        json!({"version": "1.0.0", "integrity": "sha512-AAAA"})
    }

    #[test]
    fn packages_of_a_registry_are_taken() {
        for place in ["node_modules/a", "node_modules/@s/a/node_modules/b.c"] {
            check(
                json!({"dependencies": {"a": "^1.0.0"}}),
                place,
                good(),
                None,
            );
        }
        for version in [
            "1",
            "^1.2 || ~2.0",
            "~1.2",
            "*",
            "latest",
            "",
            "npm:b@1",
            "npm:@s/b@^1",
        ] {
            let manifest = json!({"dependencies": {"a": version}, "overrides": {"b": {".": "$a"}}});
            check(manifest, "node_modules/a", good(), None);
        }
    }

    #[test]
    fn what_npm_would_start_a_program_for_is_refused() {
        for from in [
            "git+ssh://git@example.org/x.git",
            "git://example.org/x",
            "git+file:///tmp/x",
            "github:o/x",
            "o/x",
            "gist:1234",
            "https://example.org/x.tgz",
            "https://github.com/o/x.git",
            "ssh://git@example.org/x",
            "git@example.org:o/x",
            "file:../x",
            "../x",
            "./x",
            "~/x",
            "/x",
            "workspace:*",
            "npm:o/x",
            "npm:@s",
        ] {
            for key in ["dependencies", "devDependencies", "overrides"] {
                let manifest = json!({key: {"evil": from}});
                check(manifest, "node_modules/a", good(), Some("`evil`"));
            }
            let mut package = good();
            package["dependencies"] = json!({"evil": from});
            check(json!({}), "node_modules/a", package, Some("`evil`"));
        }
        for from in ["git+ssh://git@example.org/x.git#1", "file:x.tgz", "../x"] {
            for key in ["resolved", "version", "name"] {
                let mut package = good();
                package[key] = json!(from);
                check(
                    json!({}),
                    "node_modules/evil",
                    package,
                    Some("`node_modules/evil`"),
                );
            }
        }
    }

    #[test]
    fn what_has_no_hash_or_another_place_is_refused() {
        let m = || json!({});
        let link = json!({"link": true, "resolved": "../x"});
        check(m(), "node_modules/x", link, Some("link to a directory"));
        check(
            m(),
            "node_modules/x",
            json!({"version": "1"}),
            Some("integrity"),
        );
        check(m(), "node_modules/x", json!(1), Some("not an object"));
        let mut own = good();
        own["hasShrinkwrap"] = json!(true);
        check(m(), "node_modules/x", own, Some("its own lock"));
        for place in [
            "x",
            "../x",
            "/x",
            "node_modules/../x",
            "node_modules/x/../../y",
            "node_modules/.bin",
            "node_modules/a/b",
            "node_modules/@s",
            "node_modules/@s/..",
            "node_modules/a/node_modules/../../../x",
            "node_modules/",
        ] {
            check(m(), place, good(), Some("outside of node_modules"));
        }
        assert!(checked("{}", r#"{"lockfileVersion": 1, "dependencies": {}}"#).is_err());
    }

    #[test]
    fn nothing_is_left_of_a_manifest_but_its_dependencies() {
        let manifest = json!({
            "name": "x", "scripts": {"preinstall": "evil"}, "workspaces": ["*"],
            "packageManager": "npm@1+evil", "config": {}, "bin": "evil",
            "dependencies": {"a": "1"},
        });
        let kept = checked(&manifest.to_string(), r#"{"packages": {}}"#).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        assert_eq!(
            kept,
            json!({"name": "project", "private": true, "dependencies": {"a": "1"}})
        );
    }
}
