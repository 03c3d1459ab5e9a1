//! Lists the packages of crates.io that a Rust project's component is made of, as cargo tells them.

use std::path::Path;

use tool_hub_host::{IncludedPackage, PackageRegistry};

use super::target::TARGET;
use crate::build::process;
use crate::build::project::Project;
use crate::session::Session;

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
    Ok(listed(&String::from_utf8_lossy(&output.stdout)))
}

/// The packages of crates.io in what `cargo tree` says. Others have their source behind them, such
/// as `a v1.0.0 (/home/ada/a)`.
fn listed(said: &str) -> Vec<IncludedPackage> {
    let package = |line: &str| {
        let (package, license) = line.split_once('\t')?;
        // What was shown before is marked.
        let license = license.trim_end_matches(" (*)").trim();
        let (name, version) = package.split_once(" v")?;
        let is_of_the_registry = !version.contains(' ');
        is_of_the_registry.then(|| IncludedPackage {
            registry: PackageRegistry::Cargo,
            name: name.to_owned(),
            version: version.to_owned(),
            license: (!license.is_empty()).then(|| license.to_owned()),
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
    fn only_packages_of_crates_io_are_listed() {
        let said = "tool v0.1.0 (/home/ada/tool)\t\n\
                    serde v1.0.219\tMIT OR Apache-2.0\n\
                    helper v0.1.0 (/home/ada/helper)\tMIT\n\
                    forked v2.0.0 (https://git.example/forked#0a1b2c3d)\tMIT\n\
                    private v1.0.0 (registry `ours`)\tMIT\n\
                    serde v1.0.219\tMIT OR Apache-2.0 (*)\n\
                    unlicensed v0.0.1+a\t\n";
        let package = |name: &str, version: &str, license: Option<&str>| IncludedPackage {
            registry: PackageRegistry::Cargo,
            name: name.to_owned(),
            version: version.to_owned(),
            license: license.map(str::to_owned),
        };
        let expect = [
            package("serde", "1.0.219", Some("MIT OR Apache-2.0")),
            package("unlicensed", "0.0.1+a", None),
        ];
        assert_eq!(listed(said), expect);
    }
}
