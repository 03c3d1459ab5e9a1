//! The packages that a Python project depends on: pip chooses them, a lock pins each by its hash.
//! Only wheels are taken, so nothing of them runs here. What belongs to them goes into an archive.

use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use data_encoding::BASE64;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::dependencies::{REQUIREMENTS, requirements};
use super::lock::{LOCK, Lock};
use super::native;
use super::resolution::{ANY_PYTHON, NATIVE, PURE, resolved, without_frameworks};
use super::stand_ins::is_replaced;
use crate::build::functions::Functions;
use crate::build::project::Project;
use crate::build::toolchain::Toolchain;
use crate::build::walk::{Bounds, Walk};
use crate::files;
use crate::session::Session;
use crate::terminal::phrases::counted;
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
            let pinned = counted(packages.all.len(), "package");
            session
                .printer
                .note(&format!("wrote {LOCK}, which pins {pinned}"));
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
            // The lock has chosen.
            ANY_PYTHON,
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
                let mut package = described(&entry)?;
                package.hash = lock.hash_of(&package.name, &package.version);
                all.push(package);
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
        origin: None,
        hash: None,
    };
    let wheel = read("WHEEL")?;
    let mut tags = wheel.lines().filter_map(|line| line.strip_prefix("Tag: "));
    match tags.any(|tag| tag.ends_with("-none-any")) || native::works_without(&package.name) {
        true => Ok(package),
        false => Err(native::refused(&package)),
    }
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
