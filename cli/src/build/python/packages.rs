//! The packages that a Python project depends on: pip chooses them, a lock pins each by its hash.
//! Only wheels are taken, so nothing of them runs here. What belongs to them goes into an archive.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use data_encoding::BASE64;
use serde::Deserialize;
use tokio::process::Command;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::dependencies::{REQUIREMENTS, requirements};
use super::lock::{LOCK, Lock, LockedPackage};
use super::native;
use super::requirement::is_package;
use super::stand_ins::is_replaced;
use crate::build::functions::Functions;
use crate::build::process;
use crate::build::project::Project;
use crate::build::toolchain::Toolchain;
use crate::build::walk::{Bounds, Walk};
use crate::files;
use crate::session::Session;
use crate::terminal::problem::Problem;
use tool_hub_host::{IncludedPackage, PackageRegistry};

/// Limits on the installed packages of a project.
pub(super) const INSTALLED: Bounds = Bounds {
    depth_max: 64,
    entries_max: 50_000,
    file_bytes_max: 64 << 20,
    bytes_max: 256 << 20,
};
/// The most bytes of the archive of all packages.
const ARCHIVE_BYTES_MAX: usize = 8 << 20;

/// Options by which pip takes wheels of pure Python only, which a component can hold.
pub(super) const PURE: [&str; 8] = [
    "--only-binary=:all:",
    "--python-version=3.14",
    "--implementation=cp",
    "--abi=none",
    "--platform=any",
    "--quiet",
    "--disable-pip-version-check",
    "--no-compile",
];
/// Options by which it takes wheels with native code too: to name it in an error, and because some
/// packages work without theirs.
const NATIVE: [&str; 4] = [
    "--abi=cp314",
    "--abi=abi3",
    "--platform=manylinux2014_x86_64",
    "--platform=manylinux_2_28_x86_64",
];

/// Parts of an installation that are of no use in a component.
const LEFT_OUT: [&str; 5] = [
    "RECORD",
    "INSTALLER",
    "REQUESTED",
    "WHEEL",
    "direct_url.json",
];
/// The endings of native modules, and of code that Python compiled.
const NOT_SOURCES: [&str; 5] = ["so", "pyd", "dylib", "pyc", "a"];
/// The directories that an installation has besides its modules.
const NOT_MODULES: [&str; 4] = ["bin", "share", "include", "__pycache__"];
const DIST_INFO: &str = ".dist-info";

/// The installed packages of a project.
pub(super) struct Packages {
    /// The directory that they are in.
    pub(super) directory: PathBuf,
    pub(super) all: Vec<IncludedPackage>,
}

impl Packages {
    /// Installs the packages that the project asks for; `None` if it asks for none. Where no lock
    /// fits what it asks for, one is written.
    ///
    /// # Errors
    /// When a package is not there, has native code that it needs, or cannot be fetched.
    pub(super) async fn of(
        project: Project<'_>,
        session: &Session,
    ) -> anyhow::Result<Option<Self>> {
        let script = project.build.functions.as_deref();
        let mut wanted = requirements(project.directory, script)?;
        let is_server = project.functions.is_some_and(Functions::is_server);
        if project.functions.is_some_and(Functions::have_framework) && !is_server {
            wanted.retain(|requirement| !is_replaced(requirement));
        }
        if wanted.is_empty() {
            return Ok(None);
        }
        let place = project.directory.join(LOCK);
        let known = files::read_if_present(&place)?;
        let known = known.map(|text| Lock::read(&text)).transpose()?;
        let (lock, is_new) = match known.filter(|lock| lock.is_for(&wanted)) {
            Some(lock) => (lock, false),
            None if is_server => {
                let all = without_frameworks(&wanted, project, session).await?;
                (
                    resolved(&all, &["--no-deps"], project, session)
                        .await?
                        .asked_for(&wanted),
                    true,
                )
            }
            None => (resolved(&wanted, &[], project, session).await?, true),
        };
        let packages = Self::installed(&lock, project, session).await?;
        if is_new {
            files::write(&place, lock.text()?.as_bytes())?;
            let said = format!("wrote {LOCK}, which pins {} packages", packages.all.len());
            session.printer.note(&said);
        }
        Ok(Some(packages))
    }

    async fn installed(
        lock: &Lock,
        project: Project<'_>,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let pip = [
            "python3",
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--require-hashes",
        ];
        let place = [
            "--target",
            "{directory}/packages",
            "--requirement",
            "{directory}/requirements.txt",
        ];
        let install = [&pip[..], &PURE, &NATIVE, &place].concat();
        let packages = Toolchain {
            name: "python-packages",
            lock: &[(REQUIREMENTS, &lock.requirements()?)],
            install: &install,
        };
        let directory = packages.directory(project, session).await?.join("packages");
        let mut all = Vec::new();
        for entry in Walk::new(&directory, INSTALLED).entries(&directory)? {
            if entry.to_string_lossy().ends_with(DIST_INFO) {
                all.push(described(&entry)?);
            }
        }
        all.sort_by_key(|package| package.name.to_ascii_lowercase());
        Ok(Self { directory, all })
    }

    /// An archive of their files, in base64.
    ///
    /// # Errors
    /// When they are too large, or a file cannot be read.
    pub(super) fn archive(&self) -> anyhow::Result<String> {
        let mut walk = Walk::new(&self.directory, INSTALLED);
        let found = walk.files(&self.directory, &is_needed)?;
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for (name, path) in found {
            zip.start_file(name, options)?;
            zip.write_all(&walk.read(&path)?)?;
        }
        let archive = zip.finish()?.into_inner();
        if archive.len() > ARCHIVE_BYTES_MAX {
            let names: Vec<&str> = self.all.iter().map(|it| it.name.as_str()).collect();
            return Err(Problem::user(format!(
                "the packages of the project have {} bytes, and {ARCHIVE_BYTES_MAX} \
                 (ARCHIVE_BYTES_MAX) are allowed: {}",
                archive.len(),
                names.join(", ")
            ))
            .hint("depend on fewer or smaller packages")
            .into());
        }
        Ok(BASE64.encode(&archive))
    }
}

/// True for a file of a package that a component needs, and for a directory that may hold some.
fn is_needed(path: &str, place: &Path) -> bool {
    let (below, name) = path.rsplit_once('/').unwrap_or(("", path));
    if place.is_symlink() {
        return false;
    }
    if place.is_dir() {
        return !NOT_MODULES.contains(&name) || !(below.is_empty() || name == "__pycache__");
    }
    let ending = place.extension().unwrap_or_default().to_string_lossy();
    let is_record = below.contains(DIST_INFO) && LEFT_OUT.contains(&name);
    !is_record && !NOT_SOURCES.contains(&&*ending)
}

/// Reads name, version and license of an installed package from its directory of metadata.
///
/// # Errors
/// When it has native code and does not work without.
fn described(metadata: &Path) -> anyhow::Result<IncludedPackage> {
    let read = |name: &str| -> anyhow::Result<String> {
        let path = metadata.join(name);
        let bytes = files::read_regular(&path, INSTALLED.file_bytes_max)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read("METADATA")?;
    let head = text.split("\n\n").next().unwrap_or_default();
    let fields = || head.lines().filter_map(|line| line.split_once(": "));
    let field = |wanted: &str| fields().find(|(name, _)| *name == wanted).map(|(_, it)| it);
    let classifier = || {
        let mut classifiers = fields().filter(|(name, _)| *name == "Classifier");
        let license = classifiers.find_map(|(_, it)| it.strip_prefix("License :: "))?;
        license.rsplit(" :: ").next()
    };
    let license = field("License-Expression").or_else(classifier);
    let license = license.or_else(|| field("License"));
    let package = IncludedPackage {
        registry: PackageRegistry::Pypi,
        name: field("Name").unwrap_or_default().to_owned(),
        version: field("Version").unwrap_or_default().to_owned(),
        license: license.map(str::to_owned),
    };
    let wheel = read("WHEEL")?;
    let mut tags = wheel.lines().filter_map(|line| line.strip_prefix("Tag: "));
    match tags.any(|tag| tag.ends_with("-none-any")) || native::works_without(&package.name) {
        true => Ok(package),
        false => Err(native::refused(&package)),
    }
}

/// The report of a run of pip: the packages that it would install.
#[derive(Deserialize)]
struct Report {
    install: Vec<Installation>,
}

#[derive(Deserialize)]
struct Installation {
    download_info: DownloadInfo,
    metadata: Metadata,
    #[serde(default)]
    requested_extras: Vec<String>,
}

#[derive(Deserialize)]
struct DownloadInfo {
    url: String,
    archive_info: ArchiveInfo,
}

#[derive(Deserialize)]
struct ArchiveInfo {
    hashes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    version: String,
    #[serde(default)]
    requires_dist: Vec<String>,
}

impl Installation {
    fn is_pure(&self) -> bool {
        self.download_info.url.ends_with("-none-any.whl")
    }

    fn locked(&self) -> anyhow::Result<LockedPackage> {
        let DownloadInfo { url, archive_info } = &self.download_info;
        let Metadata { name, version, .. } = &self.metadata;
        if !url.ends_with(".whl") {
            return Err(Problem::user(format!("`{name}` {version} comes as no wheel")).into());
        }
        let sha256 = archive_info.hashes.get("sha256");
        let sha256 = sha256.with_context(|| format!("pip told no sha256 of {name}"))?;
        Ok(LockedPackage::new(name, version, url, sha256))
    }
}

/// The requirements of `wanted` and of all that they need but packages that modules of a build stand
/// in for, and what only those need.
async fn without_frameworks(
    wanted: &[String],
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<Vec<String>> {
    /// The most rounds in which more packages are found.
    const ROUNDS_MAX: usize = 12;
    let mut all = wanted.to_vec();
    let options = [&PURE[..], &NATIVE, &["--no-deps"]].concat();
    for _ in 0..ROUNDS_MAX {
        let report = report(&all, &options, project, session).await;
        let report = report.map_err(|error| native::explained(error, wanted))?;
        let mut more = Vec::new();
        for package in &report.install {
            let needed = package.metadata.requires_dist.iter();
            let extras = &package.requested_extras;
            let needed = needed.filter_map(|it| of_extras(it, extras));
            more.extend(needed.filter(|it| is_package(it) && !is_replaced(it)));
        }
        more.retain(|it| !all.contains(it));
        more.sort();
        more.dedup();
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    Ok(all)
}

/// The requirement without what it says of extras, if it holds for a package with these `extras`.
fn of_extras(requirement: &str, extras: &[String]) -> Option<String> {
    let Some((needed, marker)) = requirement.split_once(';') else {
        return Some(requirement.to_owned());
    };
    let marker = marker.trim();
    let Some(at) = marker.find("extra ==") else {
        return Some(requirement.to_owned());
    };
    let (before, extra) = marker.split_at(at);
    let name = extra["extra ==".len()..].trim();
    let name = name.trim_end_matches(')').trim_matches(['\'', '"']);
    if !extras.iter().any(|it| it == name) {
        return None;
    }
    let before = before.trim_end().trim_end_matches("and").trim();
    Some(match before.trim_matches(['(', ')', ' ']) {
        "" => needed.to_owned(),
        _ => format!("{needed}; {before}"),
    })
}

/// Has pip choose packages that fulfil the requirements.
async fn resolved(
    wanted: &[String],
    more: &[&str],
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<Lock> {
    let options = [&PURE[..], &NATIVE, more].concat();
    let report = report(wanted, &options, project, session).await;
    let chosen = report.map_err(|error| native::explained(error, wanted))?;
    let mut packages = Vec::new();
    for package in chosen.install {
        let Metadata { name, version, .. } = &package.metadata;
        let mut locked = package.locked()?;
        if !package.is_pure() {
            // The same version may be there in pure Python too, which pip likes less.
            let same = [format!("{name}=={version}")];
            let options = [&PURE[..], &["--no-deps"]].concat();
            if let Ok(pure) = self::report(&same, &options, project, session).await
                && let [pure] = &pure.install[..]
            {
                locked = pure.locked()?;
            }
        }
        packages.push(locked);
    }
    Ok(Lock::new(packages, wanted))
}

async fn report(
    wanted: &[String],
    options: &[&str],
    project: Project<'_>,
    session: &Session,
) -> anyhow::Result<Report> {
    let place = tempfile::Builder::new()
        .prefix("packages-")
        .tempdir_in(project.scratch)?;
    let at = |name: &str| place.path().join(name);
    files::write(&at(REQUIREMENTS), wanted.join("\n").as_bytes())?;
    let mut pip: Command = project.command("python3");
    pip.args(["-m", "pip", "install", "--dry-run", "--ignore-installed"])
        .args(options)
        .arg("--target")
        .arg(at("nowhere"))
        .arg("--report")
        .arg(at("report.json"))
        .arg("--requirement")
        .arg(at(REQUIREMENTS))
        // Never the user's working directory: `python3 -m` imports modules from there first.
        .current_dir(place.path());
    process::run("choosing packages with pip", &mut pip, &session.printer).await?;
    let text = std::fs::read_to_string(at("report.json")).context("pip wrote no report")?;
    serde_json::from_str(&text).context("pip's report is not what it was (pip 22.2 or later)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(directory: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            files::write(&directory.join(path), text.as_bytes()).unwrap();
        }
    }

    #[test]
    fn requirements_of_extras_are_followed_where_they_are_asked_for() {
        let extras = ["socks".to_owned()];
        for (requirement, expect) in [
            ("a>=1", Some("a>=1")),
            ("a; python_version < '4'", Some("a; python_version < '4'")),
            ("a==1; extra == 'socks'", Some("a==1")),
            ("a; extra == \"http2\"", None),
            (
                "a; python_version < '4' and extra == 'socks'",
                Some("a; python_version < '4'"),
            ),
        ] {
            assert_eq!(of_extras(requirement, &extras).as_deref(), expect);
        }
    }

    #[test]
    fn what_belongs_to_a_package_goes_into_the_archive() {
        let directory = tempfile::tempdir().unwrap();
        install(
            directory.path(),
            &[
                ("a/__init__.py", "x = 1"),
                ("a/data/words.txt", "words"),
                ("a/fast.cpython-314-x86_64-linux-gnu.so", "native"),
                ("a/__pycache__/__init__.pyc", "compiled"),
                ("a/bin/inside.py", ""),
                ("bin/a", "#!"),
                ("a-1.dist-info/METADATA", "Name: a\nVersion: 1\n"),
                ("a-1.dist-info/RECORD", ""),
                ("a-1.dist-info/licenses/LICENSE", "all"),
            ],
        );
        let packages = Packages {
            directory: directory.path().to_owned(),
            all: Vec::new(),
        };
        let archive = BASE64
            .decode(packages.archive().unwrap().as_bytes())
            .unwrap();
        let archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
        let names: Vec<_> = archive.file_names().map(Result::unwrap).collect();
        assert_eq!(
            names,
            [
                "a-1.dist-info/METADATA",
                "a-1.dist-info/licenses/LICENSE",
                "a/__init__.py",
                "a/bin/inside.py",
                "a/data/words.txt",
            ]
        );
        assert_eq!(packages.archive().unwrap(), packages.archive().unwrap());
    }

    #[track_caller]
    fn check(metadata: &str, wheel: &str, expect: Result<(&str, Option<&str>), &str>) {
        let directory = tempfile::tempdir().unwrap();
        install(
            directory.path(),
            &[("METADATA", metadata), ("WHEEL", wheel)],
        );
        match (described(directory.path()), expect) {
            (Ok(package), Ok((name, license))) => {
                assert_eq!(package.name, name);
                assert_eq!(package.license.as_deref(), license);
            }
            (Err(error), Err(said)) => assert_eq!(error.to_string(), said),
            (found, expect) => panic!("expected {expect:?}, found {found:?}"),
        }
    }

    #[test]
    fn a_package_tells_its_license_and_whether_it_is_pure() {
        const PURE: &str = "Wheel-Version: 1.0\nTag: py2-none-any\nTag: py3-none-any\n";
        const NATIVE: &str = "Wheel-Version: 1.0\nTag: cp314-cp314-manylinux2014_x86_64\n";
        check(
            "Name: idna\nVersion: 3.7\nLicense: all of it\nLicense-Expression: BSD-3-Clause\n\nLicense: no field\n",
            PURE,
            Ok(("idna", Some("BSD-3-Clause"))),
        );
        check(
            "Name: a\nVersion: 1\nClassifier: License :: OSI Approved :: MIT License\n",
            PURE,
            Ok(("a", Some("MIT License"))),
        );
        check("Name: a\nVersion: 1\n", PURE, Ok(("a", None)));
        check(
            "Name: PyYAML\nVersion: 6.0\nLicense: MIT\n",
            NATIVE,
            Ok(("PyYAML", Some("MIT"))),
        );
        check(
            "Name: numpy\nVersion: 2.0\n",
            NATIVE,
            Err("the package `numpy` 2.0 has native code, which a component cannot hold"),
        );
    }
}
