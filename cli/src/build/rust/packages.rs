//! Lists the packages of others that a Rust project's component is made of, as cargo tells them.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tool_hub_host::{HashAlgorithm, IncludedPackage, PackageHash, PackageOrigin, PackageRegistry};

use super::target::TARGET;
use crate::build::process;
use crate::build::project::Project;
use crate::files;
use crate::session::Session;

/// The versions that cargo chose, which are the project's to keep.
pub(super) const LOCK: &str = "Cargo.lock";

/// A line of `cargo tree`: the package, and the license in its manifest.
const FORMAT: &str = "{p}\t{l}";

/// The packages that the project with the cargo manifest at `manifest` depends on, those that run
/// only while it is compiled left out. None where cargo cannot tell them: the build went well, so
/// this is no reason to fail.
///
/// # Errors
/// When cargo cannot be started, and when the user asks to stop.
pub(super) async fn of_project(
    project: Project<'_>,
    manifest: &Path,
    session: &Session,
) -> anyhow::Result<Vec<IncludedPackage>> {
    let mut command = project.command("cargo");
    command
        .args(["tree", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .args(["--edges", "normal,no-proc-macro", "--target", TARGET])
        .args(["--prefix", "none", "--format", FORMAT])
        .current_dir(project.directory);
    let output = process::output_of(&mut command).await?;
    if !output.status.success() {
        session
            .printer
            .warning("cargo does not tell which packages the tool is made of; none are listed");
        return Ok(Vec::new());
    }
    let lock = lock(project, manifest).await?;
    Ok(listed(&String::from_utf8_lossy(&output.stdout), &lock))
}

/// The sources of packages of crates.io in a lock.
const CRATES_IO: [&str; 2] = [
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io/",
];

/// A lock of cargo, as far as it is used here.
#[derive(Debug, Default, Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<LockedPackage>,
}

#[derive(Debug, Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    /// Nothing for a package of the project's own.
    source: Option<String>,
    checksum: Option<String>,
}

impl LockedPackage {
    fn is_of_crates_io(&self) -> bool {
        let source = self.source.as_deref();
        source.is_some_and(|source| CRATES_IO.contains(&source))
    }

    /// The place that it comes from, other than crates.io.
    fn origin(&self) -> Option<PackageOrigin> {
        let source = self.source.as_deref()?;
        if let Some((url, commit)) = source.split_once('#')
            && url.starts_with("git+")
        {
            // What the manifest asks for, such as `?branch=main`, led to the commit.
            let url = url.split('?').next().unwrap_or(url);
            return Some(PackageOrigin::Repository(format!("{url}@{commit}")));
        }
        let url = source.strip_prefix("registry+").unwrap_or(source);
        let url = url.strip_prefix("sparse+").unwrap_or(url);
        Some(PackageOrigin::Registry(url.to_owned()))
    }

    fn hash(&self) -> Option<PackageHash> {
        Some(PackageHash {
            alg: HashAlgorithm::Sha256,
            content: self.checksum.clone()?,
        })
    }
}

/// The lock of the project's workspace, which the build has written. One that cannot be read tells
/// nothing.
async fn lock(project: Project<'_>, manifest: &Path) -> anyhow::Result<Lock> {
    let mut command = project.command("cargo");
    command
        .args(["locate-project", "--workspace", "--message-format=plain"])
        .arg("--manifest-path")
        .arg(manifest)
        .current_dir(project.directory);
    let output = process::output_of(&mut command).await?;
    let workspace = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let text = files::read_if_present(&workspace.with_file_name(LOCK))?;
    let text = text.unwrap_or_default();
    Ok(toml_edit::de::from_str(&text).unwrap_or_default())
}

/// The packages of others in what `cargo tree` says. Those of crates.io are told by name and
/// version, others have their source behind them; the project's own, such as `a v1.0.0
/// (/home/ada/a)`, have none in the lock.
fn listed(said: &str, lock: &Lock) -> Vec<IncludedPackage> {
    let package = |line: &str| {
        let (package, license) = line.split_once('\t')?;
        // What was shown before is marked.
        let license = license.trim_end_matches(" (*)").trim();
        let (name, version) = package.split_once(" v")?;
        let (version, source) = match version.split_once(' ') {
            Some((version, source)) => (version, Some(source)),
            None => (version, None),
        };
        let mut locked = lock.package.iter().filter(|locked| {
            let is_same = (locked.name.as_str(), locked.version.as_str()) == (name, version);
            is_same && locked.source.is_some() && locked.is_of_crates_io() == source.is_none()
        });
        let locked = locked.next();
        if source.is_some() && locked.is_none() {
            return None;
        }
        Some(IncludedPackage {
            registry: PackageRegistry::Cargo,
            name: name.to_owned(),
            version: version.to_owned(),
            license: (!license.is_empty()).then(|| license.to_owned()),
            origin: match source {
                Some(_) => locked.and_then(LockedPackage::origin),
                None => None,
            },
            hash: locked.and_then(LockedPackage::hash),
        })
    };
    let mut packages: Vec<IncludedPackage> = said.lines().filter_map(package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_others_are_listed_with_what_the_lock_knows() {
        let said = "tool v0.1.0 (/home/ada/tool)\t\n\
                    serde v1.0.219\tMIT OR Apache-2.0\n\
                    helper v0.1.0 (/home/ada/helper)\tMIT\n\
                    forked v2.0.0 (https://git.example/forked#0a1b2c3d)\tMIT\n\
                    private v1.0.0 (registry `ours`)\tMIT\n\
                    serde v1.0.219\tMIT OR Apache-2.0 (*)\n\
                    unlicensed v0.0.1+a\t\n";
        let lock = r#"
version = 4
[[package]]
name = "tool"
version = "0.1.0"
dependencies = ["serde"]
[[package]]
name = "serde"
version = "1.0.219"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "5f0e"
[[package]]
name = "helper"
version = "0.1.0"
[[package]]
name = "forked"
version = "2.0.0"
source = "git+https://git.example/forked?branch=main#0a1b2c3d4e"
[[package]]
name = "private"
version = "1.0.0"
source = "sparse+https://crates.example/index/"
checksum = "00"
"#;
        let lock = toml_edit::de::from_str(lock).unwrap();
        let package = |name: &str, version: &str, license: Option<&str>| IncludedPackage {
            registry: PackageRegistry::Cargo,
            name: name.to_owned(),
            version: version.to_owned(),
            license: license.map(str::to_owned),
            origin: None,
            hash: None,
        };
        let hash = |content: &str| {
            Some(PackageHash {
                alg: HashAlgorithm::Sha256,
                content: content.to_owned(),
            })
        };
        let commit = "git+https://git.example/forked@0a1b2c3d4e".to_owned();
        let registry = "https://crates.example/index/".to_owned();
        let expect = [
            IncludedPackage {
                origin: Some(PackageOrigin::Repository(commit)),
                ..package("forked", "2.0.0", Some("MIT"))
            },
            IncludedPackage {
                origin: Some(PackageOrigin::Registry(registry)),
                hash: hash("00"),
                ..package("private", "1.0.0", Some("MIT"))
            },
            IncludedPackage {
                hash: hash("5f0e"),
                ..package("serde", "1.0.219", Some("MIT OR Apache-2.0"))
            },
            package("unlicensed", "0.0.1+a", None),
        ];
        assert_eq!(listed(said, &lock), expect);
    }
}
