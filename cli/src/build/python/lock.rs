//! The lock of a Python project's packages: `pylock.toml` (PEP 751), with the hash of each wheel.

use serde::{Deserialize, Serialize};
use tool_hub_host::{HashAlgorithm, PackageHash};

use super::native::normal;
use super::requirement::{is_package, is_package_name, is_sha256, is_version};
use crate::terminal::escape::escape_line;
use crate::terminal::problem::Problem;

/// The name of the file.
pub(in crate::build) const LOCK: &str = "pylock.toml";

/// A lock, as far as it is used here. Other tools may have written it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Lock {
    pub(super) lock_version: String,
    pub(super) created_by: String,
    #[serde(default)]
    pub(super) packages: Vec<LockedPackage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<Tools>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Tools {
    #[serde(rename = "tool-hub", skip_serializing_if = "Option::is_none")]
    tool_hub: Option<LockedFor>,
}

/// The requirements that a lock fulfils. Only locks of `tool build` tell them.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LockedFor {
    requirements: Vec<String>,
}

/// A package of a certain version.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LockedPackage {
    pub(super) name: String,
    #[serde(default)]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marker: Option<String>,
    #[serde(default)]
    wheels: Vec<LockedWheel>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LockedWheel {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    hashes: LockedHashes,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LockedHashes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

impl LockedPackage {
    /// A package whose wheel has the digest `sha256`.
    pub(super) fn new(name: &str, version: &str, url: &str, sha256: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: Some(version.to_owned()),
            marker: None,
            wheels: vec![LockedWheel {
                url: Some(url.to_owned()),
                hashes: LockedHashes {
                    sha256: Some(sha256.to_owned()),
                },
            }],
        }
    }

    /// The requirement by which pip installs this and nothing else.
    fn requirement(&self) -> anyhow::Result<String> {
        let hashes = self.wheels.iter();
        let hashes: Vec<String> = hashes
            .filter_map(|wheel| wheel.hashes.sha256.as_deref())
            .map(|sha256| format!(" --hash=sha256:{sha256}"))
            .collect();
        let name = &self.name;
        let Some(version) = self.version.as_deref().filter(|_| !hashes.is_empty()) else {
            return Err(Problem::user(format!(
                "{LOCK} has no wheel of `{name}` with a hash (sha256)"
            ))
            .hint("packages are installed from wheels only; choose another package or version")
            .into());
        };
        let marker = self.marker.as_deref();
        let marker = marker.map_or_else(String::new, |marker| format!(" ; {marker}"));
        let line = format!("{name}=={version}{marker}{}", hashes.concat());
        // A lock comes with the project, and pip would take more than packages.
        match is_package_name(name) && is_version(version) && is_package(&line) {
            true => Ok(line),
            false => Err(Problem::user(format!(
                "{LOCK} does not name a package of a registry by a version and hashes: `{}`",
                escape_line(&line)
            ))
            .into()),
        }
    }
}

impl Lock {
    /// The same as what fulfils `requirements`.
    pub(super) fn asked_for(self, requirements: &[String]) -> Self {
        Self::new(self.packages, requirements)
    }

    /// The lock of `packages`, which fulfil `requirements`.
    pub(super) fn new(mut packages: Vec<LockedPackage>, requirements: &[String]) -> Self {
        packages.sort_by_key(|package| package.name.to_ascii_lowercase());
        Self {
            lock_version: "1.0".to_owned(),
            created_by: "tool-hub".to_owned(),
            packages,
            tool: Some(Tools {
                tool_hub: Some(LockedFor {
                    requirements: requirements.to_vec(),
                }),
            }),
        }
    }

    pub(super) fn read(text: &str) -> anyhow::Result<Self> {
        let wrong = |why: String| {
            Problem::user(format!("{LOCK} is not a valid lock"))
                .caused_by(why)
                .hint(format!(
                    "write it anew: remove {LOCK}, then run: tool build"
                ))
        };
        let lock: Self = toml_edit::de::from_str(text).map_err(|error| wrong(error.to_string()))?;
        match lock.lock_version.starts_with("1.") {
            true => Ok(lock),
            false => Err(wrong(format!(
                "it has version {}, and 1.0 is known",
                lock.lock_version
            ))
            .into()),
        }
    }

    pub(super) fn text(&self) -> anyhow::Result<String> {
        Ok(toml_edit::ser::to_string_pretty(self)?)
    }

    /// True if it was made for `requirements`, or does not tell for what.
    pub(super) fn is_for(&self, requirements: &[String]) -> bool {
        let tools = self.tool.as_ref();
        let made_for = tools.and_then(|tools| tools.tool_hub.as_ref());
        made_for.is_none_or(|made_for| made_for.requirements == requirements)
    }

    /// The hash of the wheel of a package that is installed; none where the lock leaves a choice.
    pub(super) fn hash_of(&self, name: &str, version: &str) -> Option<PackageHash> {
        let mut packages = self.packages.iter();
        let locked = packages.find(|locked| {
            normal(&locked.name) == normal(name) && locked.version.as_deref() == Some(version)
        })?;
        let [wheel] = locked.wheels.as_slice() else {
            return None;
        };
        Some(PackageHash {
            alg: HashAlgorithm::Sha256,
            content: wheel.hashes.sha256.clone().filter(|it| is_sha256(it))?,
        })
    }

    /// The requirements by which pip installs what it names and nothing else.
    pub(super) fn requirements(&self) -> anyhow::Result<String> {
        let lines = self.packages.iter().map(LockedPackage::requirement);
        let mut text = lines.collect::<anyhow::Result<Vec<_>>>()?.join("\n");
        text.push('\n');
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let wanted = ["requests>=2".to_owned()];
        let packages = vec![
            LockedPackage::new(
                "requests",
                "2.32.5",
                "https://x.example/r.whl",
                &"a".repeat(64),
            ),
            LockedPackage::new("Idna", "3.7", "https://x.example/i.whl", &"b".repeat(64)),
        ];
        let lock = Lock::new(packages, &wanted);
        let read = Lock::read(&lock.text().unwrap()).unwrap();
        assert_eq!(read, lock);
        assert!(read.is_for(&wanted) && !read.is_for(&[]));
        let [a, b] = ["a".repeat(64), "b".repeat(64)];
        let hash = read.hash_of("idna", "3.7").unwrap();
        assert_eq!((hash.alg, &hash.content), (HashAlgorithm::Sha256, &b));
        assert_eq!(read.hash_of("idna", "3.8"), None);
        assert_eq!(
            read.requirements().unwrap(),
            format!("Idna==3.7 --hash=sha256:{b}\nrequests==2.32.5 --hash=sha256:{a}\n")
        );
    }

    #[test]
    fn a_lock_of_another_tool_is_taken_as_it_is() {
        let text = r#"
lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.12"

[[packages]]
name = "markupsafe"
version = "3.0.3"
marker = "python_version < '4'"
index = "https://x.example/simple"
sdist = { url = "https://x.example/m.tar.gz", hashes = { sha256 = "00" } }
wheels = [
    { url = "https://x.example/a.whl", upload-time = 2025-09-27T18:36:05Z, size = 1, hashes = { sha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" } },
    { url = "https://x.example/b.whl", size = 1, hashes = { sha256 = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" } },
]
"#;
        let lock = Lock::read(text).unwrap();
        assert!(lock.is_for(&["anything".to_owned()]));
        assert_eq!(
            lock.hash_of("markupsafe", "3.0.3"),
            None,
            "it has two wheels"
        );
        assert_eq!(
            lock.requirements().unwrap(),
            format!(
                "markupsafe==3.0.3 ; python_version < '4' --hash=sha256:{} --hash=sha256:{}\n",
                "a".repeat(64),
                "b".repeat(64)
            )
        );
        let newer = Lock::read(&text.replace("\"1.0\"", "\"2.0\"")).unwrap_err();
        assert_eq!(newer.to_string(), "pylock.toml is not a valid lock");
    }

    #[test]
    fn nothing_but_packages_with_hashes_comes_from_a_lock() {
        const REFUSED: &str = "pylock.toml does not name a package of a registry by a version";
        let with = |name: &str, version: &str, marker: &str, sha256: &str| {
            format!(
                "name = {name:?}\nversion = {version:?}\nmarker = {marker:?}\n\
                 wheels = [{{ hashes = {{ sha256 = {sha256:?} }} }}]"
            )
        };
        let digest = "0".repeat(64);
        for (package, said) in [
            (
                "name = \"x\"\nversion = \"1\"".to_owned(),
                "pylock.toml has no wheel of `x` with a hash (sha256)",
            ),
            (with("x\n--index-url=y", "1", "", &digest), REFUSED),
            (with("file:///x/evil-1.tar.gz#", "1", "", &digest), REFUSED),
            (
                with("evil @ file:///x/evil.tar.gz#", "1", "", &digest),
                REFUSED,
            ),
            (with("x", "1 --no-binary=x", "", &digest), REFUSED),
            (
                with("x", "1", "'a' == 'b'\nfile:///x/evil.tar.gz", &digest),
                REFUSED,
            ),
            (with("x", "1", "", "00 --no-binary=x"), REFUSED),
        ] {
            let text =
                format!("lock-version = \"1.0\"\ncreated-by = \"y\"\n[[packages]]\n{package}\n");
            let error = Lock::read(&text).unwrap().requirements().unwrap_err();
            assert!(error.to_string().starts_with(said), "{error}");
        }
    }
}
