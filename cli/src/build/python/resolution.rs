//! Has pip choose the packages that a Python project needs, without those that stand-ins replace.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Deserialize;
use tokio::process::Command;

use super::dependencies::REQUIREMENTS;
use super::lock::{Lock, LockedPackage};
use super::native;
use super::requirement::is_package;
use super::stand_ins::is_replaced;
use crate::build::process;
use crate::build::project::Project;
use crate::files;
use crate::session::Session;
use crate::terminal::printer::Printer;
use crate::terminal::problem::Problem;

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
pub(super) const NATIVE: [&str; 4] = [
    "--abi=cp314",
    "--abi=abi3",
    "--platform=manylinux2014_x86_64",
    "--platform=manylinux_2_28_x86_64",
];

/// The option by which it takes packages that do not know Python 3.14.
pub(super) const ANY_PYTHON: &str = "--ignore-requires-python";

/// Runs pip as `command` says with more options. If it refuses packages for Python's version it
/// takes them all the same: it compares with the Python that runs it, and many authors allow no
/// version that is newer than their package, which a warning says.
///
/// # Errors
/// When it fails, and when it cannot be started.
pub(super) async fn run_pip(
    doing: &str,
    command: impl Fn(&[&str]) -> Command,
    printer: &Printer,
) -> anyhow::Result<()> {
    const NOT_FOR_3_14: &str = "require a different python version";
    const NOT_FOR_PIPS_OWN: &str = "requires a different Python";
    let Err(error) = process::run(doing, &mut command(&[]), printer).await else {
        return Ok(());
    };
    let says = |words: &str| error.chain().any(|it| it.to_string().contains(words));
    let is_newer = says(NOT_FOR_3_14);
    if !is_newer && !says(NOT_FOR_PIPS_OWN) {
        return Err(error);
    }
    let again = process::run(doing, &mut command(&[ANY_PYTHON]), printer).await;
    if again.is_err() {
        return Err(error);
    }
    if is_newer {
        printer.warning("a package does not say that it is for Python 3.14, which runs it here");
    }
    Ok(())
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

/// The requirements of `wanted` and of all that they need, without packages that modules of a
/// build stand in for and what only those need.
pub(super) async fn without_frameworks(
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
pub(super) async fn resolved(
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
    let pip = |more: &[&str]| {
        let mut pip: Command = project.command("python3");
        pip.args(["-m", "pip", "install", "--dry-run", "--ignore-installed"])
            .args(options)
            .args(more)
            .arg("--target")
            .arg(at("nowhere"))
            .arg("--report")
            .arg(at("report.json"))
            .arg("--requirement")
            .arg(at(REQUIREMENTS))
            // Never the user's working directory: `python3 -m` imports modules from there first.
            .current_dir(place.path());
        pip
    };
    run_pip("choosing packages with pip", pip, &session.printer).await?;
    let text = std::fs::read_to_string(at("report.json")).context("pip wrote no report")?;
    serde_json::from_str(&text).context("pip's report is not what it was (pip 22.2 or later)")
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
