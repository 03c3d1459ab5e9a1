//! The command of componentize-py, which makes components of Python, and its pinned package.

use std::path::Path;

use tokio::process::Command;

use crate::build::project::Project;
use crate::build::toolchain::Toolchain;

/// The program is a native module of the package, so that it needs no environment of its own
/// but a place on Python's path.
pub(super) const COMPONENTIZE_PY: Toolchain<'_> = Toolchain {
    name: "componentize-py-0.25.1",
    lock: &[("requirements.txt", include_str!("requirements.txt"))],
    install: &[
        "python3",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--target",
        "{directory}",
        "--requirement",
        "{directory}/requirements.txt",
    ],
};

/// The command of componentize-py, with the packages of `environment`. WASI is not stubbed out: a
/// stub would bake one seed into the component, and every call would draw the same "random"
/// numbers.
pub(super) fn componentize(project: Project<'_>, toolchain: &Path, environment: &Path) -> Command {
    let mut command = project.command("python3");
    command
        .args([
            "-c",
            "import sys, componentize_py; sys.exit(componentize_py.script())",
        ])
        .env("PYTHONPATH", toolchain)
        .env("VIRTUAL_ENV", environment)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(project.scratch);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_of_the_toolchain_is_named_by_hashes() {
        let [(_, requirements)] = COMPONENTIZE_PY.lock else {
            panic!("it has one lock");
        };
        let joined = requirements.replace("\\\n", " ");
        let lines = joined.lines().filter(|line| !line.trim().is_empty());
        let packages: Vec<Vec<&str>> = lines.map(|it| it.split_whitespace().collect()).collect();
        assert!(!packages.is_empty());
        for package in packages {
            let (name, hashes) = package.split_first().unwrap();
            let pinned = name.split_once("==").unwrap();
            assert!(pinned.1.starts_with(|c: char| c.is_ascii_digit()), "{name}");
            assert!(!hashes.is_empty(), "{name}");
            for hash in hashes {
                let hex = hash.strip_prefix("--hash=sha256:").unwrap();
                assert_eq!(hex.len(), 64, "{name}");
            }
        }
        for flag in ["--require-hashes", "--only-binary=:all:", "--no-deps"] {
            assert!(COMPONENTIZE_PY.install.contains(&flag), "{flag}");
        }
    }
}
